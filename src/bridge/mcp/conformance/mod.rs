//! The server of `--features conformance`: this program's server, with the tools, prompts and
//! resources that the conformance suites of the protocol use. For tests only: no release is built
//! with it.
//!
//! Their answers are in `fixtures.json`, because the suites define them. Everything else, from the
//! bytes on the wire to the sealed states, is the program's own code.
#![expect(
    deprecated,
    reason = "the suites test what the newest revision has deprecated"
)]

mod fixtures;
mod questions;
mod tool;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    GetSkillRequestParams, GetSkillResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Map;

use self::fixtures::{Fixtures, WATCHED};
use super::server::McpServer;
use super::subscriptions;

/// The server with the fixtures of the suites.
#[derive(Clone)]
pub(super) struct WithFixtures(McpServer);

impl From<McpServer> for WithFixtures {
    fn from(server: McpServer) -> Self {
        Self(server)
    }
}

impl ServerHandler for WithFixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.0.get_info();
        // Deprecated, and not used by the program: the suites send log messages through the
        // transport.
        info.capabilities.logging = Some(Map::new());
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Fixtures::load().tool(name).map(tool::ToolFixture::as_sent)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.0.list_tools(request, context).await?;
        let fixtures = Fixtures::load().tools.iter();
        listed
            .tools
            .extend(fixtures.map(tool::ToolFixture::as_sent));
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match Fixtures::load().tool(&request.name) {
            Some(fixture) => fixture.call(request, &context, &self.0).await,
            None => self.0.call_tool(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.0.list_prompts(request, context).await?;
        let fixtures = Fixtures::load().prompts.iter();
        listed
            .prompts
            .extend(fixtures.map(fixtures::PromptFixture::as_sent));
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(fixture) = Fixtures::load().prompt(&request.name) else {
            return self.0.get_prompt(request, context).await;
        };
        let responses = request.input_responses.unwrap_or_default();
        if let Some(question) = questions::first_unanswered(&fixture.rounds, &responses) {
            return Ok(question.into());
        }
        let arguments = request.arguments.unwrap_or_default();
        Ok(GetPromptResult::new(fixture.filled(&arguments)?).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.0.list_resources(request, context).await?;
        listed.resources.extend(Fixtures::load().listed_resources());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.0.list_resource_templates(request, context).await?;
        let fixture = Fixtures::load().template.as_sent();
        listed.resource_templates.push(fixture);
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match Fixtures::load().resource(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => self.0.read_resource(request, context).await,
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri != WATCHED {
            return self.0.subscribe(request, context).await;
        }
        let shared = self.0.shared();
        subscriptions::subscribe(&shared, context.peer, request.uri, "watched.md".to_owned()).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.unsubscribe(request, context).await
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    // The rest is forwarded to the server.

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.0.initialize(request, context).await?;
        result.capabilities.logging = Some(Map::new());
        Ok(result)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.0.complete(request, context).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.0.listen(subscription).await
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.0.list_skills(request, context).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.0.get_skill(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.0.on_custom_request(request, context).await
    }
}
