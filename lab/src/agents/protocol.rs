//! The protocols between programs and models: as much of three as a scripted model needs.

use serde_json::{Value, json};

use super::model::Call;

/// The ends of the protocols' endpoints: the Messages API of Anthropic, the Responses API of `OpenAI`, and chat
/// completions, as many others offer them.
const ENDPOINTS: [&str; 3] = ["/messages", "/responses", "/completions"];

/// The events of a turn, one a line, four blocks for each protocol: those before and after what it says, a call, and
/// the end. `NUMBER` distinguishes turns; `TOOL` and `INPUT` are of the call.
const TURNS: &str = include_str!("turns.txt");

/// The number of the protocol of an endpoint.
pub(super) fn of(path: &str) -> Option<usize> {
    ENDPOINTS.iter().position(|end| path.ends_with(end))
}

/// Counts the calls that the conversation has answers to. Each protocol has them in a place of its own.
pub(super) fn answered(request: &Value) -> usize {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let items = [list(&request["messages"]), list(&request["input"])].concat();
    let blocks = items.iter().flat_map(|item| list(&item["content"]));
    let is_answer = |item: &Value| {
        let is_result = |kind: &str| kind == "tool_result" || kind.ends_with("_output");
        item["role"] == "tool" || item["type"].as_str().is_some_and(is_result)
    };
    blocks.chain(items.clone()).filter(is_answer).count()
}

/// A turn as a stream of events: a call, or the end.
pub(super) fn stream(protocol: usize, call: Option<&Call>, number: usize) -> String {
    let mut blocks = TURNS.trim_end().split("\n\n").skip(4 * protocol);
    let [before, after, calling, end] = std::array::from_fn(|_| blocks.next().unwrap_or_default());
    let said = if call.is_some() { calling } else { end };
    let mut events = format!("{before}\n{said}\n{after}").replace("NUMBER", &number.to_string());
    if let Some((tool, input)) = call {
        // The input last: its text has no placeholders.
        let input = Value::String(json!(input).to_string()).to_string();
        events = events.replace("TOOL", tool).replace("INPUT", &input);
    }
    let events = events.lines().map(|event| {
        let kind: Value = serde_json::from_str(event).unwrap_or_default();
        let name = kind["type"].as_str().map(|name| format!("event: {name}\n"));
        format!("{}data: {event}\n\n", name.unwrap_or_default())
    });
    events.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_json_and_a_call_keeps_its_input() {
        let input = [("cmd".to_owned(), "printf '\"%s\\n' NUMBER".to_owned())];
        let call = ("tool".to_owned(), input.into());
        for path in ["/v1/messages", "/v1/responses", "/v1/chat/completions"] {
            for call in [Some(&call), None] {
                let turn = stream(of(path).unwrap(), call, 7);
                let events = turn.lines().filter_map(|line| line.strip_prefix("data: "));
                for event in events.filter(|event| *event != "[DONE]") {
                    serde_json::from_str::<Value>(event).unwrap();
                }
                assert_eq!(turn.contains(r"\\n' NUMBER"), call.is_some(), "{turn}");
            }
        }
    }
}
