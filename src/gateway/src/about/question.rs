//! The questions and their parameters, parsed as strictly as commands.

use serde_json::{Map, Value, json};

use super::capabilities::CapabilityFilter;
use crate::drafts::DraftQuestion;
use crate::error::Error;
use allowlist::{Catalogue, RawValue, Tier, nearest};
use changes::{Params, Request};
use protocol::Failure;

/// A question about the gateway or an undo, which a request names like a command.
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// The parameters, with their meanings.
    pub(crate) params: &'static [(&'static str, &'static str)],
}

/// All questions and undos, from which their parameters are checked and described.
const BUILT_IN: [BuiltIn; 7] = [
    BuiltIn {
        name: "capabilities",
        summary: "List the commands and whether each may run.",
        params: &[
            ("brief", "Leave out parameters, flags and examples."),
            ("command", "List only this command, with its parameters."),
            (
                "group",
                "List only the commands of this group, such as `daily`.",
            ),
            ("open", "List only the commands that may run."),
            ("tier", "List only the commands of one tier, such as `v1`."),
        ],
    },
    BuiltIn {
        name: "context",
        summary: "Describe this vault and what you may do in it.",
        params: &[(
            "deep",
            "Also count the words, links, tags, tasks and properties of all notes.",
        )],
    },
    BuiltIn {
        name: "draft:show",
        summary: "Show the changes in your draft as diffs.",
        params: &[("path", "Show only the changes to this note.")],
    },
    BuiltIn {
        name: "draft:status",
        summary: "List the files in your draft, and which of your changes a person accepted or rejected.",
        params: &[],
    },
    BuiltIn {
        name: "draft:withdraw",
        summary: "Withdraw changes from your draft. Pass `path` or `all`.",
        params: &[
            ("path", "Withdraw the changes to this note."),
            (
                "hunk",
                "Withdraw only these hunks of the note: a number, or a list of numbers.",
            ),
            ("all", "`true` withdraws all changes."),
        ],
    },
    BuiltIn {
        name: "undo",
        summary: "Undo a run: the changes that one call made.",
        params: &[("run", "The id of the run (default: the last run).")],
    },
    BuiltIn {
        name: "redo",
        summary: "Redo a run that was undone.",
        params: &[("run", "The id of the undo (default: the last undo).")],
    },
];

impl BuiltIn {
    /// Returns the question or undo with this name; `None` if `name` is a command.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|built_in| built_in.name == name)
    }

    /// Returns the names of the parameters.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.params.iter().map(|(name, _)| *name).collect()
    }

    /// Fails if a request has a parameter that the question does not have.
    pub(crate) fn check(name: &str, params: &Params) -> Result<(), Failure> {
        let known = Self::named(name).map(Self::names).unwrap_or_default();
        let unknown = params
            .given()
            .find(|(name, _)| !known.contains(&name.as_str()));
        let Some((wrong, _)) = unknown else {
            return Ok(());
        };
        let names = known.iter().map(|name| (*name).to_owned()).collect();
        let near = nearest(wrong, known);
        Err(Error::NoParameter(name.to_owned(), wrong.clone(), names, near).into())
    }
}

/// Returns the parameters of a command or a question, for a caller that sends JSON; `None` if nothing has this name.
pub fn usage_of(name: &str) -> Option<String> {
    if let Some(built_in) = BuiltIn::named(name) {
        let names = built_in.names().into_iter().map(|name| format!("{name}?"));
        return Some(format!("{{{}}}", names.collect::<Vec<_>>().join(", ")));
    }
    Catalogue::find_builtin(name)
        .ok()
        .map(|command| command.json_usage())
}

/// A question with its checked parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Describes this vault and what is open.
    Context {
        /// Whether to count the contents of the notes too.
        deep: bool,
    },
    /// Lists the commands, and which are open.
    Capabilities(CapabilityFilter),
    /// About the draft of the caller.
    Draft(DraftQuestion),
}

impl Question {
    /// Parses the question of a request; `None` if the request names a command or an unknown name.
    pub(crate) fn parse(request: &Request) -> Option<Result<Self, Failure>> {
        match request.command.as_str() {
            "context" => Some(context(&request.params)),
            "capabilities" => Some(capabilities(&request.params)),
            _ => DraftQuestion::parse(request).map(|question| question.map(Self::Draft)),
        }
    }

    /// Returns the name of the question in requests.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Context { .. } => "context",
            Self::Capabilities(_) => "capabilities",
            Self::Draft(question) => question.name(),
        }
    }

    /// Returns the parsed parameters, for the envelope and the log.
    pub(super) fn params(&self) -> Map<String, Value> {
        let mut params = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                params.insert(name.to_owned(), value);
            }
        };
        match self {
            Self::Context { deep } => add("deep", deep.then(|| json!(true))),
            Self::Capabilities(filter) => {
                add("brief", filter.brief.map(|brief| json!(brief)));
                add("command", filter.command.as_ref().map(|id| json!(id)));
                add("group", filter.group.as_ref().map(|group| json!(group)));
                add("open", filter.open.then(|| json!(true)));
                add("tier", filter.tier.map(|tier| json!(tier)));
            }
            Self::Draft(question) => params = question.params(),
        }
        params
    }
}

fn context(params: &Params) -> Result<Question, Failure> {
    BuiltIn::check("context", params)?;
    let deep = params
        .given()
        .next()
        .map(|(name, value)| switch(name, value));
    Ok(Question::Context {
        deep: deep.transpose()?.unwrap_or_default(),
    })
}

fn capabilities(params: &Params) -> Result<Question, Failure> {
    BuiltIn::check("capabilities", params)?;
    let mut filter = CapabilityFilter::default();
    for (name, value) in params.given() {
        match name.as_str() {
            "brief" => filter.brief = Some(switch(name, value)?),
            "command" => filter.command = Some(command(word(name, value)?)?),
            "group" => filter.group = Some(group(word(name, value)?)?),
            "open" => filter.open = switch(name, value)?,
            "tier" => filter.tier = Some(tier(word(name, value)?)?),
            _ => {}
        }
    }
    Ok(Question::Capabilities(filter))
}

fn switch(name: &str, value: &RawValue) -> Result<bool, Error> {
    let unfit = || Error::UnfitParameter(name.to_owned(), "`true` or `false`", value.type_name());
    value.as_switch().ok_or_else(unfit)
}

fn word<'value>(name: &str, value: &'value RawValue) -> Result<&'value str, Error> {
    match value {
        RawValue::Text(text) => Ok(text),
        other => Err(Error::UnfitParameter(
            name.to_owned(),
            "text",
            other.type_name(),
        )),
    }
}

/// Returns the id of a command, from its id or from the name of its tool.
fn command(text: &str) -> Result<String, Failure> {
    let catalogue = Catalogue::whole()?;
    let spelled = text.replace('_', ":");
    if let Some(built_in) = BuiltIn::named(text).or_else(|| BuiltIn::named(&spelled)) {
        return Ok(built_in.name.to_owned());
    }
    let found = catalogue.find(text);
    let found = found.or_else(|failure| catalogue.find(&spelled).map_err(|_| failure));
    found.map(|command| command.id.clone())
}

fn group(text: &str) -> Result<String, Failure> {
    let groups = Catalogue::whole()?.groups();
    if groups.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(Error::NoGroup(groups.join(", "), nearest(text, groups)).into())
}

fn tier(text: &str) -> Result<Tier, Error> {
    let tier = Tier::ALL.into_iter().find(|tier| tier.name() == text);
    tier.ok_or(Error::NoTier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::about::QUESTIONS;
    use crate::drafts::DRAFT_QUESTIONS;
    use protocol::Code;

    const CASES: &str = include_str!("question_cases.txt");

    fn ask(text: &str) -> Result<Question, Failure> {
        let request = Request::from_json(text.as_bytes()).unwrap();
        Question::parse(&request).unwrap()
    }

    #[test]
    fn questions_are_read_strictly() {
        assert_eq!(
            ask(r#"{"command":"context","params":{"deep":true}}"#),
            Ok(Question::Context { deep: true })
        );
        let filter = CapabilityFilter {
            brief: Some(true),
            command: None,
            group: Some("daily".to_owned()),
            open: false,
            tier: Some(Tier::V0),
        };
        let question = ask(r#"{"command":"capabilities",
                "params":{"group":"daily","tier":"v0","brief":true,"open":false}}"#)
        .unwrap();
        assert_eq!(question, Question::Capabilities(filter));
        assert_eq!(
            json!(question.params()).to_string(),
            r#"{"brief":true,"group":"daily","tier":"v0"}"#
        );
        // `null` counts as left out (`contracts.md` D25).
        let question = ask(r#"{"command":"context","params":{"deep":"true"}}"#).unwrap();
        assert_eq!(question, Question::Context { deep: true });
        let question = ask(r#"{"command":"context","params":{"deep":null}}"#).unwrap();
        assert_eq!(question, Question::Context { deep: false });
        for text in tables::lines(CASES, "questions are read strictly") {
            assert_eq!(ask(text).unwrap_err().code, Code::UsageError, "{text}");
        }
        let query = |name: &str| {
            let text = json!({ "command": "capabilities", "params": { "command": name } });
            ask(&text.to_string()).map(|question| question.params()["command"].clone())
        };
        assert_eq!(query("notes:search").unwrap(), "notes:search");
        assert_eq!(
            query("notes_search").unwrap(),
            "notes:search",
            "the name of its tool"
        );
        let unknown = query("notes:serch").unwrap_err();
        assert_eq!(unknown.code, Code::UnknownCommand);
        assert!(
            unknown.to_string().contains("notes:search"),
            "{}",
            unknown.to_string()
        );
        assert_eq!(query("eval").unwrap_err().code, Code::CommandRefused);
        assert_eq!(Question::parse(&Request::new("read")), None);
        assert_eq!(Question::parse(&Request::new("contexts")), None);
    }

    #[test]
    fn no_command_is_called_like_a_question() {
        let catalogue = Catalogue::whole().unwrap();
        for name in QUESTIONS.into_iter().chain(DRAFT_QUESTIONS) {
            assert!(Question::parse(&Request::new(name)).is_some(), "{name}");
            assert!(catalogue.find(name).is_err(), "{name}");
            assert!(catalogue.refused().iter().all(|command| command.id != name));
        }
    }
}
