//! `property:set` and `property:remove` (`vault-semantics.md` §3.3, §7.7).
//!
//! The new text of a note is computed, parsed and compared: it must have exactly the wanted
//! properties and the same body. Otherwise the note stays unchanged.

mod assigned;
mod compat;
mod difference;
mod flow_root;
pub(super) mod given;
pub(super) mod items;
mod layout;
pub(super) mod lexical;
mod list;
pub(super) mod numbers;
mod preserve;
mod source;
#[cfg(test)]
mod tests;
mod value;
mod wording;

use jiff::civil::Date;
use obsidian_note::frontmatter::property;
use obsidian_note::{VaultPath, Warning};
use serde_json::Value;
use vault_answers::{Answer, Confirmation, WrittenType};
use vault_files::property_types::BUILT_IN;
use vault_files::{Call, EngineError, PropertyStyle, PropertyType, PropertyTypes, Refusal, Vault};
use vault_index::target::{missing, required};
use vault_index::{IndexedVault, Properties, Target};

use self::layout::{Entry, Layout};
use self::source::Source;
use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use crate::Editor;

pub(super) const SET: EditCommand = EditCommand::new("property:set", set);
pub(super) const REMOVE: EditCommand = EditCommand::new("property:remove", remove);

impl Editor<'_> {
    /// Plans a property of a note with this value. The case of the name counts, as when a property is read. All other
    /// lines stay, and so does the type that the vault's settings give to the property.
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file or it is not a note; [`EngineError::PropertyValue`] if the value is an
    /// object, or a list with lists or objects; [`EngineError::NotText`], [`EngineError::Properties`] or
    /// [`EngineError::PropertiesUnchangeable`] if the properties cannot be changed without damage; [`EngineError::SeriesNotDone`] for the status of a recurring task of
    /// `TaskNotes`; otherwise the error that keeps the note from being read.
    pub fn plan_property(
        &self,
        path: &VaultPath,
        name: &str,
        value: Value,
    ) -> Result<Edit, EngineError> {
        if name.is_empty() {
            return Err(EngineError::argument("name", "a text that is not empty"));
        }
        if !given::is_value(&value) {
            return Err(EngineError::PropertyValue {
                name: name.to_owned(),
                expected: "a text, a number, a boolean, null or a list of them".to_owned(),
            });
        }
        let value = value::in_javascript(value);
        let note = Target::exact(path.clone());
        let note = note.must_be(self, Refusal::NotMarkdown, VaultPath::is_note)?;
        let (changes, warnings) = assigned_to(self, vec![note], (name, &value), None, false)?;
        let done = Confirmation::PropertySet {
            property: name.to_owned(),
            kind: match value {
                Value::Null => WrittenType::Empty,
                Value::Array(_) => WrittenType::List,
                Value::Number(_) => WrittenType::Number,
                Value::Bool(_) => WrittenType::Checkbox,
                Value::String(_) | Value::Object(_) => WrittenType::Text,
            },
            value: value.to_string(),
            notes: None,
        };
        self.checked(Edit::new(done, changes, warnings))
    }
}

/// `property:set`. The case of the name counts, as when a property is read.
fn set(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let name = required(arguments, "name", SET_USAGE)?;
    let Some(text) = arguments.param("value") else {
        return Err(missing("value", SET_USAGE));
    };
    let notes = Target::notes(vault, arguments, Refusal::NotMarkdown)?;
    let wanted = arguments.text("type").and_then(value::parse_type);
    let typed = if arguments.flag("empty") {
        value::empty(text, wanted)?
    } else {
        value::typed(text, wanted)?
    };
    let property = (name, &typed.value);
    let is_forced = arguments.flag("force");
    let (mut changed, mut warnings) = assigned_to(vault, notes, property, wanted, is_forced)?;
    let count = changed.len();
    if let Some(kind) = typed.kind {
        changed.extend(assigned::changes(vault, name, kind, &mut warnings)?);
    }
    let answer = Answer::from(Confirmation::PropertySet {
        property: name.to_owned(),
        value: text.to_owned(),
        kind: WrittenType::for_value(text, arguments.param("type"), arguments.flag("empty")),
        notes: arguments.list("paths").map(|_| count),
    });
    Ok(Edit::new(answer, changed, warnings))
}

/// Returns the changes that give notes a property with this value. `wanted` is the type that the caller names.
fn assigned_to(
    vault: &Vault,
    notes: Vec<Target>,
    (name, value): (&str, &Value),
    wanted: Option<PropertyType>,
    is_forced: bool,
) -> Result<(Vec<Change>, Vec<Warning>), EngineError> {
    let mut warnings = Vec::new();
    let mut changed = Vec::new();
    for note in notes {
        vault.disk().cancellation().check()?;
        if !is_forced {
            refuse_status_of_series(vault, &note, name, value)?;
        }
        changed.extend(changes(vault, &note, name, Some(value))?);
        warnings.extend(changed_type(vault, &note, name, value, wanted)?);
        warnings.extend(note.warnings);
    }
    Ok((changed, warnings))
}

/// Refuses to mark a recurring task of `TaskNotes` as done by its status. The plugin keeps the days of its done
/// occurrences in `complete_instances`, so this would complete none of them (`vault-semantics.md` §3.4).
fn refuse_status_of_series(
    vault: &Vault,
    target: &Target,
    name: &str,
    value: &Value,
) -> Result<(), EngineError> {
    if !name.eq_ignore_ascii_case("status") || value.as_str() != Some("done") {
        return Ok(());
    }
    let note = vault.read_target(&target.path, &target.requested)?;
    let source = Source::read(&note, &target.path).ok();
    let properties = source.map(|source| source.properties);
    let rule = properties
        .as_ref()
        .and_then(|properties| property(properties, "recurrence"));
    let is_series = rule
        .and_then(|(_, rule)| rule.as_str())
        .is_some_and(|rule| rule.split([';', ':']).any(|part| part.starts_with("FREQ=")));
    if is_series {
        let path = target.path.clone();
        return Err(EngineError::SeriesNotDone { path });
    }
    Ok(())
}

/// Returns the warning that a value has another type than the property has in the note, or else in the vault; the app
/// writes it anyway. No warning if the caller names the type, unless a list would become a single value.
fn changed_type(
    vault: &Vault,
    target: &Target,
    name: &str,
    value: &Value,
    wanted: Option<PropertyType>,
) -> Result<Option<Warning>, EngineError> {
    let note = vault.read_target(&target.path, &target.requested)?;
    let source = Source::read(&note, &target.path).ok();
    let properties = source.map(|source| source.properties).unwrap_or_default();
    if !properties.contains_key(name)
        && let Some((present, _)) = property(&properties, name)
    {
        return Ok(Some(Warning::PropertyInOtherCase {
            path: target.path.clone(),
            name: name.to_owned(),
            present: present.to_owned(),
        }));
    }
    let present = properties.get(name).and_then(label_of);
    let was = match present {
        Some(kind) => Some(kind),
        None => known_type(vault, name)?.and_then(label),
    };
    let (Some(was), Some(mut written)) = (was, label_of(value)) else {
        return Ok(None);
    };
    // A date in a text property counts as text; a text in a date property does not count as a date.
    if written == DATE && was == TEXT {
        written = TEXT;
    }
    let is_meant = wanted.is_some() && (present.is_none() || !matches!(was, "list" | OBJECT));
    Ok(
        (was != written && !is_meant).then(|| Warning::PropertyTypeChanged {
            path: target.path.clone(),
            name: name.to_owned(),
            was,
            written,
            is_of_note: present.is_some(),
        }),
    )
}

/// Returns the type that the vault's settings assign to a property. A caller who does not see the whole vault learns it
/// only if a note that the caller sees has the property (`threats.toml` D13).
fn known_type(vault: &Vault, name: &str) -> Result<Option<PropertyType>, EngineError> {
    let Some(kind) = PropertyTypes::read_for_change(vault)?.assigned(name) else {
        return Ok(None);
    };
    let is_built_in = BUILT_IN
        .iter()
        .any(|(built_in, _)| name.eq_ignore_ascii_case(built_in));
    if is_built_in || !vault.is_limited() {
        return Ok(Some(kind));
    }
    let notes = IndexedVault(vault).column::<Properties>()?.column;
    let has_it = notes.iter().any(|(_, text)| {
        serde_json::from_str(&text.0).is_ok_and(|properties| property(&properties, name).is_some())
    });
    Ok(has_it.then_some(kind))
}

/// Returns the type of a value, by its syntax.
fn label_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Array(_) => Some("list"),
        Value::Object(_) => Some(OBJECT),
        // A text that only looks like a date, such as `2026-13-45`, is text.
        Value::String(text) if text.parse::<Date>().is_err() => Some(TEXT),
        _ => PropertyType::from_value(value).and_then(label),
    }
}

/// The label of a text that is not a date.
const TEXT: &str = "text";
/// The label of a date, with or without a time.
const DATE: &str = "date";
/// The name of an object of YAML, which is not a type of the app.
const OBJECT: &str = "object";

/// Returns the label of the values that a type has in notes.
fn label(kind: PropertyType) -> Option<&'static str> {
    Some(match kind {
        PropertyType::Multitext | PropertyType::Tags | PropertyType::Aliases => "list",
        PropertyType::Number => "number",
        PropertyType::Checkbox => "checkbox",
        PropertyType::Text => TEXT,
        PropertyType::Date | PropertyType::Datetime => DATE,
        PropertyType::Unknown => return None,
    })
}

const SET_USAGE: &str = "property:set name=<name> value=<value> \
     [type=text|list|number|checkbox|date|datetime] [file=<name>] [path=<path>]";
const REMOVE_USAGE: &str = "property:remove name=<name> [file=<name>] [path=<path>]";

/// `property:remove`. Removing a property that does not exist succeeds.
fn remove(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let name = required(arguments, "name", REMOVE_USAGE)?;
    let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let changes = changes(vault, &target, name, None)?;
    let answer = Answer::from(Confirmation::PropertyRemoved {
        property: name.to_owned(),
    });
    Ok(Edit::new(answer, changes, target.warnings))
}

fn changes(
    vault: &Vault,
    target: &Target,
    name: &str,
    wanted: Option<&Value>,
) -> Result<Vec<Change>, EngineError> {
    let path = target.path.clone();
    let before = vault.read_target(&path, &target.requested)?;
    let after = with_property(vault, &path, &before, name, wanted)?;
    Ok(Change::modified(path, before, after))
}

/// Returns the bytes of a note at `path` with the property set to the wanted value, or removed.
pub(super) fn with_property(
    vault: &Vault,
    path: &VaultPath,
    note: &[u8],
    name: &str,
    wanted: Option<&Value>,
) -> Result<Vec<u8>, EngineError> {
    edited((path, note), vault.property_style, name, wanted)
}

/// Returns the note with the property set to the wanted value, or removed, and no other difference.
fn edited(
    (path, note): (&VaultPath, &[u8]),
    style: PropertyStyle,
    name: &str,
    wanted: Option<&Value>,
) -> Result<Vec<u8>, EngineError> {
    let source = Source::read(note, path)?;
    let old = source.properties.get(name);
    let is_there = old == wanted;
    if is_there && (wanted.is_none() || style == PropertyStyle::Preserve) {
        return Ok(note.to_vec());
    }
    let mut properties = source.properties.clone();
    match wanted {
        Some(value) => {
            properties.insert(name.to_owned(), value.clone());
        }
        None => {
            properties.shift_remove(name);
        }
    }
    let is_right = |after: &Vec<u8>| source.becomes(after, &properties);
    if style == PropertyStyle::Compat {
        let reason = "only an edit that preserves the other lines can keep an infinite number";
        let whole = if properties.is_empty() {
            Some(source.with_block(""))
        } else {
            compat::rewritten(&source, &properties)
        };
        let whole = whole.ok_or_else(|| source.unchangeable(reason.to_owned()))?;
        let empty = || source.with_block("---\n---\n");
        return std::iter::once(whole)
            .chain(properties.is_empty().then(empty))
            .find(is_right)
            .ok_or_else(|| cannot_change(&source, name));
    }
    let found = match wanted {
        Some(value) => {
            let line_end = source.line_end();
            preserve::set(source.yaml, &source.properties, name, value, line_end)
                .iter()
                .map(|yaml| source.with_yaml(yaml))
                .find(is_right)
        }
        None => preserve::removed(source.yaml, name)
            .into_iter()
            .flat_map(|yaml| {
                // The last property takes the block with it, if nothing else is in it. The block
                // stays if the body would then begin like one.
                let bare = yaml.trim().is_empty().then(|| source.with_block(""));
                bare.into_iter().chain([source.with_yaml(&yaml)])
            })
            .find(is_right),
    };
    found.ok_or_else(|| cannot_change(&source, name))
}

fn cannot_change(source: &Source<'_>, name: &str) -> EngineError {
    let reason = match referring(source.yaml, name) {
        Some(other) => {
            format!("`{name}` cannot be changed alone, because `{other}` refers to it")
        }
        None => format!("`{name}` cannot change without a change of the lines around it"),
    };
    source.unchangeable(reason)
}

/// Returns the first property whose value is an alias of the value of this one, or of a part of it.
fn referring(yaml: &str, name: &str) -> Option<String> {
    let layout = Layout::parse(yaml)?;
    let words = |entry: &Entry, mark: char| -> Vec<String> {
        let text = yaml.get(entry.value.start..entry.value.end);
        let ends_word = |character: char| character.is_whitespace() || ",[]{}".contains(character);
        let words = text.unwrap_or_default().split(ends_word);
        words
            .filter_map(|word| word.strip_prefix(mark).map(str::to_owned))
            .collect()
    };
    let anchors = words(layout.entry(name)?, '&');
    let refers = |entry: &&Entry| {
        words(entry, '*')
            .iter()
            .any(|alias| anchors.contains(alias))
    };
    layout.entries.iter().find(refers)?.name.clone()
}
