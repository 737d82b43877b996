use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use vault_files::failpoints::Step;
use vault_files::vault::testing::{path, vault};
use vault_files::{EngineError, Vault, Version};

use super::testing::{Act, Remember, picture};
use crate::Change;
use crate::Editor;
use crate::state::{State, Touched};

const RUN: &str = "0c9f1f8e-0000-4000-8000-000000000001";

/// The temporary files of the first and of the seventh change.
const FIRST: &str = ".vault-gw-0c9f1f8e-0000-4000-8000-000000000001-0.tmp";
const SEVENTH: &str = ".vault-gw-0c9f1f8e-0000-4000-8000-000000000001-6.tmp";

const FILES: [(&str, &str); 6] = [
    ("a.md", "[[c]]\r\n"),
    ("sub/b.md", "[[c]]"),
    ("sub/c.md", "the note"),
    ("d.md", "unwanted"),
    ("f.md", "for the trash"),
    ("old/placeholder.md", "makes the folder"),
];

/// A vault in which every kind of change can be made.
fn story() -> (tempfile::TempDir, Vault) {
    let (folder, mut vault) = vault(&FILES);
    fs_err::remove_file(vault.root().join("old/placeholder.md")).unwrap();
    for (name, mode) in [("sub/b.md", 0o640), ("d.md", 0o600), ("a.md", 0o644)] {
        let mode = std::fs::Permissions::from_mode(mode);
        fs_err::set_permissions(vault.root().join(name), mode).unwrap();
    }
    vault.umask = 0o027;
    (folder, vault)
}

fn create(name: &str, after: &[u8]) -> Change {
    Change::Create {
        path: path(name),
        after: after.to_vec(),
    }
}

fn modify(name: &str, before: &str, after: &str) -> Change {
    Change::Modify {
        path: path(name),
        before: before.into(),
        after: after.into(),
    }
}

fn relocate(from: &str, to: &str, text: &[u8]) -> Change {
    Change::Move {
        from: path(from),
        to: path(to),
        version: Version::from_bytes(text),
    }
}

fn remove(name: &str, text: &[u8]) -> Change {
    Change::Remove {
        path: path(name),
        version: Version::from_bytes(text),
    }
}

/// Names of temporary files of the engine.
fn leftovers(vault: &Vault) -> Vec<String> {
    let names = picture(vault.root()).into_keys();
    names.filter(|name| name.contains(".vault-gw-")).collect()
}

fn changes() -> Vec<Change> {
    vec![
        modify("a.md", "[[c]]\r\n", "[[new/c]]\r\n"),
        Change::MakeFolder { path: path("new") },
        create("new/n.md", b"caf\xe9"),
        relocate("sub/c.md", "new/c.md", b"the note"),
        modify("new/c.md", "the note", "the moved note"),
        modify("sub/b.md", "[[c]]", "[[new/c]]"),
        remove("d.md", b"unwanted"),
        Change::MakeFolder {
            path: path(".trash"),
        },
        relocate("f.md", ".trash/f.md", b"for the trash"),
        Change::RemoveFolder { path: path("old") },
    ]
}

fn all_as_planned(touched: &[Touched], vault: &Vault) -> bool {
    let is_after = |place: &Touched| Editor(vault).state_at(&place.path).unwrap() == place.after;
    touched.iter().all(is_after)
}

fn write(vault: &Vault, name: &str, text: &str) {
    fs_err::write(vault.root().join(name), text).unwrap();
}

#[test]
fn every_change_is_made_and_nothing_else() {
    let (_folder, vault) = story();
    let touched = Editor(&vault).touched(&changes()).unwrap();
    assert_eq!(touched.len(), 11);
    assert!(!all_as_planned(&touched, &vault));
    Editor(&vault).apply(&changes(), RUN).unwrap();
    assert!(all_as_planned(&touched, &vault));
    let after = picture(vault.root());
    let expected = [
        (".trash", 0o750, "a folder"),
        (".trash/f.md", after["a.md"].0, "for the trash"),
        ("a.md", 0o644, r"[[new/c]]\r\n"),
        ("new", 0o750, "a folder"),
        ("new/c.md", after["a.md"].0, "the moved note"),
        ("new/n.md", 0o640, r"caf\xe9"),
        ("sub", after["sub"].0, "a folder"),
        ("sub/b.md", 0o640, "[[new/c]]"),
    ];
    let expected = expected.map(|(name, mode, text)| (name.to_owned(), (mode, text.to_owned())));
    assert_eq!(after, expected.into());
}

/// Makes each step fail in turn, until there is no step with that number. Steps in `unsupported`
/// always fail as unsupported.
fn fail_each_step(error: Errno, unsupported: &'static [&'static str]) {
    for at in 0.. {
        let (_folder, vault) = story();
        let before = picture(vault.root());
        let failpoints = Act::new(move |number, step: &Step| {
            if unsupported.contains(&step.call) {
                Err(io::ErrorKind::Unsupported.into())
            } else if number == at {
                Err(error.into())
            } else {
                Ok(())
            }
        });
        let vault =
            vault.with_failpoints(Arc::clone(&failpoints) as Arc<dyn vault_files::Failpoints>);
        let touched = Editor(&vault).touched(&changes()).unwrap();
        let outcome = Editor(&vault).apply(&changes(), RUN);
        let after = picture(vault.root());
        assert_eq!(leftovers(&vault), [""; 0], "step {at}");
        match outcome {
            Ok(_) => assert!(all_as_planned(&touched, &vault), "step {at}"),
            Err(EngineError::Write { path, source }) => {
                // Errors must not name temporary files, which no caller knows.
                assert!(!path.as_str().contains(".vault-gw-"), "step {at}: {path}");
                assert_eq!(after, before, "step {at}");
                assert_eq!(source.raw_os_error(), Some(error.raw_os_error()));
            }
            Err(other) => panic!("step {at}: {other}"),
        }
        if failpoints.steps() <= at {
            assert!(at > 30, "the story has {at} steps only");
            return;
        }
    }
}

#[test]
fn h08_whichever_step_finds_the_disk_full_nothing_has_changed() {
    fail_each_step(Errno::NOSPC, &[]);
}

#[test]
fn h08_whichever_step_is_not_permitted_nothing_has_changed() {
    fail_each_step(Errno::ACCESS, &[]);
}

#[test]
fn a_file_system_without_exchanging_loses_nothing_either() {
    fail_each_step(Errno::NOSPC, &["exchange"]);
    fail_each_step(Errno::NOSPC, &["exchange", "link"]);
}

#[test]
fn a_disk_that_stays_full_takes_back_what_needs_no_room() {
    let (_folder, vault) = story();
    let before = picture(vault.root());
    let vault = vault.with_failpoints(Act::new(|number, step: &Step| {
        let needs_room = matches!(step.call, "open-create" | "write" | "mkdir" | "fsync");
        if number > 18 && needs_room {
            return Err(Errno::NOSPC.into());
        }
        Ok(())
    }));
    let error = Editor(&vault).apply(&changes(), RUN).unwrap_err();
    assert!(matches!(error, EngineError::Write { .. }), "{error}");
    assert_eq!(picture(vault.root()), before);
}

#[test]
fn steps_that_cannot_be_rolled_back_are_reported() {
    static EXCHANGED: AtomicBool = AtomicBool::new(false);
    let (_folder, vault) = story();
    let vault = vault.with_failpoints(Act::new(|_, step: &Step| match step.path.as_str() {
        "sub/b.md" => Err(Errno::IO.into()),
        // The first exchange succeeds, the exchange that undoes it fails.
        "a.md" if EXCHANGED.swap(true, Ordering::SeqCst) => Err(Errno::IO.into()),
        _ => Ok(()),
    }));
    let touched = Editor(&vault).touched(&changes()).unwrap();
    let error = Editor(&vault).apply(&changes(), RUN).unwrap_err();
    assert!(
        matches!(&error, EngineError::HalfDone { path, .. } if path.as_str() == "a.md"),
        "{error}"
    );
    // Everything else is unchanged, and recovery finds the rest.
    for place in &touched {
        let now = Editor(&vault).state_at(&place.path).unwrap();
        let is_stuck = place.path.as_str() == "a.md";
        assert_eq!(now, if is_stuck { place.after } else { place.before });
    }
    assert_eq!(Editor(&vault).remove_leftovers(RUN, &touched).unwrap(), []);
    assert_eq!(leftovers(&vault), [""; 0]);
}

#[test]
fn other_ways_to_take_a_free_place_spare_what_is_there() {
    let free = || create("x.md", b"ours");
    let relocation = || relocate("d.md", "x.md", b"unwanted");
    let first_rename_of = |links: bool| {
        let renames = std::sync::atomic::AtomicUsize::new(0);
        Act::new(move |_, step: &Step| match step.call {
            "rename" if step.path != FIRST && renames.fetch_add(1, Ordering::SeqCst) == 0 => {
                Err(io::ErrorKind::Unsupported.into())
            }
            "link" if !links => Err(io::ErrorKind::Unsupported.into()),
            _ => Ok(()),
        })
    };
    for links in [true, false] {
        for change in [free(), relocation()] {
            for is_taken in [false, true] {
                let (_folder, vault) = story();
                if is_taken {
                    write(&vault, "x.md", "theirs");
                }
                let before = picture(vault.root());
                let vault = vault.with_failpoints(first_rename_of(links));
                let outcome = Editor(&vault).apply(std::slice::from_ref(&change), RUN);
                let after = picture(vault.root());
                if is_taken {
                    assert!(matches!(outcome, Err(EngineError::Changed { .. })));
                    assert_eq!(after, before);
                } else {
                    outcome.unwrap();
                    let moved = matches!(change, Change::Move { .. });
                    assert_eq!(after["x.md"].1, if moved { "unwanted" } else { "ours" });
                    assert_eq!(after.len(), before.len() + usize::from(!moved));
                    let metadata = vault.root().join("x.md").metadata().unwrap();
                    assert_eq!(metadata.nlink(), 1);
                }
            }
        }
    }
}

/// Without such a rename the engine links the file, renames it to a temporary name and removes that. If that name
/// cannot be removed, it gets the old name again and the new one is removed; if that fails too, the error says that
/// both exist.
#[test]
fn a_link_that_keeps_its_old_name_is_rolled_back_or_reported() {
    for is_stuck in [false, true] {
        let (_folder, vault) = story();
        let before = picture(vault.root());
        let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
            match (step.call, step.path.as_str()) {
                ("rename", "x.md") => Err(io::ErrorKind::Unsupported.into()),
                ("unlink", FIRST) => Err(io::ErrorKind::PermissionDenied.into()),
                ("unlink", "x.md") if is_stuck => Err(io::ErrorKind::PermissionDenied.into()),
                _ => Ok(()),
            }
        }));
        let relocation = relocate("d.md", "x.md", b"unwanted");
        let error = Editor(&vault).apply(&[relocation], RUN).unwrap_err();
        let names = |error: &EngineError| match error {
            EngineError::HalfDone { path, .. } => path.to_string(),
            _ => String::new(),
        };
        assert_eq!(names(&error), if is_stuck { "x.md" } else { "" }, "{error}");
        let is_as_before = picture(vault.root()) == before;
        assert_eq!(is_as_before, !is_stuck);
        assert_eq!(vault.root().join("x.md").exists(), is_stuck);
    }
}

/// Each save replaces the file, as most editors that do not save in place do it.
#[test]
fn h15_the_last_of_several_saves_during_one_change_is_kept() {
    // A file system with an exchange, and one with hard links only.
    for call in ["exchange", "link"] {
        for saves in 1..=100 {
            let (_folder, vault, change) = settled_note();
            let root = vault.root().to_owned();
            let saved = AtomicUsize::new(0);
            let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
                if step.call == call && saved.load(Ordering::SeqCst) < saves {
                    let number = saved.fetch_add(1, Ordering::SeqCst) + 1;
                    fs_err::write(root.join("saving"), format!("save {number}"))?;
                    fs_err::rename(root.join("saving"), root.join("a.md"))?;
                }
                if step.call == "exchange" && call == "link" {
                    return Err(io::ErrorKind::Unsupported.into());
                }
                Ok(())
            }));
            let changes = [change];
            let touched = Editor(&vault).touched(&changes).unwrap();
            let error = Editor(&vault).apply(&changes, RUN).unwrap_err();
            let now = picture(vault.root());
            if matches!(error, EngineError::Changed { .. }) {
                assert_eq!(now["a.md"].1, format!("save {saves}"), "{call}");
                assert_eq!(now.len(), 1, "{call} {saves}: {now:?}");
                continue;
            }
            // The other program never stops: its last save is a temporary file, which recovery keeps.
            assert!(matches!(error, EngineError::HalfDone { .. }), "{error}");
            assert!(saves > 20);
            let kept = Editor(&vault).remove_leftovers(RUN, &touched).unwrap();
            let mut texts = kept.iter().map(|path| now[path.as_str()].1.as_str());
            assert!(
                texts.any(|text| text == format!("save {}", saves.min(22))),
                "{now:?}"
            );
            break;
        }
    }
}

/// A file system has no rename that fails if the new name is taken.
#[test]
fn a_save_while_a_file_is_moved_or_removed_without_such_a_rename_is_kept() {
    let relocation = || relocate("d.md", "x.md", b"unwanted");
    let removal = || remove("d.md", b"unwanted");
    for (change, at, is_made) in [
        (relocation(), ("link", "x.md"), false),
        (relocation(), ("rename", FIRST), false),
        (relocation(), ("unlink", FIRST), true),
        (removal(), ("rename", FIRST), false),
        (removal(), ("unlink", FIRST), true),
    ] {
        let (_folder, vault) = story();
        let mut before = picture(vault.root());
        let root = vault.root().to_owned();
        let is_removal = matches!(change, Change::Remove { .. });
        let is_tried = AtomicBool::new(!is_removal);
        let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
            let call = (step.call, step.path.as_str());
            if call == ("rename", "x.md")
                || call.0 == "rename" && !is_tried.swap(true, Ordering::SeqCst)
            {
                return Err(io::ErrorKind::Unsupported.into());
            }
            if call == at {
                fs_err::write(root.join("saving"), "theirs")?;
                fs_err::rename(root.join("saving"), root.join("d.md"))?;
            }
            Ok(())
        }));
        let outcome = Editor(&vault).apply(&[change], RUN);
        assert_eq!(outcome.is_ok(), is_made, "{at:?}: {outcome:?}");
        let now = picture(vault.root());
        assert_eq!(now["d.md"].1, "theirs", "{at:?}");
        before.insert("d.md".to_owned(), now["d.md"].clone());
        if is_made && !is_removal {
            before.insert("x.md".to_owned(), now["x.md"].clone());
        }
        assert_eq!(now, before, "{at:?}");
    }
}

#[test]
fn what_another_program_writes_meanwhile_is_never_overwritten() {
    // The file that the other program writes, and before which of our calls.
    for (name, call, at) in [
        ("a.md", "open-create", FIRST),
        ("a.md", "exchange", "a.md"),
        ("sub/b.md", "exchange", "sub/b.md"),
        ("new/n.md", "rename", "new/n.md"),
        ("sub/c.md", "rename", "new/c.md"),
        ("new/c.md", "rename", "new/c.md"),
        ("new/c.md", "exchange", "new/c.md"),
        ("d.md", "rename", SEVENTH),
        (".trash/f.md", "rename", ".trash/f.md"),
        ("old/x.md", "rmdir", "old"),
        ("a.md", "rmdir", "old"),
    ] {
        let (_folder, vault) = story();
        let root = vault.root().to_owned();
        let before = picture(&root);
        let is_written = AtomicBool::new(false);
        let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
            if (step.call, step.path.as_str()) == (call, at)
                && !is_written.swap(true, Ordering::SeqCst)
            {
                let meanwhile = io::Error::other("written");
                fs_err::write(root.join(name), "theirs").map_err(|_| meanwhile)?;
            }
            Ok(())
        }));
        let outcome = Editor(&vault).apply(&changes(), RUN);
        let now = picture(vault.root());
        let theirs: Vec<&str> = now
            .iter()
            .filter(|(_, (_, content))| content == "theirs")
            .map(|(name, _)| name.as_str())
            .collect();
        if (name, call) == ("a.md", "rmdir") {
            // Written after our own change, so nothing here notices, and the other program's text
            // stays.
            outcome.unwrap();
            assert_eq!(theirs, ["a.md"]);
            continue;
        }
        // A file that another program made in a place that the edit has left goes back with the
        // note.
        let expected = if (name, call) == ("new/c.md", "exchange") {
            "sub/c.md"
        } else {
            name
        };
        assert_eq!(theirs, [expected], "{name} at {call} of {at}: {now:?}");
        let error = outcome.unwrap_err();
        let is_reported = matches!(error, EngineError::Changed { .. });
        assert!(is_reported, "{name} at {call} of {at}: {error}");
        for (other, content) in &before {
            if other != expected {
                assert_eq!(Some(content), now.get(other), "{name} at {call} of {at}");
            }
        }
        assert_eq!(leftovers(&vault), [""; 0], "{name} at {call} of {at}");
    }
}

#[test]
fn what_is_written_while_an_edit_is_taken_back_is_kept() {
    let (_folder, vault) = story();
    let mut before = picture(vault.root());
    let root = vault.root().to_owned();
    let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
        if (step.call, step.path.as_str()) == ("rmdir", "old") {
            // Our version of `a.md` is already in place; the edit must then fail.
            for name in ["a.md", "old/x.md"] {
                fs_err::write(root.join(name), "theirs").map_err(io::Error::other)?;
            }
        }
        Ok(())
    }));
    let touched = Editor(&vault).touched(&changes()).unwrap();
    let error = Editor(&vault).apply(&changes(), RUN).unwrap_err();
    assert!(
        matches!(&error, EngineError::Changed { path } if path.as_str() == "old"),
        "{error}"
    );
    // Everything is as before, except for what the other program has written.
    let now = picture(vault.root());
    assert_eq!(now["a.md"].1, "theirs");
    before.insert("a.md".to_owned(), now["a.md"].clone());
    before.insert("old/x.md".to_owned(), now["old/x.md"].clone());
    assert_eq!(now, before);
    assert_eq!(Editor(&vault).remove_leftovers(RUN, &touched).unwrap(), []);
}

/// Another program moves a folder between the last check and the end of the edit.
#[test]
fn what_was_replaced_in_a_folder_that_is_moved_away_is_removed() {
    let (_folder, vault) = story();
    let root = vault.root().to_owned();
    let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
        if step.call == "unlink" && root.join("sub").exists() {
            fs_err::rename(root.join("sub"), root.join("moved"))?;
        }
        Ok(())
    }));
    Editor(&vault).apply(&changes(), RUN).unwrap();
    let names = picture(vault.root());
    assert!(names.contains_key("moved/b.md"));
    assert_eq!(leftovers(&vault), [""; 0]);
}

#[test]
fn a_replaced_file_that_cannot_be_removed_is_reported() {
    let (_folder, vault, change) = settled_note();
    let vault = vault.with_failpoints(Act::new(|_, step: &Step| match step.call {
        "unlink" => Err(Errno::ACCESS.into()),
        _ => Ok(()),
    }));
    let left = Editor(&vault).apply(&[change], RUN).unwrap();
    assert_eq!(left, [path(FIRST)]);
    assert_eq!(picture(vault.root())["a.md"].1, "before and more");
}

#[test]
fn a_version_that_nobody_else_has_is_not_removed_as_a_leftover() {
    let (_folder, vault) = story();
    let changes = &changes()[..1];
    let touched = Editor(&vault).touched(changes).unwrap();
    let name = format!(".vault-gw-{RUN}-0.tmp");
    // Killed after the exchange with a version that another program had just written.
    write(&vault, "a.md", "[[new/c]]\r\n");
    write(&vault, &name, "theirs");
    write(&vault, ".vault-gw-other-0.tmp", "another run's");
    let kept = Editor(&vault).remove_leftovers(RUN, &touched).unwrap();
    assert_eq!(kept, [path(&name)]);
    assert_eq!(picture(vault.root())[&name].1, "theirs");
    // The same, and then the other program edited or removed the note.
    for now in [Some("edited"), None] {
        fs_err::remove_file(vault.root().join("a.md")).unwrap();
        if let Some(text) = now {
            write(&vault, "a.md", text);
        }
        let kept = Editor(&vault).remove_leftovers(RUN, &touched).unwrap();
        assert_eq!(kept, [path(&name)], "{now:?}");
    }
    // Killed while the temporary file was written, whatever the note has now.
    let part = format!(".vault-gw-{RUN}-0.part.tmp");
    fs_err::remove_file(vault.root().join(&name)).unwrap();
    for now in ["edited", "[[c]]\r\n"] {
        write(&vault, "a.md", now);
        write(&vault, &part, "[[ne");
        assert_eq!(Editor(&vault).remove_leftovers(RUN, &touched).unwrap(), []);
        assert!(!picture(vault.root()).contains_key(&part), "{now}");
    }
    let names = picture(vault.root());
    assert!(!names.contains_key(&name) && names.contains_key(".vault-gw-other-0.tmp"));
    // The same in a folder that was moved since.
    fs_err::create_dir(vault.root().join("moved")).unwrap();
    let moved = format!("moved/{name}");
    for (note, leftover, is_kept) in [
        ("[[new/c]]\r\n", "theirs", true),
        ("[[c]]\r\n", "theirs", true),
        ("[[new/c]]\r\n", "[[c]]\r\n", false),
    ] {
        write(&vault, "moved/a.md", note);
        write(&vault, &moved, leftover);
        let kept = Editor(&vault).remove_leftovers(RUN, &touched).unwrap();
        assert_eq!(kept == [path(&moved)], is_kept, "{note} {leftover}");
        assert_eq!(picture(vault.root()).contains_key(&moved), is_kept);
    }
    for run in ["", "../x", "a/b", "é"] {
        let refused = Editor(&vault).remove_leftovers(run, &touched);
        assert!(matches!(refused, Err(EngineError::Path { .. })), "{run}");
        let refused = Editor(&vault).apply(changes, run);
        assert!(matches!(refused, Err(EngineError::Path { .. })), "{run}");
    }
}

#[test]
fn d03_nothing_is_written_through_a_symlink() {
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("a.md"), "outside").unwrap();
    for (from, to) in [
        ("folder", outside.path().to_owned()),
        ("a.md", outside.path().join("a.md")),
    ] {
        let (_folder, vault) = vault(&[("b.md", "b")]);
        symlink(&to, vault.root().join(from)).unwrap();
        let before = picture(vault.root());
        let target = if from == "a.md" {
            "a.md"
        } else {
            "folder/a.md"
        };
        let changes = [
            create(target, b"x"),
            modify(target, "outside", "x"),
            remove(target, b"outside"),
            Change::MakeFolder { path: path(target) },
            Change::RemoveFolder { path: path(target) },
            relocate("b.md", target, b"b"),
            relocate(target, "c.md", b"outside"),
        ];
        for change in changes {
            let error = Editor(&vault)
                .apply(std::slice::from_ref(&change), RUN)
                .unwrap_err();
            let refused = matches!(
                error,
                EngineError::Symlink { .. } | EngineError::Changed { .. }
            );
            assert!(refused, "{change:?}: {error}");
            assert_eq!(picture(vault.root()), before, "{change:?}");
            let text = fs_err::read_to_string(outside.path().join("a.md")).unwrap();
            assert_eq!(text, "outside", "{change:?}");
            assert_eq!(fs_err::read_dir(outside.path()).unwrap().count(), 1);
        }
    }
}

#[test]
fn d08_another_spelling_of_a_name_is_the_same_file() {
    let (_folder, vault) = vault(&[("e\u{301}.md", "old")]);
    let create = create("\u{e9}.md", b"x");
    let taken = Editor(&vault).apply(&[create], RUN).unwrap_err();
    assert!(matches!(taken, EngineError::Changed { .. }), "{taken}");
    let modify = modify("\u{e9}.md", "old", "new");
    Editor(&vault).apply(&[modify], RUN).unwrap();
    let now = picture(vault.root());
    let now: Vec<_> = now
        .into_iter()
        .map(|(name, (_, text))| (name, text))
        .collect();
    assert_eq!(now, [("e\u{301}.md".to_owned(), "new".to_owned())]);
}

#[test]
fn a_second_name_of_the_same_file_is_not_its_other_spelling() {
    let (_folder, vault) = vault(&[("note.md", "x")]);
    let [one, other] = ["note.md", "Note.md"].map(|name| vault.root().join(name));
    fs_err::hard_link(one, other).unwrap();
    let before = picture(vault.root());
    let change = relocate("note.md", "Note.md", b"x");
    let taken = Editor(&vault).apply(&[change], RUN).unwrap_err();
    assert!(matches!(taken, EngineError::Changed { .. }), "{taken}");
    assert_eq!(picture(vault.root()), before);
}

#[test]
fn a_change_made_for_another_version_is_not_made() {
    let (_folder, vault) = story();
    let before = picture(vault.root());
    for change in [
        modify("a.md", "other", "x"),
        modify("none.md", "", "x"),
        modify("sub", "", "x"),
        create("d.md", b"unwanted"),
        create("none/d.md", b"x"),
        Change::MakeFolder { path: path("sub") },
        Change::RemoveFolder { path: path("sub") },
        Change::RemoveFolder { path: path("none") },
        remove("d.md", b"other"),
        remove("none.md", b""),
        relocate("d.md", "x.md", b"other"),
        relocate("d.md", "a.md", b"unwanted"),
    ] {
        // The same after a change that would succeed.
        let first = changes().swap_remove(5);
        let error = Editor(&vault)
            .apply(&[first, change.clone()], RUN)
            .unwrap_err();
        let is_reported = matches!(error, EngineError::Changed { .. });
        assert!(is_reported, "{change:?}: {error}");
        assert_eq!(picture(vault.root()), before, "{change:?}");
    }
}

#[test]
fn a_note_is_on_the_disk_before_it_takes_its_place() {
    let (_folder, vault) = story();
    let failpoints = Arc::new(Remember::default());
    let vault = vault.with_failpoints(Arc::clone(&failpoints) as Arc<dyn vault_files::Failpoints>);
    Editor(&vault).apply(&changes()[..1], RUN).unwrap();
    let steps = failpoints.0.lock().unwrap();
    let calls: Vec<&str> = steps.iter().map(|step| step.call).collect();
    assert_eq!(
        calls.join(" "),
        "open-create write chmod fsync rename exchange fsync unlink"
    );
    assert_eq!(steps[5].path.as_str(), "a.md");
    assert_eq!(steps[6].path.as_str(), "/");
}

#[test]
fn a_modified_note_keeps_its_permissions_whatever_the_umask() {
    for mode in [0o600, 0o644, 0o664, 0o755] {
        let (_folder, vault) = story();
        let file = vault.root().join("a.md");
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        Editor(&vault).apply(&changes()[..1], RUN).unwrap();
        assert_eq!(picture(vault.root())["a.md"].0, mode);
    }
}

#[test]
fn a_note_that_may_not_be_written_to_is_not_replaced_either() {
    let (_folder, vault) = story();
    let file = vault.root().join("a.md");
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let before = picture(vault.root());
    let done = Editor(&vault).apply(&changes()[..1], RUN);
    // The superuser can open everything.
    if rustix::process::geteuid().is_root() {
        done.unwrap();
        assert_eq!(picture(vault.root())["a.md"].0, 0o444);
        return;
    }
    match done.unwrap_err() {
        EngineError::Write { path, source } => {
            assert_eq!(path.as_str(), "a.md");
            assert_eq!(source.kind(), io::ErrorKind::PermissionDenied);
        }
        other => panic!("{other}"),
    }
    assert_eq!(picture(vault.root()), before);
}

/// The process that is killed. The test below starts it with the number of the step at which it
/// dies.
#[test]
#[expect(clippy::disallowed_methods, reason = "told by its parent, a test")]
fn the_process_that_is_killed() {
    let (Ok(root), Ok(at)) = (std::env::var("EDIT_ROOT"), std::env::var("EDIT_KILL_AT")) else {
        return;
    };
    let at: usize = at.parse().unwrap();
    let failpoints = Act::new(move |number, _: &Step| {
        if number == at {
            kill_process(getpid(), Signal::KILL)?;
        }
        Ok(())
    });
    let mut vault = Vault::open(Path::new(&root)).unwrap();
    vault.umask = 0o027;
    Editor(&vault.with_failpoints(failpoints))
        .apply(&changes(), RUN)
        .unwrap();
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a process of this test, to be killed"
)]
fn h11_killed_at_any_step_each_file_is_old_or_new() {
    for at in 0.. {
        let (_folder, vault) = story();
        let touched = Editor(&vault).touched(&changes()).unwrap();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "apply::tests::the_process_that_is_killed"])
            .env("EDIT_ROOT", vault.root())
            .env("EDIT_KILL_AT", at.to_string())
            .output()
            .unwrap();
        let kept = Editor(&vault).remove_leftovers(RUN, &touched).unwrap();
        assert_eq!(kept, [], "step {at}");
        assert_eq!(leftovers(&vault), [""; 0], "step {at}");
        if output.status.success() {
            assert!(all_as_planned(&touched, &vault));
            assert!(at > 30, "the story has {at} steps only");
            return;
        }
        for place in &touched {
            let state = Editor(&vault).state_at(&place.path).unwrap();
            let between = place.path.as_str() == "new/c.md"
                && state.version() == Some(Version::from_bytes(b"the note"));
            let is_one = state == place.before || state == place.after || between;
            // A folder gets its permissions shortly after it is made.
            let is_folder = state == State::Folder;
            let name = &place.path;
            assert!(is_one || is_folder, "step {at}: {name} is {state:?}");
        }
    }
}

#[test]
fn many_files_at_once_are_changed_all_or_not_at_all() {
    let name = |number: usize| format!("f{}/n{number}.md", number % 7);
    let (_folder, vault) = vault(&[]);
    let mut changes = Vec::new();
    for number in 0..60 {
        let name = name(number);
        fs_err::create_dir_all(vault.root().join(&name).parent().unwrap()).unwrap();
        write(&vault, &name, "old");
        changes.push(modify(&name, "old", "new"));
    }
    let before = picture(vault.root());
    let mut vault = vault;
    for at in [0, 1, 17, 100, 299, 300, 330, 359, 362, 366] {
        vault = vault.with_failpoints(Act::new(move |number, _: &Step| {
            if number == at {
                Err(Errno::NOSPC.into())
            } else {
                Ok(())
            }
        }));
        let error = Editor(&vault).apply(&changes, RUN).unwrap_err();
        let is_reported = matches!(error, EngineError::Write { .. });
        assert!(is_reported, "step {at}: {error}");
        assert_eq!(picture(vault.root()), before, "step {at}");
    }
    let failpoints = Arc::new(Remember::default());
    let vault = vault.with_failpoints(Arc::clone(&failpoints) as Arc<dyn vault_files::Failpoints>);
    Editor(&vault).apply(&changes, RUN).unwrap();
    let after = picture(vault.root());
    let mut texts = after.values().map(|(_, text)| text);
    assert!(texts.all(|text| text == "new" || text == "a folder"));
    assert_eq!(after.len(), before.len());
    // Every content is on the disk before the first of them takes its place.
    let steps = failpoints.0.lock().unwrap();
    let calls: Vec<&str> = steps.iter().map(|step| step.call).collect();
    let exchanged = calls.iter().position(|call| *call == "exchange").unwrap();
    assert_eq!(calls[exchanged..exchanged + 60], ["exchange"; 60]);
    let waited = calls[..exchanged].iter().filter(|call| **call == "fsync");
    assert_eq!(waited.count(), 60);
}

/// One change of a note whose age rules out that another program is writing it.
fn settled_note() -> (tempfile::TempDir, Vault, Change) {
    let (folder, vault) = vault(&[("a.md", "before")]);
    age(&vault.root().join("a.md"));
    let change = modify("a.md", "before", "before and more");
    (folder, vault, change)
}

/// Makes a file look unchanged for a minute.
fn age(file: &Path) {
    let minute = std::time::Duration::from_secs(60);
    let file = fs_err::OpenOptions::new().append(true).open(file).unwrap();
    let now = std::time::SystemTime::now();
    file.file().set_modified(now - minute).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn h15_what_is_written_through_a_descriptor_from_before_the_swap_is_in_the_note() {
    use std::io::Write as _;
    for truncates in [false, true] {
        let (_folder, vault, change) = settled_note();
        let mut saver = fs_err::OpenOptions::new()
            .write(true)
            .append(!truncates)
            .open(vault.root().join("a.md"))
            .unwrap();
        let error = Editor(&vault)
            .apply(std::slice::from_ref(&change), RUN)
            .unwrap_err();
        assert!(matches!(error, EngineError::BeingWritten { .. }), "{error}");
        if truncates {
            saver.set_len(0).unwrap();
        }
        saver.write_all(b" theirs").unwrap();
        drop(saver);
        let text = fs_err::read_to_string(vault.root().join("a.md")).unwrap();
        let kept = if truncates { "" } else { "before" };
        assert_eq!(text, format!("{kept} theirs"));
        assert_eq!(picture(vault.root()).len(), 1, "no temporary file is left");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn h15_whoever_opens_the_note_right_before_the_swap_keeps_what_it_writes() {
    use std::io::Write as _;
    use std::sync::Mutex;
    for (removes, writes_at_once) in [(false, false), (false, true), (true, false), (true, true)] {
        let (_folder, vault, change) = settled_note();
        let change = if removes {
            remove("a.md", b"before")
        } else {
            change
        };
        let note = vault.root().join("a.md");
        let saver = Arc::new(Mutex::new(None));
        let (opened, file) = (Arc::clone(&saver), note.clone());
        let failpoints = Act::new(move |_, step: &Step| {
            let mut saver = opened.lock().unwrap();
            let is_swap = step.call == "exchange" || (removes && step.call == "rename");
            if is_swap && saver.is_none() {
                let mut open = fs_err::OpenOptions::new().append(true).open(&file).unwrap();
                if writes_at_once {
                    open.write_all(b" theirs").unwrap();
                }
                *saver = Some(open);
            }
            Ok(())
        });
        let vault = vault.with_failpoints(failpoints);
        let error = Editor(&vault).apply(&[change], RUN).unwrap_err();
        let is_reported = matches!(
            error,
            EngineError::BeingWritten { .. } | EngineError::Changed { .. }
        );
        assert!(is_reported, "{error}");
        let mut open = saver.lock().unwrap().take().unwrap();
        if !writes_at_once {
            open.write_all(b" theirs").unwrap();
        }
        drop(open);
        assert_eq!(fs_err::read_to_string(&note).unwrap(), "before theirs");
        assert_eq!(picture(vault.root()).len(), 1, "no temporary file is left");
    }
}

/// A look reads what every process has open, so one for each note would make the undo of a long run slow.
#[cfg(target_os = "linux")]
#[test]
fn h15_other_writers_are_looked_up_once_for_all_notes_that_were_just_written() {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::time::{Duration, SystemTime};
    use vault_files::disk::{files_open_for_writing, look_for_writers_with};
    static LOOKS: Mutex<Vec<BTreeSet<(u64, u64)>>> = Mutex::new(Vec::new());
    look_for_writers_with(Box::new(|files| {
        LOOKS.lock().unwrap().push(files.clone());
        files_open_for_writing(files)
    }));
    let names = ["a.md", "b.md", "c.md", "d.md"];
    let (_folder, vault) = vault(&names.map(|name| (name, "before")));
    let mut own = BTreeSet::new();
    for name in names {
        let note = fs_err::File::options()
            .append(true)
            .open(vault.root().join(name));
        let note = note.unwrap();
        // In the future, so that it counts as just changed however slow this machine is.
        let ahead = SystemTime::now() + Duration::from_secs(60);
        note.file().set_modified(ahead).unwrap();
        let metadata = note.metadata().unwrap();
        own.insert((metadata.dev(), metadata.ino()));
    }
    let changes = names.map(|name| modify(name, "before", "after"));
    Editor(&vault).apply(&changes, RUN).unwrap();
    let looks = LOOKS.lock().unwrap();
    let about = looks.iter().filter(|files| !files.is_disjoint(&own));
    // Before the notes are replaced, and before the replaced files are removed.
    assert_eq!(about.collect::<Vec<_>>(), [&own, &own]);
    drop(looks);

    // Another program saved a note right before it was replaced. No look comes before it has its place again: until
    // then a program would read a text without that save.
    let (_folder, vault, change) = settled_note();
    let note = vault.root().join("a.md");
    let (exchanges, early) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let (before, is_early) = (AtomicUsize::new(0), Arc::clone(&early));
    let vault = vault.with_failpoints(Act::new(move |_, step: &Step| {
        if step.call != "exchange" {
            return Ok(());
        }
        let looks = LOOKS.lock().unwrap();
        if exchanges.fetch_add(1, Ordering::SeqCst) == 0 {
            before.store(looks.len(), Ordering::SeqCst);
            fs_err::write(note.with_file_name("saving"), "theirs")?;
            return fs_err::rename(note.with_file_name("saving"), &note);
        }
        let metadata = note.metadata()?;
        let new = (metadata.dev(), metadata.ino());
        let mut looks = looks.iter().skip(before.load(Ordering::SeqCst));
        is_early.fetch_or(looks.any(|files| files.contains(&new)), Ordering::SeqCst);
        Ok(())
    }));
    let error = Editor(&vault).apply(&[change], RUN).unwrap_err();
    assert!(matches!(error, EngineError::Changed { .. }), "{error}");
    assert!(!early.load(Ordering::SeqCst));
    assert_eq!(picture(vault.root())["a.md"].1, "theirs");
}

/// A program that saves by emptying the note, closing it, and then writing it.
#[test]
fn h15_a_note_that_was_emptied_just_now_is_waited_for() {
    let (_folder, vault, _) = settled_note();
    let note = vault.root().join("a.md");
    let emptied = fs_err::OpenOptions::new().write(true).open(&note).unwrap();
    emptied.set_len(0).unwrap();
    // In the future, so that it counts as just changed however slow this machine is.
    let modified = emptied.metadata().unwrap().modified().unwrap();
    let ahead = modified + std::time::Duration::from_secs(60);
    emptied.file().set_modified(ahead).unwrap();
    drop(emptied);
    let change = modify("a.md", "", "mine");
    let error = Editor(&vault)
        .apply(std::slice::from_ref(&change), RUN)
        .unwrap_err();
    assert!(matches!(error, EngineError::BeingWritten { .. }), "{error}");
    assert_eq!(fs_err::read_to_string(&note).unwrap(), "");
    age(&note);
    Editor(&vault).apply(&[change], RUN).unwrap();
    assert_eq!(fs_err::read_to_string(&note).unwrap(), "mine");
}

/// The edit keeps an attribute of the user, and an access list by which another user may read.
#[cfg(target_os = "linux")]
#[test]
fn h16_extended_attributes_and_access_lists_survive_a_write_and_its_undo() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let (_folder, vault, change) = settled_note();
    let note = vault.root().join("a.md");
    let entry = |tag: u16, permissions: u16, id: u32| {
        let parts = [tag.to_le_bytes(), permissions.to_le_bytes()].concat();
        [&parts[..], &id.to_le_bytes()].concat()
    };
    let nobody = u32::MAX;
    let list = [
        2_u32.to_le_bytes().to_vec(),
        entry(1, 6, nobody),
        entry(2, 4, 1234),
        entry(4, 0, nobody),
        entry(16, 4, nobody),
        entry(32, 0, nobody),
    ]
    .concat();
    let wanted = [
        ("user.colour", b"green".to_vec()),
        ("system.posix_acl_access", list),
    ];
    for (name, value) in &wanted {
        match setxattr(&note, *name, value, XattrFlags::empty()) {
            // The file system has no such attributes.
            Err(Errno::NOTSUP) => return,
            other => other.unwrap(),
        }
    }
    let has_all = || {
        for (name, value) in &wanted {
            let mut found = vec![0; 1024];
            let length = getxattr(&note, *name, &mut found[..]).unwrap();
            assert_eq!(&found[..length], value, "{name}");
        }
    };
    Editor(&vault).apply(&[change], RUN).unwrap();
    has_all();
    let back = modify("a.md", "before and more", "before");
    Editor(&vault).apply(&[back], RUN).unwrap();
    has_all();
    assert_eq!(fs_err::metadata(&note).unwrap().mode() & 0o777, 0o640);
}
