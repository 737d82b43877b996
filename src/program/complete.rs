//! Completions for a shell at the end of a line: verbs, commands, parameters and their values. The
//! values come from the vault of the line or the settings.
//!
//! Names of files are read from the disk. Tags and properties are read from the cache file alone, unless nothing in it
//! begins with the typed text or the caller may not see the whole vault; then the vault is read.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap_complete::Shell;
use clap_complete::engine;
use vault_engine::shown::misleads;
use vault_engine::{Args, RegisteredVault, VaultPath};

use super::shell_line::{Quote, ShellLine};
use super::{completions, first_word, gateway, is_open};
use crate::cli::report;
use ::gateway::{Gateway, NameList, known_vaults};
use allowlist::{Catalogue, Command, Param, ParamKind};
use frontend::Terminal;
use protocol::{Code, IssueCode};
use sandbox::Environment;
use settings::{EVERY_AGENT, edit};

/// Most offers for one line. More would not help.
const MOST: usize = 500;

/// A word that may complete the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// The whole word, without quotes.
    pub(super) word: String,
    /// A short description, for shells that show one.
    pub(super) about: String,
}

/// Answers the script that `vault-gw completions SHELL` prints. `given` is what the script passes:
/// for Bash its word breaks and the line, for other shells the words of the line.
pub(super) fn answer(
    terminal: &Terminal,
    shell: Shell,
    given: &[String],
    environment: &Environment,
) -> ExitCode {
    let line = match (shell, given) {
        (Shell::Bash, [breaks, line]) => ShellLine::of_bash(line, breaks),
        _ => ShellLine::of_words(given),
    };
    // The first word is the program.
    let words = line.before.get(1..).unwrap_or_default();
    let offers = offers(words, &line.last, environment);
    // Only exact names are inserted. A name with characters that a terminal hides would look like
    // another name, so it is not offered (`threats.toml` B12).
    let text: String = offers
        .iter()
        .filter(|offer| !offer.word.contains(misleads))
        .map(|offer| match shell {
            Shell::Bash => line.in_bash(&offer.word) + "\n",
            Shell::PowerShell => format!("{}\t{}\n", Quote::Whole.quoted(&offer.word), offer.about),
            _ => format!("{}\t{}\n", offer.word, offer.about),
        })
        .collect();
    report::text(terminal, text)
}

/// Returns the words that may follow `before`; `last` is the beginning of the next word.
pub(super) fn offers(before: &[String], last: &str, environment: &Environment) -> Vec<Offer> {
    let command = first_word(before).and_then(|word| Catalogue::find_builtin(word).ok());
    let mut offers = match (command, first_word(before)) {
        (Some(command), _) if !last.starts_with('-') && !takes_next(before) => {
            let gateway = gateway(before, environment);
            let form = gateway
                .as_ref()
                .and_then(|it| it.policy().form_of(&command));
            of_command(
                form.as_deref().unwrap_or(&command),
                before,
                last,
                environment,
            )
        }
        _ if before.last().is_some_and(|word| word == "--vault") => vaults(last, environment),
        _ if names_agent(before) => agents(before, last, environment),
        (None, Some("settings")) => of_settings(before, last),
        (None, Some("explain")) if !last.starts_with('-') => explained(last),
        (None, Some("undo" | "redo")) if !last.starts_with('-') => runs(before, last, environment),
        _ => of_grammar(before, last),
    };
    if first_word(before).is_none_or(|word| word == "help") {
        let gateway = gateway(before, environment);
        let policy = gateway.as_ref().map(Gateway::policy);
        offers.retain(|offer| is_open(&offer.word, policy));
    }
    offers.truncate(MOST);
    offers
}

fn offer(word: impl Into<String>, about: &str) -> Offer {
    Offer {
        word: word.into(),
        about: about.replace(['\t', '\n'], " "),
    }
}

/// Verbs, commands and options, from the grammar of the command line.
fn of_grammar(before: &[String], last: &str) -> Vec<Offer> {
    let mut words = vec![completions::PROGRAM.into()];
    words.extend(before.iter().map(Into::into));
    words.push(last.into());
    let at = words.len() - 1;
    let found = engine::complete(&mut completions::grammar(), words, at, None);
    let found = found.unwrap_or_default().into_iter();
    found
        .map(|candidate| {
            let about = candidate.get_help().map(ToString::to_string);
            let word = candidate.get_value().to_string_lossy().into_owned();
            offer(word, &about.unwrap_or_default())
        })
        // Options are many, so they are offered only after a dash.
        .filter(|offer| last.starts_with('-') || !offer.word.starts_with('-'))
        .collect()
}

/// Whether the last word is an option whose value comes next.
fn takes_next(before: &[String]) -> bool {
    before
        .last()
        .is_some_and(|word| super::option_takes_value(word) == Some(true))
}

/// Returns the keys of the settings, and the words that a setting accepts.
fn of_settings(before: &[String], last: &str) -> Vec<Offer> {
    let verb = before.iter().rposition(|word| word == "settings");
    let after = verb.and_then(|at| before.get(at + 1..)).unwrap_or_default();
    let words: Vec<String> = match after {
        [action] if ["get", "set", "unset"].contains(&action.as_str()) => {
            edit::names().map(str::to_owned).collect()
        }
        [action, key] if action == "set" => edit::words(key),
        _ => return of_grammar(before, last),
    };
    let begun = words.into_iter().filter(|word| word.starts_with(last));
    begun.map(|word| offer(word, "")).collect()
}

/// Returns the words that `explain` accepts: codes in either case, commands and verbs.
fn explained(last: &str) -> Vec<Offer> {
    let begun = last.to_ascii_uppercase();
    let codes = Code::ALL.iter().map(|code| code.name());
    let issues = IssueCode::all().iter().map(|code| code.issue);
    let codes: BTreeSet<&str> = codes.chain(issues).collect();
    let codes = codes.into_iter().filter(|name| name.starts_with(&begun));
    let mut offers = of_grammar(&[], last);
    offers.extend(codes.map(|name| offer(name, "")));
    offers
}

/// Returns the parameters and flags of a command, or the values of a parameter.
fn of_command(
    command: &Command,
    before: &[String],
    last: &str,
    environment: &Environment,
) -> Vec<Offer> {
    if let Some((name, begun)) = last.split_once('=') {
        let Some(param) = command.param(name) else {
            return Vec::new();
        };
        let values = values(param, begun, before, environment);
        return values
            .into_iter()
            .map(|value| offer(format!("{name}={value}"), ""))
            .collect();
    }
    let is_given = |name: &str| {
        let start = format!("{name}=");
        before
            .iter()
            .any(|word| word == name || word.starts_with(&start))
    };
    // A word without a name may be the value of the next bare parameter.
    let is_named = note_of(before).is_some();
    let words = before.iter().skip_while(|word| **word != command.id);
    let words: Vec<&String> = words.skip(1).collect();
    let read = command.read_words(&words).unwrap_or_default();
    let is_bare_open = |param: &&Param| {
        let names_again = is_named && param.name == "file";
        let is_read = read.contains_key(&param.name);
        !(last.is_empty() || names_again || is_read || is_given(&param.name))
    };
    let bare = command.bare_params().find(is_bare_open);
    let bare = bare.map_or_else(Vec::new, |param| values(param, last, before, environment));
    let params = command.params.iter();
    let params = params.map(|param| (&param.name, format!("{}=", param.name), &param.summary));
    let flags = command.flags.iter();
    let flags = flags.map(|flag| (&flag.name, flag.name.clone(), &flag.summary));
    params
        .chain(flags)
        .filter(|(name, word, _)| word.starts_with(last) && !is_given(name))
        .map(|(_, word, about)| offer(word, about))
        .chain(bare.into_iter().map(|value| offer(value, "")))
        .collect()
}

/// Returns the values of a parameter that begin with the typed text.
fn values(param: &Param, begun: &str, before: &[String], environment: &Environment) -> Vec<String> {
    let list = match (&param.kind, param.name.as_str()) {
        (ParamKind::Choice(choices), _) => return beginning(choices.iter().cloned(), begun),
        (ParamKind::Path, _) => return paths(&names(&NameList::Files, before, environment), begun),
        (ParamKind::Folder | ParamKind::Destination, _) => NameList::Folders,
        (ParamKind::NoteName, _) => NameList::Notes,
        (ParamKind::Template, _) => NameList::Templates,
        (ParamKind::Tag, _) => NameList::Tags,
        (ParamKind::Property, _) => NameList::Properties,
        (_, "heading" | "section") => match note_of(before) {
            Some(note) => NameList::Headings(note),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let Some(gateway) = gateway(before, environment) else {
        return Vec::new();
    };
    let is_tag = list == NameList::Tags;
    let begun_so = |names: Vec<String>| {
        // A tag may be typed with or without its `#`.
        let known = names.into_iter().map(|name| match name.strip_prefix('#') {
            Some(bare) if is_tag && !begun.starts_with('#') => bare.to_owned(),
            _ => name,
        });
        let mut names = beginning(known, begun);
        names.sort_by_cached_key(|name| name.to_lowercase());
        names
    };
    // If no indexed name begins with the text, the vault itself is read.
    let kept = gateway.vaults().kept_names(&list).map(begun_so);
    kept.filter(|names| !names.is_empty())
        .unwrap_or_else(|| begun_so(gateway.vaults().names(&list)))
}

/// Returns the parameter of the line that names the note.
fn note_of(before: &[String]) -> Option<Args> {
    before.iter().find_map(|word| match word.split_once('=')? {
        ("path", path) => Some(Args::default().with("path", &VaultPath::file(path).ok()?)),
        ("file", name) => Some(Args::default().with("file", name)),
        _ => None,
    })
}

/// Returns the names that begin with the text; if there are none, the names that do so in any letter case.
fn beginning(known: impl Iterator<Item = String>, begun: &str) -> Vec<String> {
    let all: Vec<String> = known.collect();
    let exact: Vec<String> = all
        .iter()
        .filter(|name| name.starts_with(begun))
        .cloned()
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    let begun = begun.to_lowercase();
    let folded = all.into_iter();
    folded
        .filter(|name| name.to_lowercase().starts_with(&begun))
        .collect()
}

/// Files and folders on the level of the path that is typed.
fn paths(files: &[String], begun: &str) -> Vec<String> {
    let at = begun.rfind('/').map_or(0, |at| at + 1);
    let mut found: Vec<String> = Vec::new();
    for file in beginning(files.iter().cloned(), begun) {
        let end = file.get(at..).and_then(|rest| rest.find('/'));
        let word = match end {
            Some(end) => file.get(..=at + end).unwrap_or(&file).to_owned(),
            None => file,
        };
        // The files are in byte order, so files of one folder are adjacent.
        if found.last() != Some(&word) {
            found.push(word);
        }
    }
    found.sort_by_cached_key(|path| path.to_lowercase());
    found
}

/// Names from the vault of the line.
fn names(list: &NameList, before: &[String], environment: &Environment) -> Vec<String> {
    gateway(before, environment).map_or_else(Vec::new, |gateway| gateway.vaults().names(list))
}

/// Returns the names of the vaults that the app knows.
fn vaults(last: &str, environment: &Environment) -> Vec<Offer> {
    let known = known_vaults(environment).unwrap_or_default();
    let names: BTreeSet<String> = known.vaults.iter().map(RegisteredVault::name).collect();
    let names = beginning(names.into_iter(), last).into_iter();
    names.map(|name| offer(name, "")).collect()
}

/// Whether the next word is the name of an agent that the settings have.
fn names_agent(before: &[String]) -> bool {
    // The other actions of `agents` take an agent that is there.
    const WITHOUT_AGENT: [&str; 2] = ["add", "list"];
    match before {
        [.., option] if option == "--agent" => true,
        [.., verb, action] => verb == "agents" && !WITHOUT_AGENT.contains(&action.as_str()),
        _ => false,
    }
}

/// Returns the agents that the settings name.
fn agents(before: &[String], last: &str, environment: &Environment) -> Vec<Offer> {
    // The last word is the option that the agent is a value of.
    let known = before.split_last().map_or(before, |(_, before)| before);
    let gateway = gateway(known, environment);
    let names = gateway
        .iter()
        .flat_map(|gateway| gateway.settings().agents.keys());
    let names = names.filter(|name| *name != EVERY_AGENT).cloned();
    let names = beginning(names, last).into_iter();
    names.map(|name| offer(name, "")).collect()
}

/// Short ids of the runs that can be undone.
fn runs(before: &[String], last: &str, environment: &Environment) -> Vec<Offer> {
    let journal = gateway(before, environment).and_then(|gateway| gateway.journal().ok());
    let listing = journal.and_then(|journal| journal.entries().ok());
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    entries
        .iter()
        .map(|listed| {
            let mut id = listed.entry.run_id.to_string();
            id.truncate(8);
            offer(id, &listed.entry.command)
        })
        .filter(|offer| offer.word.starts_with(last))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("complete_cases.txt");

    /// Returns an environment whose settings name a vault with a few notes.
    fn world() -> (tempfile::TempDir, Environment) {
        let folder = tempfile::tempdir().unwrap();
        let vault = folder.path().join("Vault");
        for [path, text] in tables::section(CASES, "world") {
            let file = vault.join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, text).unwrap();
        }
        let config = folder.path().join(".config/vault-gw");
        fs_err::create_dir_all(&config).unwrap();
        let file = config.join("settings.toml");
        let settings = format!("vault = {:?}\n", vault.display().to_string());
        fs_err::write(&file, settings).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o600);
            fs_err::set_permissions(&file, mode).unwrap();
        }
        let home = [("HOME".into(), folder.path().as_os_str().to_owned())];
        (folder, Environment::new(home, None))
    }

    #[test]
    fn words_of_the_vault_are_offered() {
        let (_folder, environment) = world();
        for (line, offered) in [
            ("rea", &["read"][..]),
            ("daily:re", &["daily:read"]),
            ("read pa", &["path="]),
            ("read path=H", &["path=Home.md"]),
            ("read path=", &["path=Home.md", "path=Projects/"]),
            (
                "read path=Projects/",
                &["path=Projects/Boat log.md", "path=Projects/Garden.md"],
            ),
            ("read file=bo", &["file=Boat log"]),
            ("files folder=", &["folder=Projects"]),
            ("notes:list tag=boat/", &["tag=boat/red"]),
            ("tag name=#boat/", &["name=#boat/red"]),
            ("property:read name=st", &["name=status"]),
            ("note:link file=Home heading=Sec", &["heading=Second part"]),
            ("search query=x format=j", &["format=json"]),
            ("settings get allow_mu", &["allow_mutations"]),
            ("settings un", &["unset"]),
            ("settings set allow_mutations ", &["true", "false"]),
            (
                "settings set agents.helper.tier v",
                &["v0", "v1", "v2", "v3"],
            ),
            ("settings set timeout_ms ", &[]),
            ("explain FILE_", &["FILE_EXISTS", "FILE_NOT_FOUND"]),
            ("explain vault_n", &["VAULT_NOT_FOUND", "VAULT_NOT_SET"]),
            ("read bo", &["Boat log"]),
            ("explain daily:re", &["daily:read"]),
            ("--backend e", &["embedded"]),
            ("--vault /nowhere read path=", &[]),
            ("read nope=x", &[]),
        ] {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let last = words.pop().unwrap();
            let found = offers(&words, &last, &environment);
            let found: Vec<&str> = found.iter().map(|offer| offer.word.as_str()).collect();
            assert_eq!(found, offered, "{line}");
        }
    }
}
