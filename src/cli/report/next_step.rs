//! The next step after a failure, in words for a person at a terminal.

use std::path::Path;

use cli_output::shown;
use serde_json::{Map, Value};
use vault_engine::VaultPath;

use crate::allowlist::{Catalogue, Target};
use crate::backend::CANDIDATES;
use crate::code::Code;
use crate::failure::Failure;
use crate::frontend::escape;
use crate::frontend::terminal::Terminal;
use crate::frontend::verb_names::{VERBS, nearest_verb};
use crate::gateway::{APPROVE_BY, OTHER_FILES, open_with};
use crate::shell::Shell;
use crate::tiers::ApprovalChannel;

/// How a person can approve their own call, in the ways that the settings accept.
pub(super) fn how_to_approve(details: &Map<String, Value>) -> String {
    let channels = details.get(APPROVE_BY).and_then(Value::as_array);
    let takes_yes = channels.is_none_or(|channels| {
        let yes = ApprovalChannel::Yes.name();
        channels.iter().any(|channel| channel == yes)
    });
    let mut told = "`--dry-run` shows what it would do".to_owned();
    if takes_yes {
        told += "; `--yes` approves it with the call";
    }
    told + "."
}

/// The next step for a person: the code's remedy, the help page after a wrong word, or the setting
/// to change. `None` if the message already says it.
pub(crate) fn hint(failure: &Failure, command: &str) -> Option<String> {
    if failure.is_complete() {
        return failure.next_in_review().map(str::to_owned);
    }
    let details = &failure.details;
    Some(match failure.code {
        Code::RequiresApp if command == "version" => {
            "`vault-gw --version` prints the version of this program.".to_owned()
        }
        Code::FileNotFound if adds_to_a_note(command) => {
            "`vault-gw create NAME content=TEXT` makes a new note.".to_owned()
        }
        Code::FileNotFound
        | Code::FolderNotFound
        | Code::PathEscape
        | Code::CommandRefused
        | Code::ApprovalRequired
        | Code::ValidationError
        | Code::CliDisabled
        | Code::FileExists => return None,
        Code::RequiresApp => return without_the_app(command).map(str::to_owned),
        // The user's folders are unknown, so there is no file to create.
        Code::ConfigMissing if details.contains_key("variable") => return None,
        // The failure is about a network address or an unreadable kind of file, so the remedy for
        // disks does not apply.
        Code::IoError
            if ["address", "limit", "reason"]
                .iter()
                .any(|key| details.contains_key(*key)) =>
        {
            return None;
        }
        // An undo does not depend on a note that the caller has read.
        Code::PreconditionFailed if details.contains_key("runId") => return None,
        // The hint lists the nearest places, or the message says what to do.
        Code::TargetNotFound | Code::AmbiguousTarget => return places(details),
        Code::MutationDisabled | Code::TierClosed | Code::CommandDenied => open_with(failure)?,
        // The message names the settings that refuse the path.
        Code::PathDenied if failure.reason() == Some(OTHER_FILES) => return None,
        Code::PathDenied if is_hidden(details) => return of_the_trash(details).map(str::to_owned),
        // The message already names the requested vault.
        Code::VaultNotFound if ["path", "named"].iter().any(|key| details.contains_key(*key)) => {
            return None;
        }
        // The user cannot fix the app's own file.
        Code::ConfigInvalid
            if details
                .get("file")
                .is_some_and(|file| file == "obsidian.json") =>
        {
            return None;
        }
        Code::ConfigInvalid if details.contains_key("list") => {
            "`vault-gw settings path` shows the folder of the list; `vault-gw allowlist check FILE` checks it.".to_owned()
        }
        // The mistake is in a line of the user's own file.
        Code::ConfigInvalid if details.contains_key("line") => {
            let edit = "`vault-gw settings edit` opens the file";
            match details.get("key").and_then(Value::as_str) {
                Some(key) => {
                    let key = Shell::native().quoted(key);
                    format!("{edit}; `vault-gw settings unset {key}` takes the key out.")
                }
                None => format!("{edit}."),
            }
        }
        Code::UsageError if command == "completions" => {
            "For example `vault-gw completions bash`; the others are elvish, fish, powershell and zsh."
                .to_owned()
        }
        // The call would act on the note that is active in the app.
        Code::UsageError if failure.reason() == Some("active-file") => {
            format!("For example `vault-gw {command} Home`.")
        }
        Code::UsageError if lacks_a_text(details) => {
            format!("`content=-` takes the text from standard input: `vault-gw {command} content=-`.")
        }
        Code::UsageError if has_help_page(command) => {
            format!("`vault-gw help {command}` shows what it takes.")
        }
        Code::UsageError => "`vault-gw --help` shows commands, verbs and options.".to_owned(),
        Code::UnknownCommand => match (of_shells(command), nearest_verb(command)) {
            (Some(meant), _) => format!("{HERE_THAT_IS}`vault-gw {meant}`."),
            (None, Some(verb)) => {
                format!("`{verb}` is a verb of this program: `vault-gw {verb}`.")
            }
            // The message already proposes another name.
            (None, None) if !failure.nearest().is_empty() => return None,
            (None, None) => failure.code.at_terminal()?.to_owned(),
        },
        code => {
            let remedy = code.explanation().remedy;
            code.at_terminal().unwrap_or(remedy).to_owned()
        }
    })
}

/// Whether only the text is missing.
fn lacks_a_text(details: &Map<String, Value>) -> bool {
    details.get("missing").and_then(Value::as_array) == Some(&vec!["content".into()])
}

/// Whether the command adds text to an existing note.
fn adds_to_a_note(command: &str) -> bool {
    Catalogue::find_builtin(command).is_ok_and(|command| {
        command.target == Target::Note
            && command.change.is_some()
            && command.param("content").is_some()
    })
}

/// A command with a similar answer that does not need the app.
fn without_the_app(command: &str) -> Option<&'static str> {
    let (id, _) = command.split_once(':').unwrap_or((command, ""));
    matches!(id, "diff" | "history").then_some(
        "`vault-gw note:compare` compares a note with another or a text; `vault-gw undo --list` lists the changes made by this program.",
    )
}

/// Whether no setting can allow the refused path.
fn is_hidden(details: &Map<String, Value>) -> bool {
    let path = details.get("path").and_then(Value::as_str);
    path.is_some_and(|path| VaultPath::file(path).is_ok_and(|path| path.is_hidden()))
}

/// How to restore a note from the trash.
fn of_the_trash(details: &Map<String, Value>) -> Option<&'static str> {
    let path = details.get("path")?.as_str()?;
    (path.split('/').next() == Some(".trash")).then_some(
        "`vault-gw undo --list` shows what was deleted; `vault-gw undo RUN` puts it back.",
    )
}

/// The beginning of a hint that names such a command.
const HERE_THAT_IS: &str = "Here that is ";

/// The command for a word of shells, such as `ls`.
fn of_shells(word: &str) -> Option<&'static str> {
    Some(match word {
        "ls" | "list" | "dir" => "notes:list [FOLDER]",
        "grep" | "rg" => "search:context WORDS",
        "find" => "search WORDS",
        "cat" | "show" | "view" => "read NOTE",
        "set" => "property:set NAME value=VALUE file=NOTE",
        "rm" | "remove" => "delete NOTE",
        "mv" => "move NOTE to=FOLDER",
        "touch" | "new" | "add" => "create NAME",
        "edit" => "note:edit NOTE edits=JSON",
        "log" | "trash" | "restore" | "undelete" => "undo --list",
        _ => return None,
    })
}

/// The possible notes, or the possible places in one note with their lines, as a question.
fn places(details: &Map<String, Value>) -> Option<String> {
    let candidates = details.get("candidates")?.as_array()?;
    let shown: Vec<String> = candidates
        .iter()
        .filter_map(|candidate| {
            if let Some(path) = candidate.as_str() {
                return Some(format!("`{}`", shown::row(path)));
            }
            let line = candidate.get("line")?.as_u64()?;
            let part = |key: &str| Some(shown::row(candidate.get(key)?.as_str()?).into_owned());
            let text = part("text").or_else(|| part("begins"))?;
            let text = text.trim();
            Some(match part("sent").zip(part("note")) {
                Some((sent, note)) => {
                    format!("`{text}` (line {line}: the note has `{note}`, you gave `{sent}`)")
                }
                None => format!("`{text}` (line {line})"),
            })
        })
        .collect();
    let (last, first) = shown.split_last()?;
    Some(if first.is_empty() {
        format!("Did you mean {last}?")
    } else {
        format!("Did you mean {} or {last}?", first.join(", "))
    })
}

/// Whether `vault-gw help` has a page on the word.
fn has_help_page(word: &str) -> bool {
    VERBS.contains(&word) || Catalogue::find_builtin(word).is_ok()
}

/// Prints the error, and the part of the hint that its message does not contain.
pub(super) fn tell(
    terminal: &Terminal,
    (code, message): (Code, &str),
    hint: Option<String>,
    settings: Option<&Path>,
) {
    let message = with_settings(&as_typed(message), settings);
    // One suggestion is enough: the meaning of the word in shells is better than a similar name.
    let is_told = code == Code::UnknownCommand
        && hint.as_ref().is_some_and(|hint| hint.starts_with(HERE_THAT_IS));
    let message = match message.split_once(" Did you mean ").filter(|_| is_told) {
        Some((first, _)) => first.to_owned(),
        None => message,
    };
    let hint = hint.map(|hint| with_settings(&as_typed(&hint), settings));
    let hint = hint.and_then(|hint| what_is_new(&hint, &message));
    terminal.failure(code, &message, hint.as_deref());
}

/// The sentences of the hint that are not in the message; `None` if all are.
fn what_is_new(hint: &str, message: &str) -> Option<String> {
    let sentences = hint.split_inclusive(". ");
    let new: String = sentences.filter(|sentence| !message.contains(sentence.trim_end())).collect();
    let new = new.trim_end();
    (!new.is_empty()).then(|| new.to_owned())
}

/// Adds `--settings FILE` to the command lines in a text, if that option was given: without it they
/// would change another file.
fn with_settings(text: &str, settings: Option<&Path>) -> String {
    let Some(file) = settings else {
        return text.to_owned();
    };
    let file = file.to_string_lossy();
    let quoted = Shell::native().quoted(&file);
    text.replace(
        "`vault-gw settings ",
        &format!("`vault-gw --settings {} settings ", escape::line(&quoted)),
    )
}

/// Replaces keys of a request by the options that people know.
fn as_typed(message: &str) -> String {
    [
        ("`ifHash`", "`--if-hash`"),
        ("`correlationId`", "`--correlation-id`"),
        ("`runId`", "`--run-id`"),
        // A person gives what a program sends.
        (" send `", " give `"),
        (". Send ", ". Give "),
        (", then send ", ", then give "),
    ]
    .into_iter()
    .fold(
        with_program(&message.replace(&format!(" {CANDIDATES}"), "")),
        |message, (key, option)| message.replace(key, option),
    )
}

/// The text, with `vault-gw` before each command that it suggests.
fn with_program(text: &str) -> String {
    let text = text.replace("`capabilities` lists", "`vault-gw capabilities` lists");
    let mut parts = text.split("with `");
    let mut typed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let id = part.split(['`', ' ']).next().unwrap_or_default();
        // A word without `:` may also be a parameter.
        let is_command = id.contains(':') && has_help_page(id);
        typed += if is_command { "with `vault-gw " } else { "with `" };
        typed += part;
    }
    typed
}
