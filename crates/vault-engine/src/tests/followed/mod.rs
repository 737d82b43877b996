//! Every answer from memory equals the answer of a newly opened vault, regardless of the edits before it.

mod edits;
mod names;
mod planned;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::LazyLock;
use std::time::Duration;

use obsidian_note::{CancellationToken, VaultPath, Warning};
use vault_files::disk::trace;
use vault_files::vault::testing::Without;
use vault_files::{EngineError, Sight, Vault};
use vault_index::followed::*;
use vault_index::watch::Changes;
use vault_index::{IndexedVault, Watch};
use vault_questions::Reply;

use crate::tests::ask;

const CASES: &str = include_str!("cases.txt");

static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "files"));

/// One request of each kind; the links of each file are requested besides.
const QUESTIONS: &[&[&str]] = &[
    &["search", "query=bread"],
    &["search", "query=bread", "path=x"],
    &["search", "query=BREAD -flour"],
    &["search", "query=path:a OR r\u{e9}sum\u{c9}"],
    &["search", "query=/br.ad/ OR line:(flour bread)"],
    &["search", "query=tag:#t -bread"],
    &["search", "query=[up] OR task:bread"],
    &["search", "query=bread", "path=a", "case"],
    &["search", "query=zz", "path=none"],
    &["search:context", "query=flour OR deep"],
    &["search:context", "query=bread OR \"a f\""],
    &["backlinks", "file=b"],
    &["links", "file=c"],
    &["unresolved", "verbose"],
    &["unresolved", "total"],
    &["orphans"],
    &["deadends"],
    &["tags", "counts"],
    &["tags", "counts", "sort=count"],
    &["tags", "total"],
    &["tag", "name=t", "verbose"],
    &["tasks"],
    &["tasks", "total"],
    &["properties", "counts"],
    &["aliases"],
    &["files"],
    &["files", "folder=x"],
    &["files", "folder=x/y", "total"],
    &["folders"],
    &["folders", "folder=x"],
    &["folder", "path=x"],
    &["folder", "path=x/y", "info=folders"],
    &["vault", "info=files"],
    &["bases"],
];

struct World {
    folder: tempfile::TempDir,
    followed: Arc<Followed>,
}

/// A folder in memory if possible: thousands of edits need no disk.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

impl World {
    fn new(followed: Followed) -> Self {
        Self::with(followed, &FILES)
    }

    fn with(followed: Followed, files: &[(&str, &str)]) -> Self {
        let world = Self {
            folder: scratch(),
            followed: Arc::new(followed),
        };
        fs_err::create_dir(world.root()).unwrap();
        for (name, text) in files {
            world.write(name, text);
        }
        world
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        vault_files::testing::write(&self.root(), name, text);
    }

    fn remove(&self, name: &str) {
        fs_err::remove_file(self.path(name)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        let target = self.path(to);
        fs_err::create_dir_all(target.parent().unwrap()).unwrap();
        fs_err::rename(self.path(from), target).unwrap();
    }

    fn fresh(&self) -> Vault {
        Vault::open(&self.root()).unwrap()
    }

    fn warm(&self) -> Vault {
        IndexedVault(&self.fresh()).with_followed(Arc::clone(&self.followed))
    }

    /// Compares the whole index, and one request of each kind in turn.
    fn check(&self, round: usize) -> Vec<VaultPath> {
        let (fresh, warm) = (self.fresh(), self.warm());
        let index = IndexedVault(&fresh).index().unwrap();
        assert_eq!(IndexedVault(&warm).index().unwrap(), index, "round {round}");
        let words = QUESTIONS[round % QUESTIONS.len()];
        assert_eq!(
            answer(&warm, words),
            answer(&fresh, words),
            "round {round}: {words:?}"
        );
        let risks = [&warm, &fresh].map(|vault| IndexedVault(vault).name_risks().unwrap());
        assert_eq!(risks[0], risks[1], "round {round}");
        index.files().to_vec()
    }

    /// Compares every request of the list.
    fn check_all(&self) {
        let files = self.check(0);
        let (fresh, warm) = (self.fresh(), self.warm());
        let paths: Vec<String> = files.iter().map(|file| format!("path={file}")).collect();
        let of_files = paths
            .iter()
            .flat_map(|path| ["backlinks", "links"].map(|command| vec![command, path]));
        let all = QUESTIONS.iter().map(|words| words.to_vec());
        for words in all.chain(of_files) {
            assert_eq!(answer(&warm, &words), answer(&fresh, &words), "{words:?}");
        }
    }

    /// Whether the system reports single changes.
    fn is_watching(&self) -> bool {
        self.followed.is_watching().unwrap()
    }
}

fn answer(vault: &Vault, words: &[&str]) -> Result<Reply, String> {
    ask(vault, words).map_err(|error| error.to_string())
}

#[cfg(target_os = "linux")]
#[test]
fn a_question_after_no_change_looks_at_nothing() {
    let world = World::new(Followed::new());
    world.check(0);
    let (_, listings, files) = trace::count(|| IndexedVault(&world.warm()).index().unwrap());
    assert_eq!((listings, files), (0, 0));
    world.write("x/c.md", "changed");
    let (_, listings, files) = trace::count(|| IndexedVault(&world.warm()).index().unwrap());
    assert!(listings == 0 && files <= 4, "{listings} {files}");
}

#[cfg(target_os = "linux")]
#[test]
fn questions_about_the_whole_vault_need_no_walk() {
    let world = World::new(Followed::new());
    // The first search reads the notes.
    answer(&world.warm(), &["search", "query=zebra"]).unwrap();
    let (_, listed, read) = trace::count(|| IndexedVault(&world.warm()).name_risks().unwrap());
    assert_eq!((listed, read), (0, 0));
    for (words, notes) in [
        (&["tags", "counts"][..], 0),
        (&["tasks"], 0),
        (&["orphans"], 0),
        (&["unresolved"], 0),
        (&["search", "query=zebra"], 0),
        (&["search", "query=path:a"], 0),
        (&["files"], 0),
        (&["folders", "folder=x"], 0),
        (&["vault", "info=folders"], 0),
        (&["backlinks", "path=a.md"], 1),
        (&["links", "path=a.md"], 1),
        // Only one note may contain it.
        (&["search", "query=\"bake bread\""], 1),
    ] {
        let (_, listed, read) = trace::count(|| answer(&world.warm(), words).unwrap());
        // The vault has no configuration folder, so the root is listed to look for a renamed one.
        assert!(listed <= 1 && read == notes, "{words:?}: {listed} {read}");
    }
}

#[test]
fn warnings_are_those_of_a_vault_opened_anew() {
    for followed in [Followed::new(), Followed::new().unwatched()] {
        let world = World::new(followed);
        world.check_all();
        world.write("b.md", "---\na: [\n---\n");
        world.check_all();
        world.write("b.md", "good");
        world.write("latin.md", b"caf\xe9 bread");
        world.check_all();
    }
}

#[cfg(unix)]
#[test]
fn symlinks_are_counted_anew_when_they_come_and_go() {
    use std::os::unix::fs::symlink;
    let world = World::new(Followed::new());
    world.check_all();
    symlink("a.md", world.path("link.md")).unwrap();
    world.check_all();
    world.write("b.md", "x");
    world.check_all();
    world.remove("link.md");
    world.check_all();
    symlink("x", world.path("folder")).unwrap();
    world.check_all();
    assert_eq!(world.is_watching(), cfg!(target_os = "linux"));
}

#[cfg(unix)]
#[test]
fn d13_what_a_limited_caller_lists_is_what_a_walk_finds() {
    let world = World::new(Followed::new());
    let sights = ["a", "x", "x/y", "x/c.md", "none"]
        .map(|hidden| Arc::new(Without(hidden.to_owned())) as Arc<dyn Sight>);
    let edits: [fn(&World); 7] = [
        |_| {},
        |world| fs_err::create_dir_all(world.path("x/y/bare")).unwrap(),
        |world| world.write("x/new\nline.md", "bread"),
        |world| world.write("a/b.md", "#t"),
        |world| std::os::unix::fs::symlink("y", world.path("x/link")).unwrap(),
        |world| fs_err::remove_dir_all(world.path("x/y")).unwrap(),
        |world| world.remove("x/link"),
    ];
    for edit in edits {
        edit(&world);
        world.check(0);
        for sight in &sights {
            let [warm, fresh] = [world.warm(), world.fresh()]
                .map(|vault| IndexedVault(&vault).limited_to(Arc::clone(sight)).unwrap());
            assert_eq!(
                IndexedVault(&warm).name_risks().unwrap(),
                IndexedVault(&fresh).name_risks().unwrap()
            );
            for words in QUESTIONS {
                assert_eq!(answer(&warm, words), answer(&fresh, words), "{words:?}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn more_changes_than_the_queue_holds_are_no_fewer() {
    let world = World::new(Followed::new());
    world.check(0);
    for round in 0..20_000 {
        // The queue merges equal adjacent events.
        let name = ["a.md", "b.md"][round % 2];
        fs_err::write(world.path(name), "bread").unwrap();
    }
    world.write("new/late.md", "[[late]] bread");
    world.check(0);
    assert!(world.is_watching(), "it begins anew");
    world.write("new/later.md", "[[late]] bread");
    world.check(1);
}

#[cfg(unix)]
#[test]
fn what_is_changed_under_a_name_outside_is_seen() {
    let world = World::new(Followed::new());
    world.check(0);
    let outside = world.folder.path().join("outside.md");
    fs_err::write(&outside, "#before").unwrap();
    fs_err::hard_link(&outside, world.path("linked.md")).unwrap();
    world.check(0);
    assert!(!world.is_watching());
    fs_err::write(&outside, "#after bread").unwrap();
    world.check(0);
    let again = World::new(Followed::new());
    fs_err::hard_link(&outside, again.path("linked.md")).unwrap();
    again.check(0);
    assert!(!again.is_watching());
}

#[cfg(unix)]
#[test]
fn what_stands_behind_a_followed_link_is_seen() {
    let world = World::new(Followed::new());
    let check = || {
        let fresh = world.fresh().with_symlinked_folders(true);
        let warm = world.warm().with_symlinked_folders(true);
        assert_eq!(
            IndexedVault(&warm).index().unwrap(),
            IndexedVault(&fresh).index().unwrap()
        );
    };
    check();
    assert_eq!(world.is_watching(), cfg!(target_os = "linux"));
    let outside = world.folder.path().join("outside");
    fs_err::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, world.path("link")).unwrap();
    check();
    fs_err::write(outside.join("n.md"), "[[a]] #outside").unwrap();
    check();
    fs_err::write(outside.join("n.md"), "[[b]] #outside").unwrap();
    check();
    // Without links, the same memory is used for another vault.
    world.check(0);
}

#[cfg(unix)]
#[test]
fn spellings_of_one_name_and_names_that_are_none_are_counted_as_at_first() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new(Followed::new());
    world.check(0);
    world.write("\u{e9}.md", "#composed");
    world.check(0);
    world.write("e\u{301}.md", "#decomposed");
    world.check(1);
    world.write("e\u{301}.md", "#decomposed again");
    world.check(2);
    assert_eq!(world.is_watching(), cfg!(target_os = "linux"));
    fs_err::remove_file(world.path("\u{e9}.md")).unwrap();
    world.check(3);
    fs_err::write(world.root().join(OsStr::from_bytes(b"caf\xe9.md")), "x").unwrap();
    world.check(4);
}

#[test]
fn another_folder_in_the_same_place_is_another_vault() {
    let world = World::new(Followed::new());
    world.check(0);
    fs_err::rename(world.root(), world.folder.path().join("old")).unwrap();
    world.write("only.md", "[[a]] bread");
    world.check(0);
    fs_err::remove_dir_all(world.root()).unwrap();
    assert!(Vault::open(&world.root()).is_err());
    world.write("only.md", "[[b]]");
    world.check(1);
}

/// On ext4 the new folder has the inode number of the old one nearly always.
#[test]
fn a_vault_that_is_removed_and_made_again_in_its_place_is_read_anew() {
    for folder in [tempfile::tempdir().unwrap(), scratch()] {
        let world = World {
            folder,
            followed: Arc::new(Followed::new()),
        };
        world.write("only.md", "[[a]] bread #t");
        world.check(0);
        for round in 0..30 {
            fs_err::remove_dir_all(world.root()).unwrap();
            world.write(&format!("only {round}.md"), format!("[[x{round}]] bread"));
            world.check(round);
            world.write("later.md", format!("#t{round} bread"));
            world.check(round);
            // A folder in it.
            world.write(&format!("x/{round}.md"), "[[deep]]");
            world.check(round);
            fs_err::remove_dir_all(world.path("x")).unwrap();
            world.write(&format!("x/again {round}.md"), "[[deep]] #again");
            world.check(round);
            world.write(&format!("x/again {round}.md"), "[[deeper]] bread");
            world.check(round);
        }
    }
}

/// The test passes with any identity that the file system reports for the two folders.
#[cfg(target_os = "linux")]
#[test]
fn a_watch_that_ends_with_its_folder_begins_anew() {
    let world = World::new(Followed::new());
    let mut watch = Watch::start(world.fresh().disk());
    assert!(watch.sees());
    for _ in 0..3 {
        fs_err::remove_dir_all(world.root()).unwrap();
        world.write("new.md", "new");
        let vault = world.fresh();
        assert!(matches!(watch.changes(vault.disk()), Changes::Anywhere));
        world.write("x/later.md", "later");
        assert!(matches!(watch.changes(vault.disk()), Changes::At(paths) if !paths.is_empty()));
        world.write("x/later.md", "changed");
        assert!(matches!(watch.changes(vault.disk()), Changes::At(paths) if !paths.is_empty()));
    }
    // A folder that was moved away differs from the folder now in its place.
    fs_err::rename(world.root(), world.folder.path().join("old")).unwrap();
    world.write("new.md", "new");
    let vault = world.fresh();
    assert!(matches!(watch.changes(vault.disk()), Changes::Anywhere));
    world.write("new.md", "changed");
    assert!(matches!(watch.changes(vault.disk()), Changes::At(paths) if !paths.is_empty()));
}

#[test]
fn e10_a_question_that_is_called_off_loses_no_change() {
    let world = World::new(Followed::new());
    let cancellation = CancellationToken::default();
    cancellation.cancel();
    let stopped = || {
        let result = IndexedVault(&world.warm().with_cancellation(cancellation.clone())).index();
        assert!(matches!(result, Err(EngineError::Stopped)));
    };
    stopped();
    world.check(0);
    world.write("x/c.md", "#changed [[none]]");
    world.write("new/e.md", "#new");
    stopped();
    world.check(1);
}

#[test]
fn unneeded_parts_are_not_read_and_old_ones_are_freed() {
    let world = World::new(Followed::new());
    let found = IndexedVault(&world.warm()).resolve("c").unwrap();
    assert!(matches!(
        found.resolution,
        obsidian_note::Resolution::Found(_)
    ));
    assert!(!world.followed.has_index().unwrap(), "a walk was enough");
    let first = Arc::downgrade(&IndexedVault(&world.warm()).snapshot().unwrap().unwrap());
    assert!(first.upgrade().is_some());
    world.write("c.md", "#new");
    world.check(0);
    assert!(first.upgrade().is_none());
}

#[test]
fn each_of_many_sees_its_own_edit_at_once() {
    for followed in [Followed::new(), Followed::new().unwatched()] {
        let world = World::new(followed);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let world = &world;
                scope.spawn(move || {
                    for round in 0..40 {
                        let tag = format!("t{thread}r{round}");
                        world.write(&format!("x/{thread}.md"), format!("#{tag}"));
                        let answer = answer(&world.warm(), &["tag", &format!("name={tag}")]);
                        assert!(answer.is_ok(), "{answer:?}");
                    }
                });
            }
        });
        world.check(0);
    }
}

#[test]
fn e10_a_ranked_search_that_does_not_wait_says_how_much_it_covers() {
    let notes: Vec<(String, String)> = (0..300)
        .map(|number| (format!("{number}.md"), format!("bread {number}")))
        .collect();
    let notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let world = World::with(Followed::new().answering_after(Duration::ZERO), &notes);
    let words = ["notes:search", "query=bread", "total"];
    let whole = ask(&world.fresh(), &words).unwrap();
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings);
    // The thread reads on between the requests, until one has the answer of a whole index.
    loop {
        let reply = ask(&world.warm(), &words).unwrap();
        match reply.warnings.as_slice() {
            [] => {
                assert_eq!(reply.answer, whole.answer);
                break;
            }
            [
                Warning::RankingIncomplete {
                    covered,
                    notes: 300,
                    ..
                },
            ] if *covered < 300 => {
                assert_ne!(reply.answer, whole.answer);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn e10_the_first_reading_continues_after_its_request_was_stopped() {
    let world = World::new(Followed::new());
    let cancellation = CancellationToken::default();
    let stopped = world.warm().with_cancellation(cancellation.clone());
    let stopped = stopped.with_progress(Arc::new(move |_done: usize, _all: usize| {
        cancellation.cancel();
    }));
    // It may be ready before the request notices that it was stopped.
    let outcome = ask(&stopped, &["tags", "counts"]);
    assert!(
        matches!(outcome, Ok(_) | Err(EngineError::Stopped)),
        "{outcome:?}"
    );
    assert!(
        world.followed.has_index().unwrap(),
        "the thread leaves the index"
    );
    world.check_all();
}
