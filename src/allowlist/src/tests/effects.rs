//! Effects and targets: the table, its traps, and how arguments change both.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use vault_engine::Args;

use super::*;
use protocol::Code;

const CASES: &str = include_str!("effects_cases.txt");

fn names(effects: EffectSet) -> String {
    effects
        .iter()
        .map(Effect::name)
        .collect::<Vec<_>>()
        .join("+")
}

#[test]
fn a06_commands_that_look_like_reads_but_act_are_not_reads() {
    for id in "daily open random search:open history:open publish:open bookmark template:insert \
        base:create unique"
        .split(' ')
    {
        let effects = command(id).effects;
        assert!(
            effects.contains(Effect::Ui) || effects.is_mutation(),
            "{id} has only {}",
            names(effects)
        );
        assert!(!effects.contains(Effect::Read), "{id}");
    }
    for id in ["tab:open", "web", "dev:screenshot"] {
        assert_eq!(builtin().find(id).unwrap_err().code, Code::CommandRefused);
    }
}

#[test]
fn a07_what_runs_code_is_never_offered() {
    for id in "eval command dev:cdp dev:debug devtools plugin:install plugin:enable plugin:disable \
        plugin:uninstall plugin:reload plugins:restrict theme:install theme:set snippet:enable"
        .split(' ')
    {
        let Lookup::Refused(refused) = builtin().lookup(id) else {
            panic!("{id} is not refused");
        };
        assert!(refused.effects.contains(Effect::Execute), "{id}");
    }
    for id in ["restart", "reload", "web", "sync", "sync:restore", "help"] {
        assert!(matches!(builtin().lookup(id), Lookup::Refused(_)), "{id}");
    }
    for command in builtin().commands() {
        let params = command.params.iter().map(|param| param.effects);
        let flags = command.flags.iter().map(|flag| flag.effects);
        let all = params.chain(flags).fold(command.effects, EffectSet::union);
        assert!(!all.contains(Effect::Execute), "{}", command.id);
    }
}

#[test]
fn k06_effects_follow_what_the_arguments_do() {
    for [line, expected] in tables::section(CASES, "k06 effects follow what the arguments do") {
        assert_eq!(names(call(line).effects()), expected, "{line}");
    }
}

/// An address can carry text of the vault away. So every command that takes one sends data off the
/// machine, which is closed until the owner opens it.
#[test]
fn k05_whatever_takes_a_web_address_leaves_the_machine() {
    let mut open = Vec::new();
    for command in builtin().commands() {
        for param in &command.params {
            let takes_address = param.kind == ParamKind::Url || param.name.contains("url");
            if takes_address {
                let effects = command.effects.union(param.effects);
                assert!(effects.contains(Effect::Publish), "{}", command.id);
                open.push(format!("{} {}=", command.id, param.name));
            }
        }
    }
    assert_eq!(open, ["bookmark url="]);
    let Lookup::Refused(web) = builtin().lookup("web") else {
        panic!("web is not refused");
    };
    assert!(web.effects.contains(Effect::Publish));
}

#[test]
fn a12_every_command_that_would_take_the_active_file_says_so() {
    for command in builtin().commands() {
        let call = Call {
            command: Arc::clone(command),
            arguments: Args::default(),
        };
        let expected = match command.target {
            Target::Note | Target::ActiveFile => Target::ActiveFile,
            Target::NoteOrVault => Target::Vault,
            other @ (Target::DailyNote
            | Target::NewFile
            | Target::Folder
            | Target::Vault
            | Target::App
            | Target::None) => other,
        };
        assert_eq!(call.acts_on(), expected, "{}", command.id);
    }
    for (line, target) in [
        ("read path=a.md", Target::Note),
        ("read file=a", Target::Note),
        ("tags", Target::Vault),
        ("tags path=a.md", Target::Note),
        ("tags active", Target::ActiveFile),
        ("tags active=false", Target::Vault),
        ("tasks daily", Target::DailyNote),
        ("task daily line=3", Target::DailyNote),
        ("task ref=a.md:3", Target::Note),
        ("task line=3", Target::ActiveFile),
        ("publish:add changed", Target::Vault),
        ("base:views", Target::ActiveFile),
        ("base:views path=a.base", Target::Note),
    ] {
        assert_eq!(call(line).acts_on(), target, "{line}");
    }
}

#[test]
fn parameters_that_one_backend_ignores_leave_only_the_other() {
    let both = [BackendName::Obsidian, BackendName::Embedded];
    assert_eq!(call("base:views").backends(), both);
    assert_eq!(
        call("base:views path=a.base").backends(),
        [BackendName::Embedded]
    );
    assert_eq!(call("daily").backends(), [BackendName::Obsidian]);
}

/// Placeholders of the official usage lines that stand for a path in the vault.
const PATH_PLACEHOLDERS: [&str; 5] = ["path", "folder", "filename", "path:line", "template"];
/// Arguments whose value the app uses as the name of a file.
static FILE_NAMES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| tables::typed(CASES, "file names"));

/// Paths that lead out of the vault on every system.
const ESCAPES: [&str; 5] = ["../x", "a/../../x", "/etc/passwd", "..", "file:///x"];

fn is_path(kind: &ParamKind) -> bool {
    matches!(
        kind,
        ParamKind::Path
            | ParamKind::Folder
            | ParamKind::Destination
            | ParamKind::NoteName
            | ParamKind::Name
            | ParamKind::Template
            | ParamKind::TaskRef
    )
}

#[test]
fn d12_every_parameter_that_leads_to_a_file_is_checked_as_a_path() {
    let mut path_like: BTreeSet<(String, String)> = FILE_NAMES
        .iter()
        .map(|(id, name)| ((*id).to_owned(), (*name).to_owned()))
        .collect();
    for line in include_str!("official.txt").lines() {
        let mut atoms = line.split_whitespace();
        let Some(id) = atoms.next() else { continue };
        for atom in atoms {
            let atom = atom.trim_matches(['[', ']']);
            let Some((name, value)) = atom.split_once('=') else {
                continue;
            };
            let placeholder = value.trim_matches(['<', '>']);
            if name == "file" || PATH_PLACEHOLDERS.contains(&placeholder) {
                path_like.insert((id.to_owned(), name.to_owned()));
            }
        }
    }
    for command in builtin().commands().filter(|command| command.is_ours()) {
        let paths = command.params.iter().filter(|param| is_path(&param.kind));
        path_like.extend(paths.map(|param| (command.id.clone(), param.name.clone())));
    }
    let mut checked = 0;
    for (id, name) in path_like {
        let Lookup::Offered(command) = builtin().lookup(&id) else {
            continue;
        };
        for escape in ESCAPES {
            let values = [(name.clone(), RawValue::Text(escape.into()))].into();
            let failure = command.admit(&values).unwrap_err();
            assert_eq!(failure.code, Code::PathEscape, "{id} {name}={escape}");
            assert!(!failure.to_string().contains("passwd"), "{failure}");
            checked += 1;
        }
        for odd in ["a//b", "a/./b", "a\0b"] {
            let values = [(name.clone(), RawValue::Text(odd.into()))].into();
            let failure = command.admit(&values).unwrap_err();
            assert_eq!(failure.code, Code::UsageError, "{id} {name}={odd}");
        }
    }
    assert!(checked > ESCAPES.len() * 80, "{checked}");
    let mut offered = 0;
    for command in builtin().commands() {
        for param in &command.params {
            let is_path = is_path(&param.kind);
            let text = [(param.name.clone(), RawValue::Text("../x".into()))].into();
            let escapes = command
                .admit(&text)
                .is_err_and(|failure| failure.code == Code::PathEscape);
            assert_eq!(escapes, is_path, "{} {}", command.id, param.name);
            offered += usize::from(is_path);
        }
    }
    assert_eq!(offered * ESCAPES.len(), checked);
}

#[test]
fn d12_the_paths_of_a_call_are_complete() {
    let paths = |line| {
        call(line)
            .paths()
            .into_iter()
            .map(|(key, path)| format!("{key}={path}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(paths("move path=a.md to=b/c.md"), "path=a.md to=b/c.md");
    assert_eq!(paths("task ref=.obsidian/a.md:3"), "ref=.obsidian/a.md");
    assert_eq!(paths("bookmark folder=a/"), "folder=a");
    assert_eq!(paths("folder path=/"), "path=/");
    assert_eq!(paths("read file=a"), "");
}
