//! A vault and its journal, each in a folder of its own.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use serde_json::Map;
use uuid::Uuid;
use vault_engine::{Change, Editor, Failpoints, Step, Vault, VaultPath, Version};

use crate::journal::{
    Direction, EditedSince, Journal, JournalEntry, NewEntry, PlannedRun, RunEnd, RunOrigin,
    RunPrefix, Undoing, VaultLock,
};
use allowlist::BackendName;
use protocol::{Deadline, Failure};
use settings::JournalSettings;

const CASES: &str = include_str!("world_cases.txt");

/// All files and folders, with contents and permissions.
pub(super) type Tree = BTreeMap<String, (Option<Vec<u8>>, u32)>;

pub(super) struct World {
    pub(super) root: PathBuf,
    pub(super) state: PathBuf,
    pub(super) limits: JournalSettings,
    /// Set if it created the folders; removes them when dropped.
    _folder: Option<tempfile::TempDir>,
}

impl World {
    /// A vault of a few notes.
    pub(super) fn new() -> Self {
        Self::made_in(tempfile::tempdir().unwrap())
    }

    /// The same in memory, if the system has a memory file system: a kill loses nothing there, and
    /// hundreds of worlds need not wait for a disk.
    pub(super) fn in_memory() -> Self {
        Self::made_in(
            tempfile::tempdir_in("/dev/shm")
                .or_else(|_| tempfile::tempdir())
                .unwrap(),
        )
    }

    fn made_in(folder: tempfile::TempDir) -> Self {
        let base = fs_err::canonicalize(folder.path()).unwrap();
        let root = base.join("Notes");
        for [name, text] in tables::section(CASES, "made in") {
            let path = root.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        Self {
            state: base.join("state"),
            root,
            limits: JournalSettings::default(),
            _folder: Some(folder),
        }
    }

    /// The same world under other limits.
    pub(super) fn limited(limits: JournalSettings) -> Self {
        let mut world = Self::new();
        world.limits = limits;
        world
    }

    /// The same world, as another process sees it.
    pub(super) fn at(root: &Path, state: &Path) -> Self {
        Self {
            root: root.to_owned(),
            state: state.to_owned(),
            limits: JournalSettings::default(),
            _folder: None,
        }
    }

    pub(super) fn vault(&self) -> Vault {
        Vault::open(&self.root).unwrap()
    }

    pub(super) fn journal(&self) -> Journal {
        self.journal_with(None)
    }

    pub(super) fn journal_with(&self, failpoints: Option<Arc<dyn Failpoints>>) -> Journal {
        Journal::open(&self.state, &self.vault(), self.limits, failpoints).unwrap()
    }

    pub(super) fn lock(&self) -> VaultLock {
        self.journal().lock(Deadline::after_ms(10_000)).unwrap()
    }

    /// Makes a complete run of the embedded engine.
    pub(super) fn run(&self, changes: &[Change]) -> Uuid {
        let run = Uuid::new_v4();
        self.try_run(run, changes, now()).unwrap();
        run
    }

    pub(super) fn try_run(
        &self,
        run: Uuid,
        changes: &[Change],
        now: Timestamp,
    ) -> Result<(), Failure> {
        let vault = self.vault();
        let lock = self.lock();
        let open = lock.begin(&vault, new_entry(run, PlannedRun::Changes(changes), now))?;
        Editor(&vault).apply(changes, &run.to_string()).unwrap();
        open.finish(&vault, now, RunEnd::AS_REQUESTED)?;
        Ok(())
    }

    /// Makes a run of the official program, which does `act`; returns its entry.
    pub(super) fn run_of_app(
        &self,
        planned: PlannedRun<'_>,
        act: impl FnOnce(),
        ended: RunEnd<'_>,
    ) -> JournalEntry {
        let vault = self.vault();
        let lock = self.lock();
        let new = NewEntry {
            backend: BackendName::Obsidian,
            ..new_entry(Uuid::new_v4(), planned, now())
        };
        let open = lock.begin(&vault, new).unwrap();
        act();
        open.finish(&vault, now(), ended).unwrap()
    }

    /// Undoes a run, as a run of its own.
    pub(super) fn undo(&self, run: Option<Uuid>) -> Result<Uuid, Failure> {
        self.reverse(Direction::Undo, run)
    }

    /// Undoes or redoes a run, as a run of its own.
    pub(super) fn reverse(&self, direction: Direction, run: Option<Uuid>) -> Result<Uuid, Failure> {
        self.reverse_where(direction, run, EditedSince::Refused)
    }

    /// Undoes or redoes a run, as a run of its own, where a file may have been edited since.
    pub(super) fn reverse_where(
        &self,
        direction: Direction,
        run: Option<Uuid>,
        edited: EditedSince,
    ) -> Result<Uuid, Failure> {
        let vault = self.vault();
        let lock = self.lock();
        let run = lock.reversible(direction, run.map(RunPrefix::from).as_ref(), None)?;
        let undoing = lock.undo(&vault, run, edited)?;
        carry_out(&vault, &lock, &undoing)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        fs_err::write(self.root.join(path), text).unwrap();
    }

    pub(super) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        add(&self.root, &self.root, &mut tree);
        tree
    }

    /// The names of the journal's files.
    pub(super) fn journal_files(&self) -> Vec<String> {
        let journals = self.state.join("journal");
        let Ok(mut found) = fs_err::read_dir(journals) else {
            return Vec::new();
        };
        let own = found.next().unwrap().unwrap().path();
        assert!(found.next().is_none(), "one vault, one journal");
        let names_in = |folder: &Path| -> Vec<String> {
            fs_err::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        };
        let mut names = names_in(&own);
        if let Some(at) = names.iter().position(|name| name == "open") {
            names.remove(at);
            let open = names_in(&own.join("open"));
            names.extend(open.into_iter().map(|name| format!("open/{name}")));
        }
        names.sort();
        names
    }

    /// The names of the journal's files of one kind: `json`, `open`, `lz4`.
    pub(super) fn journal_files_of(&self, kind: &str) -> Vec<String> {
        let is_of_kind =
            |name: &String| name != "folder.json" && name.rsplit('.').next() == Some(kind);
        self.journal_files()
            .into_iter()
            .filter(is_of_kind)
            .collect()
    }

    /// The journal's only file of this kind.
    pub(super) fn journal_file(&self, kind: &str) -> PathBuf {
        let names = self.journal_files_of(kind);
        assert_eq!(names.len(), 1, "{names:?}");
        self.journal_folder().join(&names[0])
    }

    /// The folder of the only journal.
    pub(super) fn journal_folder(&self) -> PathBuf {
        self.journal_folder_if_any().unwrap()
    }

    pub(super) fn journal_folder_if_any(&self) -> Option<PathBuf> {
        let journals = self.state.join("journal");
        let own = fs_err::read_dir(journals).ok()?.next()?;
        Some(own.unwrap().path())
    }
}

/// Makes an undo or a redo, as a run of its own.
pub(super) fn carry_out(
    vault: &Vault,
    lock: &VaultLock,
    undoing: &Undoing,
) -> Result<Uuid, Failure> {
    let own = Uuid::new_v4();
    let open = lock.begin(
        vault,
        NewEntry {
            undoes: Some(undoing.run.undoes()),
            redoes: undoing.run.redoes(),
            command: "undo",
            ..new_entry(
                own,
                PlannedRun::Changes(&undoing.restoration.changes),
                now(),
            )
        },
    )?;
    assert_eq!(
        undoing.restoration.apply(vault, &own.to_string()).unwrap(),
        []
    );
    open.finish(vault, now(), RunEnd::AS_REQUESTED)?;
    Ok(own)
}

/// A text of about so many bytes that cannot be compressed.
pub(super) fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text += &format!("{state:x}");
    }
    text
}

/// A text that is too large to be inline in an entry.
pub(super) fn large(seed: u64) -> String {
    noise(seed, 600_000)
}

fn add(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let metadata = fs_err::symlink_metadata(&path).unwrap();
        let mode = mode(&metadata);
        if metadata.is_dir() {
            tree.insert(name, (None, mode));
            add(root, &path, tree);
        } else {
            tree.insert(name, (Some(fs_err::read(&path).unwrap()), mode));
        }
    }
}

#[cfg(unix)]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o7777
}

#[cfg(windows)]
fn mode(_metadata: &std::fs::Metadata) -> u32 {
    0
}

pub(super) fn now() -> Timestamp {
    "2026-03-14T09:26:53Z".parse().unwrap()
}

pub(super) fn new_entry(run: Uuid, planned: PlannedRun<'_>, now: Timestamp) -> NewEntry<'_> {
    NewEntry {
        run_id: run,
        command: "test",
        params: Map::new(),
        backend: BackendName::Embedded,
        now,
        undoes: None,
        redoes: None,
        origin: RunOrigin::default(),
        planned,
    }
}

pub(super) fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

pub(super) fn create(at: &str, text: &str) -> Change {
    Change::Create {
        path: path(at),
        after: text.into(),
    }
}

pub(super) fn modify(at: &str, before: &str, after: &str) -> Change {
    Change::Modify {
        path: path(at),
        before: before.into(),
        after: after.into(),
    }
}

pub(super) fn relocate(from: &str, to: &str, text: &str) -> Change {
    Change::Move {
        from: path(from),
        to: path(to),
        version: Version::from_bytes(text.as_bytes()),
    }
}

pub(super) fn remove(at: &str, text: &str) -> Change {
    Change::Remove {
        path: path(at),
        version: Version::from_bytes(text.as_bytes()),
    }
}

pub(super) fn make_folder(at: &str) -> Change {
    Change::MakeFolder { path: path(at) }
}

/// One edit of each kind, on the notes of [`World::new`].
pub(super) fn edits() -> Vec<(&'static str, Vec<Change>)> {
    vec![
        ("modify", vec![modify("a.md", "one\r\n[[b]]", "other\n")]),
        (
            "create with folders",
            vec![
                make_folder("new"),
                make_folder("new/er"),
                create("new/er/e.md", "five"),
            ],
        ),
        (
            "move and links",
            vec![
                make_folder("else"),
                relocate("b.md", "else/b2.md", "two"),
                modify("a.md", "one\r\n[[b]]", "one\r\n[[b2]]"),
                modify("c.md", "[[b]] three\n", "[[b2]] three\n"),
                modify("deep/d.md", "[[b]]", "[[b2]]"),
            ],
        ),
        (
            "move a note with links of its own",
            vec![
                relocate("c.md", "deep/c.md", "[[b]] three\n"),
                modify("deep/c.md", "[[b]] three\n", "[[../b]] three\n"),
            ],
        ),
        (
            "change and move",
            vec![
                modify("c.md", "[[b]] three\n", "[[../b]] three\n"),
                relocate("c.md", "deep/c.md", "[[../b]] three\n"),
            ],
        ),
        (
            "into the trash",
            vec![
                make_folder(".trash"),
                relocate("b.md", ".trash/b.md", "two"),
            ],
        ),
        (
            "remove",
            vec![
                remove("b.md", "two"),
                remove("deep/pixel.png", "\u{1}\u{2}\u{3}"),
            ],
        ),
        (
            "twice the same note",
            vec![
                modify("b.md", "two", "2"),
                modify("b.md", "2", "second"),
                create("e.md", "e"),
                modify("e.md", "e", "f"),
            ],
        ),
        (
            "move a folder",
            vec![
                make_folder("z"),
                make_folder("z/deep"),
                relocate("deep/d.md", "z/deep/d.md", "[[b]]"),
                relocate("deep/pixel.png", "z/deep/pixel.png", "\u{1}\u{2}\u{3}"),
                modify("z/deep/d.md", "[[b]]", "[[../../b]]"),
                Change::RemoveFolder { path: path("deep") },
            ],
        ),
        (
            "move away and make anew",
            vec![relocate("b.md", "deep/b.md", "two"), create("b.md", "new")],
        ),
    ]
}

/// Makes every call from the `n`th on fail, and counts them.
pub(super) struct FailFrom {
    n: usize,
    calls: AtomicUsize,
}

impl FailFrom {
    pub(super) fn new(n: usize) -> Arc<Self> {
        Arc::new(Self {
            n,
            calls: AtomicUsize::new(0),
        })
    }

    /// Whether a call was made to fail.
    pub(super) fn has_failed(&self) -> bool {
        self.calls.load(Ordering::SeqCst) > self.n
    }
}

impl Failpoints for FailFrom {
    fn before(&self, _step: Step) -> io::Result<()> {
        if self.calls.fetch_add(1, Ordering::SeqCst) >= self.n {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    }
}
