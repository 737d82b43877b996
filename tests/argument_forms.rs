//! Every way to ask a read command, taken from the catalogue: each parameter, flag and word of a
//! choice alone and any two of them together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use vault_engine::Arg;
use vault_gw::allowlist::{
    BackendName, Call, Catalogue, Command, Effect, EffectSet, Param, ParamKind, Target,
};
use vault_gw::gateway::Request;

use crate::support::{World, request};

const CASES: &str = include_str!("data/argument_forms.txt");

/// One argument, by name; the value of a flag is `true`.
pub(crate) type Argument = (String, String);

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Form {
    pub(crate) command: String,
    pub(crate) arguments: Vec<Argument>,
}

impl Form {
    /// The form that a line in the official syntax has.
    pub(crate) fn of_line(line: &str) -> Self {
        let mut words = shell_words::split(line).unwrap();
        let command = words.remove(0);
        let arguments = words.iter().map(|word| {
            let (name, value) = word.split_once('=').unwrap_or((word, "true"));
            argument(name, value)
        });
        Self {
            command,
            arguments: arguments.collect(),
        }
    }

    pub(crate) fn request(&self) -> Request {
        request(&self.command, &borrowed(&self.arguments))
    }

    fn call(&self) -> Call {
        let catalogue = Catalogue::builtin().unwrap();
        let admitted = catalogue.admit(&self.command, &self.request().params.0);
        admitted.unwrap()
    }
}

/// Arguments as [`request`] takes them.
pub(crate) fn borrowed(arguments: &[Argument]) -> Vec<(&str, &str)> {
    arguments
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

fn argument(name: &str, value: &str) -> Argument {
    (name.to_owned(), value.to_owned())
}

fn only_reads(effects: EffectSet) -> bool {
    effects == EffectSet::from_iter([Effect::Read])
}

/// Every command that claims only `read`.
pub(crate) fn reads() -> impl Iterator<Item = &'static Arc<Command>> {
    let catalogue = Catalogue::builtin().unwrap();
    catalogue
        .commands()
        .filter(|command| only_reads(command.effects))
}

/// Those of them that the engine answers: the app's, and our own.
pub(crate) fn answered_by_the_engine() -> impl Iterator<Item = &'static Arc<Command>> {
    reads().filter(|command| vault_engine::serves(&command.id))
}

/// Those of them that both backends answer.
pub(crate) fn answered_twice() -> impl Iterator<Item = &'static Arc<Command>> {
    answered_by_the_engine().filter(|command| !command.is_ours())
}

/// The file that the forms of a command are about.
pub(crate) fn the_file(command: &Command) -> String {
    let file = match (command.group.as_str(), command.id.as_str()) {
        _ if command.is_ours() => return shown(command, "path").unwrap_or_default(),
        ("bases", _) => "Bases/Projects.base",
        (_, "backlinks") => "Projects/Garden/Garden.md",
        (_, "task" | "tasks") => "Daily/2026-04-09.md",
        _ => "Home.md",
    };
    file.to_owned()
}

/// The examples of a command in the catalogue.
pub(crate) fn examples(command: &Command) -> impl Iterator<Item = Call> {
    command.accept.iter().map(|line| {
        let words = shell_words::split(line).unwrap();
        let catalogue = Catalogue::builtin().unwrap();
        catalogue.admit_words(&command.id, &words[1..]).unwrap()
    })
}

/// The first value that the examples of a command give a parameter.
fn shown(command: &Command, name: &str) -> Option<String> {
    let mut values =
        examples(command).filter_map(|call| call.arguments.values.get(name).map(Arg::to_text));
    values.next()
}

/// The vault that the forms are about: the fixture vault with what the app leaves in its
/// configuration folder, and with a note of today.
pub(crate) fn furnish(world: &World) {
    for [path, text] in tables::section(CASES, "furnish") {
        world.write(path, text);
    }
}

/// A value for a parameter that is given now and then. Our own commands have examples of theirs in
/// the catalogue. A parameter of the app that is not known here has to be added, or its command is
/// not compared.
fn example(command: &Command, param: &Param) -> String {
    let value = match (command.id.as_str(), param.name.as_str(), &param.kind) {
        (_, _, ParamKind::Folder) if command.id != "random:read" => Ok("Projects"),
        (_, _, ParamKind::Character) => Ok("x"),
        (_, _, ParamKind::Integer { min, .. }) if *min <= 2 => Ok("2"),
        _ if command.is_ours() => {
            let smallest = match &param.kind {
                ParamKind::Integer { min, .. } => Some(min.to_string()),
                _ => None,
            };
            return shown(command, &param.name).or(smallest).unwrap();
        }
        ("property:read" | "properties", "name", _) => Ok("tags"),
        ("tag", "name", _) => Ok("index"),
        ("files", "ext", _) => Ok("md"),
        ("base:query", "view", _) => Ok("Active"),
        ("search" | "search:context", "query", _) => Ok("garden"),
        ("template:read", "name", _) => Ok("Meeting"),
        ("template:read", "title", _) => Ok("Spring {{date}}"),
        ("theme", "name", _) => Ok("Bare"),
        ("plugin", "id", _) => Ok("dataview"),
        // The only note of a folder is no chance.
        ("random:read", "folder", _) => Ok("Places"),
        (_, "due-before" | "due-after", _) => Ok("2026-03-14"),
        (id, name, kind) => Err(format!(
            "no value for `{name}` ({kind:?}) of `{id}`: add one"
        )),
    };
    value.unwrap().to_owned()
}

/// What must be given for an answer, in each way to give it.
fn bases(command: &Command) -> Vec<Vec<Argument>> {
    let file = the_file(command);
    let stem = file.rsplit('/').next().unwrap().trim_end_matches(".md");
    let by_path = || vec![argument("path", &file)];
    let by_name = || vec![argument("file", stem)];
    let targets = match (command.id.as_str(), command.target) {
        ("task", _) => vec![
            vec![argument("ref", &format!("{file}:12"))],
            [by_path(), vec![argument("line", "13")]].concat(),
            [by_name(), vec![argument("line", "14")]].concat(),
            vec![argument("daily", "true"), argument("line", "1")],
        ],
        ("random:read", _) => vec![vec![argument("folder", "Places")]],
        // As in the first example, and as in each that leaves out what the first one gives.
        (_, Target::Note) if command.is_ours() => {
            let given = |call: Call| {
                let values = call.arguments.values.iter();
                let others = values.filter(|(name, _)| !matches!(name.as_str(), "path" | "file"));
                others
                    .map(|(name, value)| argument(name, &value.to_text()))
                    .collect::<Vec<Argument>>()
            };
            let first = examples(command).map(given).next().unwrap_or_default();
            let names = |given: &[Argument]| -> BTreeSet<String> {
                given.iter().map(|(name, _)| name.clone()).collect()
            };
            let others = examples(command).map(given);
            let others = others.filter(|other| !names(other).is_superset(&names(&first)));
            let mut ways = vec![
                [by_path(), first.clone()].concat(),
                [by_name(), first.clone()].concat(),
            ];
            ways.extend(others.map(|other| [by_path(), other].concat()));
            ways
        }
        // The app honours neither parameter, and without them it answers for its active file.
        _ if names_only_for_engine(command) => Vec::new(),
        (_, Target::Note) => vec![by_path(), by_name()],
        (_, Target::NoteOrVault) => vec![Vec::new(), by_path(), by_name()],
        (_, Target::Folder) => vec![by_path_of_folder("Projects"), by_path_of_folder("/")],
        _ => vec![Vec::new()],
    };
    let required: Vec<Argument> = command
        .params
        .iter()
        .filter(|param| param.required && param.kind != ParamKind::Folder)
        .map(|param| argument(&param.name, &example(command, param)))
        .collect();
    targets
        .into_iter()
        .map(|target| [required.clone(), target].concat())
        .collect()
}

fn by_path_of_folder(folder: &str) -> Vec<Argument> {
    vec![argument("path", folder)]
}

fn names_only_for_engine(command: &Command) -> bool {
    let path = command.param("path");
    path.is_some_and(|param| param.backend == Some(BackendName::Embedded))
}

/// What may be added: every flag, every word of a choice, one value of everything else. What names
/// the file is not among it, nor what changes something.
fn additions(command: &Command) -> Vec<Argument> {
    let flags = command
        .flags
        .iter()
        .filter(|flag| only_reads(command.effects.union(flag.effects)))
        // What one backend alone knows cannot be compared.
        .filter(|flag| flag.backend.is_none())
        .filter(|flag| flag.target != Some(Target::ActiveFile))
        .map(|flag| argument(&flag.name, "true"));
    let values = command
        .params
        .iter()
        .filter(|param| !param.required && only_reads(command.effects.union(param.effects)))
        .filter(|param| !names_a_place(command, param) && param.backend.is_none())
        .flat_map(|param| match &param.kind {
            ParamKind::Choice(words) => words
                .iter()
                .map(|word| argument(&param.name, word))
                .collect(),
            _ => vec![argument(&param.name, &example(command, param))],
        });
    values.chain(flags).collect()
}

fn names_a_place(command: &Command, param: &Param) -> bool {
    matches!(param.kind, ParamKind::Path | ParamKind::NoteName | ParamKind::TaskRef)
        // The line and its text belong to the note.
        || (command.id == "task" && ["line", "text"].contains(&param.name.as_str()))
}

/// Every form of a command that acts on no active file, each once.
pub(crate) fn forms_of(command: &Command) -> BTreeSet<Form> {
    let additions = additions(command);
    let mut forms = BTreeSet::new();
    for base in bases(command) {
        let by_name = base.iter().any(|(name, _)| name == "file");
        let mut add = |more: &[&Argument]| {
            let more = more.iter().map(|argument| (*argument).clone());
            let arguments: Vec<Argument> = base.iter().cloned().chain(more).collect();
            if is_possible(command, &arguments) {
                let command = command.id.clone();
                forms.insert(Form { command, arguments });
            }
        };
        add(&[]);
        // How the file was named has no say in how the answer is printed.
        for (index, one) in additions.iter().enumerate().filter(|_| !by_name) {
            add(&[one]);
            for other in &additions[index + 1..] {
                add(&[one, other]);
            }
        }
    }
    forms
}

/// Whether each argument is given once, with what it needs, and none excludes another.
fn is_possible(command: &Command, arguments: &[Argument]) -> bool {
    let names: BTreeSet<&str> = arguments.iter().map(|(name, _)| name.as_str()).collect();
    let has_needed = |name: &&str| {
        let needed = command.param(name).and_then(|param| param.with.as_deref());
        needed.is_none_or(|needed| names.contains(needed))
    };
    names.len() == arguments.len()
        && names.iter().all(has_needed)
        && command.exclusive.iter().all(|set| {
            let given = set.iter().filter(|name| names.contains(name.as_str()));
            given.count() <= 1
        })
}

/// Whether a command answers for the active file where nothing else is named.
pub(crate) fn has_active_file(command: &Command) -> Option<Vec<Argument>> {
    let flag = command
        .flags
        .iter()
        .find(|flag| flag.target == Some(Target::ActiveFile));
    match (flag, command.target, command.id.as_str()) {
        (Some(flag), ..) => Some(vec![argument(&flag.name, "true")]),
        (None, Target::Note, "task") => Some(vec![argument("line", "13")]),
        (None, Target::Note, _) => Some(Vec::new()),
        _ => None,
    }
}

/// The required arguments of a command, without what names its file.
pub(crate) fn required(command: &Command) -> Vec<Argument> {
    let required = command.params.iter().filter(|param| param.required);
    required
        .map(|param| argument(&param.name, &example(command, param)))
        .collect()
}

#[test]
fn every_read_command_is_asked_in_every_form() {
    let mut total = 0;
    for command in answered_by_the_engine() {
        let forms = forms_of(command);
        total += forms.len();
        assert!(
            !forms.is_empty() || has_active_file(command).is_some(),
            "{} is compared nowhere",
            command.id
        );
        let mut requested: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for form in &forms {
            let call = form.call();
            assert!(only_reads(call.effects()), "{form:?}");
            assert_ne!(call.acts_on(), Target::ActiveFile, "{form:?}");
            for (name, value) in &form.arguments {
                requested.entry(name).or_default().insert(value);
            }
        }
        let active = has_active_file(command).unwrap_or_default();
        for (name, _) in &active {
            requested.entry(name).or_default();
        }
        for flag in &command.flags {
            let reads = only_reads(command.effects.union(flag.effects)) && flag.backend.is_none();
            assert_eq!(
                requested.contains_key(&*flag.name),
                reads,
                "flag `{}` of `{}`",
                flag.name,
                command.id
            );
        }
        for param in &command.params {
            let reads = only_reads(command.effects.union(param.effects));
            if !reads || param.backend.is_some() {
                continue;
            }
            // A second place is never a matter of form.
            if names_a_place(command, param) && !matches!(&*param.name, "path" | "file" | "ref") {
                continue;
            }
            let values = requested.get(&*param.name);
            let wanted: BTreeSet<&str> = match &param.kind {
                ParamKind::Choice(words) if !param.required => {
                    words.iter().map(String::as_str).collect()
                }
                _ => BTreeSet::new(),
            };
            assert!(
                values.is_some_and(|values| values.is_superset(&wanted)),
                "`{}` of `{}`",
                param.name,
                command.id
            );
        }
    }
    assert!(total > 300, "{total}");
}
