//! `tag:add`, `tag:drop`, `tag:rename` (`design/tasks.md`).
//!
//! Tags are compared without case (`vault-semantics.md` §3.1). Text like a tag in code, in a link's target or in a
//! formula is not a tag, and stays.

mod text;

pub use self::text::is_tag;

use obsidian_note::{EditMiss, Frontmatter, VaultPath, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Args, Call, EngineError, Refusal, Vault};
use vault_index::target::required;
use vault_index::{IndexedVault, Tags, Target};

use super::append::refuse_board_or_drawing;
use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::property::items::{list_in, with_list};

pub(super) const ADD: EditCommand = EditCommand::own("tag:add", add, &FORM);
pub(super) const DROP: EditCommand = EditCommand::own("tag:drop", drop_tag, &FORM);
pub(super) const RENAME: EditCommand = EditCommand::own("tag:rename", rename, &FORM);

static FORM: OwnForm = OwnForm::new::<ChangedTags>("changed-tags");

/// Notes whose tags were changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangedTags {
    /// The tag, with its `#`; of a renaming the new one.
    pub(super) tag: String,
    /// Number of changed notes.
    pub(super) changed: usize,
    /// These notes, in byte order.
    pub(super) paths: Vec<String>,
}

impl AnswerData for ChangedTags {
    /// Returns a line such as `#a: 2 notes changed`, and the paths.
    fn text(&self) -> String {
        use obsidian_note::shown::{row, with_rows};
        let notes = obsidian_note::plural::count(self.changed, "note");
        let head = format!("{}: {notes} changed", row(&self.tag));
        with_rows(head, &self.paths)
    }
}

/// The change of a note's tags.
enum TagEdit<'tag> {
    Add { tag: &'tag str, in_text: bool },
    Drop { tag: &'tag str, from: TagPlaces },
    Rename { from: &'tag str, to: &'tag str },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagPlaces {
    Everywhere,
    Properties,
    Text,
}

fn add(call: &Call<'_>) -> Result<Edit, EngineError> {
    let arguments = call.arguments;
    let tag = tag_of(arguments, "tag")?;
    let in_text = arguments.text("place") == Some("text");
    of_notes(
        call.vault,
        arguments,
        &tag,
        &TagEdit::Add { tag: &tag, in_text },
    )
}

fn drop_tag(call: &Call<'_>) -> Result<Edit, EngineError> {
    let arguments = call.arguments;
    let tag = tag_of(arguments, "tag")?;
    let from = match arguments.text("place") {
        Some("text") => TagPlaces::Text,
        Some("properties") => TagPlaces::Properties,
        _ => TagPlaces::Everywhere,
    };
    of_notes(
        call.vault,
        arguments,
        &tag,
        &TagEdit::Drop { tag: &tag, from },
    )
}

/// Renames a tag in all notes, with its nested tags: renaming `a` to `b` turns `#a/c` into `#b/c`.
fn rename(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let (from, to) = (tag_of(arguments, "tag")?, tag_of(arguments, "to")?);
    let indexed = IndexedVault(vault).column::<Tags>()?;
    let folded = from.to_lowercase();
    let is_meant = |tag: &str| is_or_is_below(&tag[1..].to_lowercase(), &folded);
    let paths: Vec<VaultPath> = indexed
        .column
        .files_with(is_meant)
        .filter_map(|id| indexed.files.get(id).cloned())
        .collect();
    if paths.is_empty() {
        return Err(EngineError::Refused(Refusal::TagNotFound { tag: from }));
    }
    let edit = TagEdit::Rename {
        from: &from,
        to: &to,
    };
    let notes = paths.into_iter().map(|path| (path.to_string(), path));
    let reads = |warning: &&Warning| !matches!(warning, Warning::InvalidFrontmatter { .. });
    let warnings = indexed.warnings.iter().filter(reads).cloned().collect();
    changed(vault, notes, &to, &edit, warnings)
}

/// Changes the notes that the arguments name.
fn of_notes(
    vault: &Vault,
    arguments: &Args,
    tag: &str,
    edit: &TagEdit<'_>,
) -> Result<Edit, EngineError> {
    let mut notes = Target::notes(vault, arguments, Refusal::NotMarkdown)?;
    let warnings = notes
        .iter_mut()
        .flat_map(|note| std::mem::take(&mut note.warnings));
    let warnings = warnings.collect();
    let notes = notes.into_iter().map(|note| (note.requested, note.path));
    changed(vault, notes, tag, edit, warnings)
}

fn changed(
    vault: &Vault,
    notes: impl Iterator<Item = (String, VaultPath)>,
    tag: &str,
    edit: &TagEdit<'_>,
    warnings: Vec<Warning>,
) -> Result<Edit, EngineError> {
    let mut changes = Vec::new();
    let mut warnings = warnings;
    for (wanted, path) in notes {
        vault.disk().cancellation().check()?;
        let before = vault.read_target(&path, &wanted)?;
        changes.extend(edited(vault, path, before, edit, &mut warnings)?);
    }
    let paths: Vec<String> = changes
        .iter()
        .flat_map(Change::paths)
        .map(ToString::to_string)
        .collect();
    let answer = ChangedTags {
        tag: format!("#{tag}"),
        changed: paths.len(),
        paths,
    };
    Ok(Edit::new(answer, changes, warnings))
}

/// Returns the change of one note; none if its tags stay.
fn edited(
    vault: &Vault,
    path: VaultPath,
    before: Vec<u8>,
    edit: &TagEdit<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Change>, EngineError> {
    let mut after = before.clone();
    let lists = match unreadable_properties(&path, &before) {
        // A note with unreadable properties does not keep the tag from being renamed in all others.
        // Only the tags in its text count, as in the app (`vault-semantics.md` §3.2).
        Some(warning) if matches!(edit, TagEdit::Rename { .. }) => {
            warnings.push(warning);
            None
        }
        _ => new_lists(&before, &path, edit)?,
    };
    if let Some((name, lists)) = lists {
        for items in lists {
            after = with_list(vault, &path, &after, &name, &items)?;
        }
    }
    let after = match edit {
        TagEdit::Add { tag, in_text: true } if !has_tag(&before, tag) => {
            refuse_board_or_drawing(&before, &path)?;
            text::added(&after, tag).ok_or_else(|| {
                let miss = EditMiss::unfit(
                    "the note ends in a block that is not closed, so a tag below it would be a part of the block",
                    "First close the block. Or add the tag to the properties.",
                );
                let path = Some(path.clone());
                EngineError::EditMiss(Box::new(EditMiss { path, ..miss }))
            })?
        }
        TagEdit::Add { .. }
        | TagEdit::Drop {
            from: TagPlaces::Properties,
            ..
        } => after,
        TagEdit::Drop { tag, .. } => text::dropped(&after, tag),
        TagEdit::Rename { from, to } => text::renamed(&after, from, to),
    };
    Ok(Change::modified(path, before, after))
}

fn unreadable_properties(path: &VaultPath, note: &[u8]) -> Option<Warning> {
    let error = Frontmatter::parse_note(&String::from_utf8_lossy(note)).err()?;
    Some(error.warning(path))
}

/// The name of a property, and the lists that it gets one after the other.
type TagLists = (String, Vec<Vec<Value>>);

/// The new tags of a note's properties, with the name of the property; `None` if they stay. Before a list with renamed
/// tags there may be the list without those that are removed, so that each renamed tag takes the place of its old name.
fn new_lists(
    note: &[u8],
    path: &VaultPath,
    edit: &TagEdit<'_>,
) -> Result<Option<TagLists>, EngineError> {
    match edit {
        TagEdit::Add { in_text: true, .. }
        | TagEdit::Drop {
            from: TagPlaces::Text,
            ..
        } => {
            return Ok(None);
        }
        TagEdit::Add { tag, .. } if has_tag(note, tag) => return Ok(None),
        // `tags: a, b` contains no tag (`vault-semantics.md` §3.1), so it is not changed.
        TagEdit::Drop { tag: tags, .. } | TagEdit::Rename { from: tags, .. }
            if lacks_tag(note, &tags.to_lowercase()) =>
        {
            return Ok(None);
        }
        _ => {}
    }
    let (name, items) = list_in(note, "tags", path)?;
    let (mut kept, mut new): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for item in &items {
        let renamed = match (tag_in_item(item), edit) {
            (Some(folded), TagEdit::Drop { tag, .. }) if folded == tag.to_lowercase() => continue,
            (Some(folded), TagEdit::Rename { from, to })
                if is_or_is_below(&folded, &from.to_lowercase()) =>
            {
                let renamed = renamed_item(item, from, to);
                // If the rename makes two tags equal, only one is kept.
                let is_there = |list: &[Value]| {
                    list.iter()
                        .any(|other| tag_in_item(other) == tag_in_item(&renamed))
                };
                if (is_there(&items) || is_there(&new)) && !is_same_tag(item, &renamed) {
                    continue;
                }
                renamed
            }
            _ => item.clone(),
        };
        kept.push(item.clone());
        new.push(renamed);
    }
    if let TagEdit::Add { tag, .. } = edit {
        new.push(Value::from(*tag));
    }
    let is_removed = kept.len() < items.len() && kept != new;
    let lists = [is_removed.then_some(kept), (new != items).then_some(new)];
    let lists: Vec<Vec<Value>> = lists.into_iter().flatten().collect();
    Ok((!lists.is_empty()).then_some((name, lists)))
}

fn is_same_tag(one: &Value, other: &Value) -> bool {
    tag_in_item(one) == tag_in_item(other)
}

/// Returns the tag that an item of the property names, in lower case and without `#`.
fn tag_in_item(item: &Value) -> Option<String> {
    let text = item.as_str()?.trim();
    Some(text.strip_prefix('#').unwrap_or(text).to_lowercase())
}

/// Returns the item with the new name, with `#` if it had one.
fn renamed_item(item: &Value, from: &str, to: &str) -> Value {
    let text = item.as_str().unwrap_or_default().trim();
    let (mark, name) = match text.strip_prefix('#') {
        Some(name) => ("#", name),
        None => ("", text),
    };
    Value::from(format!("{mark}{to}{}", rest_below(name, from)))
}

/// Whether a tag is `outer` or nested in it; both in lower case.
fn is_or_is_below(tag: &str, outer: &str) -> bool {
    tag.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the part of a tag that follows an outer tag: `/c` of `a/c` below `A`.
fn rest_below<'tag>(tag: &'tag str, outer: &str) -> &'tag str {
    let levels = outer.split('/').count();
    tag.match_indices('/')
        .nth(levels - 1)
        .map_or("", |(at, _)| &tag[at..])
}

/// Whether the properties can be read and contain neither the tag nor one that is nested in it; `tag` is in lower case.
fn lacks_tag(note: &[u8], tag: &str) -> bool {
    Frontmatter::parse_note(&String::from_utf8_lossy(note)).is_ok_and(|found| {
        let tags = found.tags();
        !tags
            .iter()
            .any(|found| is_or_is_below(&found[1..].to_lowercase(), tag))
    })
}

/// Whether the note has the tag in its properties or its text.
fn has_tag(note: &[u8], tag: &str) -> bool {
    let folded = format!("#{}", tag.to_lowercase());
    let text = String::from_utf8_lossy(note);
    let in_properties = Frontmatter::parse_note(&text).is_ok_and(|found| {
        found
            .tags()
            .iter()
            .any(|found| found.to_lowercase() == folded)
    });
    in_properties
        || text::occurrences(note, |found| found == &folded[1..])
            .next()
            .is_some()
}

/// Returns the tag that a parameter names, without `#`.
fn tag_of(arguments: &Args, name: &'static str) -> Result<String, EngineError> {
    let given = required(arguments, name, "tag=<tag>")?;
    let tag = given.strip_prefix('#').unwrap_or(given);
    if text::is_tag(tag) {
        return Ok(tag.to_owned());
    }
    Err(EngineError::argument(
        name,
        "a tag: letters, digits, `_`, `-` and `/`, not digits alone",
    ))
}

#[cfg(test)]
mod tests;
