//! Parses one catalogue file into checked entries. Strict: the first mistake rejects the file.

use serde::de::DeserializeOwned;
use toml::Spanned;

use super::admit::is_argument_name;
use super::check::{self, all_hold};
use super::command::{Command, Flag, Param, ParamKind, RefusedCommand};
use super::effect::{Effect, EffectSet};
use super::entry::{
    CommandEntry, FlagEntry, OriginName, ParamEntry, RefusedEntry, RefusedFile, TierFile,
};
use super::nearest::nearest;
use super::problem::CatalogueProblem;
use super::tier::Tier;

/// A problem and its byte offset. The line number is computed only for the error message.
pub(super) struct Misplaced {
    pub(super) offset: usize,
    pub(super) problem: CatalogueProblem,
}

impl Misplaced {
    pub(super) fn new<T>(place: &Spanned<T>, problem: CatalogueProblem) -> Self {
        Self {
            offset: place.span().start,
            problem,
        }
    }
}

/// Parses the commands of a tier file, in file order, each with the byte offset of its id.
pub(super) fn commands(text: &str, tier: Tier) -> Result<Vec<(usize, Command)>, Misplaced> {
    let entries = read::<TierFile>(text)?.command.into_iter();
    entries
        .map(|entry| Ok((entry.id.span().start, command(entry, tier)?)))
        .collect()
}

/// Parses the commands of the refused file, in file order, each with the byte offset of its id.
pub(super) fn refused(text: &str) -> Result<Vec<(usize, RefusedCommand)>, Misplaced> {
    let entries = read::<RefusedFile>(text)?.refused.into_iter();
    entries
        .map(|entry| Ok((entry.id.span().start, refused_command(entry)?)))
        .collect()
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

fn command(entry: CommandEntry, tier: Tier) -> Result<Command, Misplaced> {
    let place = entry.id;
    let here = |problem| Misplaced::new(&place, problem);
    let id = place.get_ref();
    let broken = |rule| CatalogueProblem::Command(id.clone(), rule);
    for word in [id, &entry.group] {
        if !is_id(word) {
            return Err(here(CatalogueProblem::Id(word.clone())));
        }
    }
    has_text("summary", id, &entry.summary).map_err(here)?;
    for (what, text) in [("difference", &entry.differs), ("gap", &entry.unrecorded)] {
        if let Some(text) = text {
            has_text(what, id, text).map_err(here)?;
        }
    }
    if entry.effects.is_empty() {
        return Err(here(CatalogueProblem::NoEffects(id.clone())));
    }
    not_execute(id, entry.effects).map_err(here)?;
    all_hold(&[
        (
            entry.origin.is_some() == entry.since.is_none(),
            "it has either `since`, an app version, or `origin = \"gateway\"`",
        ),
        (
            entry.since.is_some() || entry.unrecorded.is_none(),
            "only an official command has `unrecorded`",
        ),
        (!entry.accept.is_empty(), "it needs an example to accept"),
    ])
    .map_err(|rule| here(broken(rule)))?;
    let mut command = Command {
        id: id.clone(),
        group: entry.group,
        task: entry.task,
        help: entry.help,
        tier,
        summary: entry.summary,
        effects: entry.effects,
        target: entry.target,
        bare: entry.bare,
        params: Vec::with_capacity(entry.params.len()),
        flags: Vec::with_capacity(entry.flags.len()),
        columns: entry.columns,
        exclusive: Vec::with_capacity(entry.exclusive.len()),
        tool: None,
        output: entry.output,
        change: None,
        backends: entry.backends,
        since: entry.since,
        differs: entry.differs,
        unrecorded: entry.unrecorded,
        accept: Vec::new(),
        refuse: Vec::new(),
    };
    for entry in entry.params {
        new_name(&command, &entry.name)?;
        command.params.push(param(entry)?);
    }
    for entry in entry.flags {
        new_name(&command, &entry.name)?;
        command.flags.push(flag(entry)?);
    }
    for set in &entry.exclusive {
        check::exclusive(&command, set, &place)?;
        let names = set.iter().map(|name| name.get_ref().clone());
        command.exclusive.push(names.collect());
    }
    command.tool = entry.tool;
    let rules_at = entry.change.as_ref().map_or(place.span(), Spanned::span);
    command.change = entry.change.map(Spanned::into_inner);
    check::consistent(&command).map_err(here)?;
    check::change(&command).map_err(|rule| Misplaced {
        offset: rules_at.start,
        problem: broken(rule),
    })?;
    check::examples(&command, &entry.accept, &entry.refuse, here)?;
    let plain = |examples: Vec<Spanned<String>>| -> Vec<String> {
        examples.into_iter().map(Spanned::into_inner).collect()
    };
    command.accept = plain(entry.accept);
    command.refuse = plain(entry.refuse);
    Ok(command)
}

fn new_name(command: &Command, place: &Spanned<String>) -> Result<(), Misplaced> {
    let name = place.get_ref();
    let problem = if !is_argument_name(name) {
        CatalogueProblem::Name(name.clone())
    } else if name == "vault" {
        CatalogueProblem::Reserved(name.clone())
    } else if command.argument_names().any(|known| known == name) {
        CatalogueProblem::DuplicateName(name.clone(), command.id.clone())
    } else {
        return Ok(());
    };
    Err(Misplaced::new(place, problem))
}

fn param(entry: ParamEntry) -> Result<Param, Misplaced> {
    let place = entry.name;
    let here = |problem| Misplaced::new(&place, problem);
    let name = place.get_ref();
    has_text("summary", name, &entry.summary).map_err(here)?;
    not_execute(name, entry.effects).map_err(here)?;
    let broken = |rule| here(CatalogueProblem::Kind(name.clone(), rule));
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
            "only a `choice` has `choices`",
        ),
        (
            entry.min.or(entry.max).is_none() || matches!(entry.kind, ParamKind::Integer { .. }),
            "only an `integer` has `min` and `max`",
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
        name: name.clone(),
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

fn flag(entry: FlagEntry) -> Result<Flag, Misplaced> {
    let here = |problem| Misplaced::new(&entry.name, problem);
    let name = entry.name.get_ref();
    has_text("summary", name, &entry.summary).map_err(here)?;
    not_execute(name, entry.effects).map_err(here)?;
    Ok(Flag {
        name: name.clone(),
        summary: entry.summary,
        effects: entry.effects,
        target: entry.target,
        backend: entry.only,
        is_ours: entry.origin == Some(OriginName::Gateway),
    })
}

fn refused_command(entry: RefusedEntry) -> Result<RefusedCommand, Misplaced> {
    let here = |problem| Misplaced::new(&entry.id, problem);
    let id = entry.id.get_ref();
    if !is_id(id) {
        return Err(here(CatalogueProblem::Id(id.clone())));
    }
    if entry.effects.is_empty() {
        return Err(here(CatalogueProblem::NoEffects(id.clone())));
    }
    has_text("reason", id, &entry.reason).map_err(here)?;
    if let Some(instead) = &entry.instead {
        has_text("replacement", id, instead).map_err(here)?;
    }
    Ok(RefusedCommand {
        id: id.clone(),
        effects: entry.effects,
        reason: entry.reason,
        instead: entry.instead,
    })
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
