//! Runs that are killed at any write of state: what the next call answers (`threats.toml` H11).

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stand_ins::{SETTINGS, accept_all, rename_hub};
use vault_engine::{Failpoints, Step};
use vault_gw::gateway::{Caller, Envelope, Gateway, Options};
use vault_gw::settings::Settings;

use crate::support::state::unless_killed;
use crate::support::{Outcome as _, World, asked, checked, code, dry_run_of, request, warnings};

/// A vault in which so many notes link to `hub.md`.
struct Linked {
    world: World,
    notes: usize,
}

impl Linked {
    fn new(notes: usize) -> Self {
        let world = World::empty().set("allow_mutations = true");
        fs_err::write(
            world.scratch().join(SETTINGS),
            format!("enabled = true\n{}", world.settings),
        )
        .unwrap();
        let linked = Self { world, notes };
        linked.reset();
        linked
    }

    /// The vault before the rename, and no state.
    fn reset(&self) {
        let state = self.world.state();
        if state.exists() {
            fs_err::remove_dir_all(state).unwrap();
        }
        fs_err::remove_dir_all(&self.world.vault).unwrap();
        fs_err::create_dir_all(self.world.vault.join(".obsidian")).unwrap();
        self.world.write("hub.md", "the hub\n");
        for number in 0..self.notes {
            self.world.write(
                &format!("n{number}.md"),
                format!("note {number} links to [[hub]].\n"),
            );
        }
    }

    /// How many notes link to the new name; and whether the hub bears it.
    fn renamed(&self) -> (usize, bool) {
        let links = (0..self.notes)
            .filter(|number| {
                let text = self.world.read(&format!("n{number}.md"));
                assert!(
                    text.contains("[[hub]]") != text.contains("[[centre]]"),
                    "a torn note: {text:?}"
                );
                text.contains("[[centre]]")
            })
            .count();
        let (old, new) = (
            self.world.vault.join("hub.md").exists(),
            self.world.vault.join("centre.md").exists(),
        );
        assert!(old != new, "the hub is gone, or there twice");
        (links, new)
    }

    fn is_whole(&self) -> bool {
        let renamed = self.renamed();
        renamed == (0, false) || renamed == (self.notes, true)
    }

    /// How many calls change something in a rename that nobody kills.
    fn count_calls(&self) -> usize {
        let counter = Arc::new(Counter(AtomicUsize::new(0)));
        let failpoints: Arc<dyn Failpoints> = counter.clone();
        rename_hub(&self.world.gateway().with_failpoints(failpoints)).succeeds();
        self.reset();
        counter.0.load(Ordering::SeqCst)
    }

    /// The rename in a process that dies before the call of this number. Whether it died.
    fn is_killed_at(&self, call: usize) -> bool {
        let mut rename = self.world.stand_in("rename");
        rename.arg(call.to_string());
        unless_killed(rename).is_none()
    }

    /// A question to a gateway that may not change anything.
    fn ask(&self, command: &str, params: &[(&str, &str)]) -> Envelope {
        let settings = self
            .world
            .settings
            .replace("allow_mutations = true", "allow_mutations = false");
        let settings = Settings::parse(SETTINGS, &format!("enabled = true\n{settings}")).unwrap();
        let options = Options::new(Caller::Agent);
        let gateway = Gateway::new(settings, options, self.world.environment()).unwrap();
        checked(gateway.call(&request(command, params)))
    }

    /// Leaves a vault that is half renamed.
    fn cut_off(&self) {
        let calls = self.count_calls();
        let cut = (0..calls).rev().find(|call| {
            self.reset();
            self.is_killed_at(*call) && !self.is_whole()
        });
        assert!(cut.is_some(), "{calls}");
    }

    /// A file of the journal; none before the first run.
    fn of_the_journal(&self, name: &str) -> Option<PathBuf> {
        let mut journals = fs_err::read_dir(self.world.state().join("journal")).ok()?;
        Some(journals.next()?.unwrap().path().join(name))
    }
}

struct Counter(AtomicUsize);

impl Failpoints for Counter {
    fn before(&self, _step: Step) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// Kills a rename `rounds` times, at calls spread over all of them, and asks a question each time,
/// with mutations off.
fn kill_and_ask(notes: usize, rounds: usize) {
    let linked = Linked::new(notes);
    let calls = linked.count_calls();
    assert!(calls > notes * 4, "{calls}");
    let (mut kills, mut halves) = (0, 0);
    for round in 0..rounds {
        linked.reset();
        let call = calls * round / rounds;
        if !linked.is_killed_at(call) {
            continue;
        }
        kills += 1;
        halves += usize::from(!linked.is_whole());
        // What a power cut or a kill makes of the file that names the holder.
        let holder = linked.of_the_journal("lock.holder");
        if let Some(holder) = holder.filter(|holder| holder.exists()) {
            match round % 4 {
                0 => fs_err::write(&holder, "").unwrap(),
                1 => fs_err::write(&holder, "9").unwrap(),
                2 => fs_err::remove_file(&holder).unwrap(),
                _ => {}
            }
        }
        let answer = match round % 3 {
            0 => linked.ask("read", &[("path", "n0.md")]),
            1 => linked.ask("backlinks", &[("path", "n1.md")]),
            _ => linked.ask("search", &[("query", "hub")]),
        };
        assert!(answer.error.is_none(), "{call}: {answer:#?}");
        assert!(
            linked.is_whole(),
            "killed at {call}: {:?}",
            linked.renamed()
        );
    }
    assert!(kills * 10 > rounds * 9 && halves > 0, "{kills} {halves}");
}

#[test]
fn h11_the_first_question_after_a_kill_at_any_write_of_state_is_answered_from_a_whole_vault() {
    kill_and_ask(12, 200);
}

#[test]
#[ignore = "takes minutes: 500 kills in a rename of 200 links"]
fn h11_five_hundred_kills_in_a_rename_of_two_hundred_links() {
    kill_and_ask(200, 500);
}

/// A gateway that cannot write to its state folder recovers nothing, and says so.
#[cfg(unix)]
#[test]
fn h11_where_nothing_can_be_put_right_the_answer_says_so() {
    let linked = Linked::new(6);
    linked.cut_off();
    // Somebody else holds the vault.
    let lock = linked.of_the_journal("lock").unwrap();
    let present = fs_err::OpenOptions::new().append(true).open(&lock).unwrap();
    present.lock().unwrap();
    let answer = linked.ask("read", &[("path", "n0.md")]);
    assert_eq!(warnings(&answer), ["CHANGE_UNDER_WAY"], "{answer:#?}");
    assert!(!linked.is_whole());
    drop(present);
    // The lock cannot be used.
    fs_err::remove_file(&lock).unwrap();
    fs_err::create_dir(&lock).unwrap();
    let answer = linked.ask("read", &[("path", "n0.md")]);
    assert_eq!(warnings(&answer), ["RUN_INTERRUPTED"], "{answer:#?}");
    assert!(!linked.is_whole());
    fs_err::remove_dir(&lock).unwrap();
    let answer = linked.ask("read", &[("path", "n0.md")]);
    assert_eq!(warnings(&answer), ["RUN_INTERRUPTED"], "{answer:#?}");
    assert!(linked.is_whole());
    assert!(warnings(&linked.ask("read", &[("path", "n0.md")])).is_empty());
}

/// Lets no change of a note be made, as for a process that may not write to the vault.
#[cfg(unix)]
struct ReadOnlyNotes;

#[cfg(unix)]
impl Failpoints for ReadOnlyNotes {
    fn before(&self, step: Step) -> io::Result<()> {
        let is_of_vault = step.path.contains(".md") || step.path.contains(".vault-gw-");
        if is_of_vault {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(())
    }
}

/// A draft would be compared with half of the acceptance, and would lose what that half has.
#[cfg(unix)]
#[test]
fn h23_no_draft_is_changed_while_a_killed_acceptance_is_not_repaired() {
    let world = World::empty()
        .set("backend = \"embedded\"")
        .set("drafts = \"closed\"")
        .with_tables("[agents.helper]");
    fs_err::write(world.scratch().join(SETTINGS), &world.settings).unwrap();
    let notes = ["a.md", "b.md", "c.md"];
    let reset = || {
        drop(fs_err::remove_dir_all(world.state()));
        for note in notes {
            world.write(note, "old");
            let line = format!("append path={note} content=new");
            let drafted = world.agent("helper").call(&asked(&line));
            assert!(
                drafted.success && drafted.meta.draft.is_some(),
                "{drafted:#?}"
            );
        }
    };
    let accepted = || {
        let has_new = |note: &&str| world.read(note) == "old\nnew";
        notes.iter().filter(|note| has_new(note)).count()
    };
    reset();
    let counter = Arc::new(Counter(AtomicUsize::new(0)));
    let done = accept_all(&world.person().with_failpoints(counter.clone()));
    assert!(done.success && accepted() == 3, "{done:#?}");
    let calls = counter.0.load(Ordering::SeqCst);
    let cut = (0..calls).rev().find(|call| {
        reset();
        let mut accept = world.stand_in("accept");
        accept.arg(call.to_string());
        unless_killed(accept).is_none() && (1..3).contains(&accepted())
    });
    assert!(cut.is_some(), "{calls}");
    let half = accepted();
    let stored = || {
        let gateway = world.person();
        let journal = gateway.journal().unwrap();
        journal.draft_json(Some("helper")).unwrap().unwrap()
    };
    let before = stored();
    let helper = world
        .agent("helper")
        .with_failpoints(Arc::new(ReadOnlyNotes));
    for line in ["append path=a.md content=more", "draft:withdraw all"] {
        let refused = helper.call(&asked(line));
        assert_eq!(code(&refused), "BUSY", "{line}: {refused:#?}");
        assert_eq!(warnings(&refused), ["RUN_INTERRUPTED"], "{line}");
        assert!(stored() == before, "{line}");
    }
    assert_eq!(accepted(), half);
    // Whoever may write repairs it, and all of the draft waits as before.
    let appended = world
        .agent("helper")
        .call(&asked("append path=a.md content=more"));
    assert_eq!(accepted(), 0);
    assert_eq!(appended.meta.draft.unwrap().waiting, 3);
    assert!(accept_all(&world.person()).success);
    assert_eq!(world.read("a.md"), "old\nnew\nmore");
}

/// A plan is worked out from a whole vault too.
#[test]
fn h11_a_dry_run_and_a_question_about_the_vault_recover_first() {
    let linked = Linked::new(6);
    linked.cut_off();
    let answer = linked.ask("context", &[]);
    assert_eq!(warnings(&answer), ["RUN_INTERRUPTED"]);
    assert!(linked.is_whole());
    linked.reset();
    linked.cut_off();
    let dry_run = dry_run_of(asked("append path=n0.md content=more"));
    let answer = checked(linked.world.gateway().call(&dry_run));
    assert_eq!(warnings(&answer), ["RUN_INTERRUPTED"]);
    assert!(linked.is_whole());
}
