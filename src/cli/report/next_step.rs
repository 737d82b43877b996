//! The next step after a failure, in words for a person at a terminal.

use serde_json::{Map, Value};
use vault_engine::{VaultPath, shown};

use allowlist::{Catalogue, of_shells};
use frontend::verb_names::{is_verb, nearest_verb};
use gateway::{APPROVE_BY, open_with};
use protocol::{Code, FOR_PERSON, Failure, Message, Part, Shell, message};
use tiers::ApprovalChannel;

/// Says how a person can approve their own call, in the ways that the settings accept.
pub(super) fn how_to_approve(details: &Map<String, Value>) -> String {
    let channels = details.get(APPROVE_BY).and_then(Value::as_array);
    let takes_yes = channels.is_none_or(|channels| {
        let yes = ApprovalChannel::Yes.name();
        channels.iter().any(|channel| channel == yes)
    });
    let mut text = "`--dry-run` shows what the call would do".to_owned();
    if takes_yes {
        text += "; `--yes` approves the call";
    }
    text + "."
}

/// Returns the next step for a person: the code's remedy, the help page after a wrong word, or the setting to change.
/// `None` if the failure has it.
fn next_step(failure: &Failure, command: &str) -> Option<Message> {
    if let Some(next) = failure.next_in_review() {
        return Some(next.into());
    }
    let details = &failure.details;
    let text = match failure.code {
        Code::RequiresApp if command == "version" => {
            "`vault-gw --version` prints the version of this program.".to_owned()
        }
        Code::RequiresApp if without_the_app(command).is_some() => {
            return without_the_app(command).map(Message::from);
        }
        // The hint lists the nearest places.
        Code::TargetNotFound | Code::AmbiguousTarget | Code::ValidationError
            if details.contains_key("candidates") =>
        {
            return places(details).map(Message::from);
        }
        Code::MutationDisabled | Code::TierClosed | Code::CommandDenied => {
            return open_with(failure);
        }
        Code::PathDenied if is_hidden(details) => {
            return of_the_trash(details).map(Message::from);
        }
        Code::ApprovalRequired | Code::CommandRefused => return None,
        Code::ConfigInvalid if details.contains_key("list") => {
            return Some(message!("{$ path} shows the folder of the allowlist. `vault-gw allowlist check FILE` checks the allowlist."));
        }
        // The mistake is in a line of the user's own file.
        Code::ConfigInvalid if details.contains_key("line") => {
            let Some(key) = details.get("key").and_then(Value::as_str) else {
                return Some(message!("{$ edit} opens the settings file."));
            };
            let unset = Part::Settings(format!("unset {}", Shell::native().quoted(key)));
            return Some(message!("{$ edit} opens the settings file. {} removes the key.", unset));
        }
        Code::UsageError if command == "completions" => {
            "Name a shell, for example `vault-gw completions bash`. The other shells are elvish, fish, powershell and zsh."
                .to_owned()
        }
        // The call would act on the note that is active in the app.
        Code::UsageError if failure.reason() == Some("active-file") => {
            format!("Name the note, for example `vault-gw {command} Home`.")
        }
        Code::UsageError if lacks_a_text(details) => {
            format!("To read the text from standard input, run `vault-gw {command} content=-`.")
        }
        Code::UnknownCommand => match (of_shells(command), nearest_verb(command)) {
            (Some(meant), _) => format!("Use `vault-gw {meant}` instead."),
            (None, Some(verb)) => {
                format!("Did you mean `{verb}`? Run `vault-gw {verb}`.")
            }
            (None, None) if failure.has_hints(FOR_PERSON) => return None,
            (None, None) => return failure.code.at_terminal(),
        },
        Code::VaultNotFound if failure.has_hints(FOR_PERSON) => return None,
        _ if failure.is_complete() => return None,
        // The remedy of the code would repeat the hints, and less exactly.
        code if failure.has_hints(FOR_PERSON) => return code.at_terminal(),
        Code::UsageError if has_help_page(command) => {
            format!("`vault-gw help {command}` shows how to use the command.")
        }
        Code::UsageError => "`vault-gw --help` shows commands, verbs and options.".to_owned(),
        code => return Some(code.at_terminal().unwrap_or_else(|| code.explanation().remedy())),
    };
    Some(text.into())
}

/// Whether only the text is missing.
fn lacks_a_text(details: &Map<String, Value>) -> bool {
    details.get("missing").and_then(Value::as_array) == Some(&vec!["content".into()])
}

/// Returns a command with a similar answer that does not need the app.
fn without_the_app(command: &str) -> Option<&'static str> {
    let (id, _) = command.split_once(':').unwrap_or((command, ""));
    matches!(id, "diff" | "history").then_some(
        "`vault-gw note:compare` compares a note with another note or with a text. `vault-gw undo --list` lists the changes made by vault-gw.",
    )
}

/// Whether no setting can allow the refused path.
fn is_hidden(details: &Map<String, Value>) -> bool {
    let path = details.get("path").and_then(Value::as_str);
    path.is_some_and(|path| VaultPath::file(path).is_ok_and(|path| path.is_hidden()))
}

/// Says how to restore a note from the trash.
fn of_the_trash(details: &Map<String, Value>) -> Option<&'static str> {
    let path = details.get("path")?.as_str()?;
    (path.split('/').next() == Some(".trash")).then_some(
        "`vault-gw undo --list` lists earlier changes. `vault-gw undo RUNID` undoes one of them, such as a deletion.",
    )
}

/// Returns the possible notes, or the possible places in one note with their lines, as a question.
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
            Some(match (part("sent").zip(part("note")), part("linesHash")) {
                (Some((sent, note)), _) => {
                    format!("`{text}` (line {line}: the note has `{note}`, you gave `{sent}`)")
                }
                (None, Some(hash)) => {
                    // Only the first of several lines is shown.
                    let lines = candidate.get("text")?.as_str()?.trim();
                    let (first, place) = match lines.split_once('\n') {
                        Some((first, _)) => (first.trim_end(), "the lines from"),
                        None => (lines, "line"),
                    };
                    format!(
                        "`{}` ({place} {line}, `linesHash={hash}`)",
                        shown::row(first)
                    )
                }
                (None, None) => format!("`{text}` (line {line})"),
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
    is_verb(word) || Catalogue::find_builtin(word).is_ok()
}

/// Returns the hints for a person: the hints of the failure, and one for terminals only.
pub(crate) fn hints(failure: &Failure, command: &str) -> Vec<Message> {
    with_next(failure, command, next_step(failure, command))
}

/// Returns the hints of the failure and this one. The word that a shell has for a command is better known than a
/// similar name.
pub(super) fn with_next(failure: &Failure, command: &str, next: Option<Message>) -> Vec<Message> {
    let is_word_of_shells = failure.code == Code::UnknownCommand && of_shells(command).is_some();
    let own = failure.hints().filter(|_| !is_word_of_shells);
    let next = next.filter(|next| !failure.has(next));
    own.cloned().chain(next).collect()
}
