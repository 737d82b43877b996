//! Path rules in layers. A file must pass every layer.

use std::sync::Arc;

use vault_engine::{NoteRules, VaultPath};

use super::note_marks::{PropertyName, TagName};
use super::pattern::{AllowList, DenyList, PathPattern, PatternError};
use allowlist::{Effect, EffectSet};

/// The kind of access to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Reads the file or lists the folder.
    Read,
    /// Changes it. Requires read access too.
    Write,
}

impl Access {
    /// Returns the access that a call with these effects needs for its paths.
    pub const fn for_effects(effects: EffectSet) -> Self {
        if effects.contains(Effect::Write) || effects.contains(Effect::Destroy) {
            Self::Write
        } else {
            Self::Read
        }
    }

    /// Returns the access in a sentence.
    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::Write => "writing",
        }
    }
}

/// One layer of path rules: allowed for reading, allowed for writing, denied in any case; and the tags
/// and properties that close a note. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Scope(Arc<Rules>);

#[derive(Clone, Debug)]
struct Rules {
    read: AllowList,
    write: AllowList,
    deny: DenyList,
    deny_tags: Vec<TagName>,
    deny_properties: Vec<PropertyName>,
    /// Whether a file may be opened although another name of it is closed.
    allows_hard_links: bool,
}

impl Scope {
    /// Compiles the rules. An empty `read` or `write` list allows nothing. `deny` takes precedence.
    ///
    /// # Errors
    ///
    /// If the compiled patterns are too large.
    pub fn new(
        read: &[PathPattern],
        write: &[PathPattern],
        deny: &[PathPattern],
    ) -> Result<Self, PatternError> {
        Ok(Self(Arc::new(Rules {
            read: AllowList::new(read)?,
            write: AllowList::new(write)?,
            deny: DenyList::new(deny)?,
            deny_tags: Vec::new(),
            deny_properties: Vec::new(),
            allows_hard_links: false,
        })))
    }

    /// Compiles the rules of a layer that only denies paths.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn denying(deny: &[PathPattern]) -> Result<Self, PatternError> {
        let everything = [PathPattern::everything()];
        Self::new(&everything, &everything, deny)
    }

    /// Closes the notes that have one of these tags or properties too, and sets whether a file is open although another
    /// name of it is closed.
    #[must_use]
    pub fn closing_notes(
        self,
        tags: &[TagName],
        properties: &[PropertyName],
        allows_hard_links: bool,
    ) -> Self {
        Self(Arc::new(Rules {
            deny_tags: tags.to_vec(),
            deny_properties: properties.to_vec(),
            allows_hard_links,
            ..Arc::unwrap_or_clone(self.0)
        }))
    }

    /// Returns the keys of the lists that close notes by their content.
    pub(super) fn note_lists(&self) -> impl Iterator<Item = &'static str> {
        let tags = (!self.0.deny_tags.is_empty()).then_some("paths.deny_tags");
        let properties = (!self.0.deny_properties.is_empty()).then_some("paths.deny_properties");
        tags.into_iter().chain(properties)
    }

    /// Returns the keys of the lists that close a note with this content.
    pub(super) fn lists_closing_note(
        &self,
        note: &VaultPath,
        content: &[u8],
    ) -> impl Iterator<Item = &'static str> {
        let tags = self.0.deny_tags.iter().map(TagName::as_str);
        let properties = self.0.deny_properties.iter().map(PropertyName::as_str);
        let by_tags = NoteRules::new(tags, []).close_bytes(note, content);
        let by_properties = NoteRules::new([], properties).close_bytes(note, content);
        self.note_lists().filter(move |list| match *list {
            "paths.deny_tags" => by_tags,
            _ => by_properties,
        })
    }

    pub(super) fn note_rules(&self) -> NoteRules {
        NoteRules::new(
            self.0.deny_tags.iter().map(TagName::as_str),
            self.0.deny_properties.iter().map(PropertyName::as_str),
        )
    }

    /// Returns the keys of the lists that limit anything.
    pub(super) fn limiting_lists(&self) -> impl Iterator<Item = &'static str> {
        let deny = (!self.0.deny.is_empty()).then_some("paths.deny");
        let read = (!self.0.read.is_everything()).then_some("paths.read");
        let write = (!self.0.write.is_everything()).then_some("paths.write");
        deny.into_iter()
            .chain(read)
            .chain(write)
            .chain(self.note_lists())
    }

    /// Whether a file is open although another name of it is closed.
    pub(super) fn allows_hard_links(&self) -> bool {
        self.0.allows_hard_links
    }

    /// Returns the key of the list that closes a file; `None` if the file is open.
    pub(super) fn closing_list(&self, path: &str, access: Access) -> Option<&'static str> {
        if self.0.deny.closes(path) {
            Some("paths.deny")
        } else if !self.0.read.opens_file(path) {
            Some("paths.read")
        } else {
            let may_write = access == Access::Read || self.0.write.opens_file(path);
            (!may_write).then_some("paths.write")
        }
    }

    /// Whether something in the folder may be open; for writing, whether files may be created in it.
    pub(super) fn opens_folder(&self, path: &str, access: Access) -> bool {
        self.0.read.opens_below(path)
            && (access == Access::Read || self.0.write.opens_folder(path))
            && !self.0.deny.closes(path)
    }

    /// Returns the key of the list that may close something below the folder for reading or writing; `None` if everything
    /// there is open. Any folder may contain a note that is closed by its content.
    pub(super) fn list_closing_below(&self, path: &str) -> Option<&'static str> {
        if self.0.deny.may_close_below(path) {
            Some("paths.deny")
        } else if !self.0.read.opens_all_below(path) {
            Some("paths.read")
        } else if !self.0.write.opens_all_below(path) {
            Some("paths.write")
        } else {
            self.note_lists().next()
        }
    }

    /// Whether no list limits reading.
    pub(super) fn reads_everything(&self) -> bool {
        self.limiting_lists().all(|list| list == "paths.write")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{file, scoped as only};

    #[test]
    fn a09_an_empty_list_opens_nothing_and_is_not_the_default() {
        let none = only(&[], &["**"], &[]);
        let all = only(&["**"], &["**"], &[]);
        assert!(!none.opens_file(&file("a.md"), Access::Read));
        assert!(!none.opens_folder(&VaultPath::root(), Access::Read));
        assert!(all.opens_file(&file("a.md"), Access::Read));
        assert!(all.opens_folder(&VaultPath::root(), Access::Write));
        let read_only = only(&["**"], &[], &[]);
        assert!(read_only.opens_file(&file("a.md"), Access::Read));
        assert!(!read_only.opens_file(&file("a.md"), Access::Write));
        assert!(!read_only.is_unrestricted() && all.is_unrestricted());
    }

    #[test]
    fn writing_needs_reading_too() {
        let inbox = only(&["notes/**"], &["inbox/**", "notes/log.md"], &[]);
        assert!(!inbox.opens_file(&file("inbox/a.md"), Access::Write));
        assert!(inbox.opens_file(&file("notes/log.md"), Access::Write));
        assert!(!inbox.opens_file(&file("notes/other.md"), Access::Write));
    }

    #[test]
    fn deny_wins_and_dot_folders_stay_closed() {
        let scopes = only(&["**", ".obsidian/**"], &["**"], &["private/**"]);
        for path in [
            "private/a.md",
            "Private/a.md",
            ".obsidian/app.json",
            ".git/x",
        ] {
            assert!(!scopes.opens_file(&file(path), Access::Read), "{path}");
            assert!(!scopes.opens_file(&file(path), Access::Write), "{path}");
        }
        assert!(scopes.opens_file(&file("x/private/a.md"), Access::Read));
        assert!(!scopes.opens_folder(&file("private"), Access::Read));
    }

    #[test]
    fn d08_both_spellings_of_a_rule_and_a_path_agree() {
        for (pattern, path) in [
            ("caf\u{e9}/**", "cafe\u{301}/x.md"),
            ("cafe\u{301}/**", "caf\u{e9}/x.md"),
            ("\u{d55c}/**", "\u{1112}\u{1161}\u{11ab}/x.md"),
        ] {
            assert!(only(&[pattern], &[], &[]).opens_file(&file(path), Access::Read));
            assert!(!only(&["**"], &[], &[pattern]).opens_file(&file(path), Access::Read));
        }
        // `ﬁ` and `fi` are two files: opening one never opens the other.
        let ligature = only(&["\u{fb01}.md"], &[], &[]);
        assert!(ligature.opens_file(&file("\u{fb01}.md"), Access::Read));
        assert!(!ligature.opens_file(&file("fi.md"), Access::Read));
        assert!(!only(&["notes/**"], &[], &[]).opens_file(&file("Notes/x.md"), Access::Read));
    }

    /// Other spellings of the same name: letter case, letters that fold together, and dots or
    /// spaces at the end of a component.
    fn variant() -> impl Strategy<Value = String> {
        let names = prop_oneof![
            Just("private/kiss"),
            Just(".obsidian/skill"),
            Just("straße/x")
        ];
        (names, proptest::collection::vec(0_u8..4, 32), "[. ]{0,3}").prop_map(
            |(name, choices, tail)| {
                let spelled: String = name
                    .chars()
                    .zip(choices)
                    .map(|(character, choice)| match (character, choice) {
                        ('s', 1) => "\u{17f}".to_owned(),
                        ('k', 1) => "\u{212a}".to_owned(),
                        ('ß', 1) => "SS".to_owned(),
                        ('ß', 2) => "\u{1e9e}".to_owned(),
                        (other, 0 | 1) => other.to_string(),
                        (other, _) => other.to_uppercase().to_string(),
                    })
                    .collect();
                format!("{}{tail}", spelled.replace('/', &format!("{tail}/")))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn d07_every_spelling_of_a_denied_name_is_denied(path in variant()) {
            let scopes = only(&["**"], &["**"], &["private/**", "Straße/**"]);
            prop_assert!(!scopes.opens_file(&file(&path), Access::Read));
            prop_assert!(!scopes.opens_folder(&file(&path), Access::Read));
        }

        #[test]
        fn d07_folding_never_opens_another_spelling(path in variant()) {
            let scopes = only(&["private/kiss", "straße/x"], &[], &[]);
            let same = ["private/kiss", "straße/x"].contains(&path.as_str());
            prop_assert_eq!(scopes.opens_file(&file(&path), Access::Read), same);
        }
    }
}
