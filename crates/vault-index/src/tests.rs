//! The index compared with a naive computation, with and without a cache.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use obsidian_note::{LinkIndex, MAX_WHOLE_BYTES, Resolution, VaultPath, Warning};
use proptest::prelude::*;
use vault_files::Vault;
use vault_files::disk::trace;

use super::cache::{CacheFile, CachePlace, CacheSection};
use super::listing::CachedFile;
use super::*;
use crate::followed::Followed;
use crate::indexed_vault::IndexedVault;

const CASES: &str = include_str!("cases.txt");

/// A vault and a cache folder; each call works like a new process.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs_err::create_dir(world.root()).unwrap();
        for (name, text) in files {
            world.write(name, text);
        }
        world
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("Notes")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache/index")
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn cached(&self) -> Vault {
        Vault::open(&self.root()).unwrap().with_cache(self.cache())
    }

    fn plain(&self) -> Vault {
        Vault::open(&self.root()).unwrap()
    }

    fn place(&self) -> CachePlace {
        CachePlace::of_index(&self.cached()).unwrap()
    }

    fn cache_file(&self) -> PathBuf {
        let mut entries = fs_err::read_dir(self.cache()).unwrap();
        let file = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none(), "one file and nothing temporary");
        file
    }

    /// Rewrites the cache, if it is complete, as if every note in it had been read long after its last change; and
    /// waits until the file system's clock shows another time than any note does.
    fn settle(&self) {
        let Some(file) = CacheFile::open(&self.place()) else {
            return;
        };
        let listing: Option<Vec<CachedFile>> = file.decode(CacheSection::Listing);
        let (Some(mut listing), Some(mut sections)) = (listing, file.all()) else {
            return;
        };
        for listed in &mut listing {
            if let Some(note) = &mut listed.note {
                note.settled = true;
            }
        }
        let listing = postcard::to_stdvec(&listing).unwrap();
        sections.push((CacheSection::Listing, listing));
        self.place().write(&sections).unwrap();
        let now = || {
            let probe = self.folder.path().join("probe");
            fs_err::write(&probe, "").unwrap();
            fs_err::metadata(&probe).unwrap().modified().unwrap()
        };
        let before = now();
        while now() == before {}
    }

    /// The index of this vault is that without a cache.
    #[track_caller]
    fn assert_index_of(&self, vault: &Vault) {
        let expected = IndexedVault(&self.plain()).index().unwrap();
        assert_eq!(IndexedVault(vault).index().unwrap(), expected);
    }

    /// The result with and without the cache, which must be equal, and the number of files that
    /// were read.
    fn same(&self) -> (Index, usize) {
        let (index, _, read) = trace::count(|| IndexedVault(&self.cached()).index().unwrap());
        assert_eq!(index, IndexedVault(&self.plain()).index().unwrap());
        (index, read)
    }
}

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

fn edges(index: &Index) -> BTreeSet<(String, String, usize)> {
    let name = |id: usize| index.files.get(id).unwrap().to_string();
    let edges = (0..index.files.len()).flat_map(|to| {
        let sources = index.resolved.backlinks(to);
        sources.map(move |(from, count)| (name(from), name(to), count))
    });
    edges.collect()
}

fn edge(source: &str, destination: &str, count: usize) -> (String, String, usize) {
    (source.into(), destination.into(), count)
}

#[test]
fn links_of_text_properties_embeds_and_canvases_are_one_graph() {
    let world = World::new(&NOTES);
    let (index, _) = world.same();
    assert_eq!(
        edges(&index),
        BTreeSet::from([
            edge("a.md", "a.md", 1),
            edge("a.md", "b.md", 2),
            edge("b.md", "a.md", 1),
            edge("b.md", "sub/c.md", 1),
            edge("board.canvas", "b.md", 1),
            edge("board.canvas", "sub/c.md", 1),
            edge("sub/c.md", "sub/pic.png", 1),
        ])
    );
    let unresolved = index.unresolved.0.iter();
    let unresolved = unresolved.map(|link| (link.linkpath.as_str(), link.uses().count()));
    assert_eq!(unresolved.collect::<Vec<_>>(), [("None", 1), ("none", 2)]);
    let properties = index.properties();
    let properties = properties.map(|(path, properties)| (path.as_str(), properties));
    let expected = [("b.md", r#"{"up":"[[a]]","tags":["Work","old"]}"#)];
    assert_eq!(properties.collect::<Vec<_>>(), expected);
    let tags: Vec<&str> = index.tags.iter().flat_map(|(_, tags)| tags).collect();
    assert_eq!(tags, ["#work/x", "#Work", "#old"]);
    let tasks = index.tasks.iter().flat_map(|(_, tasks)| tasks);
    let tasks = tasks.map(|task| (task.status, task.line, task.text.as_str()));
    let expected = [(' ', 5, "- [ ] task"), ('x', 6, "- [x] [[sub/c|c]]")];
    assert_eq!(tasks.collect::<Vec<_>>(), expected);
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let world = World::new(&NOTES);
    assert_eq!(world.same().1, 4);
    // All notes are younger than two seconds, so their cache entries are not trusted yet.
    assert_eq!(world.same().1, 4);
    world.settle();
    let before = fs_err::metadata(world.cache_file()).unwrap();
    assert_eq!(world.same().1, 0);
    let after = fs_err::metadata(world.cache_file()).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    world.write("a.md", "[[sub/c]]");
    let (index, read) = world.same();
    assert_eq!(read, 1);
    assert!(edges(&index).contains(&edge("a.md", "sub/c.md", 1)));
}

#[test]
fn a_note_changed_in_the_moment_it_was_read_is_read_again() {
    let world = World::new(&[("a.md", "[[b]]"), ("b.md", "")]);
    world.same();
    let note = world.root().join("a.md");
    let time = fs_err::metadata(&note).unwrap().modified().unwrap();
    // Size and modification time are equal; only the note's young age makes it be read again.
    world.write("a.md", "[[c]]");
    let file = fs_err::OpenOptions::new().write(true).open(&note).unwrap();
    file.file().set_modified(time).unwrap();
    let (index, read) = world.same();
    assert_eq!(read, 2);
    assert_eq!(edges(&index), BTreeSet::new());
}

#[cfg(unix)]
#[test]
fn a_change_hidden_behind_size_and_modification_time_shows_in_the_change_time() {
    let world = World::new(&[("a.md", "[[b]]"), ("b.md", "")]);
    world.same();
    world.settle();
    let note = world.root().join("a.md");
    let before = fs_err::metadata(&note).unwrap();
    world.write("a.md", "[[c]]");
    let file = fs_err::OpenOptions::new().write(true).open(&note).unwrap();
    let time = before.modified().unwrap();
    file.file().set_modified(time).unwrap();
    let (index, read) = world.same();
    assert_eq!((read, edges(&index).len()), (1, 0));
}

#[test]
fn times_in_the_future_and_at_the_beginning_are_harmless() {
    let world = World::new(&[("a.md", "[[b]]"), ("b.md", "[[a]]")]);
    for (name, time) in [
        ("a.md", SystemTime::now() + Duration::from_secs(1_000_000)),
        ("b.md", SystemTime::UNIX_EPOCH),
    ] {
        let path = world.root().join(name);
        let file = fs_err::OpenOptions::new().write(true).open(path).unwrap();
        file.file().set_modified(time).unwrap();
    }
    for _ in 0..2 {
        let (index, _) = world.same();
        assert_eq!(edges(&index).len(), 2);
    }
}

#[test]
fn a_note_that_is_only_touched_keeps_the_graph() {
    let world = World::new(&NOTES);
    world.same();
    world.settle();
    world.write("a.md", NOTES[0].1);
    assert_eq!(world.same().1, 1);
    world.settle();
    assert_eq!(world.same().1, 0);
}

#[test]
fn recent_changes_are_reported_before_the_cache_is_updated() {
    fn column<C: Column + KeptColumn + PartialEq + std::fmt::Debug>(world: &World) {
        let made = |vault: &Vault| IndexedVault(vault).column::<C>().unwrap().column;
        assert_eq!(made(&world.cached()), made(&world.plain()));
    }
    let world = World::new(&NOTES);
    world.same();
    world.settle();
    let saved = fs_err::read(world.cache_file()).unwrap();
    world.write("a.md", "---\nx: 1\n---\n[[sub/c]] #new\n- [ ] task");
    fs_err::rename(world.root().join("b.md"), world.root().join("e.md")).unwrap();
    column::<Links>(&world);
    column::<LinkTexts>(&world);
    column::<ResolvedLinks>(&world);
    column::<UnresolvedLinks>(&world);
    column::<Tags>(&world);
    column::<Tasks>(&world);
    column::<Properties>(&world);
    // It would be read again anyhow.
    assert_eq!(world.same().1, 2);
    assert_eq!(fs_err::read(world.cache_file()).unwrap(), saved);
    for path in ["a.md", "e.md"] {
        fs_err::remove_file(world.root().join(path)).unwrap();
    }
    assert_eq!(world.same().1, 0);
    assert_ne!(fs_err::read(world.cache_file()).unwrap(), saved);
}

#[test]
fn a_new_file_changes_where_old_links_lead() {
    let world = World::new(&[("a.md", "[[n]]"), ("x/y/n.md", "")]);
    world.same();
    world.settle();
    world.write("z/n.png", "");
    world.write("z/n.md", "");
    let (index, read) = world.same();
    assert_eq!(read, 1);
    assert_eq!(edges(&index), BTreeSet::from([edge("a.md", "z/n.md", 1)]));
    world.settle();
    fs_err::rename(world.root().join("z"), world.root().join("longer")).unwrap();
    let (index, _) = world.same();
    assert_eq!(edges(&index), BTreeSet::from([edge("a.md", "x/y/n.md", 1)]));
}

#[test]
fn h11_a_cache_cut_off_anywhere_is_made_anew() {
    let world = World::new(&NOTES);
    let (expected, _) = world.same();
    world.settle();
    let whole = fs_err::read(world.cache_file()).unwrap();
    for length in (0..whole.len()).step_by(7) {
        fs_err::write(world.cache_file(), &whole[..length]).unwrap();
        let found = IndexedVault(&world.cached()).index().unwrap();
        assert_eq!(found, expected, "{length}");
    }
    world.settle();
    assert_eq!(world.same(), (expected, 0));
}

#[test]
fn a_damaged_foreign_or_newer_cache_is_made_anew() {
    let world = World::new(&NOTES);
    let (expected, _) = world.same();
    world.settle();
    let whole = fs_err::read(world.cache_file()).unwrap();
    let mut files: Vec<Vec<u8>> = (0..whole.len())
        .step_by(5)
        .map(|at| {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            damaged
        })
        .collect();
    files.push(b"SQLite format 3\0 and much more than a header".to_vec());
    files.push([0; 4096].to_vec());
    let other = World::new(&[("other.md", "[[x]]")]);
    other.same();
    files.push(fs_err::read(other.cache_file()).unwrap());
    for (number, bytes) in files.iter().enumerate() {
        fs_err::write(world.cache_file(), bytes).unwrap();
        assert_eq!(
            IndexedVault(&world.cached()).index().unwrap(),
            expected,
            "{number}"
        );
    }
    world.settle();
    assert_eq!(world.same(), (expected, 0));
}

#[test]
fn a_cache_that_lies_in_valid_form_breaks_nothing() {
    let world = World::new(&NOTES);
    world.same();
    let junk = [
        CacheSection::Links,
        CacheSection::Anchors,
        CacheSection::Resolved,
        CacheSection::Unresolved,
        CacheSection::Tags,
        CacheSection::Tasks,
        CacheSection::PictureBases,
        CacheSection::Properties,
        CacheSection::Listing,
    ];
    let junk = junk.map(|section| (section, vec![0xff; 64]));
    world.place().write(&junk).unwrap();
    assert_eq!(world.same().1, 4);
}

#[cfg(unix)]
#[test]
fn the_cache_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new(&NOTES);
    world.same();
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.cache()), 0o700);
    assert_eq!(mode(&world.cache_file()), 0o600);
}

#[test]
fn without_a_folder_to_write_to_the_answers_are_the_same() {
    let world = World::new(&NOTES);
    let (expected, _) = world.same();
    // A file has the name of the cache folder.
    let file = world.folder.path().join("file");
    fs_err::write(&file, "").unwrap();
    for folder in [file.clone(), file.join("below")] {
        let vault = Vault::open(&world.root()).unwrap().with_cache(folder);
        assert_eq!(IndexedVault(&vault).index().unwrap(), expected);
    }
    assert_eq!(fs_err::read(&file).unwrap(), b"");
}

#[test]
fn what_a_killed_process_left_is_removed_in_time() {
    let world = World::new(&NOTES);
    world.same();
    world.settle();
    let beginning = world.cache_file().with_extension("");
    let old = beginning.with_extension("1.0.tmp");
    let young = beginning.with_extension("2.0.tmp");
    let foreign = world.cache().join("other.1.0.tmp");
    for path in [&old, &young, &foreign] {
        fs_err::write(path, "").unwrap();
    }
    for path in [&old, &foreign] {
        let file = fs_err::OpenOptions::new().write(true).open(path).unwrap();
        let time = SystemTime::now() - Duration::from_secs(3600);
        file.file().set_modified(time).unwrap();
    }
    fs_err::remove_file(world.root().join("a.md")).unwrap();
    IndexedVault(&world.cached()).index().unwrap();
    assert!(!old.exists() && young.exists() && foreign.exists());
}

#[test]
fn h11_two_writers_at_once_leave_a_whole_cache() {
    let world = World::new(&NOTES);
    let expected = IndexedVault(&world.plain()).index().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(IndexedVault(&world.cached()).index().unwrap(), expected);
                }
            });
        }
    });
    world.settle();
    assert_eq!(world.same().1, 0);
}

#[test]
fn d14_every_malformed_note_is_one_warning() {
    let world = World::new(&[
        ("good.md", "[[latin]]"),
        ("one.md", "---\na: [\n---\n[[good]]"),
        ("two.md", "---\na: {\n---\n"),
        ("bad.canvas", "{"),
        ("empty.canvas", ""),
    ]);
    world.write("latin.md", b"caf\xe9 [[good]]");
    let large = fs_err::File::create(world.root().join("large.md")).unwrap();
    large.set_len(MAX_WHOLE_BYTES + 1).unwrap();
    for _ in 0..2 {
        let (index, _) = world.same();
        let warnings = index.warnings().iter();
        let found = warnings.map(|warning| (warning.code(), warning.path().as_str()));
        let expected = [
            ("INVALID_CANVAS", "bad.canvas"),
            ("NOTE_TOO_LARGE", "large.md"),
            ("NOT_UTF8", "latin.md"),
            ("INVALID_FRONTMATTER", "one.md"),
            ("INVALID_FRONTMATTER", "two.md"),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(edges(&index).len(), 3);
        world.settle();
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_note_is_one_warning_and_is_tried_again() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new(&[("a.md", "[[b]]"), ("b.md", "")]);
    let note = world.root().join("a.md");
    let may = |mode| fs_err::set_permissions(&note, std::fs::Permissions::from_mode(mode)).unwrap();
    may(0o000);
    if fs_err::read(&note).is_ok() {
        return; // The superuser reads everything.
    }
    let (index, _) = world.same();
    assert_eq!(index.warnings()[0].code(), "NOTE_UNREADABLE");
    may(0o600);
    let (index, _) = world.same();
    assert_eq!((index.warnings().len(), edges(&index).len()), (0, 1));
}

#[cfg(target_os = "linux")]
#[test]
fn d14_a_pipe_or_a_symlink_named_like_a_note_is_no_file() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    let world = World::new(&[("a.md", "[[pipe]] [[link]]")]);
    mkfifoat(CWD, world.root().join("pipe.md"), Mode::RWXU).unwrap();
    std::os::unix::fs::symlink("a.md", world.root().join("link.md")).unwrap();
    let (index, _) = world.same();
    let codes: Vec<&str> = index.warnings().iter().map(Warning::code).collect();
    assert_eq!(codes, ["SYMLINKS_SKIPPED", "SPECIAL_FILES_SKIPPED"]);
    assert_eq!(edges(&index), BTreeSet::new());
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_note() {
    let world = World::new(&[("a.md", "\u{feff}---\ntags: x\n---\n\r\n- [ ] a\r\n")]);
    let (index, _) = world.same();
    assert_eq!(index.tags.iter().count(), 1);
    let (_, tasks) = index.tasks.iter().next().unwrap();
    assert_eq!((tasks[0].line, tasks[0].text.as_str()), (5, "- [ ] a"));
}

#[test]
fn a_second_byte_order_mark_is_text_and_hides_the_properties() {
    let text = "\u{feff}\u{feff}---\ntags: x\nup: \"[[b]]\"\n---\n#y\n";
    let world = World::new(&[("a.md", text)]);
    let (index, _) = world.same();
    let tags: Vec<_> = index.tags.iter().flat_map(|(_, tags)| tags).collect();
    assert_eq!(tags, ["#y"]);
    assert_eq!(edges(&index), BTreeSet::new());
}

#[test]
fn progress_is_reported_for_every_note_read() {
    let world = World::new(&[]);
    for number in 0..100 {
        world.write(&format!("{}/{number}.md", number % 7), "");
    }
    let most = Arc::new(AtomicUsize::new(0));
    let progress = {
        let most = Arc::clone(&most);
        Arc::new(move |done: usize, total: usize| {
            assert!(done <= total && total == 100);
            most.fetch_max(done, Ordering::Relaxed);
        })
    };
    let vault = world.plain().with_progress(progress);
    IndexedVault(&vault).index().unwrap();
    assert_eq!(most.load(Ordering::Relaxed), 100);
}

/// The graph by the rules of `vault-semantics.md` §2.4, link by link.
fn naive(files: &BTreeMap<String, String>) -> (Edges, BTreeSet<(String, String)>) {
    let paths = files.keys().map(|name| VaultPath::file(name).unwrap());
    let index = LinkIndex::new(paths);
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut unresolved = BTreeSet::new();
    for (name, text) in files {
        let source = VaultPath::file(name).unwrap();
        if !source.is_note() {
            continue;
        }
        for link in text.split("[[").skip(1) {
            let linkpath = link.split([']', '#']).next().unwrap();
            match index.resolve(linkpath, &source) {
                Resolution::Found(found) => {
                    let link = (name.clone(), found.path.to_string());
                    *counts.entry(link).or_default() += 1;
                }
                Resolution::Missing => {
                    let stem = linkpath.strip_suffix(".md");
                    let named = stem.filter(|stem| !stem.is_empty() && !stem.ends_with('/'));
                    let shown = named.unwrap_or(linkpath);
                    unresolved.insert((shown.to_owned(), name.clone()));
                }
            }
        }
    }
    let edges = counts
        .into_iter()
        .map(|((from, to), count)| (from, to, count));
    (edges.collect(), unresolved)
}

type Edges = BTreeSet<(String, String, usize)>;

fn any_name() -> impl Strategy<Value = String> {
    "([ab]/)?([ab]/)?[abcA](\\.md|\\.md|\\.png|\\.canvas)"
}

fn any_text() -> impl Strategy<Value = String> {
    "(\\[\\[(|/|\\./|\\.\\./)([ab]/)?[abcA]?(\\.png|\\.md)?#?h?\\]\\] ){0,4}(#t/[a-c] )?(\n- \\[[ x]\\] t)?"
        .prop_filter("no empty link", |text| !text.contains("[[]]"))
}

#[derive(Clone, Debug)]
enum Edit {
    Write(String, String),
    Remove(usize),
    Rename(usize, String),
    Cut(usize),
    Foreign(Vec<u8>),
    Settle,
}

fn any_edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (any_name(), any_text()).prop_map(|(name, text)| Edit::Write(name, text)),
        1 => any::<usize>().prop_map(Edit::Remove),
        1 => (any::<usize>(), any_name()).prop_map(|(which, name)| Edit::Rename(which, name)),
        1 => any::<usize>().prop_map(Edit::Cut),
        1 => proptest::collection::vec(any::<u8>(), 0..80).prop_map(Edit::Foreign),
        2 => Just(Edit::Settle),
    ]
}

impl Edit {
    fn make(&self, world: &World, files: &mut BTreeMap<String, String>) {
        let chosen = |which: &usize, files: &BTreeMap<String, String>| {
            files.keys().nth(which % files.len().max(1)).cloned()
        };
        match self {
            Self::Write(name, text) => {
                world.write(name, text);
                files.insert(name.clone(), text.clone());
            }
            Self::Remove(which) => {
                if let Some(name) = chosen(which, files) {
                    fs_err::remove_file(world.root().join(&name)).unwrap();
                    files.remove(&name);
                }
            }
            Self::Rename(which, to) => {
                if let Some(name) = chosen(which, files) {
                    let text = files.remove(&name).unwrap();
                    let target = world.root().join(to);
                    fs_err::create_dir_all(target.parent().unwrap()).unwrap();
                    fs_err::rename(world.root().join(&name), target).unwrap();
                    files.insert(to.clone(), text);
                }
            }
            Self::Cut(length) => {
                let mut bytes = fs_err::read(world.cache_file()).unwrap();
                bytes.truncate(length % bytes.len().max(1));
                fs_err::write(world.cache_file(), bytes).unwrap();
            }
            Self::Foreign(bytes) => fs_err::write(world.cache_file(), bytes).unwrap(),
            Self::Settle => world.settle(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn with_a_cache_as_without_after_any_edits(
        first in proptest::collection::btree_map(any_name(), any_text(), 1..8),
        edits in proptest::collection::vec(proptest::collection::vec(any_edit(), 1..3), 1..6),
    ) {
        let world = World::new(&[]);
        let mut files = BTreeMap::new();
        for (name, text) in first {
            Edit::Write(name, text).make(&world, &mut files);
        }
        IndexedVault(&world.cached()).index().unwrap();
        for edits in edits {
            for edit in edits {
                edit.make(&world, &mut files);
            }
            let index = IndexedVault(&world.cached()).index().unwrap();
            prop_assert_eq!(&index, &IndexedVault(&world.plain()).index().unwrap());
            let (expected, missing) = naive(&files);
            prop_assert_eq!(edges(&index), expected);
            let found = index.unresolved.0.iter().flat_map(|link| {
                let uses = link.uses();
                uses.map(|(source, _)| (link.linkpath.clone(), index.files[source].to_string()))
            });
            prop_assert_eq!(found.collect::<BTreeSet<_>>(), missing);
        }
    }
}

#[test]
fn in_memory_the_graph_is_taken_from_what_the_cache_holds_or_was_made_for_it() {
    let world = World::new(&NOTES);
    for reading in ["without a cache file", "with one"] {
        let followed = Arc::new(Followed::new());
        let vault = || IndexedVault(&world.cached()).with_followed(Arc::clone(&followed));
        let snapshot = IndexedVault(&vault()).snapshot().unwrap().unwrap();
        assert!(snapshot.columns.graph.get().is_some(), "{reading}");
        assert!(snapshot.links.get().is_none(), "no link was looked up");
        world.assert_index_of(&vault());
        world.settle();
    }
    // The rest of the graph, beyond the change, stays.
    let followed = Arc::new(Followed::new());
    let vault = || IndexedVault(&world.cached()).with_followed(Arc::clone(&followed));
    IndexedVault(&vault()).snapshot().unwrap();
    world.write("a.md", "[[b]] [[elsewhere]]");
    let after = IndexedVault(&vault()).snapshot().unwrap().unwrap();
    let before = after.columns.graph_before.as_ref().unwrap();
    assert_eq!(before.changed.len(), 1);
    world.assert_index_of(&vault());
}

#[test]
fn a_refresh_in_memory_reads_what_differs_and_nothing_else() {
    let world = World::new(&NOTES);
    world.same();
    world.settle();
    let followed = Arc::new(Followed::new().unwatched());
    let vault = || IndexedVault(&world.cached()).with_followed(Arc::clone(&followed));
    let snapshot = || IndexedVault(&vault()).snapshot().unwrap().unwrap();
    let look = || {
        let (snapshot, _, read) = trace::count(snapshot);
        (snapshot, read)
    };
    let (first, read) = look();
    assert_eq!(read, 0);
    let (same, read) = look();
    assert_eq!((Arc::ptr_eq(&first, &same), read), (true, 0));
    let note = world.root().join("a.md");
    let before = fs_err::metadata(&note).unwrap().modified().unwrap();
    world.write("a.md", "[[c]]");
    let file = fs_err::OpenOptions::new().write(true).open(&note).unwrap();
    file.file().set_modified(before).unwrap();
    assert_eq!(look().1, 1);
    // Too young for its times to be trusted.
    assert_eq!(look().1, 1);
    world.assert_index_of(&vault());
    fs_err::remove_file(world.root().join("sub/pic.png")).unwrap();
    assert_eq!(look().1, 1);
    world.assert_index_of(&vault());
}
