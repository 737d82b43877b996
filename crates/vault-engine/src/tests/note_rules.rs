//! Notes that are closed by what is in them.

use std::sync::Arc;

use obsidian_note::{CancellationToken, NoteRules, VaultPath};
use vault_index::{Followed, IndexedVault};

use std::collections::BTreeSet;

use vault_files::disk::trace;
use vault_files::vault::testing::{Without, path, vault};
use vault_files::{EngineError, Sight, Vault};

use crate::tests::ask;

const CASES: &str = include_str!("note_rules_cases.txt");

fn rules() -> NoteRules {
    NoteRules::new(
        ["Private", "a/b", "caf\u{e9}"],
        ["Confidential", "hidden from"],
    )
}

#[test]
fn d16_a_note_is_closed_by_its_tags() {
    for (is_closed, text) in
        tables::typed::<(bool, &str)>(CASES, "d16 a note is closed by its tags")
    {
        let closed = rules().close_bytes(&path("n.md"), text.as_bytes());
        assert_eq!(closed, is_closed, "{text}");
    }
}

#[test]
fn d16_a_note_is_closed_by_a_property_that_is_not_false() {
    for (is_closed, line) in
        tables::typed::<(bool, &str)>(CASES, "d16 a note is closed by a property")
    {
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
    IndexedVault(&vault.clone()).limited_to(Arc::new(ByRules(rules())))
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
            Some(followed) => IndexedVault(&vault).with_followed(Arc::clone(followed)),
            None => vault,
        };
        let seen = limited(&vault).unwrap();
        assert!(seen.sees(&path("a.md")) && seen.read_note(&path("a.md")).is_ok());
        assert!(describe(&seen, &["search", "query=word"]).contains("a.md"));
        vault_files::testing::write(vault.root(), "a.md", "word [[x]] #private");
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
        vault_files::testing::write(vault.root(), "a.md", "word [[x]] #open");
        let seen = limited(&vault).unwrap();
        assert!(describe(&seen, &["files"]).contains("a.md"));
    }
}

#[test]
fn d16_the_same_limit_is_used_again_while_the_same_notes_are_closed() {
    let (_folder, vault) = vault(&[("a.md", "word"), ("b.md", "#private")]);
    let vault = IndexedVault(&vault).with_followed(Arc::new(Followed::new().unwatched()));
    let sight: Arc<dyn Sight> = Arc::new(ByRules(rules()));
    let now = || {
        let limited = IndexedVault(&vault.clone())
            .limited_to(Arc::clone(&sight))
            .unwrap();
        Arc::clone(limited.shared_sight().unwrap())
    };
    let first = now();
    vault_files::testing::write(vault.root(), "a.md", "words");
    assert!(Arc::ptr_eq(&first, &now()));
    vault_files::testing::write(vault.root(), "a.md", "words #private");
    assert!(!Arc::ptr_eq(&first, &now()));
}

#[test]
fn d16_without_such_rules_nothing_is_read_and_with_them_nothing_is_guessed() {
    let (_folder, vault) = vault(&[("a.md", "")]);
    let limit = || IndexedVault(&vault.clone()).limited_to(Arc::new(Without("x".to_owned())));
    let (_, listings, files) = trace::count(limit);
    assert_eq!((listings, files), (0, 0));
    let stop = CancellationToken::default();
    stop.cancel();
    let stopped = limited(&vault.with_cancellation(stop));
    assert!(matches!(stopped.err(), Some(EngineError::Stopped)));
}
