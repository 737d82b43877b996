//! `properties` and `property:read` (`vault-semantics.md` §3.3).

use std::collections::HashMap;

use obsidian_note::{Frontmatter, VaultPath, Warning, javascript};
use serde_json::Value;
use vault_answers::{Answer, List, NoteProperties, PropertyCount, PropertyItem, PropertyValue};
use vault_files::property_types::BUILT_IN;
use vault_files::{Args, Call, Collation, EngineError, PropertyTypes, Refusal, TypeTally, Vault};
use vault_index::target::{is_about_one, required};
use vault_index::{ExcludedFiles, Target};

use super::notes::{every_note, properties_of};
use super::reply::{Reply, total};

/// Returns the properties of one note, or the property names of the vault.
///
/// `name` asks for the number of notes with that property; with one note that is 1.
pub(super) fn properties(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    if is_about_one(arguments) {
        of_one_note(vault, arguments)
    } else {
        let excluded = ExcludedFiles::read(vault)?;
        let mut reply = of_the_vault(vault, arguments, &|path| excluded.excludes(path))?;
        reply.warnings.extend(excluded.warnings);
        Ok(reply)
    }
}

fn of_one_note(vault: &Vault, arguments: &Args) -> Result<Reply, EngineError> {
    let note = properties_of(vault, Target::from_arguments(vault, arguments)?)?;
    let properties = note.value.properties;
    let answer = if let Some(name) = arguments.text("name") {
        if !properties.contains_key(name) {
            return Err(not_in_note(name, note.warnings));
        }
        count_of(name, 1)
    } else if arguments.flag("total") {
        total(properties.len())
    } else {
        Answer::from(NoteProperties { properties })
    };
    Ok(Reply::new(answer, note.warnings))
}

/// One property of the vault with its uses.
struct ListedProperty {
    /// The name in the spelling that was seen first.
    name: String,
    count: usize,
    looks: TypeTally,
    /// The index of the last note that was counted, so that each note counts once.
    last_note: Option<usize>,
}

impl ListedProperty {
    fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            count: 0,
            looks: TypeTally::default(),
            last_note: None,
        }
    }
}

/// Names that differ only in case are one property, spelled as first seen. The built-in properties
/// are listed even if no note has them. Files that `is_excluded` are skipped (`vault-semantics.md`
/// §2.1, `userIgnoreFilters`).
fn of_the_vault(
    vault: &Vault,
    arguments: &Args,
    is_excluded: &dyn Fn(&VaultPath) -> bool,
) -> Result<Reply, EngineError> {
    let (notes, mut warnings) = every_note(vault)?;
    let mut properties = counted(notes.into_iter().filter(|(path, _)| !is_excluded(path)));
    if let Some(name) = arguments.text("name") {
        let property = properties.get(&name.to_lowercase());
        let count = property.ok_or_else(|| not_found(name))?.count;
        return Ok(Reply::new(count_of(name, count), warnings));
    }
    if arguments.flag("total") {
        return Ok(Reply::new(total(properties.len()), warnings));
    }
    let types = PropertyTypes::read(vault)?;
    let mut items: Vec<PropertyItem> = properties
        .drain()
        .map(|(_, property)| {
            let kind = types
                .assigned(&property.name)
                .unwrap_or_else(|| property.looks.kind());
            PropertyItem {
                name: property.name,
                kind: Some(kind.name().to_owned()),
                count: Some(property.count),
            }
        })
        .collect();
    warnings.extend(types.warnings);
    Collation::new()?.sort_by(&mut items, |item| &item.name);
    if arguments.text("sort") == Some("count") {
        items.sort_by_key(|item| std::cmp::Reverse(item.count));
    }
    let answer = List::new(items);
    Ok(Reply::new(answer, warnings))
}

/// Returns the properties by their names in lower case.
fn counted(
    notes: impl Iterator<Item = (VaultPath, Frontmatter)>,
) -> HashMap<String, ListedProperty> {
    let mut properties: HashMap<String, ListedProperty> = HashMap::new();
    for (index, (_, frontmatter)) in notes.enumerate() {
        for (name, value) in &frontmatter.properties {
            let property = properties
                .entry(name.to_lowercase())
                .or_insert_with(|| ListedProperty::named(name));
            property.looks.add(value);
            // `Due` and `due` in one note are one property of one note.
            if property.last_note != Some(index) {
                property.last_note = Some(index);
                property.count += 1;
            }
        }
    }
    for (name, _) in BUILT_IN {
        properties
            .entry(name.to_owned())
            .or_insert_with(|| ListedProperty::named(name));
    }
    properties
}

/// The value of one property of one note. The name must have the exact case.
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let name = required(
        arguments,
        "name",
        "property:read name=<name> [file=<name>] [path=<path>]",
    )?;
    let note = properties_of(call.vault, Target::from_arguments(call.vault, arguments)?)?;
    let Some(value) = note.value.properties.get(name) else {
        return Err(not_in_note(name, note.warnings));
    };
    let values = match value {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::Array(items) => items.iter().map(javascript::text).collect(),
        value => vec![javascript::text(value)],
    };
    let answer = PropertyValue {
        name: name.to_owned(),
        values,
    };
    Ok(Reply::new(answer, note.warnings))
}

fn count_of(name: &str, count: usize) -> Answer {
    Answer::from(PropertyCount {
        name: name.to_owned(),
        count,
    })
}

/// Returns the error for a property that a note does not have. A note whose YAML cannot be read may have it.
fn not_in_note(name: &str, warnings: Vec<Warning>) -> EngineError {
    let unreadable = warnings.into_iter().find_map(|warning| match warning {
        Warning::InvalidFrontmatter { path, line, reason } => Some(EngineError::Properties {
            path,
            reason: format!("line {line}: {reason}"),
        }),
        _ => None,
    });
    unreadable.unwrap_or_else(|| not_found(name))
}

fn not_found(name: &str) -> EngineError {
    EngineError::Refused(Refusal::PropertyNotFound {
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("properties_cases.txt");

    #[test]
    fn a_property_of_a_note_with_broken_yaml_is_not_called_missing() {
        let (_folder, vault) = vault_files::vault::testing::vault(&[
            ("bad.md", "---\nfoo: [x\nbar: b\n---\n"),
            ("good.md", "---\nfoo: x\n---\n"),
        ]);
        for [command, path, expected] in
            tables::section(CASES, "a property of a note with broken yaml")
        {
            let words = format!("name=bar path={path}");
            let arguments = vault_files::testing::arguments(command, words.split(' '));
            let error = crate::reply(
                &vault,
                command,
                &arguments,
                &vault_files::testing::surroundings(),
            )
            .unwrap_err();
            assert_eq!(error.to_string(), expected, "{command} {path}");
        }
    }

    #[test]
    fn excluded_files_are_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.md", "---\nKey: 1\n---\n"),
            ("b.md", "---\nkey: 2\n---\n"),
        ] {
            fs_err::write(folder.path().join(name), text).unwrap();
        }
        let vault = Vault::open(folder.path()).unwrap();
        let arguments = Args::default().with("name", "KEY");
        let count = |is_excluded: &dyn Fn(&VaultPath) -> bool| {
            let reply = of_the_vault(&vault, &arguments, is_excluded).unwrap();
            reply.answer.downcast::<PropertyCount>().unwrap().count
        };
        assert_eq!(count(&|_| false), 2);
        assert_eq!(count(&|path| path.as_str() == "a.md"), 1);
    }
}
