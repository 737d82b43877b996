//! Every answer from memory is the one that a vault opened anew gives, whatever was edited right
//! before the question.

use std::path::PathBuf;

use cli_output::Arguments;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;
use crate::commands::Reply;
use crate::disk::trace;
use crate::registry::Registry;
use crate::surroundings::Surroundings;

struct World {
    folder: tempfile::TempDir,
    followed: Arc<Followed>,
}

/// A folder in memory where there is one: thousands of edits need no disk.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

impl World {
    fn new(followed: Followed) -> Self {
        let world = Self {
            folder: scratch(),
            followed: Arc::new(followed),
        };
        fs_err::create_dir(world.root()).unwrap();
        for (name, text) in [
            ("a.md", "[[b]] [[none]] #t/x bread\n- [ ] bake bread"),
            ("b.md", "---\nup: \"[[a]]\"\ntags: [T]\n---\nflour"),
            ("x/c.md", "[[b]] Bread and flour"),
            ("x/y/d.md", "# Deep\n[[c]]"),
            ("x/pic.png", "bread"),
        ] {
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
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn fresh(&self) -> Vault {
        Vault::open(&self.root()).unwrap()
    }

    fn warm(&self) -> Vault {
        self.fresh().with_followed(Arc::clone(&self.followed))
    }

    /// All of the index, and one question of each kind in turn.
    fn check(&self, round: usize) -> Vec<VaultPath> {
        let (fresh, warm) = (self.fresh(), self.warm());
        let index = fresh.index().unwrap();
        assert_eq!(warm.index().unwrap(), index, "round {round}");
        let questions: [&[&str]; 9] = [
            &["search", "query=bread"],
            &["search", "query=bread", "path=x"],
            &["backlinks", "file=b"],
            &["unresolved", "verbose"],
            &["tags", "counts"],
            &["tasks"],
            &["orphans"],
            &["links", "file=c"],
            &["search:context", "query=flour OR deep"],
        ];
        let words = questions[round % questions.len()];
        assert_eq!(
            answer(&warm, words),
            answer(&fresh, words),
            "round {round}: {words:?}"
        );
        index.files().to_vec()
    }

    /// Whether the system tells of the changes one by one.
    fn is_watching(&self) -> bool {
        let turn = self.followed.lock();
        let kept = turn.index.as_ref().unwrap();
        kept.watch.as_ref().is_some_and(Watch::sees)
    }
}

fn answer(vault: &Vault, words: &[&str]) -> Result<Reply, String> {
    let params = words[1..].iter().filter_map(|word| word.split_once('='));
    let flags = words[1..].iter().filter(|word| !word.contains('='));
    let arguments = Arguments {
        params: params
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        flags: flags.map(ToString::to_string).collect(),
    };
    let now = date(2026, 3, 7).at(9, 0, 0, 0).to_zoned(TimeZone::UTC);
    let surroundings = Surroundings {
        now: now.unwrap(),
        random: 0,
        registry: Registry::parse("{}").unwrap(),
    };
    let replied = crate::commands::reply(vault, words[0], &arguments, &surroundings);
    replied.map_err(|error| error.to_string())
}

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

const TEXTS: [&str; 6] = [
    "[[a]] bread #t",
    "[[d]] flour #u",
    "[[none]] Bread\n- [ ] knead\n",
    "---\naliases: [Loaf]\n---\n[[x/c]]",
    "---\na: [\n---\n",
    "",
];
const FOLDERS: [&str; 5] = ["", "x/", "x/y/", "z/", "z/w/"];

/// One edit as some other program makes it.
fn edit(world: &World, files: &[VaultPath], numbers: &mut Numbers) {
    let some = files.get(numbers.below(files.len().max(1)));
    let name = format!(
        "{}{}.{}",
        FOLDERS[numbers.below(FOLDERS.len())],
        ["a", "b", "c", "d", "e f"][numbers.below(5)],
        ["md", "md", "md", "png"][numbers.below(4)],
    );
    let text = TEXTS[numbers.below(TEXTS.len())];
    let free = !world.path(&name).exists();
    match (numbers.below(9), some) {
        (0 | 1, _) if !world.path(&name).is_dir() => world.write(&name, text),
        // The same size and the same time of its last change, as a sync program leaves it.
        (2 | 3, Some(path)) => {
            let path = world.path(path.as_str());
            let times = fs_err::metadata(&path).unwrap().modified().unwrap();
            let mut bytes = fs_err::read(&path).unwrap();
            for byte in &mut bytes {
                *byte = match *byte {
                    b'a' => b'b',
                    b'b' => b'a',
                    other => other,
                };
            }
            fs_err::write(&path, bytes).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(times).unwrap();
        }
        // As editors save.
        (4, Some(path)) => {
            let aside = world.path("x.tmp");
            fs_err::write(&aside, text).unwrap();
            fs_err::rename(aside, world.path(path.as_str())).unwrap();
        }
        (5, Some(path)) if free => {
            fs_err::create_dir_all(world.path(&name).parent().unwrap()).unwrap();
            fs_err::rename(world.path(path.as_str()), world.path(&name)).unwrap();
        }
        (6, Some(path)) => fs_err::remove_file(world.path(path.as_str())).unwrap(),
        (7, _) => {
            let places = ["x", "x/y", "z", "z/w", "v", "v/x"];
            let from = world.path(places[numbers.below(places.len())]);
            let to = world.path(places[numbers.below(places.len())]);
            let fits = from.is_dir() && !to.exists() && !to.starts_with(&from);
            if fits && to.parent().unwrap().is_dir() {
                fs_err::rename(&from, &to).unwrap();
                fs_err::write(to.join("moved.md"), "[[moved]] bread").unwrap();
            }
        }
        (8, _) => {
            let folder = world.path(["z", "v/x", "x/y"][numbers.below(3)]);
            if folder.is_dir() && numbers.below(3) == 0 {
                fs_err::remove_dir_all(folder).unwrap();
            } else {
                fs_err::create_dir_all(folder.join("new")).unwrap();
            }
        }
        _ => {}
    }
}

fn a_thousand_edits(world: &World, seed: u64) {
    let mut numbers = Numbers(seed);
    let mut files = world.check(0);
    for round in 1..=1000 {
        edit(world, &files, &mut numbers);
        files = world.check(round);
    }
}

#[test]
fn a_thousand_edits_between_questions_are_all_seen() {
    let world = World::new(Followed::new());
    a_thousand_edits(&world, 1);
    assert_eq!(world.is_watching(), cfg!(target_os = "linux"));
}

#[test]
fn a_thousand_edits_are_all_seen_without_a_watcher() {
    let world = World::new(Followed::new().unwatched());
    a_thousand_edits(&world, 2);
    assert!(!world.is_watching());
}

#[cfg(target_os = "linux")]
#[test]
fn a_question_after_no_change_looks_at_nothing() {
    let world = World::new(Followed::new());
    world.check(0);
    let (_, listings, files) = trace::of(|| world.warm().index().unwrap());
    assert_eq!((listings, files), (0, 0));
    world.write("x/c.md", "changed");
    let (_, listings, files) = trace::of(|| world.warm().index().unwrap());
    assert!(listings == 0 && files <= 4, "{listings} {files}");
}

#[cfg(target_os = "linux")]
#[test]
fn more_changes_than_the_queue_holds_are_no_fewer() {
    let world = World::new(Followed::new());
    world.check(0);
    for round in 0..20_000 {
        // Of equal neighbours the queue keeps one.
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
        assert_eq!(warm.index().unwrap(), fresh.index().unwrap());
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
    // Without links the same memory serves another vault.
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

#[test]
fn e10_a_question_that_is_called_off_loses_no_change() {
    let world = World::new(Followed::new());
    let stop = Stop::default();
    stop.wish();
    let stopped = || {
        let result = world.warm().with_stop(stop.clone()).index();
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
fn what_is_not_asked_for_is_not_read_and_what_is_old_is_freed() {
    let world = World::new(Followed::new());
    let found = world.warm().resolve("c").unwrap();
    assert!(matches!(found.resolution, crate::Resolution::Found(_)));
    assert!(!world.followed.lock().is_read, "a walk was enough");
    let first = Arc::downgrade(&world.warm().snapshot().unwrap().unwrap());
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
