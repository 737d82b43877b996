//! The parts of this server that the fixtures of the conformance suites need
//! (`fixtures/mcp-conformance`).

use mcp_conformance::TestedServer;
use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::Peer;

use super::server::McpServer;
use super::subscriptions;

impl TestedServer for McpServer {
    fn pretend_change_of_settings(&self) {
        self.shared.host.pretend_change();
    }

    async fn watch_fixture(&self, client: Peer<RoleServer>, uri: String) -> Result<(), ErrorData> {
        subscriptions::subscribe(&self.shared, client, uri, "watched.md".to_owned()).await
    }
}
