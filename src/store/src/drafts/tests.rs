//! Tests of the store of drafts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::json;
use vault_engine::{Failpoints, PlannedBytes, PlannedContent, PlannedFile, Step, Vault};

use super::*;
use protocol::Deadline;
use settings::JournalSettings;

/// Refuses all calls that write from the `n`th on, as if the process had been killed before it.
struct DeadAt {
    n: usize,
    calls: AtomicUsize,
}

impl Failpoints for DeadAt {
    fn before(&self, _step: Step) -> io::Result<()> {
        if self.calls.fetch_add(1, Ordering::SeqCst) < self.n {
            return Ok(());
        }
        Err(io::ErrorKind::Interrupted.into())
    }
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm")
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        fs_err::create_dir(folder.path().join("Notes")).unwrap();
        Self { folder }
    }

    fn journal_with(&self, failpoints: Option<Arc<dyn Failpoints>>) -> Journal {
        let vault = Vault::open(&self.folder.path().join("Notes")).unwrap();
        let state = self.folder.path().join("state");
        Journal::open(&state, &vault, JournalSettings::default(), failpoints).unwrap()
    }

    fn journal(&self) -> Journal {
        self.journal_with(None)
    }

    fn lock(&self) -> VaultLock {
        self.journal().lock(Deadline::after_ms(10_000)).unwrap()
    }

    fn keep(&self, draft: &Draft) {
        self.lock().keep_draft(draft).unwrap();
    }

    fn read(&self, agent: Option<&str>) -> Option<Draft> {
        self.journal().draft(agent).unwrap()
    }

    /// The folder of an agent's draft.
    fn place(&self, agent: Option<&str>) -> PathBuf {
        let journals = self.folder.path().join("state/journal");
        let own = fs_err::read_dir(journals).unwrap().next().unwrap().unwrap();
        own.path().join("drafts").join(folder_of(agent))
    }

    fn names(&self, agent: Option<&str>) -> Vec<String> {
        let files = fs_err::read_dir(self.place(agent)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Writes the JSON of the unnamed agents' draft as it is after `change`.
    fn forge(&self, change: impl FnOnce(&mut serde_json::Value)) {
        let file = self.place(None).join(FILE);
        let mut json = serde_json::from_slice(&fs_err::read(&file).unwrap()).unwrap();
        change(&mut json);
        fs_err::write(&file, json.to_string()).unwrap();
    }
}

fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_773_480_413 + seconds).unwrap()
}

fn bytes(text: &str, origin: Option<&str>) -> PlannedFile {
    PlannedFile::Bytes(Arc::new(PlannedBytes {
        content: PlannedContent::new(text.into()),
        origin: origin.map(path),
        modified: 7,
    }))
}

/// A draft that changes a note, makes one, moves one, and moves one to the trash.
fn draft(agent: Option<&str>) -> Draft {
    let mut draft = Draft::new(agent.map(str::to_owned), time(0));
    draft.overlay.files = [
        (path("a.md"), bytes("new", Some("a.md"))),
        (path("new.md"), bytes("", None)),
        (path("b.md"), PlannedFile::Gone),
        (path("x/c.md"), PlannedFile::From(path("b.md"))),
        (path("d.md"), PlannedFile::Gone),
        (path(".trash/d.md"), PlannedFile::From(path("d.md"))),
    ]
    .into();
    draft.overlay.folders = [(path("x"), true)].into();
    draft.bases = [
        (
            path("a.md"),
            Base::from_bytes(b"old\xff".to_vec(), Some(-3)),
        ),
        (path("b.md"), Base::from_bytes(b"new".to_vec(), None)),
        (
            path("d.md"),
            Base {
                content: None,
                ..Base::from_bytes(b"d".to_vec(), None)
            },
        ),
    ]
    .into();
    draft
}

fn answer(number: i64, what: &str) -> ReviewAnswer {
    ReviewAnswer {
        path: path("a.md"),
        what: what.to_owned(),
        accepted: number % 2 == 0,
        undone: number % 5 == 1,
        comment: (number % 3 == 0).then(|| "not so".to_owned()),
        edited: (number % 4 == 0).then(|| "-theirs\n+mine\n".to_owned()),
        at: time(number),
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, Failure>) -> Code {
    result.unwrap_err().code
}

#[test]
fn a_text_that_is_left_by_an_editor_is_named_until_it_is_removed() {
    let world = World::new();
    drop(world.lock());
    let journal = world.journal();
    let names = |journal: &Journal| -> Vec<String> {
        let issues = journal.edited_copies().unwrap().into_iter();
        issues.map(|issue| issue.message.text()).collect()
    };
    journal.drafts_folder().create().unwrap();
    let copy = std::cell::OnceCell::new();
    // While the editor is open, the review may be killed.
    let edited = journal.edit_copy("before", |path| {
        let shown = path.display().to_string();
        assert!(names(&journal)[0].contains(&shown));
        fs_err::write(path, "an hour of work").unwrap();
        copy.set(path.to_owned()).unwrap();
        Err(Code::IoError.failure("The terminal was closed."))
    });
    assert!(edited.is_err());
    assert_eq!(names(&journal).len(), 1);
    fs_err::remove_file(copy.get().unwrap()).unwrap();
    assert!(names(&journal).is_empty());
}

#[test]
fn a_draft_is_read_as_it_was_kept_and_agents_have_their_own() {
    let world = World::new();
    assert_eq!(world.read(None), None);
    assert_eq!(world.journal().drafts().unwrap(), []);
    let (of_a, of_none) = (draft(Some("a")), draft(None));
    world.keep(&of_a);
    assert_eq!(world.read(None), None);
    world.keep(&of_none);
    assert_eq!(world.read(Some("a")).as_ref(), Some(&of_a));
    assert_eq!(world.read(None).as_ref(), Some(&of_none));
    // An agent with this name is not the agents without a name.
    assert_eq!(world.read(Some(UNNAMED)), None);
    assert_eq!(world.journal().drafts().unwrap(), [Ok(of_none), Ok(of_a)]);
    let mut changed = draft(None);
    changed.overlay.files.remove(&path("a.md"));
    let stamp = world.journal().draft_stamp(None);
    world.keep(&changed);
    assert_ne!(world.journal().draft_stamp(None), stamp);
    assert_eq!(world.read(None), Some(changed));
}

#[test]
fn an_empty_draft_keeps_its_answers() {
    let world = World::new();
    let mut draft = draft(None);
    world.keep(&draft);
    for number in 0..205 {
        draft.answer(answer(number, &"ü".repeat(201)));
    }
    assert_eq!(draft.answers.len(), 200);
    assert_eq!(draft.answers[0].at, time(5));
    assert_eq!(draft.answers[0].what, "ü".repeat(200));
    draft.overlay = Overlay::default();
    world.keep(&draft);
    assert_eq!(world.names(None), [FILE]);
    draft.bases.clear();
    assert_eq!(world.read(None), Some(draft));
}

#[test]
fn an_undone_acceptance_is_an_answer_of_its_own() {
    let mut draft = draft(None);
    let accepted = |at, accepted| ReviewAnswer {
        accepted,
        undone: false,
        at: time(at),
        ..answer(0, "rename")
    };
    draft.answers = vec![accepted(1, true), accepted(2, false), accepted(2, true)];
    let shown = |draft: &Draft| {
        let answers = draft.answers.iter();
        let shown = answers.map(|one| (one.at, one.accepted, one.undone));
        shown.skip(3).collect::<Vec<_>>()
    };
    // Undone, redone, and undone again. What was rejected with it stays rejected.
    for (reversed, now) in [(2, 5), (5, 6), (6, 7)] {
        draft.reverse_answers(time(reversed), time(now));
    }
    let expected = [
        (time(5), false, true),
        (time(6), true, false),
        (time(7), false, true),
    ];
    assert_eq!(shown(&draft), expected);
    assert!(
        draft.answers[3..]
            .iter()
            .all(|one| one.comment.is_none() && one.edited.is_none())
    );
}

#[test]
fn a_new_folder_stays_for_the_files_and_folders_in_it() {
    let mut draft = Draft::new(None, time(0));
    for folder in ["a", "a/b", "c", "c/d", "e"] {
        draft.overlay.set_folder(path(folder), true);
    }
    draft.overlay.set_folder(path("gone"), false);
    draft.overlay.put(path("c/n.md"), b"n".to_vec(), true, 0);
    assert_eq!(Vec::from_iter(draft.used_folders()), [path("c")]);
    let left = |which: fn(&VaultPath) -> bool| {
        let mut draft = draft.clone();
        draft.forget_folders(which);
        let left = draft.overlay.folders.into_keys();
        left.map(|folder| folder.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(left(|_| true), ["c", "gone"]);
    assert_eq!(
        left(|folder| folder.as_str() == "a"),
        ["a", "a/b", "c", "c/d", "e", "gone"]
    );
    assert_eq!(
        left(|folder| folder.as_str() == "a/b"),
        ["a", "c", "c/d", "e", "gone"]
    );
}

#[test]
fn h11_a_kill_before_any_write_leaves_the_old_draft_or_the_new_one() {
    let mut next = draft(Some("a"));
    next.overlay
        .files
        .insert(path("a.md"), bytes("newer", Some("a.md")));
    next.overlay
        .files
        .insert(path("e.md"), bytes("e", Some("e.md")));
    next.bases
        .insert(path("e.md"), Base::from_bytes(b"E".to_vec(), None));
    next.bases.remove(&path("d.md"));
    let mut none = next.clone();
    none.overlay = Overlay::default();
    none.bases.clear();
    let (mut olds, mut news) = (0, 0);
    for (old, new) in [
        (None, draft(Some("a"))),
        (Some(draft(Some("a"))), next.clone()),
        (Some(next), none),
    ] {
        for n in 0.. {
            let world = World::new();
            drop(world.lock());
            if let Some(old) = &old {
                world.keep(old);
            }
            let dead = Arc::new(DeadAt {
                n,
                calls: AtomicUsize::new(0),
            });
            let journal = world.journal_with(Some(Arc::clone(&dead) as _));
            let kept = journal
                .lock(Deadline::after_ms(10_000))
                .and_then(|lock| lock.keep_draft(&new));
            let found = world.read(Some("a"));
            if kept.is_ok() {
                assert_eq!(found.as_ref(), Some(&new), "{n}");
            }
            if found.as_ref() == Some(&new) {
                news += 1;
            } else {
                let found = found.filter(|found| !found.is_empty());
                assert_eq!(found, old, "{n}");
                olds += 1;
            }
            // The next change leaves nothing of the one that was cut off.
            world.keep(&new);
            assert_eq!(world.read(Some("a")).as_ref(), Some(&new));
            assert_eq!(world.names(Some("a")), names_for(&world, &new), "{n}");
            if dead.calls.load(Ordering::SeqCst) <= n {
                break;
            }
        }
    }
    assert!(olds >= 20 && news >= 6, "{olds} {news}");
}

/// The names of the files that store a draft.
fn names_for(world: &World, draft: &Draft) -> Vec<String> {
    let json = fs_err::read(world.place(draft.agent.as_deref()).join(FILE)).unwrap();
    let form = DraftForm::from_json(&json).unwrap();
    assert_eq!(form.pack.is_some(), !contents_of(draft).is_empty());
    form.pack
        .map(pack::name_of)
        .into_iter()
        .chain([FILE.to_owned()])
        .collect()
}

/// The pack of the draft of agents without a name.
fn pack_of(world: &World) -> PathBuf {
    let [pack, _] = &world.names(None)[..] else {
        panic!("{:?}", world.names(None))
    };
    world.place(None).join(pack)
}

#[test]
fn a_missing_or_changed_content_is_damage_and_no_empty_draft() {
    let damages: [fn(&Path); 4] = [
        |file| fs_err::remove_file(file).unwrap(),
        |file| fs_err::remove_file(file.with_file_name(FILE)).unwrap(),
        |file| fs_err::write(file, "neW").unwrap(),
        |file| {
            let bytes = fs_err::read(file).unwrap();
            let at = bytes.windows(3).position(|part| part == b"new").unwrap();
            let changed = [&bytes[..at], b"neW", &bytes[at + 3..]].concat();
            fs_err::write(file, changed).unwrap();
        },
    ];
    for damage in damages {
        let world = World::new();
        world.keep(&draft(None));
        world.keep(&draft(Some("a")));
        damage(&pack_of(&world));
        let read = world.journal().draft(None);
        let failure = read
            .and_then(|draft| draft.unwrap().read_contents())
            .unwrap_err();
        assert_eq!(failure.code, Code::DraftDamaged);
        assert!(!failure.to_string().contains('/'));
        let drafts = world.journal().drafts().unwrap();
        let good: Vec<bool> = drafts.iter().map(Result::is_ok).collect();
        assert_eq!(good.iter().filter(|good| **good).count(), 1);
        let names = world.names(None);
        if names.len() == 1 {
            assert_eq!(
                code(world.lock().keep_draft(&draft(None))),
                Code::DraftDamaged
            );
            assert_eq!(world.names(None), names);
        }
    }
}

#[test]
fn damaged_and_hostile_json_is_an_error_and_stays() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 17] = [
        ("version", |json| json["version"] = json!(3)),
        ("other version", |json| json["version"] = json!(1)),
        ("no pack", |json| json["pack"] = json!(null)),
        ("no place", |json| json["bases"]["a.md"]["at"] = json!(null)),
        ("outside", |json| {
            json["bases"]["a.md"]["at"] = json!(u64::MAX);
        }),
        ("unknown", |json| json["more"] = json!(1)),
        ("other agent", |json| json["agent"] = json!("a")),
        ("id", |json| json["id"] = json!("../x")),
        ("time", |json| json["changed"] = json!("soon")),
        ("up", |json| json["files"]["../x.md"] = json!("gone")),
        ("rooted", |json| json["folders"]["/etc"] = json!(true)),
        ("root", |json| json["folders"][""] = json!(false)),
        ("dot", |json| json["files"]["x/./a.md"] = json!("gone")),
        ("spelling", |json| {
            json["files"]["u\u{308}.md"] = json!("gone");
        }),
        ("origin", |json| {
            json["files"]["a.md"]["bytes"]["origin"] = json!("x/../../y");
        }),
        ("from", |json| {
            json["files"]["y.md"] = json!({"from": "../../y"});
        }),
        ("hash", |json| {
            json["bases"]["a.md"]["sha256"] = json!("../draft.json");
        }),
    ];
    for (name, change) in changes {
        let world = World::new();
        world.keep(&draft(None));
        world.forge(change);
        let forged = fs_err::read(world.place(None).join(FILE)).unwrap();
        assert_eq!(
            code(world.journal().draft(None)),
            Code::DraftDamaged,
            "{name}"
        );
        let kept = world.lock().keep_draft(&draft(None));
        assert_eq!(code(kept), Code::DraftDamaged, "{name}");
        assert_eq!(fs_err::read(world.place(None).join(FILE)).unwrap(), forged);
    }
    let world = World::new();
    world.keep(&draft(None));
    let file = world.place(None).join(FILE);
    let whole = fs_err::read(&file).unwrap();
    for length in 0..whole.len() {
        fs_err::write(&file, &whole[..length]).unwrap();
        assert_eq!(
            code(world.journal().draft(None)),
            Code::DraftDamaged,
            "{length}"
        );
    }
}

#[test]
fn only_new_contents_are_written_and_a_reader_keeps_the_old_ones() {
    let world = World::new();
    let large = |letter: &str| bytes(&letter.repeat(600 << 10), None);
    let mut draft = draft(None);
    draft.overlay.files.insert(path("l.md"), large("a"));
    world.keep(&draft);
    let (first, length) = (
        pack_of(&world),
        fs_err::metadata(pack_of(&world)).unwrap().len(),
    );
    let reader = world.read(None).unwrap();
    draft.overlay.files.insert(path("l.md"), large("b"));
    world.keep(&draft);
    assert_eq!(pack_of(&world), first);
    assert_eq!(
        fs_err::metadata(&first).unwrap().len(),
        length + (600 << 10)
    );
    // Most of it would be of no use.
    draft.overlay.files.insert(path("l.md"), bytes("c", None));
    draft.overlay.files.insert(path("m.md"), bytes("m", None));
    world.keep(&draft);
    draft.overlay.files.insert(path("m.md"), bytes("n", None));
    world.keep(&draft);
    assert_ne!(pack_of(&world), first);
    assert!(fs_err::metadata(pack_of(&world)).unwrap().len() < 100);
    assert_eq!(world.read(None).as_ref(), Some(&draft));
    world.read(None).unwrap().read_contents().unwrap();
    reader.read_contents().unwrap();
}

#[cfg(unix)]
#[test]
fn drafts_are_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.keep(&draft(None));
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    let place = world.place(None);
    assert_eq!(mode(&place), 0o700);
    assert_eq!(mode(place.parent().unwrap()), 0o700);
    for name in world.names(None) {
        assert_eq!(mode(&place.join(&name)), 0o600, "{name}");
    }
    fs_err::set_permissions(place.join(FILE), std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(world.journal().draft(None).is_err());
}

#[test]
fn what_is_over_a_bound_is_refused_and_what_makes_less_is_not() {
    let world = World::new();
    let lock = world.lock();
    let full = |draft: &Draft, bounds: &DraftBounds| {
        let failure = lock.keep_draft_within(draft, bounds).unwrap_err();
        assert_eq!(failure.code, Code::DraftFull);
        (
            failure.details["reason"].clone(),
            failure.details["limit"].clone(),
        )
    };
    let all = draft(None);
    // "new", "old\xff" and ""; three files of the folder and a new one.
    let exact = DraftBounds {
        bytes: 7,
        files: 4,
        vault: 7,
    };
    assert_eq!(
        full(&all, &DraftBounds { files: 3, ..exact }),
        (json!("files"), json!(3))
    );
    assert_eq!(
        full(&all, &DraftBounds { bytes: 6, ..exact }),
        (json!("bytes"), json!(6))
    );
    assert_eq!(
        full(&all, &DraftBounds { vault: 6, ..exact }),
        (json!("vault"), json!(6))
    );
    assert_eq!(world.read(None), None);
    lock.keep_draft_within(&all, &exact).unwrap();
    let other = draft(Some("a"));
    assert_eq!(
        full(&other, &DraftBounds { vault: 13, ..exact }),
        (json!("vault"), json!(13))
    );
    lock.keep_draft_within(&other, &DraftBounds { vault: 14, ..exact })
        .unwrap();
    let none = DraftBounds {
        bytes: 0,
        files: 0,
        vault: 0,
    };
    lock.keep_draft_within(&all, &none).unwrap();
    let mut less = all.clone();
    less.overlay.files.remove(&path("new.md"));
    lock.keep_draft_within(&less, &none).unwrap();
    assert_eq!(full(&all, &none).0, "files");
    assert_eq!(world.read(None), Some(less));
}

#[test]
fn an_old_draft_takes_no_further_change_and_an_empty_one_does() {
    let mut draft = draft(None);
    let days = |days: i64| time(days * 24 * 60 * 60);
    draft
        .check_age(days(30) - SignedDuration::from_secs(1))
        .unwrap();
    let failure = draft.check_age(days(30)).unwrap_err();
    assert_eq!(failure.code, Code::DraftFull);
    assert_eq!(failure.details["reason"], "age");
    draft.overlay = Overlay::default();
    draft.check_age(days(99)).unwrap();
}

#[test]
fn a_large_base_has_only_its_hash() {
    let base = Base::from_bytes(vec![0; LARGEST_BASE + 1], None);
    assert_eq!((base.content, base.size), (None, LARGEST_BASE as u64 + 1));
    assert!(
        Base::from_bytes(vec![0; LARGEST_BASE], None)
            .content
            .is_some()
    );
}

#[test]
fn a_reader_beside_a_writer_finds_a_whole_draft() {
    let world = World::new();
    let versions: Vec<Draft> = (0..20)
        .map(|number| {
            let mut draft = Draft::new(None, time(number));
            let file = bytes(&format!("text {number}"), None);
            draft.overlay.files.insert(path("a.md"), file);
            draft
        })
        .collect();
    world.keep(&versions[0]);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| versions.iter().for_each(|draft| world.keep(draft)));
        while !writer.is_finished() {
            let found = world.read(None).unwrap();
            assert!(versions.contains(&found));
        }
    });
    assert_eq!(world.read(None).as_ref(), versions.last());
}

fn any_path() -> impl Strategy<Value = VaultPath> {
    "(\\.trash/)?[ab]{1,2}(/[ü \"\\\\\n])?\\.md"
        .prop_filter_map("a path", |text| VaultPath::file(&text).ok())
}

fn any_file() -> impl Strategy<Value = PlannedFile> {
    prop_oneof![
        Just(PlannedFile::Gone),
        any_path().prop_map(PlannedFile::From),
        (
            proptest::collection::vec(any::<u8>(), 0..4),
            proptest::option::of(any_path()),
            any::<i64>(),
        )
            .prop_map(|(bytes, origin, modified)| {
                let content = PlannedContent::new(bytes);
                PlannedFile::Bytes(Arc::new(PlannedBytes {
                    content,
                    origin,
                    modified,
                }))
            }),
    ]
}

fn any_base() -> impl Strategy<Value = Base> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..4);
    (bytes, any::<Option<i64>>(), any::<bool>()).prop_map(|(bytes, modified, kept)| {
        let mut base = Base::from_bytes(bytes, modified);
        base.content = base.content.filter(|_| kept);
        base
    })
}

fn any_draft() -> impl Strategy<Value = Draft> {
    (
        proptest::collection::btree_map(any_path(), any_file(), 1..6),
        proptest::collection::btree_map(any_path(), any::<bool>(), 0..3),
        proptest::collection::btree_map(any_path(), any_base(), 0..6),
        proptest::collection::vec((0_i64..1000, ".{0,9}"), 0..3),
        proptest::option::of("[ab/.]{0,2}"),
    )
        .prop_map(|(files, folders, bases, answers, agent)| {
            let mut draft = Draft::new(agent, time(1));
            draft.overlay = Overlay { files, folders };
            draft.bases = bases;
            for (number, what) in answers {
                draft.answer(answer(number, &what));
            }
            draft
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each agent's draft is the one that was kept last, and no other content is left.
    #[test]
    fn drafts_come_back_in_any_order(drafts in proptest::collection::vec(any_draft(), 1..6)) {
        let world = World::new();
        let mut last: BTreeMap<Option<String>, &Draft> = BTreeMap::new();
        for draft in &drafts {
            world.keep(draft);
            last.insert(draft.agent.clone(), draft);
            for (agent, draft) in &last {
                let found = world.read(agent.as_deref());
                prop_assert_eq!(found.as_ref(), Some(*draft));
                let names = names_for(&world, draft);
                prop_assert_eq!(world.names(agent.as_deref()), names);
            }
        }
        prop_assert_eq!(world.journal().drafts().unwrap().len(), last.len());
    }
}
