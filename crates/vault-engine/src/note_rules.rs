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
    /// in its text, or one of `properties` with any value but `false`. Letter case does not matter.
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
    pub(crate) fn close<'note, T: Iterator<Item = &'note str>>(
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
        let is_closed = problem.is_some_and(NoteProblem::hides_facts)
            || !self.tags.is_empty() && tags().any(|tag| self.closes_tag(tag))
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cancellation::CancellationToken;
    use crate::disk::trace;
    use crate::error::EngineError;
    use crate::followed::Followed;
    use crate::sight::Sight;
    use crate::testing::ask;
    use crate::vault::Vault;
    use crate::vault::testing::{Without, path, vault};

    fn rules() -> NoteRules {
        NoteRules::new(
            ["Private", "a/b", "caf\u{e9}"],
            ["Confidential", "hidden from"],
        )
    }

    #[test]
    fn d16_a_note_is_closed_by_its_tags() {
        for (is_closed, text) in [
            (true, "#private"),
            (true, "x #Private y"),
            (true, "#private/diary"),
            (true, "#PRIVATE/a/b"),
            (true, "#a/b"),
            (true, "#a/b/c"),
            (true, "#cafe\u{301}"),
            (true, "---\ntags: [x, private]\n---\n"),
            (true, "---\ntags: private/diary\n---\n"),
            (true, "---\ntags:\n  - \"#private\"\n---\n"),
            (true, "\u{feff}---\r\ntags: [private]\r\n---\r\n"),
            (false, "#privateer #not/private #a #a/bc private"),
            (false, "`#private`\n```\n#private\n```\n"),
            (false, "[[x#private]] a#private"),
            (false, "---\ntag: private\n---\n"),
            (false, "---\ntags: [a]\nkind: private\n---\n"),
            (false, ""),
        ] {
            let closed = rules().close_bytes(&path("n.md"), text.as_bytes());
            assert_eq!(closed, is_closed, "{text}");
        }
    }

    #[test]
    fn d16_a_note_is_closed_by_a_property_that_is_not_false() {
        for (is_closed, line) in [
            (true, "confidential: true"),
            (true, "CONFIDENTIAL: yes"),
            (true, "confidential: 0"),
            (true, "confidential: \"false\""),
            (true, "confidential: []"),
            (true, "confidential:"),
            (true, "confidential: null"),
            (true, "\"hidden from\": all"),
            (false, "confidential: false"),
            (false, "confidential: False"),
            (false, "Confidentially: true"),
            (false, "x: confidential"),
            (false, "x: {confidential: true}"),
        ] {
            let text = format!("---\n{line}\n---\nconfidential: true\n");
            let closed = rules().close_bytes(&path("n.md"), text.as_bytes());
            assert_eq!(closed, is_closed, "{line}");
        }
    }

    #[test]
    fn exceptions_hold_for_their_own_rules_only() {
        let excepted = NoteRules::new([], ["source"]).except(BTreeSet::from([path("n.md")]));
        let note = b"---\nsource: x\n---\n#private\n";
        assert!(!excepted.close_bytes(&path("n.md"), note));
        assert!(excepted.close_bytes(&path("other.md"), note));
        for both in [excepted.clone().and(&rules()), rules().and(&excepted)] {
            assert!(both.close_bytes(&path("n.md"), note));
            assert!(!both.close_bytes(&path("n.md"), b"---\nsource: x\n---\n"));
            assert!(both.close_bytes(&path("o.md"), b"---\nsource: x\n---\n"));
        }
    }

    #[test]
    fn d16_what_cannot_be_read_is_closed_and_what_is_no_note_is_open() {
        assert!(rules().close_bytes(&path("n.md"), b"---\na: [\n---\n"));
        assert!(rules().close_bytes(&path("N.MD"), b"#private"));
        assert!(rules().close_bytes(&path("n.md"), b"\xff #private"));
        assert!(rules().close_bytes(&path("n.md"), b"caf\xe9"));
        assert!(!rules().close_bytes(&path("n.md"), b""));
        for other in ["n.canvas", "n.base", "n.txt", "n.png"] {
            assert!(!rules().close_bytes(&path(other), b"#private"), "{other}");
        }
    }

    /// Sees all but the notes that [`rules`] close.
    struct ByRules(NoteRules);

    impl Sight for ByRules {
        fn sees_file(&self, _path: &VaultPath) -> bool {
            true
        }

        fn sees_folder(&self, _path: &VaultPath) -> bool {
            true
        }

        fn note_rules(&self) -> Option<&NoteRules> {
            Some(&self.0)
        }
    }

    fn limited(vault: &Vault) -> Result<Vault, EngineError> {
        vault.clone().limited_to(Arc::new(ByRules(rules())))
    }

    /// Returns the text of an answer.
    fn describe(vault: &Vault, words: &[&str]) -> String {
        match ask(vault, words) {
            Ok(reply) => format!("{:?}", reply.answer),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn d16_a_note_that_is_closed_while_a_call_runs_is_closed() {
        for followed in [None, Some(Arc::new(Followed::new().unwatched()))] {
            let (_folder, vault) = vault(&[("a.md", "word [[x]]"), ("b.md", "other")]);
            let vault = match &followed {
                Some(followed) => vault.with_followed(Arc::clone(followed)),
                None => vault,
            };
            let seen = limited(&vault).unwrap();
            assert!(seen.sees(&path("a.md")) && seen.read_note(&path("a.md")).is_ok());
            assert!(describe(&seen, &["search", "query=word"]).contains("a.md"));
            crate::testing::write(vault.root(), "a.md", "word [[x]] #private");
            assert!(seen.read_note(&path("a.md")).is_err());
            assert!(seen.pieces(&path("a.md")).is_err());
            for words in [
                &["search", "query=word"][..],
                &["search:context", "query=word"],
                &["tags"],
                &["unresolved", "verbose"],
                &["orphans"],
            ] {
                let shown = describe(&seen, words);
                assert!(
                    !shown.contains("a.md") && !shown.contains("private"),
                    "{shown}"
                );
            }
            // The next call does not even find it.
            let seen = limited(&vault).unwrap();
            assert!(!seen.sees(&path("a.md")) && seen.sees(&path("b.md")));
            assert!(!describe(&seen, &["files"]).contains("a.md"));
            crate::testing::write(vault.root(), "a.md", "word [[x]] #open");
            let seen = limited(&vault).unwrap();
            assert!(describe(&seen, &["files"]).contains("a.md"));
        }
    }

    #[test]
    fn d16_the_same_limit_is_used_again_while_the_same_notes_are_closed() {
        let (_folder, vault) = vault(&[("a.md", "word"), ("b.md", "#private")]);
        let vault = vault.with_followed(Arc::new(Followed::new().unwatched()));
        let sight: Arc<dyn Sight> = Arc::new(ByRules(rules()));
        let now = || {
            let limited = vault.clone().limited_to(Arc::clone(&sight)).unwrap();
            Arc::clone(limited.shared_sight().unwrap())
        };
        let first = now();
        crate::testing::write(vault.root(), "a.md", "words");
        assert!(Arc::ptr_eq(&first, &now()));
        crate::testing::write(vault.root(), "a.md", "words #private");
        assert!(!Arc::ptr_eq(&first, &now()));
    }

    #[test]
    fn d16_without_such_rules_nothing_is_read_and_with_them_nothing_is_guessed() {
        let (_folder, vault) = vault(&[("a.md", "")]);
        let limit = || vault.clone().limited_to(Arc::new(Without("x".to_owned())));
        let (_, listings, files) = trace::count(limit);
        assert_eq!((listings, files), (0, 0));
        let stop = CancellationToken::default();
        stop.cancel();
        let stopped = limited(&vault.with_cancellation(stop));
        assert!(matches!(stopped.err(), Some(EngineError::Stopped)));
    }
}
