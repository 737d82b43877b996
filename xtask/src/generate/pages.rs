//! The pages that are generated from the catalogue and the types.
//!
//! Some are checked in; `cargo xtask generate --check` fails if they are stale. The site makes the page of codes.

use std::collections::BTreeMap;

use serde_json::Value;
use vault_gw::allowlist::{BackendName, Catalogue, Command, Effect, EffectSet, Tier};
use vault_gw::frontend::schema;
use vault_gw::gateway::profile;
use vault_gw::program::reference::GeneratedFile;
use vault_gw::protocol::Code;
use vault_gw::protocol::IssueCode;

use chores::Fault;

/// Generates the pages and schemas that are checked in.
pub(super) fn checked_in() -> Result<Vec<GeneratedFile>, Fault> {
    let catalogue = Catalogue::whole()?;
    let schemas = schema::all(catalogue).into_iter();
    let schemas = schemas.map(|published| (published.name, published.schema));
    let schemas = compact_json(&Value::Object(schemas.collect()), 0) + "\n";
    let files = [
        ("docs/commands.md", commands(catalogue)),
        ("docs/profiles.md", profile::page()),
        ("schemas/vault-gw.v1.json", schemas),
    ];
    let file = |(path, text): (&str, String)| GeneratedFile {
        path: path.to_owned(),
        text,
    };
    Ok(files.map(file).into())
}

/// Formats JSON for reviews: a value that fits on a line of 120 characters is not broken.
fn compact_json(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    let parts: Vec<String> = match value {
        _ if line.len() + indent <= 120 => return line,
        Value::Object(keys) => keys
            .iter()
            .map(|(key, value)| {
                format!(
                    "{}: {}",
                    Value::from(&**key),
                    compact_json(value, indent + 1)
                )
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .map(|item| compact_json(item, indent + 1))
            .collect(),
        _ => return line,
    };
    let (open, close) = if value.is_object() {
        ('{', '}')
    } else {
        ('[', ']')
    };
    let start = format!("\n{}", " ".repeat(indent + 1));
    let parts = parts.join(&format!(",{start}"));
    format!("{open}{start}{parts}\n{}{close}", " ".repeat(indent))
}

const NOTICE: &str = "<!-- Made by `cargo xtask generate` from config/*.toml. Do not edit. -->\n";

/// The number of commands from which on a line about an argument is printed only once.
const COMMON: usize = 3;

/// The version of the app that most commands are of, which the page does not repeat.
const FIRST_VERSION: &str = "1.12.0";

fn names(effects: EffectSet) -> String {
    effects
        .iter()
        .map(Effect::name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns a line of `docs/commands.md` about an argument.
fn argument(usage: &str, adds: EffectSet, summary: &str, is_required: bool) -> String {
    let mut line = format!("- `{usage}`");
    if !adds.is_empty() {
        line += &format!(" ({})", names(adds));
    }
    let required = if is_required { " Required." } else { "" };
    format!("{line}: {summary}{required}\n")
}

/// Returns the lines about the arguments of a command, each with the word that the command takes.
fn arguments(command: &Command) -> Vec<(String, String)> {
    let params = command.params.iter().map(|param| {
        let usage = param.usage();
        let line = argument(&usage, param.effects, &param.summary, param.required);
        (usage, line)
    });
    let flags = command.flags.iter().map(|flag| {
        let line = argument(&flag.name, flag.effects, &flag.summary, false);
        (flag.name.clone(), line)
    });
    params.chain(flags).collect()
}

fn commands(catalogue: &Catalogue) -> String {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for argument in catalogue.commands().flat_map(|command| arguments(command)) {
        *counts.entry(argument).or_default() += 1;
    }
    counts.retain(|_, count| *count >= COMMON);
    // Of two lines about one word, such as `total`, the one of most commands is common.
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| *count);
    let common: BTreeMap<String, String> = counts.into_iter().map(|(line, _)| line).collect();
    let mut text = format!(
        "{NOTICE}\n# Commands\n\n\
         Every official command, and those that only vault-gw has, by the tier that opens it. Effects that are not only `read` and\n\
         `ui` need more than the tier: `write` needs `allow_mutations`; `export` needs that and an `export_folder`; `destroy` and\n\
         `publish` need an approval too. Commands at the end are never open.\n\n\
         In brackets: the effects; the target; `vault-gw` if only vault-gw has the command and its engine runs it, or the first\n\
         version of the app that has it if that is not {FIRST_VERSION}; `app only` if the engine does not answer it. An argument adds\n\
         the effects that follow it in brackets.\n\n\
         [App and engine](backends.md) has the differences that apply to every command. *Differs*: how the engine, or the gateway,\n\
         differs from the app alone. *Not recorded*: what no recording of the app shows, and what is done instead; the app's text\n\
         is then in `stdout`, unchanged. Without either, both backends return the same.\n\n\
         Many commands take these arguments, and list them by their names alone:\n\n"
    );
    text.extend(common.values().map(String::as_str));
    for tier in Tier::ALL {
        text += &format!("\n## Tier {}\n", tier.name());
        for command in catalogue.commands().filter(|command| command.tier == tier) {
            text += &section(command, &common);
            if command.has_steps() {
                let steps = catalogue.steps().map(|step| format!("`{}`", step.id));
                let steps: Vec<String> = steps.collect();
                text += &format!("\n*Steps*: {}\n", steps.join(", "));
            }
        }
    }
    text += "\n## Never open\n\n| command | why | instead |\n|---|---|---|\n";
    for refused in catalogue.refused() {
        text += &format!(
            "| `{}` | {} | {} |\n",
            refused.id,
            refused.reason,
            refused.instead.as_deref().unwrap_or("")
        );
    }
    text
}

/// Describes a command; `common` has the lines about arguments of many commands, by the word that commands take.
fn section(command: &Command, common: &BTreeMap<String, String>) -> String {
    let mut facts = vec![names(command.effects), command.target.name().to_owned()];
    facts.extend(match command.since.as_deref() {
        None => Some("vault-gw".to_owned()),
        Some(since) => (since != FIRST_VERSION).then(|| since.to_owned()),
    });
    if !command.backends.contains(&BackendName::Embedded) {
        facts.push("app only".to_owned());
    }
    let (id, summary, facts) = (&command.id, &command.summary, facts.join("; "));
    let mut text = format!("\n### `{id}`\n\n{summary} [{facts}]\n");
    let (shared, own): (Vec<_>, Vec<_>) = arguments(command)
        .into_iter()
        .partition(|(word, line)| common.get(word) == Some(line));
    if !own.is_empty() || !shared.is_empty() {
        text += "\n";
    }
    text.extend(own.into_iter().map(|(_, line)| line));
    if !shared.is_empty() {
        let names = shared.iter().map(|(word, _)| {
            let name = word.split_once("=<").map_or(&**word, |(name, _)| name);
            format!("`{name}`")
        });
        text += &format!("- {}\n", names.collect::<Vec<_>>().join(", "));
    }
    if let Some(differs) = &command.differs {
        let label = if command.is_ours() { "" } else { "*Differs*: " };
        text += &format!("\n{label}{differs}\n");
    }
    if let Some(unrecorded) = &command.unrecorded {
        text += &format!("\n*Not recorded*: {unrecorded}\n");
    }
    text
}

/// Returns the page of codes and exit statuses, which only the site has. `vault-gw explain` prints the same codes.
pub(crate) fn codes() -> String {
    let mut text = "# Codes and exit statuses\n\n\
         The exit status of `vault-gw` is 0 for `ok`, `no_matches` and `partial`, 1 when an audit or\n\
         `doctor --strict` found something, and otherwise that of the code in `error.code`. `exitCode` in the envelope is another\n\
         thing: what the executed command returned.\n\n\
         | code | exit | what happened | what to do | retry |\n|---|---|---|---|---|\n"
        .to_owned();
    for code in Code::ALL {
        let explanation = code.explanation();
        text += &format!(
            "| `{code}` | {} | {} | {} | {} |\n",
            explanation.exit,
            explanation.cause.replace('|', "\\|"),
            explanation.remedy().text().replace('|', "\\|"),
            if explanation.retryable { "yes" } else { "no" }
        );
    }
    text += "\n## Warnings, violations and advice\n\n\
             They appear next to an answer and do not make it a failure.\n\n\
             | code | what it means | what to do |\n|---|---|---|\n";
    for issue in IssueCode::all() {
        text += &format!(
            "| `{}` | {} | {} |\n",
            issue.issue,
            issue.meaning.replace('|', "\\|"),
            issue.remedy().text().replace('|', "\\|")
        );
    }
    text
}
