//! Parses one catalogue file into checked entries. Strict: the first mistake rejects the file.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;

use super::admit::is_argument_name;
use super::check::{self, all_hold};
use super::command::{Command, Flag, Param, ParamKind, RefusedCommand};
use super::effect::{Effect, EffectSet};
use super::entry::{FlagEntry, ParamEntry};
use super::nearest::nearest;
use super::problem::CatalogueProblem;
use super::tier::Tier;

/// A problem with its offset in bytes: where its entry begins, or the invalid text. The line number is computed only
/// for the error message.
pub(super) struct Misplaced {
    pub(super) offset: usize,
    pub(super) problem: CatalogueProblem,
}

/// Checks the examples of a command.
pub(super) type ExampleCheck = fn(&Command) -> Result<(), CatalogueProblem>;

/// A file with the commands of one tier.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TierFile {
    #[serde(default)]
    command: Vec<Spanned<Command>>,
}

/// The file of refused commands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusedFile {
    #[serde(default)]
    refused: Vec<Spanned<RefusedCommand>>,
}

/// Parses the commands of a tier file, in file order, each with the byte offset of its entry. `examples` checks the
/// examples of a command.
pub(super) fn commands(
    text: &str,
    tier: Tier,
    examples: ExampleCheck,
) -> Result<Vec<(usize, Command)>, Misplaced> {
    checked(read::<TierFile>(text)?.command, |command| {
        command.tier = tier;
        check_command(command)?;
        examples(command)
    })
}

/// Parses the commands of the refused file, in file order, each with the byte offset of its entry.
pub(super) fn refused(text: &str) -> Result<Vec<(usize, RefusedCommand)>, Misplaced> {
    checked(read::<RefusedFile>(text)?.refused, |command| {
        check_refused(command)
    })
}

/// Checks each entry.
fn checked<T>(
    entries: Vec<Spanned<T>>,
    check: impl Fn(&mut T) -> Result<(), CatalogueProblem>,
) -> Result<Vec<(usize, T)>, Misplaced> {
    let checked = entries.into_iter().map(|entry| {
        let offset = entry.span().start;
        let mut entry = entry.into_inner();
        match check(&mut entry) {
            Ok(()) => Ok((offset, entry)),
            Err(problem) => Err(Misplaced { offset, problem }),
        }
    });
    checked.collect()
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Misplaced> {
    toml::from_str(text).map_err(|error| Misplaced {
        offset: error.span().map_or(0, |span| span.start),
        problem: CatalogueProblem::Form {
            nearest: nearest_known(error.message()),
            message: error.message().to_owned(),
        },
    })
}

/// Suggestions for an unknown word, extracted from serde's message "unknown field `x`, expected one
/// of `y`, `z`".
fn nearest_known(message: &str) -> Vec<String> {
    if !message.starts_with("unknown ") {
        return Vec::new();
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().unwrap_or_default();
    nearest(unknown, quoted)
}

fn check_command(command: &Command) -> Result<(), CatalogueProblem> {
    let id = &command.id;
    let broken = |rule| CatalogueProblem::Command(id.clone(), rule);
    for word in [id, &command.group] {
        if !is_id(word) {
            return Err(CatalogueProblem::Id(word.clone()));
        }
    }
    has_text("summary", id, &command.summary)?;
    for (what, text) in [
        ("difference", &command.differs),
        ("gap", &command.unrecorded),
    ] {
        if let Some(text) = text {
            has_text(what, id, text)?;
        }
    }
    if command.effects.is_empty() {
        return Err(CatalogueProblem::NoEffects(id.clone()));
    }
    not_execute(id, command.effects)?;
    all_hold(&[
        (
            command.origin.is_some() == command.is_ours(),
            "it has either `since`, an app version, or `origin = \"gateway\"`",
        ),
        (
            !command.is_ours() || command.unrecorded.is_none(),
            "only an official command has `unrecorded`",
        ),
        (!command.accept.is_empty(), "it needs an example to accept"),
    ])
    .map_err(broken)?;
    let names: Vec<&str> = command.argument_names().collect();
    for (index, name) in names.iter().enumerate() {
        check_name(name, id, &names[..index])?;
    }
    for set in &command.exclusive {
        check::exclusive(command, set)?;
    }
    check::consistent(command)?;
    check::change(command).map_err(broken)
}

fn check_name(name: &str, id: &str, before: &[&str]) -> Result<(), CatalogueProblem> {
    let name = name.to_owned();
    if !is_argument_name(&name) {
        Err(CatalogueProblem::Name(name))
    } else if name == "vault" {
        Err(CatalogueProblem::Reserved(name))
    } else if before.contains(&name.as_str()) {
        Err(CatalogueProblem::DuplicateName(name, id.to_owned()))
    } else {
        Ok(())
    }
}

impl TryFrom<ParamEntry> for Param {
    type Error = CatalogueProblem;

    fn try_from(entry: ParamEntry) -> Result<Self, CatalogueProblem> {
        let name = entry.name;
        has_text("summary", &name, &entry.summary)?;
        not_execute(&name, entry.effects)?;
        let broken = |rule| CatalogueProblem::Kind(name.clone(), rule);
        let can_be_empty = matches!(
            entry.kind,
            ParamKind::Text | ParamKind::Line | ParamKind::Scalar | ParamKind::ScalarOrList
        );
        all_hold(&[
            (
                !entry.escapes || entry.kind == ParamKind::Text,
                "only a `text` is written with escapes",
            ),
            (
                !entry.empty || can_be_empty,
                "only a `text`, `line`, `scalar` or `scalar-or-list` may be empty",
            ),
            (
                entry.choices.is_none() || matches!(entry.kind, ParamKind::Choice(_)),
                "only a parameter of type `choice` can have `choices`",
            ),
            (
                entry.min.or(entry.max).is_none()
                    || matches!(entry.kind, ParamKind::Integer { .. }),
                "only a parameter of type `integer` can have `min` and `max`",
            ),
        ])
        .map_err(broken)?;
        let kind = match entry.kind {
            ParamKind::Integer { .. } => match (entry.min, entry.max) {
                (Some(min), Some(max)) if min <= max => ParamKind::Integer { min, max },
                _ => {
                    let rule = "an `integer` needs `min` and `max`, the smaller one first";
                    return Err(broken(rule));
                }
            },
            ParamKind::Choice(_) => {
                let words = entry.choices.unwrap_or_default();
                let are_plain = words.iter().all(|word| is_argument_name(word));
                if words.is_empty() || !check::has_each_once(&words) || !are_plain {
                    let rule = "a `choice` needs `choices`: plain words, each once";
                    return Err(broken(rule));
                }
                ParamKind::Choice(words)
            }
            kind => kind,
        };
        Ok(Param {
            name,
            kind,
            summary: entry.summary,
            required: entry.required,
            effects: entry.effects,
            escapes: entry.escapes,
            sensitive: entry.sensitive,
            may_be_empty: entry.empty,
            backend: entry.only,
            with: entry.with,
        })
    }
}

impl TryFrom<FlagEntry> for Flag {
    type Error = CatalogueProblem;

    fn try_from(entry: FlagEntry) -> Result<Self, CatalogueProblem> {
        has_text("summary", &entry.name, &entry.summary)?;
        not_execute(&entry.name, entry.effects)?;
        Ok(Self {
            name: entry.name,
            summary: entry.summary,
            effects: entry.effects,
            target: entry.target,
            backend: entry.only,
            is_ours: entry.origin.is_some(),
        })
    }
}

fn check_refused(command: &RefusedCommand) -> Result<(), CatalogueProblem> {
    let id = &command.id;
    if !is_id(id) {
        return Err(CatalogueProblem::Id(id.clone()));
    }
    if command.effects.is_empty() {
        return Err(CatalogueProblem::NoEffects(id.clone()));
    }
    has_text("reason", id, &command.reason)?;
    match &command.instead {
        Some(instead) => has_text("replacement", id, instead),
        None => Ok(()),
    }
}

/// Whether the text matches `[a-z][a-z0-9:_-]*` (`threats.toml` A02).
pub(super) fn is_id(id: &str) -> bool {
    id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b':' | b'_' | b'-')
        })
}

fn has_text(what: &'static str, name: &str, text: &str) -> Result<(), CatalogueProblem> {
    if text.trim().is_empty() {
        return Err(CatalogueProblem::EmptyText(what, name.to_owned()));
    }
    Ok(())
}

fn not_execute(name: &str, effects: EffectSet) -> Result<(), CatalogueProblem> {
    if effects.contains(Effect::Execute) {
        return Err(CatalogueProblem::Execute(name.to_owned()));
    }
    Ok(())
}
