//! Undo and redo are those of an editor, and the text, the data, the list and the disk agree.

use std::collections::BTreeMap;

use seeded_random::Random;
use serde_json::json;
use uuid::Uuid;
use vault_gw::gateway::Gateway;
use vault_gw::records::journal::{RunKind, RunStanding};

use crate::support::{Outcome as _, World, request};

type Notes = BTreeMap<String, String>;

/// A change that was made, and the notes before and after it.
#[derive(Clone, Debug)]
struct Made {
    run: Uuid,
    command: &'static str,
    path: String,
    before: Notes,
    after: Notes,
}

/// An editor, whose history the gateway's should equal.
struct Editor {
    world: World,
    person: Gateway,
    notes: Notes,
    done: Vec<Made>,
    undone: Vec<Made>,
    changes: usize,
}

impl Editor {
    fn new() -> Self {
        let world = World::empty().set("backend = \"embedded\"\nallow_mutations = true");
        for name in ["a.md", "b.md"] {
            world.write(name, name);
        }
        let person = world.person();
        let mut editor = Self {
            world,
            person,
            notes: Notes::new(),
            done: Vec::new(),
            undone: Vec::new(),
            changes: 0,
        };
        editor.notes = editor.found();
        editor
    }

    fn found(&self) -> Notes {
        let files = fs_err::read_dir(&self.world.vault).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| !name.starts_with('.'))
            .map(|name| (self.world.read(&name), name))
            .map(|(text, name)| (name, text))
            .collect()
    }

    fn change(&mut self, random: &mut Random) {
        self.changes += 1;
        let content = format!("change {}", self.changes);
        let (command, path) = if random.once_in(3) {
            ("create", format!("new {}.md", self.changes))
        } else {
            let paths: Vec<&String> = self.notes.keys().collect();
            ("append", (*random.pick(&paths)).clone())
        };
        let params = [("path", path.as_str()), ("content", content.as_str())];
        let envelope = self.person.call(&request(command, &params)).succeeds();
        let after = self.found();
        let before = std::mem::replace(&mut self.notes, after);
        assert_ne!(before, self.notes);
        self.undone.clear();
        self.done.push(Made {
            run: envelope.run_id,
            command,
            path,
            before,
            after: self.notes.clone(),
        });
    }

    fn step(&mut self, is_undo: bool) {
        let go = |dry_run| {
            if is_undo {
                self.person.undo(None, dry_run)
            } else {
                self.person.redo(None, dry_run)
            }
        };
        let next = if is_undo { &self.done } else { &self.undone }
            .last()
            .cloned();
        let tried = go(true);
        assert_eq!(self.found(), self.notes, "a dry run changes nothing");
        let answered = go(false);
        let Some(made) = next else {
            for envelope in [&tried, &answered] {
                let text = String::from_utf8_lossy(&envelope.text);
                assert!(text.starts_with("There is nothing to "), "{envelope:?}");
                assert!(envelope.data.is_empty() && envelope.meta.changes.is_empty());
            }
            assert_eq!(self.found(), self.notes);
            return;
        };
        let (word, past, planned, path_change) = match (is_undo, made.command) {
            (true, "create") => ("undone", "Undid", "Would undo", ("removed", "remove")),
            (true, _) => ("undone", "Undid", "Would undo", ("reverted", "revert")),
            (false, "create") => ("redone", "Redid", "Would redo", ("restored", "restore")),
            (false, _) => ("redone", "Redid", "Would redo", ("changed", "change")),
        };
        for (envelope, what, change) in [
            (&answered, past, path_change.0),
            (&tried, planned, path_change.1),
        ] {
            let Made {
                run, command, path, ..
            } = &made;
            let message = format!("{what} run {run} ({command})\n  {change:<9} {path}\n");
            assert_eq!(String::from_utf8_lossy(&envelope.text), message);
            assert_eq!(envelope.command, if is_undo { "undo" } else { "redo" });
            assert_eq!(envelope.data.as_map()[word], json!(run));
            assert_eq!(envelope.data.as_map()["command"], *command);
            let files = json!([{ "path": path, "change": path_change.0 }]);
            assert_eq!(envelope.data.as_map()["files"], files);
        }
        if is_undo {
            self.notes.clone_from(&made.before);
            self.done.pop();
            self.undone.push(made);
        } else {
            self.notes.clone_from(&made.after);
            self.undone.pop();
            self.done.push(made);
        }
        assert_eq!(self.found(), self.notes);
    }

    /// The list says of each change whether it is in effect, and what each undo and redo is.
    fn check_list(&self) {
        let listing = self.person.journal().unwrap().entries().unwrap();
        assert_eq!(listing.warnings, []);
        for listed in &listing.entries {
            let entry = &listed.entry;
            match entry.kind() {
                RunKind::Change => {
                    let is_done = self.done.iter().any(|made| made.run == entry.run_id);
                    assert_eq!(listed.standing == RunStanding::Done, is_done);
                }
                RunKind::Undo => assert_eq!(entry.command, "undo"),
                RunKind::Redo => assert_eq!(entry.command, "redo"),
            }
        }
        // Of the runs about one change only the last one counts.
        for made in self.done.iter().chain(&self.undone) {
            let mut about = listing.entries.iter().filter(|listed| {
                listed.entry.kind() != RunKind::Change && listed.entry.change() == made.run
            });
            assert!(
                about
                    .next()
                    .is_none_or(|last| last.standing == RunStanding::Done)
            );
            assert!(about.all(|other| matches!(other.standing, RunStanding::Undone { .. })));
        }
    }
}

#[test]
fn whatever_is_changed_undone_and_redone_is_as_in_an_editor_and_reported_as_it_is() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let mut editor = Editor::new();
        for _ in 0..16 {
            match random.below(5) {
                0 => editor.change(&mut random),
                1 | 2 => editor.step(true),
                3 => editor.step(false),
                _ => {
                    editor.change(&mut random);
                    editor.step(true);
                }
            }
            editor.check_list();
        }
    }
}
