//! A tool of the suites.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CustomRequest, ErrorData, InputRequests, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::questions;
use crate::bridge::mcp::server::McpServer;

/// The pause between two notifications of one call.
const PAUSE: Duration = Duration::from_millis(20);

/// A tool: its actions, in this order, and its answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of the file of fixtures"
)]
pub(super) struct ToolFixture {
    pub(super) name: String,
    description: String,
    /// The schema, if it is more than the list of `arguments`.
    input_schema: Option<Map<String, Value>>,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// Capabilities that the client must have.
    needs: Option<ClientCapabilities>,
    /// Whether it pretends a change of the settings.
    #[serde(default)]
    changes_tools: bool,
    /// Questions whose answers come with a later call (revision 2026-07-28).
    #[serde(default)]
    rounds: Vec<InputRequests>,
    /// Whether each question has a sealed state.
    #[serde(default)]
    sealed: bool,
    /// Whether to leave out questions that the client cannot answer.
    #[serde(default)]
    declared_only: bool,
    /// A request to the client while the call runs (older revisions).
    asks: Option<AskedRequest>,
    #[serde(default)]
    progress: Vec<u32>,
    #[serde(default)]
    logs: Vec<String>,
    content: Value,
    #[serde(default)]
    is_error: bool,
}

#[derive(Debug, Deserialize)]
struct AskedRequest {
    method: String,
    params: Value,
}

impl ToolFixture {
    /// The tool in the form of a list result.
    pub(super) fn as_sent(&self) -> Tool {
        let schema = self.input_schema.clone().unwrap_or_else(|| {
            let properties = Value::Object(self.arguments.clone());
            Map::from_iter([
                ("type".to_owned(), json!("object")),
                ("properties".to_owned(), properties),
            ])
        });
        Tool::new(
            self.name.clone(),
            self.description.clone(),
            Arc::new(schema),
        )
    }

    /// The content of its answer.
    ///
    /// # Errors
    ///
    /// If the fixture's content is invalid.
    pub(super) fn content(&self) -> Result<Vec<ContentBlock>, ErrorData> {
        serde_json::from_value(self.content.clone())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Answers a call of the tool.
    ///
    /// # Errors
    ///
    /// If the client cannot do what the tool needs, or sends a state that is not this tool's.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        server: &McpServer,
    ) -> Result<CallToolResponse, ErrorData> {
        let capabilities = context.client_capabilities();
        if let Some(needed) = &self.needs
            && capabilities
                .as_ref()
                .is_none_or(|has| has.sampling.is_none())
        {
            return Err(ErrorData::missing_required_client_capability(
                needed.clone(),
            ));
        }
        let responses = request.input_responses.unwrap_or_default();
        let question = if self.sealed {
            let state = request.request_state.as_deref();
            questions::next_sealed(&self.name, &self.rounds, &responses, state)?
        } else if self.declared_only {
            let declared = self.rounds.iter();
            let declared: Vec<InputRequests> = declared
                .map(|asked| questions::declared(asked, capabilities.as_ref()))
                .collect();
            questions::first_unanswered(&declared, &responses)
        } else {
            questions::first_unanswered(&self.rounds, &responses)
        };
        if let Some(question) = question {
            return Ok(question.into());
        }
        if self.changes_tools {
            server.shared().pretend_change_of_settings();
        }
        self.tell(context).await;
        let mut blocks = self.content()?;
        if let Some(asked) = &self.asks {
            blocks.push(ContentBlock::text(asked.answer(context).await));
        }
        Ok(if self.is_error {
            CallToolResult::error(blocks).into()
        } else {
            CallToolResult::success(blocks).into()
        })
    }

    /// Sends the progress notifications and log messages.
    async fn tell(&self, context: &RequestContext<RoleServer>) {
        let token = context.meta.get_progress_token();
        for done in &self.progress {
            let Some(token) = &token else { break };
            let news = ProgressNotificationParam::new(token.clone(), f64::from(*done));
            drop(context.peer.notify_progress(news.with_total(100.0)).await);
            tokio::time::sleep(PAUSE).await;
        }
        // From revision 2026-07-28 on, a request says whether it wants log messages.
        let is_legacy = context.meta.protocol_version().is_none();
        if !is_legacy && context.meta.log_level().is_none() {
            return;
        }
        for text in &self.logs {
            let news = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
            drop(context.peer.notify_logging_message(news).await);
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl AskedRequest {
    /// Sends the request to the client and returns its answer as text.
    async fn answer(&self, context: &RequestContext<RoleServer>) -> String {
        let request = CustomRequest::new(self.method.clone(), Some(self.params.clone()));
        let request = ServerRequest::CustomRequest(request);
        match context.peer.send_request(request).await {
            Ok(answer) => serde_json::to_string(&answer).unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    }
}
