//! `vault-gw settings show | path | get KEY | set KEY VALUE | unset KEY | edit`.
//!
//! `edit` opens a copy, which replaces the file only if it is valid. `settings.toml.bak` then has the earlier text;
//! the next one is `settings.toml.2.bak`, so an earlier text is never overwritten. If another program changes the file
//! in the meantime, the copy gets both changes, or, if they are in the same lines, the text of the file; the person's
//! text is then kept in a file of its own.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Subcommand;
use line_diff::{Merge, merge};
use serde_json::{Map, Value, json};

mod opened;

use super::agents::unused_name;
use super::error::Error;
use super::report::{TextAndData, VerbEnd};
use clients::ServerGrammar;
use frontend::{CommandLineOptions, Terminal, setup};

use gateway::{FOR_ME, Gateway, has_agents_switch};
use protocol::{Caller, Code, Failure, json::object};
use sandbox::Environment;
use settings::edit;
use settings::edit::{RemovedSetting, SettingChange};
use settings::{EVERY_AGENT, Settings, table_prefix};
use tiers::Switch;

/// The subcommands of `settings`.
#[derive(Clone, Debug, Default, Subcommand)]
pub(crate) enum SettingsAction {
    /// Show the settings in force
    #[default]
    #[command(alias = "list")]
    Show,
    /// Print the path of the file
    Path,
    /// Print the value of one key that is in force
    Get {
        /// The key, `allow_mutations` or `paths.deny`
        key: String,
    },
    /// Remove one key, or the table of an agent, from the file
    Unset {
        /// The key, `allow_mutations` or `paths.deny`; or the table, `agents.helper`
        key: String,
    },
    /// Open the file in your editor; it is replaced only by settings that are valid
    Edit,
    /// Change one key and keep the rest of the file as it is
    Set {
        /// The key, `allow_mutations` or `paths.deny`
        key: String,
        /// The value, `true`, `500`, `v1` or `["a/**"]`; `me` turns a switch on for you and off for agents
        #[arg(allow_negative_numbers = true)]
        value: String,
    },
}

/// Shows or changes the settings.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    action: SettingsAction,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> Result<VerbEnd, Failure> {
    Ok(act(terminal, options, action, grammar, environment)?.into())
}

fn act(
    terminal: &Terminal,
    options: &CommandLineOptions,
    action: SettingsAction,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> Result<TextAndData, Failure> {
    let path = setup::settings_file(options, environment)?;
    let shown = path.display().to_string();
    let before = setup::settings(options, environment).ok();
    let tell_of = |key: &str| {
        let after = setup::settings(options, environment).ok();
        let answer = before.as_ref().zip(after.as_ref());
        let answer = answer.and_then(|(before, after)| opened::in_words(before, after, key));
        if let Some(answer) = answer.filter(|_| options.output_mode().reports_failures_as_text()) {
            terminal.note(&answer);
        }
    };
    match action {
        SettingsAction::Path => Ok((format!("{shown}\n"), object(json!({ "path": shown })))),
        SettingsAction::Show => {
            let settings = setup::settings(options, environment)?;
            Ok((
                shown_settings(&settings)?,
                object(json!({ "path": shown, "settings": settings })),
            ))
        }
        SettingsAction::Get { key } => {
            let answer = before
                .as_ref()
                .and_then(|settings| closed_to_agents(settings, &key));
            if let Some(answer) =
                answer.filter(|_| options.output_mode().reports_failures_as_text())
            {
                terminal.note(&answer);
            }
            get(options, &path, &key, environment)
        }
        SettingsAction::Unset { key } => {
            let removed = edit::unset(&path, &key)?;
            tell_of(&key);
            let Some(RemovedSetting { before, earlier }) = removed else {
                let data = json!({ "path": shown, "key": key, "before": null });
                return Ok((format!("{key} is not set in {shown}\n"), object(data)));
            };
            let mut data = object(json!({ "path": shown, "key": key, "before": before }));
            let now = if edit::is_setting(&key) {
                "back to the default".to_owned()
            } else {
                format!("removed from {shown}")
            };
            let earlier = earlier_settings(earlier, &mut data);
            Ok((format!("{key} was {before}; {now}{earlier}\n"), data))
        }
        SettingsAction::Edit => {
            let edited = by_hand(terminal, &path, environment)?;
            tell_of("");
            // A table of one agent only restricts that agent, so its change opens nothing to the others.
            let after = setup::settings(options, environment).ok();
            let tables = before
                .iter()
                .chain(&after)
                .flat_map(|settings| settings.agents.keys());
            let agents: BTreeSet<&String> = tables.filter(|agent| *agent != EVERY_AGENT).collect();
            for agent in agents {
                tell_of(table_prefix(agent).trim_end_matches('.'));
            }
            Ok(edited)
        }
        SettingsAction::Set { key, value } => {
            let value = match key.as_str() {
                VAULT => known_vault(&value, environment)?,
                "export_folder" | "import_folder" if !value.is_empty() => {
                    let folder = existing_folder(&key, &value, environment)?;
                    check_outside(&path, (&key, &folder), options, environment)?;
                    folder
                }
                _ => value,
            };
            let is_mine = value == FOR_ME && has_agents_switch(&key);
            // Turned off for agents first, so that they never have it in between.
            let of_agents = format!("{}{key}", table_prefix(EVERY_AGENT));
            let theirs = is_mine
                .then(|| edit::set(&path, &of_agents, "false"))
                .transpose()?;
            let value = if is_mine { "true" } else { &value };
            let change = edit::set(&path, &key, value).map_err(|failure| with_me(failure, &key))?;
            tell_of(&key);
            if is_path_rule(&key) {
                warn_of_rules(terminal, options, environment);
            }
            let settings = Settings::load(&path).unwrap_or_default();
            if let Some((agent, _)) = opened::of_agent(&settings, &change.key)
                && let Some(warning) = unused_name(agent, &path, grammar, environment)
            {
                terminal.warning(&warning);
            }
            let changes = [Some(&change), theirs.as_ref()].into_iter().flatten();
            let text = changes.map(
                |SettingChange {
                     key,
                     after,
                     written,
                     ..
                 }| {
                    let is = if *written { "=" } else { "is" };
                    let already = if *written { "" } else { " already" };
                    format!("{key} {is} {after}{already} in {shown}\n")
                },
            );
            let mut text: String = text.collect();
            if value == "true" && !is_mine {
                // The setting is written, even if reading it again fails.
                let settings = Settings::load(&path).ok();
                let answer = settings.and_then(|settings| closed_to_agents(&settings, &key));
                text.extend(answer.map(|answer| answer + "\n"));
            }
            let mut data = json!({
                "path": shown,
                "key": change.key,
                "before": change.before,
                "after": change.after,
            });
            if let Some(theirs) = &theirs {
                data["agents"] =
                    json!({ "key": theirs.key, "before": theirs.before, "after": theirs.after });
            }
            Ok((text, object(data)))
        }
    }
}

/// Adds the word `me` to the failure for an invalid value, if the key accepts it besides `true` and
/// `false`.
fn with_me(failure: Failure, key: &str) -> Failure {
    if has_agents_switch(key) && failure.code == Code::UsageError {
        return failure.hint("The value `me` turns the setting on for you and off for agents.");
    }
    failure
}

/// Returns the message that a switch is on and off for agents.
fn closed_to_agents(settings: &Settings, key: &str) -> Option<String> {
    let switch = Switch::ALL.into_iter().find(|switch| switch.key() == key)?;
    let is_open = |caller| {
        let policy = settings.policy(caller, None);
        policy.is_ok_and(|policy| policy.allows(switch))
    };
    (is_open(Caller::Person) && !is_open(Caller::Agent)).then(|| {
        let own = format!("{}{key}", table_prefix(EVERY_AGENT));
        format!("This setting is still off for agents, because `{own}` is false.")
    })
}

/// The key whose value may be a folder.
const VAULT: &str = "vault";

/// Whether the key lists paths that are allowed or denied.
fn is_path_rule(key: &str) -> bool {
    ["paths.read", "paths.write", "paths.deny"]
        .iter()
        .any(|rule| {
            key.strip_suffix(rule)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
}

/// Warns of path rules that match nothing. Needs a vault, whose files it compares.
fn warn_of_rules(terminal: &Terminal, options: &CommandLineOptions, environment: &Environment) {
    let rules = setup::gateway(options, environment, Caller::Person).and_then(|gateway| {
        let vault = gateway.vaults().open()?;
        Ok(gateway.vaults().rules_that_match_nothing(&vault))
    });
    for rule in rules.unwrap_or_default() {
        terminal.warning(&rule);
    }
}

/// Returns the value in force, in the form of the command line, and its source.
fn get(
    options: &CommandLineOptions,
    path: &Path,
    key: &str,
    environment: &Environment,
) -> Result<TextAndData, Failure> {
    let stored = edit::get(path, key)?;
    let source = if stored.value.is_some() {
        "file"
    } else {
        "default"
    };
    let settings = setup::settings(options, environment)?;
    let all = toml::Value::try_from(&settings).map_err(cannot_show)?;
    let in_force = stored
        .path
        .iter()
        .try_fold(&all, |table, name| table.get(name));
    let value = stored.value.as_ref().or(in_force);
    let text = match value {
        Some(toml::Value::String(text)) => format!("{text}\n"),
        Some(value) => format!("{value}\n"),
        None => String::new(),
    };
    let data = json!({ "key": key, "value": value, "source": source });
    Ok((text, object(data)))
}

/// A vault from a person's input: the path of a folder is made absolute and must exist; a name is
/// unchanged.
pub(super) fn vault_folder(value: &str, environment: &Environment) -> Result<String, Failure> {
    let named = setup::vault_choice(value, environment);
    if !Path::new(&named).is_absolute() {
        return Ok(named);
    }
    absolute_folder(
        VAULT,
        &named,
        "the folder of a vault, or its name in the app",
    )
}

/// A vault from a person's input, for all later calls: a name must be the name of a vault that can be opened now.
/// Otherwise it means a folder of that name in the working directory.
fn known_vault(value: &str, environment: &Environment) -> Result<String, Failure> {
    let named = vault_folder(value, environment)?;
    let mut options = gateway::Options::new(Caller::Person);
    options.vault = Some(named.clone());
    let gateway = Gateway::new(Settings::default(), options, environment.clone())?;
    let opened = gateway.vaults().open().map(drop);
    match opened {
        Err(failure) if failure.code == Code::VaultNotFound && !Path::new(&named).is_absolute() => {
            let here = environment.absolute(Path::new(&named));
            if !here.is_dir() {
                return Err(failure);
            }
            vault_folder(&here.to_string_lossy(), environment)
        }
        _ => Ok(named),
    }
}

/// A folder outside the vault from a person's input: made absolute, and it must exist.
fn existing_folder(key: &str, value: &str, environment: &Environment) -> Result<String, Failure> {
    let named = setup::below_home(value, environment)
        .unwrap_or_else(|| environment.absolute(Path::new(value)));
    absolute_folder(
        key,
        &named.to_string_lossy(),
        "an existing folder outside the vault",
    )
}

/// Refuses a folder that an export or import would refuse. Accepts every folder if no vault can be opened.
fn check_outside(
    path: &Path,
    (key, folder): (&str, &str),
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<(), Failure> {
    let (_, settings) = edit::plan(path, &[(key.to_owned(), folder.to_owned())])?;
    let options = setup::gateway_options(options, environment, Caller::Person);
    let gateway = Gateway::new(settings, options, environment.clone())?;
    let vaults = gateway.vaults();
    vaults
        .open()
        .map_or(Ok(()), |vault| vaults.check_outside(key, &vault))
}

/// Returns the canonical path of a folder; `takes` describes the other values that the key accepts.
fn absolute_folder(key: &str, named: &str, takes: &str) -> Result<String, Failure> {
    // `.` and `..` have a meaning only in this working directory.
    match fs_err::canonicalize(named) {
        Ok(folder) if folder.is_dir() => {
            Ok(dunce::simplified(&folder).to_string_lossy().into_owned())
        }
        found => {
            let what = if found.is_ok() {
                "is not a folder"
            } else {
                "does not exist"
            };
            let (key, named) = (key.to_owned(), named.to_owned());
            Err(Error::NotAFolder(key, named, what, takes.to_owned()).into())
        }
    }
}

/// Lets the person edit a copy of the file, and replaces the file if the copy is valid.
fn by_hand(
    terminal: &Terminal,
    path: &Path,
    environment: &Environment,
) -> Result<TextAndData, Failure> {
    let shown = path.display().to_string();
    if !terminal.can_ask() {
        return Err(Error::EditAtTerminal.into());
    }
    let mut old = edit::text(path)?;
    // The file itself must never contain settings that are not valid.
    let copy = path.with_file_name(format!(".settings-{}.toml", std::process::id()));
    if let Some(folder) = copy.parent() {
        fs_err::create_dir_all(folder).map_err(Error::SettingsNotEdited)?;
    }
    fs_err::write(&copy, &old).map_err(Error::SettingsNotEdited)?;
    let changed = loop {
        let edited = super::editor::open(&copy, environment).and_then(|()| {
            fs_err::read_to_string(&copy).map_err(|error| {
                match error.kind() {
                    ErrorKind::NotFound => Error::EditorRemovedFile(shown.clone()),
                    _ => Error::SettingsNotEdited(error),
                }
                .into()
            })
        });
        let new = match edited {
            Ok(new) => new,
            Err(failure) => break Err(failure),
        };
        let mut failure = match edit::replace_text(path, &old, &new) {
            Ok(changed) => break Ok(changed),
            Err(failure) => failure,
        };
        let mut why = format!("{}\n", failure.for_person());
        let mut kept = (new != old).then(|| copy.clone());
        let now = edit::text(path)?;
        if now != old {
            let merged =
                with_both_changes(&copy, [&old, &new, &now]).map_err(Error::SettingsNotEdited)?;
            why += merged.0;
            kept = Some(merged.1);
            old = now;
        }
        if !terminal.agrees(&why, "Edit them again? [Y/n] ")? {
            if let Some(kept) = &kept {
                failure.add_hint(format!(
                    "The settings file was not changed. Your edited version is in {}.",
                    kept.display()
                ));
            }
            if kept.as_ref() == Some(&copy) {
                return Err(failure);
            }
            break Err(failure);
        }
    };
    drop(fs_err::remove_file(&copy));
    let earlier = changed?;
    let mut data = object(json!({ "path": shown, "changed": earlier.is_some() }));
    if earlier.is_none() {
        return Ok((format!("{shown} is unchanged\n"), data));
    }
    let earlier = earlier_settings(earlier, &mut data);
    Ok((format!("{shown} is changed{earlier}\n"), data))
}

/// Returns the end of a sentence that names the file with the settings before, if there is one, and adds it to the data.
pub(super) fn earlier_settings(earlier: Option<PathBuf>, data: &mut Map<String, Value>) -> String {
    earlier.map_or_else(String::new, |earlier| {
        let earlier = earlier.display().to_string();
        let text = format!("; {earlier} has the settings before");
        data.insert("earlier".to_owned(), earlier.into());
        text
    })
}

/// Gives the copy the change of the person, from `old` to `new`, and that of another program, from `old` to `now`.
/// Returns what it has now in words, and the file with the text of the person: another one if both changed the same
/// lines.
fn with_both_changes(
    copy: &Path,
    [old, new, now]: [&str; 3],
) -> std::io::Result<(&'static str, PathBuf)> {
    if let Merge::Clean(merged) = merge(old, new, now, TIME_TO_MERGE) {
        fs_err::write(copy, merged)?;
        let what = "The text to edit now has that change and yours.\n";
        return Ok((what, copy.to_owned()));
    }
    let mut own = (1..).map(|number| copy.with_extension(format!("{number}.toml")));
    let own = own.find(|own| !own.exists()).unwrap_or_default();
    fs_err::rename(copy, &own)?;
    fs_err::write(copy, now)?;
    let what = "That change and yours are in the same lines. The text to edit now has only the other change.\n";
    Ok((what, own))
}

/// The longest search for the lines that two people changed.
const TIME_TO_MERGE: Duration = Duration::from_secs(1);

/// Returns the settings in force, and the names of settings without a value.
fn shown_settings(settings: &Settings) -> Result<String, Failure> {
    let all = toml::Value::try_from(settings).map_err(cannot_show)?;
    let is_set = |name: &&str| {
        let mut parts = name.split('.');
        parts
            .try_fold(&all, |table, part| table.get(part))
            .is_some()
    };
    let unset: Vec<&str> = edit::names().filter(|name| !is_set(name)).collect();
    let text = toml::to_string(settings).map_err(cannot_show)?;
    let text = without_empty_rules(&text);
    Ok(match unset.as_slice() {
        [] => text,
        unset => format!("{text}\n# Not set: {}\n", unset.join(", ")),
    })
}

/// Returns the settings without empty path rules of agents.
fn without_empty_rules(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.iter().skip(at + 1).find(|line| !line.is_empty());
        let is_empty = next.is_none_or(|next| next.starts_with('['));
        if line.starts_with("[agents.") && line.ends_with(".paths]") && is_empty {
            while kept.last() == Some(&"") {
                kept.pop();
            }
        } else {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}

/// Returns the failure of values that cannot be written as text.
pub(super) fn cannot_show(error: impl std::error::Error) -> Error {
    Error::SettingsNotShown(error.to_string())
}
