//! Prompts: common tasks that a person picks from a menu of the client (`design/agents.md`).
//!
//! A prompt is a fixed text that names tools. It contains no text of the vault, so that
//! instructions in a note cannot get into a person's own message.

use rmcp::model::{
    ErrorData, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::{Map, Value};

use super::tool_names::ToolPrefix;
use frontend::{skill, tools::Tool};

/// The longest argument, in characters.
const LONGEST_ARGUMENT: usize = 500;

/// A row of the table of prompts.
struct PromptRow {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The name and the description of the prompt's required argument; `None` if it has none.
    argument: Option<(&'static str, &'static str)>,
    /// The message. `<name>` is replaced by the client's name of a tool, `{}` by the argument.
    text: &'static str,
}

impl PromptRow {
    /// Checks that this is the argument of the prompt.
    fn check(&self, argument: &str) -> Result<(), ErrorData> {
        match self.argument {
            Some((known, _)) if known == argument => Ok(()),
            Some((known, _)) => Err(wrong(format!(
                "the prompt takes only the argument `{known}`"
            ))),
            None => Err(wrong("the prompt takes no arguments".to_owned())),
        }
    }
}

static PROMPTS: [PromptRow; 3] = [
    PromptRow {
        name: "daily_review",
        title: "Daily review",
        description: "Go through today's daily note and the open tasks",
        argument: None,
        text: "Review my day with me. Read today's daily note with `<daily_read>`, and list the open tasks with \
            `<tasks>` (`todo`). Then tell me in a few lines: what is done, what is open today, what is overdue. \
            Suggest at most three next steps. Change nothing before I say so.",
    },
    PromptRow {
        name: "weekly_review",
        title: "Weekly review",
        description: "Go through what changed in the last seven days",
        argument: None,
        text: "Review my week with me. List the notes that changed in the last seven days, newest first, with \
            `<notes_list>` (`order` `modified`, `since` `7d`), and read those that matter with `<notes_read>`. List the open \
            tasks with `<tasks>` (`todo`). Then summarise: what was done, what is open, which notes need a \
            follow-up. Name every note by its path. Change nothing before I say so.",
    },
    PromptRow {
        name: "find_and_summarise",
        title: "Find and summarise",
        description: "Find the notes on a subject and summarise what they say",
        argument: Some(("subject", "What to look for")),
        text: "Find what my notes say about the subject below. Search with `<notes_search>`, read the best notes with \
            `<notes_read>`, and follow their links where that helps. Then summarise it in at most ten lines, and name \
            the path of the note behind each statement. Say so if the notes do not answer it.\n\nSubject: {}",
    },
];

/// Returns the prompts whose tools are all open.
pub(super) fn list(tools: &[Tool], prefix: &ToolPrefix) -> ListPromptsResult {
    let open = PROMPTS
        .iter()
        .filter(|row| text(row, tools, prefix).is_some());
    let prompts = open.map(|row| {
        let argument = row.argument.map(|(name, description)| {
            vec![
                PromptArgument::new(name)
                    .with_description(description)
                    .with_required(true),
            ]
        });
        Prompt::new(row.name, Some(row.description), argument).with_title(row.title)
    });
    ListPromptsResult::with_all_items(prompts.collect())
}

/// Returns the prompt of this name, with its argument filled in.
///
/// # Errors
///
/// If the prompt does not exist, one of its tools is closed, or its argument is missing, too long, or unknown.
pub(super) fn get(
    name: &str,
    arguments: &Map<String, Value>,
    tools: &[Tool],
    prefix: &ToolPrefix,
) -> Result<GetPromptResult, ErrorData> {
    let (row, mut text) = open(name, tools, prefix)?;
    for argument in arguments.keys() {
        row.check(argument)?;
    }
    let known = row.argument.map(|(argument, _)| argument);
    if let Some(known) = known {
        let given = arguments.get(known).and_then(Value::as_str);
        let given = given
            .filter(|given| !given.trim().is_empty() && given.chars().count() <= LONGEST_ARGUMENT);
        let given = given.ok_or_else(|| {
            wrong(format!(
                "give `{known}` as a text of at most {LONGEST_ARGUMENT} characters"
            ))
        })?;
        text = text.replace("{}", given);
    }
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Ok(GetPromptResult::new(messages).with_description(row.description))
}

/// Checks that the prompt of this name has this argument, which a note's name can complete.
///
/// # Errors
///
/// If it does not exist, one of its tools is closed, or it has no such argument.
pub(super) fn check_argument(
    name: &str,
    argument: &str,
    tools: &[Tool],
    prefix: &ToolPrefix,
) -> Result<(), ErrorData> {
    open(name, tools, prefix)?.0.check(argument)
}

/// Returns the prompt of this name, if all of its tools are open, with its text.
fn open(
    name: &str,
    tools: &[Tool],
    prefix: &ToolPrefix,
) -> Result<(&'static PromptRow, String), ErrorData> {
    let mut named = PROMPTS.iter().filter(|row| row.name == name);
    let found = named.find_map(|row| Some((row, text(row, tools, prefix)?)));
    found.ok_or_else(|| wrong("there is no such prompt; `prompts/list` lists them".to_owned()))
}

fn wrong(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

/// Returns the text of a prompt with the client's names of its tools; `None` if one of the tools is closed.
fn text(row: &PromptRow, tools: &[Tool], prefix: &ToolPrefix) -> Option<String> {
    skill::with_names(row.text, tools, &|tool| prefix.add_to(tool))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use allowlist::Catalogue;
    use frontend::tools::tools;
    use tiers::{CommandPattern, CommandRules, Policy, Restriction};

    fn open(deny: &[&str]) -> Vec<Tool> {
        let denied = deny.iter().map(|id| CommandPattern::new(id).unwrap());
        let denied: Vec<CommandPattern> = denied.collect();
        let rules = CommandRules::new("", &[CommandPattern::everything()], &denied).unwrap();
        let policy = Policy::built_in().tightened(&Restriction {
            commands: Some(rules),
            ..Restriction::default()
        });
        tools(Catalogue::whole().unwrap(), &policy)
    }

    fn message(result: &GetPromptResult) -> String {
        let value = serde_json::to_value(result).unwrap();
        value["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn a_prompt_names_tools_as_the_client_knows_them() {
        let prefix = ToolPrefix::parse("work_").unwrap();
        let tools = open(&[]);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        for row in &PROMPTS {
            let arguments = match row.argument {
                Some((name, _)) => Map::from_iter([(name.to_owned(), json!("tea"))]),
                None => Map::new(),
            };
            let text = message(&get(row.name, &arguments, &tools, &prefix).unwrap());
            assert!(!text.contains(['<', '{']), "{text}");
            for named in text.split('`').filter(|word| word.starts_with("work_")) {
                let tool = named.strip_prefix("work_").unwrap();
                assert!(names.contains(&tool), "{named}");
            }
        }
    }

    #[test]
    fn a_prompt_that_needs_a_closed_command_is_not_offered() {
        let (tools, prefix) = (open(&["tasks"]), ToolPrefix::default());
        let names: Vec<String> = list(&tools, &prefix)
            .prompts
            .into_iter()
            .map(|prompt| prompt.name)
            .collect();
        assert_eq!(names, ["find_and_summarise"]);
        assert!(get("daily_review", &Map::new(), &tools, &prefix).is_err());
    }

    #[test]
    fn arguments_of_a_prompt_are_checked() {
        let prefix = ToolPrefix::default();
        let tools = open(&[]);
        let get = |name: &str, arguments: Value| {
            get(name, arguments.as_object().unwrap(), &tools, &prefix)
        };
        assert!(get("nope", json!({})).is_err());
        assert!(get("daily_review", json!({ "x": "y" })).is_err());
        assert!(get("find_and_summarise", json!({})).is_err());
        assert!(get("find_and_summarise", json!({ "subject": " " })).is_err());
        assert!(get("find_and_summarise", json!({ "subject": 7 })).is_err());
        assert!(get("find_and_summarise", json!({ "subject": "x".repeat(501) })).is_err());
        let found = get("find_and_summarise", json!({ "subject": "black tea" })).unwrap();
        assert!(message(&found).ends_with("Subject: black tea"));
    }
}
