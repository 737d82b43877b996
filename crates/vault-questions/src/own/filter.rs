//! The filters that choose notes, and the metadata that the index has for each note.

use std::collections::HashSet;

use jiff::civil::Date;
use obsidian_note::frontmatter::property;
use obsidian_note::{Frontmatter, VaultPath, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vault_files::{Args, EngineError, Surroundings, Vault};
use vault_index::target::folder;
use vault_index::{KeptRecord, Pair, Properties, Seen, Tags};

use super::get::parts;
use super::javascript::text_of;
use super::note::titled;
use super::period::Days;
use super::project::project_of;
use obsidian_note::slug::slug;

/// The facts about a note in a list, besides its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteMetadata {
    /// The file's name without extension.
    pub name: String,
    /// The property `title`; with `titles` of `notes:list`, else the first heading of level 1 or the name.
    pub title: Option<String>,
    /// The slug of the property `project`, or else of the folder below `projects/`.
    pub project: Option<String>,
    /// The tags of its properties, with their `#`, each once.
    pub tags: Vec<String>,
    /// The tags of its text that its properties do not have, each once. Only where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inline_tags: Vec<String>,
    /// The property `date`, as written. In `notes:list` also the day of a daily note without that property.
    pub date: Option<String>,
    /// The property `updated`, as written.
    pub updated: Option<String>,
}

/// One note with its metadata from the index.
pub(super) struct Listed<'seen> {
    pub(super) path: &'seen VaultPath,
    pub(super) properties: Map<String, Value>,
    /// Every occurrence of a tag in the note, with its `#`.
    tags: Vec<&'seen str>,
    /// The day of a daily note, if it was looked up.
    pub(super) day: Option<Date>,
}

impl<'seen> Listed<'seen> {
    /// Returns the listed notes below a folder.
    fn below(
        seen: &'seen Seen<Pair<Properties, Tags>>,
        folder: &VaultPath,
    ) -> impl Iterator<Item = Self> {
        let Pair(properties, tags) = seen.column.as_ref();
        seen.notes_below(folder).map(move |(id, path)| Self {
            path,
            properties: properties
                .of_file(id)
                .and_then(|text| serde_json::from_str(&text.0).ok())
                .unwrap_or_default(),
            tags: tags.in_file(id).collect(),
            day: None,
        })
    }

    /// Returns one note by its record.
    pub(super) fn of_record(path: &'seen VaultPath, record: &'seen KeptRecord) -> Self {
        let properties = record.properties();
        Self {
            path,
            properties: properties
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_default(),
            tags: record.tags().collect(),
            day: None,
        }
    }

    /// Returns a property as a text; `None` if the note does not have it.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let value = self.properties.get(name).filter(|value| !value.is_null())?;
        Some(text_of(value))
    }

    /// Returns the property `date`, or else the day of a daily note, if it was looked up.
    pub(super) fn date(&self) -> Option<String> {
        let property = self.text("date");
        property.or_else(|| self.day.map(|day| day.to_string()))
    }

    /// Returns the values of properties.
    pub(super) fn values(&self, names: &[String]) -> Map<String, Value> {
        let value = |name: &String| {
            let found = property(&self.properties, name).map(|(_, value)| value);
            (name.clone(), found.cloned().unwrap_or_default())
        };
        names.iter().map(value).collect()
    }

    fn project(&self) -> Option<String> {
        project_of(self.path, self.properties.get("project"))
    }

    pub(super) fn metadata(&self) -> NoteMetadata {
        let mut known = HashSet::new();
        let mut once = |tags: Vec<String>| -> Vec<String> {
            let tags = tags.into_iter();
            tags.filter(|tag| known.insert(tag.to_lowercase()))
                .collect()
        };
        let frontmatter = Frontmatter {
            properties: self.properties.clone(),
        };
        let tags = once(frontmatter.tags());
        let inline_tags = once(self.tags.iter().map(|tag| (*tag).to_owned()).collect());
        NoteMetadata {
            name: self.path.basename().to_owned(),
            title: titled(&self.properties),
            project: self.project(),
            tags,
            inline_tags,
            date: self.date(),
            updated: self.text("updated"),
        }
    }
}

/// Returns the text of a note below its properties; `None`, with a warning, if it cannot be read.
pub(super) fn body(vault: &Vault, path: &VaultPath, warnings: &mut Vec<Warning>) -> Option<String> {
    match vault.indexed_bytes(path) {
        Ok(bytes) => Some(parts(&String::from_utf8_lossy(&bytes)).1.to_owned()),
        Err(problem) => {
            if let Some(warning) = problem.warning(path) {
                warning.add_new(warnings);
            }
            None
        }
    }
}

/// The conditions that a note must fulfil; an absent one lets every note through.
pub(super) struct Filter {
    folder: VaultPath,
    /// The tag in lower case, with its `#`.
    tag: Option<String>,
    /// Several tags in that form, of which a note must have all, or any if [`Self::any_tag`] is set (`contracts.md` I20).
    tags: Option<Vec<String>>,
    any_tag: bool,
    /// The slug of the project.
    project: Option<String>,
    property: Option<String>,
    value: Option<String>,
    days: Days,
}

impl Filter {
    pub(super) fn from_arguments(
        arguments: &Args,
        surroundings: &Surroundings,
    ) -> Result<Self, EngineError> {
        let days = Days::from_arguments(arguments, surroundings)?;
        Ok(Self {
            days,
            ..Self::without_days(arguments)
        })
    }

    /// As [`Self::from_arguments`], but ignoring `since` and `until`.
    pub(super) fn without_days(arguments: &Args) -> Self {
        let text = |name: &str| arguments.text(name).map(str::to_owned);
        let key = if arguments.has("under") {
            "under"
        } else {
            "folder"
        };
        Self {
            folder: folder(arguments, key),
            tag: text("tag").map(|tag| folded(&tag)),
            tags: arguments.text("tags").map(|tags| {
                let tags = tags.split(',').map(folded);
                tags.filter(|tag| tag != "#").collect()
            }),
            any_tag: arguments.text("match") == Some("any"),
            project: text("project").map(|project| slug(&project)),
            property: text("property"),
            value: text("value"),
            days: Days::default(),
        }
    }

    /// Returns the columns that it needs, with the files of its folder as listed.
    pub(super) fn read(&self, vault: &Vault) -> Result<Seen<Pair<Properties, Tags>>, EngineError> {
        Seen::read_below(vault, &self.folder)
    }

    /// Returns the listed notes that it lets through.
    pub(super) fn notes<'seen>(
        &self,
        seen: &'seen Seen<Pair<Properties, Tags>>,
    ) -> impl Iterator<Item = Listed<'seen>> {
        Listed::below(seen, &self.folder).filter(|note| self.lets_through(note))
    }

    /// Whether it lets a note of its folder through.
    fn lets_through(&self, note: &Listed<'_>) -> bool {
        self.tag.as_ref().is_none_or(|tag| has_tag(note, tag))
            && self.tags.as_ref().is_none_or(|tags| {
                let mut found = tags.iter().map(|tag| has_tag(note, tag));
                if self.any_tag {
                    found.any(|has_it| has_it)
                } else {
                    found.all(|has_it| has_it)
                }
            })
            && self
                .project
                .as_ref()
                .is_none_or(|wanted| note.project().as_ref() == Some(wanted))
            && self.has_property(note)
            && self.days.contains(note.text("date").as_deref())
    }

    fn has_property(&self, note: &Listed<'_>) -> bool {
        let Some(name) = &self.property else {
            return true;
        };
        // Property names are compared without regard to case (`vault-semantics.md` §3.2).
        let Some((_, value)) = property(&note.properties, name) else {
            return false;
        };
        self.value.as_ref().is_none_or(|wanted| match value {
            Value::Array(items) => items.iter().any(|item| text_of(item) == *wanted),
            other => text_of(other) == *wanted,
        })
    }
}

/// Returns a tag in lower case, with its `#`.
fn folded(tag: &str) -> String {
    format!("#{}", tag.trim().trim_start_matches('#').to_lowercase())
}

/// Whether the note has the tag or one nested below it. `wanted` is in lower case.
fn has_tag(note: &Listed<'_>, wanted: &str) -> bool {
    note.tags.iter().any(|tag| {
        let tag = tag.to_lowercase();
        let below = tag.strip_prefix(wanted);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}
