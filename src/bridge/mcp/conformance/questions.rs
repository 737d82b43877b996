//! Fixtures that ask the client, and continue with its answers.

use std::sync::LazyLock;

use rmcp::model::{
    ClientCapabilities, ErrorData, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, RequestStateCodec, SealOptions,
};
use serde_json::Value;

/// Seals states with a key that lives as long as this process.
static SEALER: LazyLock<RequestStateCodec> = LazyLock::new(|| {
    let key = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(uuid::Uuid::into_bytes);
    RequestStateCodec::new_unchecked(key.concat())
});

/// Whether the client has answered each question with a result of the requested kind.
fn are_answered(asked: &InputRequests, responses: &InputResponses) -> bool {
    asked.iter().all(|(key, request)| {
        let answered = responses.get(key).and_then(Value::as_object);
        answered.is_some_and(|answer| match request {
            InputRequest::Elicitation(_) => answer.contains_key("action"),
            InputRequest::CreateMessage(_) => answer.contains_key("content"),
            _ => answer.contains_key("roots"),
        })
    })
}

/// The first round with an unanswered question; `None` once all are answered.
pub(super) fn first_unanswered(
    rounds: &[InputRequests],
    responses: &InputResponses,
) -> Option<InputRequiredResult> {
    let asked = rounds
        .iter()
        .find(|asked| !are_answered(asked, responses))?;
    Some(InputRequiredResult::from_input_requests(asked.clone()))
}

/// Like [`first_unanswered`], with a state that says how many rounds are over. Only this process
/// can make it.
///
/// # Errors
///
/// If the state was not made for this tool.
pub(super) fn next_sealed(
    tool: &str,
    rounds: &[InputRequests],
    responses: &InputResponses,
    state: Option<&str>,
) -> Result<Option<InputRequiredResult>, ErrorData> {
    let wrong = || ErrorData::invalid_params("the state is not one of this tool", None);
    let over = match state {
        None => None,
        Some(state) => {
            let round = SEALER.open_with(state, tool.as_bytes());
            let round = round.map_err(|_| wrong())?;
            Some(round.first().copied().ok_or_else(wrong)?)
        }
    };
    let round = match over.map(usize::from) {
        None => 0,
        Some(round) => {
            let asked = rounds.get(round).ok_or_else(wrong)?;
            round + usize::from(are_answered(asked, responses))
        }
    };
    let Some(asked) = rounds.get(round) else {
        return Ok(None);
    };
    let options = SealOptions::new().associated_data(tool.as_bytes());
    let round = u8::try_from(round).map_err(|_| wrong())?;
    let state = SEALER.seal_with(&[round], &options);
    Ok(Some(InputRequiredResult::new(
        Some(asked.clone()),
        Some(state),
    )))
}

/// The questions that the client can answer.
pub(super) fn declared(
    asked: &InputRequests,
    capabilities: Option<&ClientCapabilities>,
) -> InputRequests {
    let can = |request: &InputRequest| {
        capabilities.is_some_and(|capabilities| match request {
            InputRequest::Elicitation(_) => capabilities.elicitation.is_some(),
            InputRequest::CreateMessage(_) => capabilities.sampling.is_some(),
            _ => capabilities.roots.is_some(),
        })
    };
    let asked = asked.iter().filter(|(_, request)| can(request));
    asked
        .map(|(key, request)| (key.clone(), request.clone()))
        .collect()
}
