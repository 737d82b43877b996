//! How programs talk with models: as much of three protocols as a scripted model needs.

use serde_json::Value;

use super::model::Call;

/// A protocol.
#[derive(Clone, Copy)]
pub(super) enum Protocol {
    /// The Messages API of Anthropic.
    Messages,
    /// The Responses API of `OpenAI`.
    Responses,
    /// Chat completions, as many others offer them.
    Chat,
}

/// The events of a turn, one a line, four blocks for each protocol: those before and after what it says, a call, and
/// the end. `NUMBER` tells it from other turns; `TOOL` and `INPUT` are of the call.
const TURNS: &str = include_str!("turns.txt");

impl Protocol {
    /// The protocol of an endpoint.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path.rsplit('/').next()? {
            "messages" => Some(Self::Messages),
            "responses" => Some(Self::Responses),
            "completions" => Some(Self::Chat),
            _ => None,
        }
    }

    /// How many calls the conversation has answers to.
    pub(super) fn answered(self, request: &Value) -> usize {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let messages = list(&request["messages"]).into_iter();
        match self {
            Self::Messages => messages
                .flat_map(|message| list(&message["content"]))
                .filter(|block| block["type"] == "tool_result")
                .count(),
            Self::Responses => list(&request["input"])
                .iter()
                .filter(|item| item["type"].as_str().is_some_and(|it| it.ends_with("_output")))
                .count(),
            Self::Chat => messages.filter(|message| message["role"] == "tool").count(),
        }
    }

    /// A turn as a stream of events: a call, or the end.
    pub(super) fn stream(self, call: Option<&Call>, number: usize) -> String {
        let mut blocks = TURNS.trim_end().split("\n\n").skip(4 * self as usize);
        let [before, after, calling, end] =
            std::array::from_fn(|_| blocks.next().unwrap_or_default());
        let said = if call.is_some() { calling } else { end };
        let events = format!("{before}\n{said}\n{after}").replace("NUMBER", &number.to_string());
        // The input last: its text has no placeholders.
        let events = call.map_or(events.clone(), |(tool, input)| {
            let input = Value::String(input.to_string()).to_string();
            events.replace("TOOL", tool).replace("INPUT", &input)
        });
        let events = events.lines().map(|event| {
            let kind: Value = serde_json::from_str(event).unwrap_or_default();
            let name = kind["type"].as_str().map(|name| format!("event: {name}\n"));
            format!("{}data: {event}\n\n", name.unwrap_or_default())
        });
        events.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_event_is_json_and_a_call_keeps_its_input() {
        let call = ("tool".to_owned(), json!({ "cmd": "printf '\"%s\\n' NUMBER" }));
        for path in ["/v1/messages", "/v1/responses", "/v1/chat/completions"] {
            for call in [Some(&call), None] {
                let turn = Protocol::of(path).unwrap().stream(call, 7);
                let events = turn.lines().filter_map(|line| line.strip_prefix("data: "));
                for event in events.filter(|event| *event != "[DONE]") {
                    serde_json::from_str::<Value>(event).unwrap();
                }
                assert_eq!(turn.contains(r"\\n' NUMBER"), call.is_some(), "{turn}");
            }
        }
    }
}
