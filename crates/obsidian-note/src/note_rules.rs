//! Rules that close notes by what is in them: by their tags and properties (`threats.toml` D16).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use crate::note_record::{NoteProblem, record_of};
use crate::path::VaultPath;

/// The tags and properties that close a note. Only notes have them: no rule closes a canvas, a base
/// or an attachment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteRules {
    /// The tags that close a note, in lower case and without `#`.
    tags: BTreeSet<String>,
    /// The names of the properties that close a note, in lower case.
    properties: BTreeSet<String>,
    /// Notes that these rules do not close.
    except: BTreeSet<VaultPath>,
    /// Rules with other exceptions.
    also: Option<Box<NoteRules>>,
}

impl NoteRules {
    /// A note is closed if it has one of `tags` (without `#`) or a tag below it, in its properties or
    /// in its text, also in a form that only other readers than the app take for a tag, or one of `properties` with any value but `false`. Letter case does not matter.
    pub fn new<'rule>(
        tags: impl IntoIterator<Item = &'rule str>,
        properties: impl IntoIterator<Item = &'rule str>,
    ) -> Self {
        Self {
            tags: tags.into_iter().map(folded).collect(),
            properties: properties.into_iter().map(folded).collect(),
            ..Self::default()
        }
    }

    /// Returns the same rules, which leave these notes open regardless of their contents.
    #[must_use]
    pub fn except(self, except: BTreeSet<VaultPath>) -> Self {
        Self { except, ..self }
    }

    /// Whether the rules close nothing.
    pub fn is_empty(&self) -> bool {
        let own = self.tags.is_empty() && self.properties.is_empty();
        own && self.also.as_ref().is_none_or(|also| also.is_empty())
    }

    /// Returns the rules of both: a note is closed if either closes it.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        if self.except != other.except {
            let also = self.also.take();
            self.also = Some(Box::new(
                also.map_or_else(|| other.clone(), |also| also.and(other)),
            ));
            return self;
        }
        self.tags.extend(other.tags.iter().cloned());
        self.properties.extend(other.properties.iter().cloned());
        if let Some(also) = &other.also {
            self = self.and(also);
        }
        self
    }

    /// Whether a file with this content is closed.
    pub fn close_bytes(&self, path: &VaultPath, bytes: &[u8]) -> bool {
        if !path.is_note() {
            return false;
        }
        let (record, problem) = record_of(path, bytes);
        let properties = record.properties.as_ref();
        self.close(
            path,
            &|| record.tags.iter().map(String::as_str),
            properties.map(|text| text.0.as_str()),
            problem.as_ref(),
        )
    }

    /// Whether a note with these tags and properties is closed. `properties` is the JSON text of an
    /// object. So is a note that could not be read as a whole, because it may have any.
    pub fn close<'note, T: Iterator<Item = &'note str>>(
        &self,
        path: &VaultPath,
        tags: &impl Fn() -> T,
        properties: Option<&str>,
        problem: Option<&NoteProblem>,
    ) -> bool {
        let also = self.also.as_ref();
        if also.is_some_and(|also| also.close(path, tags, properties, problem)) {
            return true;
        }
        let others = problem.map_or(&[][..], NoteProblem::other_tags);
        let closes_other = others.iter().any(|tag| self.closes_tag(tag));
        let is_closed = problem.is_some_and(NoteProblem::hides_facts)
            || !self.tags.is_empty() && (tags().any(|tag| self.closes_tag(tag)) || closes_other)
            || properties.is_some_and(|properties| self.closes_one_of(properties));
        is_closed && !self.except.contains(path)
    }

    fn closes_tag(&self, tag: &str) -> bool {
        let tag = folded(tag.strip_prefix('#').unwrap_or(tag));
        let above = tag.match_indices('/').map(|(at, _)| &tag[..at]);
        above
            .chain([tag.as_str()])
            .any(|tag| self.tags.contains(tag))
    }

    fn closes_one_of(&self, properties: &str) -> bool {
        if self.properties.is_empty() {
            return false;
        }
        let closes = |(name, value): (&String, &Value)| {
            self.properties.contains(&folded(name)) && *value != Value::Bool(false)
        };
        let values = serde_json::from_str::<BTreeMap<String, Value>>(properties);
        // A note whose properties cannot be read is closed.
        values.map_or(true, |values| values.iter().any(closes))
    }
}

/// One spelling for all that the app takes for the same name.
fn folded(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}
