//! Properties and their values that are not there, with those that may be meant.

use serde_json::Value;
use vault_answers::{Answer, List};
use vault_engine::{Arg, Args, ChangedList, ListedNote, shown};

use super::MOST_SUGGESTIONS;
use super::missing::{no_such, not_there};
use allowlist::{Call, ListKind, ParamKind, nearest};
use backend::{PinnedVault, Produced, embedded};
use protocol::Issue;

/// Returns the warning about a value that no note has of a property, with those that are there.
pub(super) fn missing_value(call: &Call, seen: &PinnedVault) -> Option<Issue> {
    let (name, wanted) = (
        call.arguments.param("property")?,
        call.arguments.param("value")?,
    );
    let columns = Arg::List(vec![name.into()]);
    let listed = Args::default()
        .with("property", name)
        .with("properties", columns);
    let listed = listed.with("limit", 1000);
    let answer = embedded::ask(seen, "notes:list", &listed).ok()?;
    let notes = answer.downcast_ref::<List<ListedNote>>()?.items.iter();
    let values = notes.filter_map(|note| note.properties.as_ref()?.get(name));
    let values = values.flat_map(|value| match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    });
    let mut known: Vec<String> = Vec::new();
    for value in values.filter(|value| !value.is_null()).map(as_text) {
        if !known.contains(&value) {
            known.push(value);
        }
    }
    if known.iter().any(|text| text == wanted) || known.is_empty() {
        return None;
    }
    let near = nearest(wanted, known.iter().map(String::as_str));
    let near = if near.is_empty() { known } else { near }.into_iter();
    let near = near.take(MOST_SUGGESTIONS).collect();
    let (wanted, name) = (shown::row(wanted), shown::row(name));
    let what = format!("No note has the value `{wanted}` for the property `{name}`.");
    Some(not_there("NO_SUCH_VALUE", what, near))
}

/// Returns the properties that a list was asked for and of which none of its notes has a value.
pub(super) fn columns_without_values(answer: &Answer, call: &Call) -> Vec<String> {
    let params = call.command.params.iter();
    let params = params.filter(|param| param.kind == ParamKind::List(ListKind::Names));
    let columns = params.filter_map(|param| call.arguments.list(&param.name));
    let columns = columns.flatten().filter_map(Value::as_str);
    let notes = answer.downcast_ref::<List<ListedNote>>().into_iter();
    let notes = notes.flat_map(|notes| &notes.items);
    let has_value = |column: &str| {
        let mut values = notes
            .clone()
            .filter_map(|note| note.properties.as_ref()?.get(column));
        values.any(|value| !value.is_null())
    };
    let without = columns.filter(|column| !has_value(column));
    without.map(str::to_owned).collect()
}

/// Returns the items of a list property that a change answers with.
pub(super) fn items_left(produced: &Produced) -> Option<Vec<String>> {
    let Ok(Some(answer)) = &produced.outcome else {
        return None;
    };
    let changed: &ChangedList = answer.downcast_ref()?;
    Some(changed.items.iter().map(as_text).collect())
}

/// Returns a value as a person would write it.
fn as_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the warning that a list property has no such item, with those that are like it.
pub(super) fn no_such_item(wanted: &str, property: &str, items: &[String]) -> Option<Issue> {
    if items.iter().any(|item| item == wanted) {
        return None;
    }
    let near = nearest(wanted, items.iter().map(String::as_str));
    let (property, wanted) = (shown::row(property), shown::row(wanted));
    let what = format!("The property `{property}` has no item `{wanted}`.");
    Some(not_there("NO_SUCH_VALUE", what, near))
}

/// Returns the warning that a note has no property of this name, with those that are like it or else those that it has.
pub(super) fn no_such_property(wanted: &str, of_the_note: &[String]) -> Issue {
    let mut warning = no_such(("NO_SUCH_PROPERTY", "property"), wanted, of_the_note);
    if !warning.details.contains_key("nearest") && !of_the_note.is_empty() {
        let known = of_the_note.iter().take(MOST_SUGGESTIONS);
        let known: Vec<String> = known
            .map(|name| format!("`{}`", shown::row(name)))
            .collect();
        let known = format!("The note has these properties: {}.", known.join(", "));
        warning.message.push_sentence(known);
    }
    warning
}
