//! Approvals through the client's own dialog (`design/writes.md`).
//!
//! The client shows a person the whole plan, as `vault-gw review` would, and returns the answer.
//! From protocol 2026-07-28 on it sends the call again, with a sealed state that only this process
//! can have made and only for that call. Before that it answers our elicitation request. Either way
//! the result is a stored approval, which is bound to the plan, can be used once and expires
//! (`threats.toml` I14).
//!
//! A dialog is accepted only on stdio, and only from clients that the settings list: the client is
//! trusted to ask a person, although it could answer by itself (`threats.toml` I19).

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
    RequestStateCodec, SealOptions, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde_json::{Map, Value, json};

use crate::error::Error;
use frontend::approval_text;
use gateway::{Envelope, Gateway};
use protocol::{Failure, digest::sha256};
use store::approvals::LIFETIME;
use tiers::ApprovalChannel;

/// The longest question, in characters. No one reads more in a dialog, and half a plan must not be
/// approved, so a longer one waits for `vault-gw review`.
const LONGEST_QUESTION: usize = 20_000;
/// The key of our question, and of the switch in its form.
const QUESTION: &str = "approve";

/// The dialog by which this client can ask a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialogMode {
    /// The client has no dialog, or is not trusted with one.
    Unavailable,
    /// We send an elicitation request on the same connection.
    AskBack,
    /// We answer with the question, and the client sends the call again.
    Resend,
}

impl DialogMode {
    /// The mode for this client. It must have declared form elicitation, and it must have started
    /// this server on a pipe: over HTTP anyone with the token could answer a dialog, so none is
    /// offered (`threats.toml` I19).
    pub(super) fn for_client(context: &RequestContext<RoleServer>, is_on_a_pipe: bool) -> Self {
        let dialogs = context
            .client_capabilities()
            .and_then(|capabilities| capabilities.elicitation);
        // A client that declares dialogs without a kind has forms.
        let has_forms =
            dialogs.is_some_and(|dialogs| dialogs.form.is_some() || dialogs.url.is_none());
        let sends_again = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if !has_forms || !is_on_a_pipe {
            Self::Unavailable
        } else if sends_again {
            Self::Resend
        } else {
            Self::AskBack
        }
    }
}

/// Whether the person approved the plan. `None` without an answer: the dialog was closed, or the client could not show
/// it.
pub(super) type DialogAnswer = Option<bool>;

/// Reads the client's result. Only an explicit yes approves.
fn answer_in(result: &ElicitResult) -> DialogAnswer {
    match result.action {
        ElicitationAction::Accept => result.content.as_ref()?.get(QUESTION)?.as_bool(),
        ElicitationAction::Decline => Some(false),
        _ => None,
    }
}

/// Returns the id of the approval that the call needs, if it needs one.
pub(super) fn needed(envelope: &Envelope) -> Option<String> {
    envelope.error.as_ref()?.approval().map(str::to_owned)
}

/// Returns the bytes to which the sealed state is bound: the tool and every argument of the call.
/// Otherwise an approval could be replayed with other arguments.
pub(super) fn about(tool: &str, arguments: &Map<String, Value>) -> Vec<u8> {
    // A client may send the same arguments again in another order.
    let sorted: BTreeMap<&String, &Value> = arguments.iter().collect();
    sha256(json!([tool, sorted]).to_string().as_bytes()).into_bytes()
}

/// The whole plan for a person; `None` if it is too long for a dialog, or if the settings do not
/// accept dialogs.
///
/// # Errors
///
/// If the approval does not exist or cannot be read.
pub(super) fn dialog_text(gateway: &Gateway, id: &str) -> Result<Option<String>, Failure> {
    if !gateway.approvals().takes_dialogs() {
        return Ok(None);
    }
    let now = gateway.now();
    let approval = gateway.approvals().store()?.find(id, now.timestamp())?;
    let text = approval_text::render_approval(&approval, now.time_zone());
    Ok((text.chars().count() <= LONGEST_QUESTION).then_some(text))
}

/// Stores the answer.
///
/// # Errors
///
/// Unless the answer was yes.
pub(super) fn settle(gateway: &Gateway, id: &str, answer: DialogAnswer) -> Result<(), Failure> {
    let is_approved = answer.ok_or_else(|| Error::NotAnswered(id.to_owned()))?;
    let approvals = gateway.approvals();
    approvals.answer(id, ApprovalChannel::Dialog, is_approved)?;
    if is_approved {
        return Ok(());
    }
    Err(Error::Denied.into())
}

/// Sends an elicitation request to the client and waits for its answer.
pub(super) async fn ask_back(peer: &Peer<RoleServer>, text: &str) -> DialogAnswer {
    let params = form(text)?;
    // After this time the approval has expired anyway.
    let options = Duration::try_from(LIFETIME).map_or_else(
        |_| PeerRequestOptions::no_options(),
        PeerRequestOptions::with_timeout,
    );
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let sent = peer.send_request_with_option(request, options).await.ok()?;
    match sent.await_response().await {
        Ok(ClientResult::ElicitResult(result)) => answer_in(&result),
        Ok(_) | Err(_) => None,
    }
}

/// Seals the state of questions whose answers come with a later call, and opens it again.
pub(super) struct DialogSealer(RequestStateCodec);

impl DialogSealer {
    /// Creates a sealer with a random key that lives as long as the process.
    ///
    /// # Errors
    ///
    /// If the system gives no random bytes.
    pub(super) fn new() -> Result<Self, Failure> {
        // Four random UUIDs are 64 bytes, of which six bits in each UUID are fixed.
        let mut key = Vec::with_capacity(64);
        for _ in 0..4 {
            key.extend_from_slice(uuid::Uuid::new_v4().as_bytes());
        }
        let codec = RequestStateCodec::try_new(key).map(Self);
        codec.map_err(|error| Error::NoDialogKey(error.to_string()).into())
    }

    /// Returns the question about the approval `id`, sealed for a call `about` this.
    ///
    /// # Errors
    ///
    /// If it cannot be serialised.
    pub(super) fn question(
        &self,
        id: &str,
        text: &str,
        about: &[u8],
    ) -> Result<InputRequiredResult, Failure> {
        let params = form(text).ok_or(Error::NoDialog)?;
        let mut options = SealOptions::new().associated_data(about);
        if let Ok(lifetime) = Duration::try_from(LIFETIME) {
            options = options.ttl(lifetime);
        }
        let state = self.0.seal_with(id.as_bytes(), &options);
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        Ok(InputRequiredResult::new(
            Some(BTreeMap::from([(QUESTION.to_owned(), request)])),
            Some(state),
        ))
    }

    /// Opens the state and reads the answer: the approval's id and what the person said.
    ///
    /// # Errors
    ///
    /// If the state belongs to another call or another process, or is too old.
    pub(super) fn answered(
        &self,
        state: &str,
        about: &[u8],
        responses: Option<InputResponses>,
    ) -> Result<(String, DialogAnswer), Failure> {
        let id = self
            .0
            .open_with(state, about)
            .ok()
            .and_then(|id| String::from_utf8(id).ok())
            .ok_or(Error::OtherCall)?;
        let answer = responses
            .and_then(|mut responses| responses.remove(QUESTION))
            .and_then(|response| serde_json::from_value(response).ok())
            .and_then(|result| answer_in(&result));
        Ok((id, answer))
    }
}

/// Returns an elicitation form: the plan as its message, and one switch.
fn form(text: &str) -> Option<ElicitRequestParams> {
    let schema = ElicitationSchema::builder()
        .required_bool_with(QUESTION, |switch| {
            switch
                .title("Approve")
                .description("Do exactly what is shown above, once")
        })
        .build()
        .ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: text.to_owned(),
        requested_schema: schema,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Code;

    fn arguments(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn yes() -> InputResponses {
        let response = json!({ "action": "accept", "content": { "approve": true } });
        BTreeMap::from([(QUESTION.to_owned(), response)])
    }

    #[test]
    fn i14_a_state_counts_only_for_its_call_and_its_process() {
        let sealer = DialogSealer::new().unwrap();
        let call = arguments(&json!({ "path": "a.md", "overwrite": true, "content": "x" }));
        let about_it = about("create", &call);
        let question = sealer.question("4k7m92qx", "the plan", &about_it).unwrap();
        let state = question.request_state.unwrap();
        let (id, answer) = sealer.answered(&state, &about_it, Some(yes())).unwrap();
        assert_eq!((id.as_str(), answer), ("4k7m92qx", Some(true)));
        // Only the order of keys may differ.
        let same = arguments(&json!({ "content": "x", "path": "a.md", "overwrite": true }));
        assert_eq!(about("create", &same), about_it);
        let is_refused = |sealer: &DialogSealer, state: &str, about: &[u8]| {
            let failure = sealer.answered(state, about, Some(yes())).unwrap_err();
            assert_eq!(failure.code, Code::ApprovalRequired, "{state}");
        };
        for (tool, key, value) in [
            ("append", "path", json!("a.md")),
            ("create", "path", json!("b.md")),
            ("create", "overwrite", json!(false)),
            ("create", "content", json!("y")),
            ("create", "open", json!(true)),
        ] {
            let mut other = call.clone();
            other.insert(key.to_owned(), value);
            is_refused(&sealer, &state, &about(tool, &other));
        }
        for place in 0..state.len() {
            let mut forged = state.clone().into_bytes();
            forged[place] ^= 1;
            is_refused(&sealer, &String::from_utf8_lossy(&forged), &about_it);
        }
        is_refused(&DialogSealer::new().unwrap(), &state, &about_it);
    }

    #[test]
    fn i14_only_a_clear_yes_is_one() {
        for (action, content, answer) in [
            ("accept", Some(json!({ "approve": true })), Some(true)),
            ("accept", Some(json!({ "approve": false })), Some(false)),
            ("decline", None, Some(false)),
            ("decline", Some(json!({ "approve": true })), Some(false)),
            ("accept", Some(json!({ "approve": "true" })), None),
            ("accept", Some(json!({})), None),
            ("accept", None, None),
            ("cancel", None, None),
        ] {
            let mut response = json!({ "action": action });
            if let Some(content) = content {
                response["content"] = content;
            }
            let result = serde_json::from_value(response.clone()).unwrap();
            assert_eq!(answer_in(&result), answer, "{response}");
        }
    }
}
