//! `property:add` and `property:drop` (`design/tasks.md`): add or remove one item of a list; nothing
//! changes if that is done already.

use obsidian_note::VaultPath;
use obsidian_note::frontmatter::property;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Args, Call, EngineError, Refusal, Vault};
use vault_index::Target;
use vault_index::target::required;

use super::numbers::Numbers;
use super::value::{convert_to_type, parse_type};
use super::{Source, edited};
use crate::change::Change;
use crate::edit_command::{Edit, EditCommand};

pub(crate) const ADD: EditCommand = EditCommand::own("property:add", add, &FORM);
pub(crate) const DROP: EditCommand = EditCommand::own("property:drop", drop_item, &FORM);

static FORM: OwnForm = OwnForm::new::<ChangedList>("changed-list");

/// Whether a property of this name is a list even if a note writes it as one text.
pub(crate) fn is_list_name(name: &str) -> bool {
    LISTS.contains(&name.to_lowercase().as_str())
}

/// Properties that are lists even if a note writes them as one text.
const LISTS: [&str; 3] = ["tags", "aliases", "cssclasses"];

/// A list property of a note after an item was added or dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedList {
    /// The note.
    pub(crate) path: String,
    /// The property.
    pub(crate) property: String,
    /// Whether the list is not what it was.
    pub(crate) changed: bool,
    /// Its items now.
    pub items: Vec<Value>,
}

impl AnswerData for ChangedList {
    /// Returns a line such as `Changed: a.md: tags: x, y`.
    fn text(&self) -> String {
        use obsidian_note::shown::row;
        let word = if self.changed { "Changed" } else { "Unchanged" };
        let items: Vec<String> = self.items.iter().map(text_of).collect();
        format!(
            "{word}: {}: {}: {}",
            row(&self.path),
            row(&self.property),
            row(&items.join(", "))
        )
    }
}

fn add(call: &Call<'_>) -> Result<Edit, EngineError> {
    let arguments = call.arguments;
    let value = required(arguments, "value", "value=<value>")?;
    let item = match arguments.text("type").and_then(parse_type) {
        Some(kind) => convert_to_type(value, kind)?,
        None => Value::from(value),
    };
    changed(call.vault, arguments, |items, _| {
        let added = text_of(&item);
        if !items.iter().any(|known| text_of(known) == added) {
            items.push(item);
        }
    })
}

fn drop_item(call: &Call<'_>) -> Result<Edit, EngineError> {
    changed(call.vault, call.arguments, |items, value| {
        items.retain(|item| text_of(item) != value);
    })
}

fn changed(
    vault: &Vault,
    arguments: &Args,
    change: impl FnOnce(&mut Vec<Value>, &str),
) -> Result<Edit, EngineError> {
    let name = required(arguments, "name", "name=<name>")?;
    let value = required(arguments, "value", "value=<value>")?;
    let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let before = vault.read_target(&target.path, &target.requested)?;
    let (name, mut items) = list_in(&before, name, &target.path)?;
    let was = items.clone();
    change(&mut items, value);
    let is_changed = items != was;
    let after = if is_changed {
        with_list(vault, &target.path, &before, &name, &items)?
    } else {
        before.clone()
    };
    let changes = Change::modified(target.path.clone(), before, after);
    let answer = ChangedList {
        path: target.path.to_string(),
        property: name,
        changed: is_changed,
        items,
    };
    Ok(Edit::new(answer, changes, target.warnings))
}

/// Returns the spelling of a property in the note, and the items of its list; no items if it is absent or empty.
pub(crate) fn list_in(
    note: &[u8],
    name: &str,
    path: &VaultPath,
) -> Result<(String, Vec<Value>), EngineError> {
    let source = Source::read(note, path)?;
    let Some((name, value)) = property(&source.properties, name) else {
        return Ok((name.to_owned(), Vec::new()));
    };
    let folded = name.to_lowercase();
    let is_list = is_list_name(&folded);
    let items = match value {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::Array(items) => {
            if let Some(link) = items.iter().find_map(unquoted_link) {
                return Err(EngineError::UnquotedLink {
                    path: path.clone(),
                    name: name.clone(),
                    link,
                });
            }
            items.clone()
        }
        Value::String(text) if folded == "aliases" => {
            let aliases = text.split(',').map(str::trim);
            aliases
                .filter(|alias| !alias.is_empty())
                .map(Value::from)
                .collect()
        }
        // Several tags in one text stay several.
        Value::String(text) if folded == "tags" => {
            let tags = text.split(|letter: char| letter == ',' || letter.is_whitespace());
            tags.filter(|tag| !tag.is_empty())
                .map(Value::from)
                .collect()
        }
        other if is_list && !other.is_object() => vec![other.clone()],
        _ => {
            return Err(EngineError::PropertyValue {
                name: name.clone(),
                expected: "a list".to_owned(),
            });
        }
    };
    Ok((name.clone(), items))
}

/// Returns the link that an item is meant to be: YAML reads `[[b]]` without quotes as a list in a list. It is the whole
/// value, so that its item is the inner list, or one item of a list.
fn unquoted_link(item: &Value) -> Option<String> {
    match item.as_array()?.as_slice() {
        [Value::String(target)] => Some(format!("[[{target}]]")),
        [inner @ Value::Array(_)] => unquoted_link(inner),
        _ => None,
    }
}

/// Returns the note with these items in the property.
pub(crate) fn with_list(
    vault: &Vault,
    path: &VaultPath,
    note: &[u8],
    name: &str,
    items: &[Value],
) -> Result<Vec<u8>, EngineError> {
    with_list_of(vault, (path, note), name, items, Numbers::default())
}

/// As [`with_list`], with numbers of another property among the items.
pub(crate) fn with_list_of(
    vault: &Vault,
    (path, note): (&VaultPath, &[u8]),
    name: &str,
    items: &[Value],
    others: Numbers,
) -> Result<Vec<u8>, EngineError> {
    let source = Source::read(note, path)?;
    let is_list = source.properties.get(name).is_some_and(Value::is_array);
    let numbers = Numbers::of(note, name, path)?.and(others);
    let list = Value::from(items);
    let after = edited((path, note), vault.property_style, name, Some(&list))?;
    if is_list {
        numbers.kept_in_list(after, name, path)
    } else {
        numbers.kept_in(after, name, path)
    }
}

/// Returns an item as a person would write it.
pub(crate) fn text_of(item: &Value) -> String {
    match item {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::testing::{error, plan};

    const CASES: &str = include_str!("items_cases.txt");

    /// Returns the note afterwards, and the items of the answer.
    fn done(note: &str, command: &str, name: &str, value: &str) -> (String, Value) {
        let (_folder, vault) = vault(&[("a.md", note)]);
        let params = [("path", "a.md"), ("name", name), ("value", value)];
        let edit = plan(&vault, command, &params, &[]);
        let after = match edit.changes.as_slice() {
            [] => note.to_owned(),
            [Change::Modify { after, .. }] => String::from_utf8(after.clone()).unwrap(),
            other => panic!("{other:?}"),
        };
        let shown = serde_json::to_value(&edit.answer).unwrap();
        assert_eq!(shown["changed"], after != note);
        (after, shown["items"].clone())
    }

    #[test]
    fn one_item_comes_or_goes_and_nothing_else() {
        for [note, command, name, value, expected] in
            tables::section(CASES, "one item comes or goes and nothing else")
        {
            let (after, _) = done(note, command, name, value);
            assert_eq!(after, expected, "{note:?} {command}");
            let (again, _) = done(&after, command, name, value);
            assert_eq!(again, after, "done twice");
        }
        let (after, items) = done("---\nlist: [1, a]\n---\n", "property:drop", "list", "1");
        assert_eq!(
            (after.as_str(), items),
            ("---\nlist: [a]\n---\n", json!(["a"]))
        );
        let (after, items) = done("---\nlist: [a]\n---\n", "property:drop", "list", "a");
        assert_eq!((after.as_str(), items), ("---\nlist: []\n---\n", json!([])));
        assert_eq!(done("x", "property:drop", "list", "a").0, "x");
        let (_folder, vault) = vault(&[("a.md", "")]);
        let params = [
            ("path", "a.md"),
            ("name", "list"),
            ("value", "5"),
            ("type", "number"),
        ];
        let edit = plan(&vault, "property:add", &params, &[]);
        let shown = serde_json::to_value(&edit.answer).unwrap();
        assert_eq!(shown["items"], json!([5]));
    }

    /// Compares the value that would be written, not the text of the call.
    #[test]
    fn an_item_of_a_type_that_is_there_is_not_added_again() {
        let (_folder, vault) = vault(&[("a.md", "---\nlist: [5, true]\n---\n")]);
        for (value, kind) in [("5.0", "number"), ("5", "number"), ("1", "checkbox")] {
            let params = [
                ("path", "a.md"),
                ("name", "list"),
                ("value", value),
                ("type", kind),
            ];
            let edit = plan(&vault, "property:add", &params, &[]);
            assert!(edit.changes.is_empty(), "{value}: {:?}", edit.changes);
        }
    }

    #[test]
    fn a_link_without_quotes_is_no_list() {
        let (_folder, vault) = vault(&[(
            "a.md",
            "---\nx: [[b]]\ny:\n  - [[c|d]]\nz: [[1, 2], 3]\n---\n",
        )]);
        for command in ["property:add", "property:drop"] {
            let of = |name| {
                error(
                    &vault,
                    command,
                    &[("path", "a.md"), ("name", name), ("value", "[[e]]")],
                    &[],
                )
            };
            insta::allow_duplicates! {
                insta::assert_snapshot!(of("x"), @"the property `x` of `a.md` contains the link `[[b]]` without quotes, so YAML reads the link as a list");
                insta::assert_snapshot!(of("y"), @"the property `y` of `a.md` contains the link `[[c|d]]` without quotes, so YAML reads the link as a list");
            }
        }
        let (after, _) = done("---\nz: [[1, 2], 3]\n---\n", "property:add", "z", "4");
        assert_eq!(after, "---\nz: [[1, 2], 3, \"4\"]\n---\n");
    }

    #[test]
    fn a_number_that_becomes_an_item_keeps_its_text() {
        for number in ["007", "1.10", "0x1F", "12345678901234567890"] {
            for (note, expected) in [
                (
                    format!("---\naliases: {number} # c\n---\n"),
                    format!("---\naliases: # c\n  - {number}\n  - x\n---\n"),
                ),
                (
                    format!("---\naliases: [{number}, 7]\n---\n"),
                    format!("---\naliases: [{number}, 7, x]\n---\n"),
                ),
            ] {
                let (after, _) = done(&note, "property:add", "aliases", "x");
                assert_eq!(after, expected);
            }
        }
        let (_folder, vault) = vault(&[("a.md", "---\nn: &n 007\naliases: *n\n---\n")]);
        let params = [("path", "a.md"), ("name", "aliases"), ("value", "x")];
        let shown = error(&vault, "property:add", &params, &[]);
        insta::assert_snapshot!(shown, @"the properties of `a.md` cannot be changed: `aliases` has a number that cannot be kept as it is written");
    }

    #[test]
    fn what_is_no_list_is_left_alone() {
        let (_folder, vault) = vault(&[
            ("a.md", "---\nstatus: open\nm: {a: 1}\n---\n"),
            ("b.md", "---\na: [\n---\n"),
        ]);
        for (path, name) in [("a.md", "status"), ("a.md", "m"), ("b.md", "a")] {
            let params = [("path", path), ("name", name), ("value", "x")];
            let shown = error(&vault, "property:add", &params, &[]);
            assert!(
                matches!(
                    shown,
                    EngineError::PropertyValue { .. } | EngineError::Properties { .. }
                ),
                "{shown}"
            );
        }
    }
}
