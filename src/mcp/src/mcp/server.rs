//! The server of one connection or one request. Each request goes through the gateway.

mod handler;
mod shared;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, Implementation};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

pub(super) use self::shared::ServerShared;
use super::approval::{self, DialogAnswer, DialogMode};
use super::call_permits::ClientAddress;
use super::{media, progress, resources, result};
use crate::error::Error;
use crate::host::Host;
use allowlist::{nearest, of_equal_words, of_other_programs, of_same_words};
use backend::cancel::Cancel;
use frontend::tools::{self, GENERIC, Start, ToolCall};
use gateway::{Control, Envelope, Request, usage_of};
use protocol::{Code, Failure, Reader, message};

/// The handler of a connection's messages.
#[cfg(not(feature = "conformance"))]
pub(super) type Handler = McpServer;
/// The handler in a test build, with the tools of the conformance suites.
#[cfg(feature = "conformance")]
pub(super) type Handler = mcp_conformance::WithFixtures<McpServer>;

/// Handles one stdio connection or one HTTP request.
#[derive(Clone)]
pub(super) struct McpServer {
    pub(super) shared: Arc<ServerShared>,
    /// Whether the client can answer questions on this connection: on standard input and output.
    pub(super) asks_back: bool,
}

impl McpServer {
    /// Notifies the client whenever the settings change, which may open or close tools and prompts.
    ///
    /// Only for clients with a handshake. A client of revision 2026-07-28 has no handshake, so its
    /// peer information is missing; it learns of changes through `subscriptions/listen`.
    pub(super) fn tell_of_changes(shared: &ServerShared, client: Peer<RoleServer>) {
        if client.peer_info().is_none() {
            return;
        }
        let mut changes = shared.host.changes();
        tokio::spawn(async move {
            while changes.changed().await.is_ok() && !client.is_transport_closed() {
                // Losing a notification does no harm: the policy is checked on each call.
                drop(client.notify_tool_list_changed().await);
                drop(client.notify_prompt_list_changed().await);
            }
        });
    }

    /// Converts the server to the handler of messages.
    #[cfg(not(feature = "conformance"))]
    pub(super) fn into_handler(self) -> Handler {
        self
    }

    /// Converts the server to the handler of messages, with the fixtures of the conformance suites.
    #[cfg(feature = "conformance")]
    pub(super) fn into_handler(self) -> Handler {
        Handler::from(self)
    }

    /// Runs a request in the gateway, forwards its progress, and cancels it if the client gives up.
    /// `shown` converts the answer on the worker thread, because that can take long too (`threats.toml`
    /// J05). `control` says which part of the answer is wanted.
    async fn answer<T: Send + 'static>(
        &self,
        request: Request,
        control: Control,
        context: &RequestContext<RoleServer>,
        shown: impl Fn(Envelope) -> T + Clone + Send + 'static,
    ) -> Result<T, Failure> {
        let command = request.command.clone();
        let cancel = Cancel::new();
        let _taken_back = TakenBack(cancel.clone());
        let (progress, mut news) = progress::for_client(context);
        let control = Control {
            cancel,
            progress,
            client: client_name(context),
            ..control
        };
        let of_answer = shown.clone();
        let wanted = Instant::now();
        let mut answered = std::pin::pin!(self.blocking(context, move |host| {
            // The wait for a permit counts against the call's time limit.
            let control = Control {
                waited: wanted.elapsed(),
                ..control
            };
            of_answer(host.answer(&request, &control))
        }));
        let answered = loop {
            tokio::select! {
                answered = answered.as_mut() => break answered,
                Some(news) = news.recv() => {
                    // Losing a progress notification does no harm.
                    drop(context.peer.notify_progress(news).await);
                }
            }
        };
        match answered {
            Err(failure) if failure.code == Code::Busy => {
                Ok(shown(Envelope::from_failure(&command, failure)))
            }
            other => other,
        }
    }

    async fn blocking<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Host) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let shared = Arc::clone(&self.shared);
        let patience = Duration::from_millis(shared.patience_ms.load(Ordering::Relaxed));
        let client = client(context);
        let work = move || {
            let timeout_ms = shared.host.gateway().settings().timeout_ms;
            shared.patience_ms.store(timeout_ms, Ordering::Relaxed);
            work(&shared.host)
        };
        tokio::select! {
            done = self.shared.permits.run(client, patience, work) => done,
            () = context.ct.cancelled() => Err(Error::Cancelled.into()),
        }
    }

    /// Asks a person through the client; `None` if the client cannot ask.
    async fn ask(
        &self,
        id: &str,
        about: &[u8],
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<DialogOutcome>, Failure> {
        let way = DialogMode::for_client(context, self.asks_back);
        if way == DialogMode::Unavailable {
            return Ok(None);
        }
        let name = id.to_owned();
        let shown = self
            .blocking(context, move |host| {
                approval::dialog_text(&host.gateway(), &name)
            })
            .await??;
        let Some(text) = shown else { return Ok(None) };
        if way == DialogMode::Resend {
            return Ok(Some(DialogOutcome::Later(
                self.shared.sealer.question(id, &text, about)?,
            )));
        }
        let answer = approval::ask_back(&context.peer, &text).await;
        self.settle(id, answer, context)
            .await
            .map(|()| Some(DialogOutcome::Yes))
    }

    /// Stores the person's answer.
    ///
    /// # Errors
    ///
    /// Unless the answer was yes.
    async fn settle(
        &self,
        id: &str,
        answer: DialogAnswer,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), Failure> {
        let id = id.to_owned();
        self.blocking(context, move |host| {
            approval::settle(&host.gateway(), &id, answer)
        })
        .await?
    }

    async fn call(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = params.arguments.unwrap_or_default();
        let catalogue = self.shared.catalogue;
        let action = action_of(&arguments);
        let Some(name) = self.shared.prefix.remove_from(&params.name) else {
            return Err(self.unknown_tool(&params.name, action.as_deref()));
        };
        let name = name.to_owned();
        let tool = name.clone();
        // Parsing happens on a worker thread, because the arguments may contain a note of many
        // megabytes.
        let read = spawn_blocking(move || {
            let about = approval::about(&name, &arguments);
            let command = tools::command_of(catalogue, &name, &arguments);
            (about, command, tools::call(catalogue, &name, arguments))
        });
        let (about, command, read) = read.await.map_err(|_| {
            ErrorData::internal_error("internal error in vault-gw; please report it", None)
        })?;
        let Some(read) = read else {
            return Err(self.unknown_tool(&params.name, action.as_deref()));
        };
        let budget = self.shared.budget;
        let failed = |failure| {
            let mut answered = Envelope::from_failure(&command, failure);
            self.shared.render_for_client(&mut answered, &tool);
            CallToolResponse::from(result::from_answer(answered, Start::default(), budget))
        };
        let called = async {
            let mut call = read?;
            media::ask_for_image(&mut call.request);
            call.keep_within(budget);
            let ToolCall { mut request, start } = call;
            request.dry_run |= self.shared.dry_run;
            let shown = || Control {
                page: (start.skip == 0).then_some(budget),
                ..Control::default()
            };
            if let Some(state) = &params.request_state {
                // HTTP offers no dialog, so an answer to one is forged (`threats.toml` I19).
                if !self.asks_back {
                    return Err(Error::NoDialogs.into());
                }
                let sealer = &self.shared.sealer;
                let (id, answer) = sealer.answered(state, &about, params.input_responses)?;
                self.settle(&id, answer, context).await?;
                request.approval = Some(id);
            }
            let shared = Arc::clone(&self.shared);
            let called = tool.clone();
            let render = move |answered: Envelope| {
                let mut answered = media::without_binary(answered);
                shared.render_for_client(&mut answered, &called);
                let needed = approval::needed(&answered);
                (needed, result::from_answer(answered, start, budget))
            };
            let answered = self.answer(request.clone(), shown(), context, render.clone());
            let (needed, mut result) = answered.await?;
            if let Some(id) = needed.filter(|_| request.approval.is_none()) {
                match self.ask(&id, &about, context).await? {
                    Some(DialogOutcome::Later(question)) => return Ok(question.into()),
                    Some(DialogOutcome::Yes) => {
                        request.approval = Some(id);
                        // Each run needs its own id, and the refused run has used this one.
                        request.run_id = None;
                        (_, result) = self.answer(request, shown(), context, render).await?;
                    }
                    None => {}
                }
            }
            Ok(result.into())
        };
        Ok(called.await.unwrap_or_else(failed))
    }

    /// Returns the error for an unknown tool, with similar tools or commands. `action` is the argument by which a tool of
    /// another program chooses what to do.
    fn unknown_tool(&self, name: &str, action: Option<&str>) -> ErrorData {
        let prefix = &self.shared.prefix;
        let shown = self.shared.tools();
        let tools: Vec<&str> = shown.iter().map(|tool| tool.name.as_str()).collect();
        let has = |wanted: &str| tools.contains(&wanted);
        let bare = prefix.remove_from(name).unwrap_or(name);
        let generic = prefix.add_to(GENERIC);
        let by_generic = |id: &str| {
            let params = usage_of(id).map(|usage| format!(" and the `params` `{usage}`"));
            format!(
                "`{generic}` with the `command` `{id}`{}",
                params.unwrap_or_default()
            )
        };
        // The commands that are open, and the questions.
        let commands = shown.iter().find(|tool| tool.name == GENERIC);
        let commands =
            commands.and_then(|tool| tool.input_schema["properties"]["command"]["enum"].as_array());
        let commands: Vec<&str> = commands
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let spelled = bare.replace('_', ":");
        // The refusal of a closed command says who can open it.
        let command = [bare, &spelled]
            .into_iter()
            .find(|id| has(GENERIC) && usage_of(id).is_some());
        let client = self.shared.client(&shown);
        let advice = of_other_programs(bare).map(|advice| advice.render(Reader::Client(&client)));
        let message = if has(bare) {
            format!("unknown tool. Did you mean `{}`?", prefix.add_to(bare))
        } else if let Some(id) = command {
            format!("unknown tool; call {}", by_generic(id))
        } else if let Some(advice) = advice.filter(|_| has(GENERIC)) {
            format!("unknown tool. {advice}")
        } else {
            // A command with a tool is suggested by the name of the tool.
            let others = commands.iter().filter(|id| !has(&id.replace(':', "_")));
            let names = || tools.iter().copied().chain(others.clone().copied());
            let mut near = action.map_or_else(Vec::new, |action| of_equal_words(action, names()));
            if near.is_empty() {
                near = nearest(bare, tools.iter().copied());
            }
            if near.is_empty() {
                near = of_same_words(bare, names());
            }
            // A tool is called in one step.
            if near.iter().any(|name| has(name)) {
                near.retain(|name| has(name));
            }
            let near = near.iter().map(|name| {
                if has(name) {
                    format!("`{}`", prefix.add_to(name))
                } else {
                    by_generic(name)
                }
            });
            let near: Vec<String> = near.collect();
            if near.is_empty() {
                let next = if has(GENERIC) {
                    message!("{capabilities} lists every command.").render(Reader::Client(&client))
                } else {
                    "Call only the tools in the answer to `tools/list`.".to_owned()
                };
                format!("unknown tool. {next}")
            } else {
                format!("unknown tool. Did you mean {}?", near.join(" or "))
            }
        };
        ErrorData::invalid_params(message, None)
    }

    /// Whether the client may read a file. Recorded in the audit log like any call.
    ///
    /// # Errors
    ///
    /// If it may not, or the file is missing; both errors are equal.
    async fn may_read(
        &self,
        path: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let shown = |answered: Envelope| resources::succeeded(&answered);
        let look = resources::request("file", "path", path);
        self.resource(look, context, shown).await
    }

    /// Runs a request for a resource and converts its answer.
    async fn resource<T: Send + 'static>(
        &self,
        request: Request,
        context: &RequestContext<RoleServer>,
        shown: impl Fn(Envelope) -> Result<T, ErrorData> + Clone + Send + 'static,
    ) -> Result<T, ErrorData> {
        let control = Control {
            // A client lists resources by itself, and shows them to a person.
            without_labelled: request.command == resources::LIST,
            leaves_news: true,
            ..Control::default()
        };
        self.answer(request, control, context, shown)
            .await
            .map_err(|failure| resources::refused(failure.code, &failure.to_string()))?
    }
}

/// Returns the argument by which a tool of another program chooses what to do, such as `view` of a text editor.
fn action_of(arguments: &Map<String, Value>) -> Option<String> {
    let mut names = ["command", "action", "operation"].iter();
    let action = names.find_map(|name| arguments.get(*name)?.as_str())?;
    Some(action.to_owned())
}

/// Returns the client of an HTTP request; the HTTP layer puts it into the extensions.
fn client(context: &RequestContext<RoleServer>) -> Option<&ClientAddress> {
    let head = context.extensions.get::<hyper::http::request::Parts>()?;
    head.extensions.get()
}

/// Name and version of the client program, as it says itself, for the audit log. Limited in length. `None` for a client
/// of stateless HTTP that says it only at its handshake: `rmcp` then gives its own name.
fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    const LONGEST: usize = 64;
    let named = context.client_info();
    let client = named.filter(|client| *client != Implementation::default())?;
    let bounded = |text: &str| text.chars().take(LONGEST).collect::<String>();
    Some(format!(
        "{} {}",
        bounded(&client.name),
        bounded(&client.version)
    ))
}

/// Cancels a call when the future that waits for it is dropped. Has no effect after the call has
/// ended.
struct TakenBack(Cancel);

impl Drop for TakenBack {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The result of asking a person.
enum DialogOutcome {
    /// The person approved the call.
    Yes,
    /// The client will ask and send the call again.
    Later(rmcp::model::InputRequiredResult),
}
