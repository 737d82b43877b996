//! Consistency rules between the keys of one catalogue entry.

use std::collections::BTreeSet;

use cli_output::Shape;

use super::change_rules::{Placement, Sentence, Verification};
use super::command::{BackendName, Command, Param, ParamKind, Target};
use super::effect::Effect;
use super::nearest::nearest;
use super::problem::CatalogueProblem;
use super::raw_value::RawValue;
use super::value;

/// Checks a command, except for its examples.
pub(super) fn consistent(command: &Command) -> Result<(), CatalogueProblem> {
    target(command)?;
    rules(command)
        .and_then(|()| tool(command))
        .map_err(|rule| CatalogueProblem::Command(command.id.clone(), rule))
}

/// Checks the MCP tool of a command: it can hide only optional arguments, and preset only valid
/// values of parameters without effects.
fn tool(command: &Command) -> Result<(), &'static str> {
    let Some(tool) = &command.tool else {
        return Ok(());
    };
    let can_hide = |name: &String| match command.param(name) {
        Some(param) => !param.required,
        None => command.flag(name).is_some(),
    };
    let shows = |name: &String| {
        let is_left_out = tool.hide.contains(name) || tool.preset.contains_key(name);
        command.param(name).is_some() && !is_left_out
    };
    let mut required = command.params.iter().filter(|param| param.required);
    let fits = |(name, text): (&String, &String)| {
        let value = RawValue::Text(text.clone());
        let is_fit =
            |param: &Param| param.effects.is_empty() && value::check(param, &value).is_ok();
        command.param(name).is_some_and(is_fit)
    };
    all_hold(&[
        (!tool.title.trim().is_empty(), "its tool needs a title"),
        (
            tool.hide.iter().all(can_hide),
            "its tool can `hide` only what it takes and does not require",
        ),
        (
            tool.require.iter().all(shows),
            "its tool can `require` only parameters that it shows",
        ),
        (
            required.all(|param| !tool.preset.contains_key(&param.name)),
            "its tool cannot `preset` what the caller has to give",
        ),
        (
            tool.preset.iter().all(fits),
            "its tool can `preset` only fitting values of parameters without effects",
        ),
    ])
}

/// Returns the first rule that does not hold.
pub(super) fn all_hold(rules: &[(bool, &'static str)]) -> Result<(), &'static str> {
    let broken = rules.iter().find(|(holds, _)| !holds);
    broken.map_or(Ok(()), |(_, rule)| Err(rule))
}

/// Checks that the parameters match the target. Policy relies on this to detect calls on the active
/// file.
fn target(command: &Command) -> Result<(), CatalogueProblem> {
    let kind_of = |name: &str| command.param(name).map(|param| &param.kind);
    let path = kind_of("path");
    let file = kind_of("file");
    let broken = match command.target {
        Target::Note | Target::NoteOrVault => (path != Some(&ParamKind::Path)
            || file != Some(&ParamKind::NoteName))
        .then_some("the command needs `path` of type `path` and `file` of type `note-name`"),
        Target::NewFile => (path != Some(&ParamKind::Path)
            && kind_of("name") != Some(&ParamKind::Name))
        .then_some("the command needs `path` of type `path` or `name` of type `name`"),
        Target::Folder => (path != Some(&ParamKind::Folder))
            .then_some("the command needs `path` of type `folder`"),
        Target::Vault => (path == Some(&ParamKind::Path) || file == Some(&ParamKind::NoteName))
            .then_some("a command that can name one note is `note` or `note-or-vault`"),
        Target::DailyNote | Target::ActiveFile | Target::App | Target::None => {
            (path.is_some() || file.is_some()).then_some("the command cannot have `path` or `file`")
        }
    };
    let broken = broken.or_else(|| {
        let chosen = command.flags.iter().filter_map(|flag| flag.target);
        let names_notes = matches!(command.target, Target::Note | Target::NoteOrVault);
        let fits = |target| {
            names_notes
                && matches!(
                    target,
                    Target::DailyNote | Target::ActiveFile | Target::Vault
                )
        };
        (!chosen.into_iter().all(fits)).then_some(
            "a flag can change `note` and `note-or-vault` only, to `daily-note`, `active-file` or \
             `vault`",
        )
    });
    broken.map_or(Ok(()), |rule| {
        let target = command.target.name();
        Err(CatalogueProblem::Target(command.id.clone(), target, rule))
    })
}

/// Checks the remaining rules. `Err` states the rule that is broken.
fn rules(command: &Command) -> Result<(), &'static str> {
    let Command {
        backends,
        params,
        flags,
        ..
    } = command;
    let served = |only: BackendName| backends.contains(&only);
    let of_params = params.iter().filter_map(|param| param.backend);
    let mut demanded = of_params.chain(flags.iter().filter_map(|flag| flag.backend));
    let takes_a_word = |name: &String| {
        let param = command.param(name);
        param.is_some_and(|param| !matches!(param.kind, ParamKind::List(_)))
    };
    let mut with = params.iter().filter_map(|param| param.with.as_ref());
    all_hold(&[
        (
            command.is_ours() || served(BackendName::Obsidian),
            "an official command has the backend `obsidian`",
        ),
        (
            command.since.as_deref().is_none_or(is_version),
            "`since` is an app version, three numbers with dots",
        ),
        (
            !command.is_ours() || *backends == [BackendName::Embedded],
            "a command of the gateway's own has the backend `embedded` alone",
        ),
        (has_each_once(backends), "a backend is listed twice"),
        (
            demanded.all(served),
            "a parameter is honoured only by a backend that the command does not have",
        ),
        (
            command.bare.iter().all(takes_a_word),
            "`bare` names parameters of the command, and no list",
        ),
        (
            with.all(|name| command.param(name).is_some()),
            "`with` names one of its parameters",
        ),
        (
            !flags.iter().any(|flag| command.is_shorthand(&flag.name)),
            "a flag has the name of a `format`, so the bare word would have two meanings",
        ),
    ])
}

/// Checks the rules of a change against the other keys; `Err` contains the broken rule.
pub(super) fn change(command: &Command) -> Result<(), &'static str> {
    if command.most_effects().is_mutation() != command.change.is_some() {
        return Err("it has `change` exactly where it may change something");
    }
    let Some(rules) = &command.change else {
        return Ok(());
    };
    let is_confirmed = command.output == Shape::Confirmation;
    let sentences = &rules.confirms;
    all_hold(&[
        (
            is_confirmed != sentences.is_empty(),
            "it has `confirms` exactly where its output is a confirmation",
        ),
        (
            has_each_once(sentences)
                && (sentences.len() < 2 || !sentences.contains(&Sentence::Any)),
            "`confirms` names each sentence once, or `any` alone",
        ),
    ])?;
    placement(command, rules.places)?;
    verification(command, rules.verify)?;
    let content = command.param("content");
    all_hold(&[(
        rules.continues.is_none() || is_confirmed && content.is_some_and(|text| text.escapes),
        "`continues` needs a `content` with `escapes`, and a confirmation as output",
    )])
}

/// Checks the types of the parameters on which the placement depends; the path rules rely on them.
fn placement(command: &Command, places: Option<Placement>) -> Result<(), &'static str> {
    let has = |kind: &ParamKind| command.params.iter().any(|param| param.kind == *kind);
    let has_name = has(&ParamKind::Name);
    let makes = command.target == Target::NewFile;
    let moves = command.target == Target::Note;
    let (fits, rule) = match places {
        None => (
            !makes && !has_name && !has(&ParamKind::Destination),
            "it needs `places`: it makes a file, or has a parameter of type `name` or `destination`",
        ),
        Some(Placement::AsNamed) => (makes, "`as-named` needs the target `new-file`"),
        Some(Placement::NewName) => (
            moves && has_name,
            "`new-name` needs the target `note` and a `name`",
        ),
        Some(Placement::Destination) => (
            moves && has(&ParamKind::Destination),
            "`destination` needs the target `note` and a parameter of that type",
        ),
        Some(Placement::AppFolder) => (has_name, "`app-folder` needs a `name`"),
        Some(Placement::WholeFolder) => (
            command.target == Target::Folder && command.backends == [BackendName::Embedded],
            "`whole-folder` needs the target `folder`, and the backend `embedded` alone",
        ),
        Some(Placement::PartOfNote) => (
            moves && has(&ParamKind::Destination) && command.backends == [BackendName::Embedded],
            "`part-of-note` needs the target `note`, a parameter of type `destination`, and the backend `embedded` alone",
        ),
        Some(Placement::IntoNote) => (
            moves
                && command
                    .param("into")
                    .is_some_and(|param| param.kind == ParamKind::Path)
                && command.backends == [BackendName::Embedded],
            "`into-note` needs the target `note`, a path `into`, and the backend `embedded` alone",
        ),
        Some(Placement::Planned) => (
            makes && command.backends == [BackendName::Embedded],
            "`planned` needs the target `new-file`, and the backend `embedded` alone",
        ),
    };
    all_hold(&[(fits, rule)])
}

fn verification(command: &Command, verify: Verification) -> Result<(), &'static str> {
    let (fits, rule) = match verify {
        Verification::PlannedFiles | Verification::PlannedProperties => (
            command.backends.contains(&BackendName::Embedded),
            "only what the engine plans can be verified by `planned-files`",
        ),
        Verification::NewFile => (
            command.placement() == Some(Placement::AppFolder),
            "`new-file` verifies what `places` in the `app-folder`",
        ),
        Verification::KeptVersion => (
            command.param("version").is_some(),
            "`kept-version` needs a `version`",
        ),
        Verification::DailyNote => (
            command.target == Target::DailyNote,
            "`daily-note` needs that target",
        ),
        Verification::ActiveFile => (
            command.target == Target::ActiveFile,
            "`active-file` needs that target",
        ),
        Verification::Published | Verification::Unpublished => (
            command.effects.contains(Effect::Publish),
            "`published` and `unpublished` need the effect `publish`",
        ),
    };
    all_hold(&[(fits, rule)])
}

/// Whether no item is in the list twice.
pub(super) fn has_each_once<T: PartialEq>(items: &[T]) -> bool {
    let mut numbered = items.iter().enumerate();
    numbered.all(|(index, item)| !items[..index].contains(item))
}

/// Whether a text has the form `1.12.7`.
fn is_version(text: &str) -> bool {
    let numbers: Vec<&str> = text.split('.').collect();
    let number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.len() == 3 && numbers.iter().all(number)
}

/// Checks one set of mutually exclusive arguments.
pub(super) fn exclusive(command: &Command, set: &[String]) -> Result<(), CatalogueProblem> {
    let broken = |rule| CatalogueProblem::Command(command.id.clone(), rule);
    if set.len() < 2 {
        return Err(broken("an exclusive set has two names or more"));
    }
    for (index, name) in set.iter().enumerate() {
        if !command.argument_names().any(|argument| argument == name) {
            return Err(CatalogueProblem::UnknownExclusive {
                id: command.id.clone(),
                name: name.clone(),
                nearest: nearest(name, command.argument_names()),
            });
        }
        if command.param(name).is_some_and(|param| param.required) {
            return Err(broken("a required parameter cannot be in an exclusive set"));
        }
        if set[..index].contains(name) {
            return Err(broken("an exclusive set names something twice"));
        }
    }
    Ok(())
}

/// Checks that admission accepts the `accept` examples and refuses the `refuse` examples
/// (`threats.toml` A11), and that the examples of an own command show each parameter.
pub(super) fn examples(command: &Command) -> Result<(), CatalogueProblem> {
    let mut shown = BTreeSet::new();
    for example in &command.accept {
        match command.admit_words(&arguments(command, example)?) {
            Ok(admitted) => shown.extend(admitted.values.into_keys()),
            Err(failure) => {
                return Err(CatalogueProblem::AcceptRefused(failure.to_string()));
            }
        }
    }
    let mut params = command.params.iter().filter(|_| command.is_ours());
    if let Some(param) =
        params.find(|param| needs_example(&param.kind) && !shown.contains(&param.name))
    {
        let rule = "no example to accept has it, and its type does not tell a value";
        return Err(CatalogueProblem::Kind(param.name.clone(), rule));
    }
    for example in &command.refuse {
        if command.admit_words(&arguments(command, example)?).is_ok() {
            return Err(CatalogueProblem::RefuseAccepted(example.clone()));
        }
    }
    Ok(())
}

/// Whether a value of this type cannot be made up: the tests ask a command with its examples.
fn needs_example(kind: &ParamKind) -> bool {
    !matches!(
        kind,
        ParamKind::Choice(_)
            | ParamKind::Integer { .. }
            | ParamKind::Character
            | ParamKind::Folder
            | ParamKind::NoteName
    )
}

/// Returns the words of an example line after the command's id.
fn arguments(command: &Command, example: &str) -> Result<Vec<String>, CatalogueProblem> {
    match shell_words::split(example) {
        Ok(words) if words.first() == Some(&command.id) => Ok(words[1..].to_vec()),
        _ => Err(CatalogueProblem::ExampleForm(command.id.clone())),
    }
}
