//! What the engine answers on Windows, held against what it answers on Linux: the same folder, the
//! same requests.

use std::collections::BTreeSet;
use std::path::Path;

use fake_obsidian::home::{NOTES_OF_EXAMPLES, copy_folder, sample_vault};
use serde_json::{Map, Value, json};
use vault_gw::allowlist::{Catalogue, Command, Effect, EffectSet, RawValue};

use super::Found;
use super::desk::{Desk, code, request, write};
use crate::Fault;

const ENABLED: &str = "enabled = true\n";
const WORDS: [&str; 4] = ["--backend", "embedded", "--vault", ""];

/// Every example of every command that only reads.
pub(super) fn examples(desk: &Desk) -> Found {
    let vault = desk.vault(r"C:\vaults\fixture", &[])?;
    copy_folder(&sample_vault(), &vault)?;
    for (path, note) in NOTES_OF_EXAMPLES {
        write(&vault.join(path), note)?;
    }
    let catalogue = Catalogue::builtin()?;
    let mut requests = Vec::new();
    for command in catalogue.commands().filter(|command| only_reads(command)) {
        for example in &command.accept {
            requests.push(of_example(command, example)?);
        }
    }
    compare(desk, r"C:\vaults\fixture", &vault, &requests)
}

/// The commands that agents use most, on every tenth note of a larger vault.
pub(super) fn made_up_vault(desk: &Desk) -> Found {
    let vault = desk.place(r"C:\vaults\made up");
    crate::vault::write(&vault, 300, crate::vault::DEFAULT_SEED)?;
    let mut requests: Vec<Value> = [
        ("files", json!({})),
        ("folders", json!({})),
        ("tags", json!({ "counts": true })),
        ("properties", json!({ "counts": true })),
        ("tasks", json!({})),
        ("orphans", json!({})),
        ("deadends", json!({})),
        ("unresolved", json!({ "verbose": true })),
        ("vault:audit", json!({})),
        ("notes:list", json!({ "limit": 500 })),
        ("search", json!({ "query": crate::vault::PHRASE })),
        (
            "search:context",
            json!({ "query": crate::vault::RARE_WORD }),
        ),
        (
            "notes:search",
            json!({ "query": crate::vault::COMMON_WORD }),
        ),
    ]
    .iter()
    .map(|(command, params)| request(command, params))
    .collect();
    let listed = desk.call_on_linux(
        ENABLED,
        &on(vault.to_str().unwrap_or_default()),
        &[request("files", &json!({ "ext": "md" }))],
    )?;
    let files = listed[0]["data"]["items"].as_array();
    for file in files.into_iter().flatten().step_by(10) {
        let path = file.get("path").unwrap_or(file);
        for command in [
            "read",
            "note:outline",
            "links",
            "backlinks",
            "file",
            "properties",
        ] {
            requests.push(request(command, &json!({ "path": path })));
        }
    }
    compare(desk, r"C:\vaults\made up", &vault, &requests)
}

fn only_reads(command: &Command) -> bool {
    // Chance answers the one that is left out, and never twice the same.
    command.effects == EffectSet::from_iter([Effect::Read]) && command.id != "random:read"
}

fn of_example(command: &Command, example: &str) -> Result<Value, Fault> {
    let words = shell_words::split(example)?;
    let given = command.read_words(words.get(1..).unwrap_or_default())?;
    let params: Map<String, Value> = given
        .into_iter()
        .map(|(name, value)| (name, json_of(value)))
        .collect();
    Ok(request(&command.id, &params.into()))
}

fn json_of(value: RawValue) -> Value {
    match value {
        RawValue::Text(text) => text.into(),
        RawValue::Number(number) => number.into(),
        RawValue::Bool(bool) => bool.into(),
        RawValue::Null => Value::Null,
        RawValue::List(list) => list.into(),
        RawValue::Object(object) => object.into(),
    }
}

fn on(vault: &str) -> [&str; 4] {
    let mut words = WORDS;
    words[3] = vault;
    words
}

fn compare(desk: &Desk, windows: &str, vault: &Path, requests: &[Value]) -> Found {
    desk.set(ENABLED)?;
    let linux = vault.to_str().ok_or("the target folder is not Unicode")?;
    let here = desk.call_on_linux(ENABLED, &on(linux), requests)?;
    let there = desk.call(&on(windows), requests)?;
    let mut different = Vec::new();
    let mut answered = 0;
    let mut commands = BTreeSet::new();
    for ((request, here), there) in requests.iter().zip(here).zip(there) {
        let (here, there) = (plain(here, linux), plain(there, windows));
        answered += usize::from(code(&here) == "OK");
        commands.insert(request["command"].as_str().unwrap_or_default());
        if here != there {
            different.push(format!("\n  {request}\n    {here}\n    {there}"));
        }
    }
    let equal = requests.len() - different.len();
    let found = format!(
        "{equal} of {} answers of {} commands equal, {answered} of them not refused",
        requests.len(),
        commands.len()
    );
    if different.is_empty() {
        Ok(found)
    } else {
        Err((found + &different.concat()).into())
    }
}

/// An envelope without what differs from run to run, and with `VAULT` for the vault's folder.
fn plain(mut value: Value, root: &str) -> Value {
    if let Some(envelope) = value.as_object_mut() {
        for key in ["durationMs", "runId"] {
            envelope.remove(key);
        }
    }
    if let Some(meta) = value["meta"].as_object_mut() {
        meta.remove("confinement");
    }
    without_creation_time(&mut value);
    without_root(&mut value, root);
    value
}

/// Wine tells the time of the last change as that of creation.
fn without_creation_time(envelope: &mut Value) {
    let created = envelope["data"]
        .as_object_mut()
        .and_then(|data| data.remove("created"));
    if let (Some(created), Value::String(stdout)) = (created, &mut envelope["stdout"]) {
        *stdout = stdout.replace(&format!("created\t{created}\n"), "");
    }
}

fn without_root(value: &mut Value, root: &str) {
    match value {
        Value::String(text) => *text = text.replace(root, "VAULT"),
        Value::Array(items) => items.iter_mut().for_each(|item| without_root(item, root)),
        Value::Object(items) => items.values_mut().for_each(|item| without_root(item, root)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
