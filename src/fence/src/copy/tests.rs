use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use seeded_random::Random;
use serde_json::json;

use super::*;
use gateway::{Envelope, Gateway, Options, Request, WaitingFile};
use protocol::{Caller, Code};
use sandbox::Environment;
use settings::Settings;

const CASES: &str = include_str!("cases.txt");

/// A vault and the working copy of the agent `ai` for it.
struct Run {
    folder: tempfile::TempDir,
    copy: WorkingCopy,
    settings: String,
}

const SETTINGS: &str = r#"
enabled = true
backend = "embedded"
"#;

/// Settings with a folder of outside text.
const SOURCES: &str = "[taint]\nsources = [\"Clippings/**\"]\n";

const CLIPPING: (&str, &str) = ("Clippings/c.md", "clipped\n");

impl Run {
    fn new(files: &[(&str, &str)], settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("vault");
        fs_err::create_dir_all(root.join(".obsidian")).unwrap();
        for (path, text) in files {
            put(&root, path, text);
        }
        let copy = WorkingCopy::open(&folder.path().join("state"), &root, Some("ai")).unwrap();
        let mut run = Self {
            folder,
            copy,
            settings: format!("{SETTINGS}{settings}[agents.ai]\nenabled = true\n"),
        };
        run.sync();
        run
    }

    fn vault(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn gateway(&self, agent: Option<&str>) -> Gateway {
        let settings = Settings::parse("settings.toml", &self.settings).unwrap();
        let caller = agent.map_or(Caller::Person, |_| Caller::Agent);
        let options = Options {
            in_run: agent.is_some(),
            vault: Some(self.vault().display().to_string()),
            agent: agent.map(str::to_owned),
            ..Options::new(caller)
        };
        let home = self.folder.path().join("home");
        let variables = [
            ("HOME", home.clone()),
            ("XDG_STATE_HOME", home.join("state")),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        Gateway::new(settings, options, Environment::new(variables, None)).unwrap()
    }

    fn agent(&self) -> Gateway {
        self.gateway(Some("ai"))
    }

    /// Syncs until no change waits.
    fn sync(&mut self) -> Vec<String> {
        let agent = self.agent();
        let mut taken = Vec::new();
        for _ in 0..4 {
            let synced = self.copy.sync(&agent, false).unwrap();
            assert_eq!(synced.trouble, None);
            taken.extend(synced.taken.into_iter().map(|change| change.line));
            if !synced.waits {
                break;
            }
        }
        taken
    }

    fn in_copy(&self) -> BTreeMap<String, String> {
        files(&self.copy.root())
    }

    /// The paths of the copy.
    fn names(&self) -> Vec<String> {
        self.in_copy().into_keys().collect()
    }

    /// The paths that were not taken over.
    fn refused(&self) -> Vec<&str> {
        let refused = self.copy.refused();
        refused.map(|(path, _)| path.as_str()).collect()
    }

    /// Opens the copy again, as after the end of its process.
    fn reopen(&mut self) {
        let (state, vault) = (self.folder.path().join("state"), self.vault());
        self.copy = WorkingCopy::open(&state, &vault, Some("other")).unwrap();
        self.copy = WorkingCopy::open(&state, &vault, Some("ai")).unwrap();
    }

    /// The files of all drafts.
    fn waiting(&self) -> Vec<WaitingFile> {
        let (drafts, _) = self.gateway(None).drafts().waiting_drafts().unwrap();
        drafts.into_iter().flat_map(|draft| draft.files).collect()
    }

    /// The drafted files with the kind of their change.
    fn drafted(&self) -> Vec<String> {
        let files = self.waiting().into_iter().map(|file| {
            let (change, path) = (file.file.change, file.file.path);
            let from = file.file.from.map(|from| format!(" from {from}"));
            let conflict = file.file.conflict.then_some(" in conflict");
            let (from, conflict) = (from.unwrap_or_default(), conflict.unwrap_or_default());
            format!("{change:?} {path}{from}{conflict}")
        });
        let mut files: Vec<String> = files.collect();
        files.sort();
        files
    }
}

fn put(root: &Path, path: &str, text: &str) {
    let place = root.join(path);
    fs_err::create_dir_all(place.parent().unwrap()).unwrap();
    fs_err::write(place, text).unwrap();
}

/// Renames what the program has.
fn rename(run: &Run, from: &str, to: &str) {
    let root = run.copy.root();
    fs_err::create_dir_all(root.join(to).parent().unwrap()).unwrap();
    fs_err::rename(root.join(from), root.join(to)).unwrap();
}

/// Returns all files below a folder that are not hidden.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut next = vec![root.to_owned()];
    while let Some(folder) = next.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let place = entry.unwrap().path();
            let name = place.strip_prefix(root).unwrap().to_str().unwrap();
            if name.rsplit('/').next().unwrap().starts_with('.') {
                continue;
            }
            if place.is_dir() {
                next.push(place);
            } else {
                let text = fs_err::read_to_string(&place).unwrap();
                found.insert(name.to_owned(), text);
            }
        }
    }
    found
}

#[test]
fn the_program_sees_what_is_open_and_what_it_writes_is_drafted() {
    let mut run = Run::new(
        &tables::typed::<(&str, &str)>(CASES, "the program sees what is open"),
        "paths.deny = [\"Private/**\"]\npaths.deny_tags = [\"private\"]\n",
    );
    let open = "Home.md Image.png Notes/a.md Notes/b.md Notes/c.md";
    assert_eq!(run.names().join(" "), open);
    assert!(!run.copy.root().join(".obsidian").exists());
    let before = files(&run.vault());
    let root = run.copy.root();
    put(&root, "Home.md", "# Home\n\nMore.\n");
    put(&root, "New/n.md", "new\n");
    put(&root, "New/image.png", "\u{3}");
    rename(&run, "Notes/a.md", "Notes/renamed.md");
    rename(&run, "Notes/b.md", "New/b.md");
    put(&root, "New/b.md", "b\nand more\n");
    fs_err::remove_file(root.join("Notes/c.md")).unwrap();
    put(&root, "Private/mine.md", "no\n");
    put(&root, ".hidden/x.md", "no\n");
    std::os::unix::fs::symlink("/etc/passwd", root.join("Link.md")).unwrap();
    run.sync();
    assert_eq!(files(&run.vault()), before);
    let drafted = [
        "Created New/image.png",
        "Created New/n.md",
        "Modified Home.md",
        "Moved New/b.md from Notes/b.md",
        "Moved Notes/renamed.md from Notes/a.md",
        "Trashed Notes/c.md",
    ];
    assert_eq!(run.drafted(), drafted);
    assert_eq!(run.refused(), ["Private", "Private/mine.md"]);
    // The program sees the draft, so a second run changes nothing.
    assert_eq!(run.sync(), Vec::<String>::new());
}

#[test]
fn both_sides_may_change_and_a_person_decides_where_they_meet() {
    let long = "one\ntwo\nthree\nfour\nfive\n";
    let mut run = Run::new(
        &["m.md", "c.md", "d.md", "e.md"].map(|path| (path, long)),
        "",
    );
    let (vault, root) = (run.vault(), run.copy.root());
    // The program's change is in the draft before the person's.
    put(&root, "m.md", &long.replace("one", "ONE"));
    run.sync();
    put(&vault, "m.md", &long.replace("five", "FIVE"));
    put(&vault, "new.md", "of a person\n");
    // Both between two syncs.
    put(&root, "c.md", &long.replace("one", "of the program"));
    put(&vault, "c.md", &long.replace("one", "of the person"));
    fs_err::remove_file(root.join("d.md")).unwrap();
    put(&vault, "d.md", "saved\n");
    fs_err::remove_file(vault.join("e.md")).unwrap();
    run.sync();
    let both = long.replace("one", "ONE").replace("five", "FIVE");
    let copy = run.in_copy();
    assert_eq!(copy["m.md"], both);
    assert_eq!(copy["new.md"], "of a person\n");
    assert_eq!(copy["d.md"], "saved\n");
    assert!(!copy.contains_key("e.md"));
    let drafted = ["Modified c.md in conflict", "Modified m.md"];
    assert_eq!(run.drafted(), drafted);
    assert!(copy["c.md"].contains("of the program"));
    assert!(files(&vault)["c.md"].contains("of the person"));
}

#[test]
fn what_the_owner_opened_is_changed_in_the_vault() {
    let drawing = "---\nexcalidraw-plugin: parsed\n---\nText.\n## Drawing\n[]\n";
    let drawings = [("Inbox/d.md", drawing), ("Inbox/e.md", drawing)];
    let notes = [&drawings[..], &[("Inbox/a.md", "a\n"), ("b.md", "b\n")]].concat();
    let open = "allow_mutations = true\ndrafts = \"all\"\npaths.direct = [\"Inbox/**\"]\n";
    let mut run = Run::new(&notes, open);
    let (vault, root) = (run.vault(), run.copy.root());
    put(&root, "Inbox/a.md", "a\nmore\n");
    put(&root, "Inbox/new/n.md", "new\n");
    put(&root, "Inbox/acts.md", "```dataviewjs\nalert(1)\n```\n");
    let page = r#"[{"type":"embeddable","link":"https://example.org"}]"#;
    put(&root, "Inbox/d.md", &drawing.replace("[]", page));
    put(&root, "Inbox/e.md", &drawing.replace("Text", "More"));
    put(&root, "Inbox/f.excalidraw.md", "## Embedded Files\n");
    put(&root, "Inbox/g.png", "<svg onload='x'/>");
    put(&root, "b.md", "b\nmore\n");
    put(&root, "Inbox/CASE.md", "one\n");
    put(&root, "Inbox/case.md", "two\n");
    run.sync();
    let now = files(&vault);
    assert_eq!(now["Inbox/a.md"], "a\nmore\n");
    assert_eq!(now["Inbox/CASE.md"], "one\n");
    assert!(!now.contains_key("Inbox/case.md"));
    assert!(now["Inbox/e.md"].contains("More."));
    assert_eq!(now["Inbox/new/n.md"], "new\n");
    assert_eq!(now["b.md"], "b\n");
    // Active content waits for a person.
    let created = "Created Inbox/acts.md, Created Inbox/f.excalidraw.md, Created Inbox/g.png";
    let drafted = format!("{created}, Modified Inbox/d.md, Modified b.md");
    assert_eq!(run.drafted().join(", "), drafted);
}

/// Random edits on both sides: nothing of a person changes in the vault by a sync, and all that the program
/// wrote last is in its copy or in the draft.
fn history(seed: u64) {
    let mut random = Random::new(seed);
    let names = ["a.md", "b.md", "F/c.md", "F/d.md", "G/e.md", "image.png"];
    let mut run = Run::new(&[0, 1, 2, 3].map(|at| (names[at], "one\ntwo\nthree\n")), "");
    let (vault, root) = (run.vault(), run.copy.root());
    for step in 0..random.between(4, 12) {
        let (side, who) = if random.percent(50) {
            (&vault, 'p')
        } else {
            (&root, 'w')
        };
        let name = *random.pick(&names);
        let place = side.join(name);
        match random.below(6) {
            0 | 1 => {
                let old = fs_err::read_to_string(&place).unwrap_or_default();
                put(side, name, &format!("{old}{who} {step}\n"));
            }
            2 => put(side, name, &format!("{who} anew {step}\n")),
            3 => drop(fs_err::remove_file(&place)),
            4 => {
                let to = side.join(random.pick(&names));
                if place.exists() && !to.exists() {
                    fs_err::create_dir_all(to.parent().unwrap()).unwrap();
                    fs_err::rename(&place, to).unwrap();
                }
            }
            _ => {
                let old = fs_err::read_to_string(&place).unwrap_or_default();
                // By a temporary file, as editors do.
                put(side, "x.tmp", &format!("{who} {step}\n{old}"));
                fs_err::create_dir_all(place.parent().unwrap()).unwrap();
                fs_err::rename(side.join("x.tmp"), &place).unwrap();
            }
        }
        if random.percent(40) {
            check_sync(&mut run, seed, step);
        }
        if random.percent(15) {
            // The process is killed: what it knew may be lost.
            let folder = run.copy.folder.clone();
            if random.percent(50) {
                // Nothing may be known yet.
                let _known = fs_err::remove_file(folder.join("known.json"));
            }
            run.reopen();
        }
    }
    check_sync(&mut run, seed, usize::MAX);
    assert_eq!(run.sync(), Vec::<String>::new(), "seed {seed}");
}

/// The lines that the program wrote.
fn of_program(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let lines = files.values().flat_map(|text| text.lines());
    let own = lines.filter(|line| line.starts_with('w'));
    own.map(str::to_owned).collect()
}

fn check_sync(run: &mut Run, seed: u64, step: usize) {
    let (vault, written) = (files(&run.vault()), of_program(&run.in_copy()));
    run.sync();
    let at = format!("seed {seed}, step {step}, {:#?}", run.drafted());
    assert_eq!(files(&run.vault()), vault, "{at}");
    let copy = run.in_copy();
    let kept = of_program(&copy);
    let lost: Vec<&String> = written.difference(&kept).collect();
    assert!(lost.is_empty(), "{lost:?}, {at}");
    let waiting = run.waiting();
    let drafted: BTreeSet<&String> = waiting
        .iter()
        .flat_map(|file| std::iter::once(&file.file.path).chain(&file.file.from))
        .collect();
    for (path, text) in vault.iter().filter(|(path, _)| !drafted.contains(path)) {
        assert_eq!(copy.get(path), Some(text), "{path}, {at}");
    }
}

#[test]
fn a_file_without_an_end_is_refused_and_not_read() {
    let mut run = Run::new(&[("a.md", "a")], "");
    let endless = fs_err::File::create(run.copy.root().join("endless.md")).unwrap();
    endless.file().set_len(1 << 40).unwrap();
    put(&run.copy.root(), "a.md", "b");
    assert_eq!(run.sync(), ["change  a.md"]);
    assert_eq!(run.refused(), ["endless.md"]);
}

/// Returns the file of the only draft.
fn draft_file(run: &Run) -> PathBuf {
    let mut next = vec![run.folder.path().join("home")];
    while let Some(folder) = next.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let place = entry.unwrap().path();
            if place.ends_with("draft.json") {
                return place;
            }
            if place.is_dir() {
                next.push(place);
            }
        }
    }
    panic!("no draft");
}

#[test]
fn thousands_of_files_are_taken_over_in_parts_until_a_person_stops_it() {
    let mut run = Run::new(&[("a.md", "a\n")], "");
    let count = 2 * sync::MOST_AT_ONCE + 1;
    for number in 0..count {
        put(&run.copy.root(), &format!("{number:04}.md"), "x");
    }
    let heard: Arc<std::sync::Mutex<Vec<usize>>> = Arc::default();
    let (reports, stop) = (Arc::clone(&heard), Arc::clone(run.copy.stop()));
    run.copy.progress = Some(Arc::new(move |done: usize, total: usize| {
        assert_eq!(total, count);
        reports.lock().unwrap().push(done);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }));
    let synced = run.copy.sync(&run.agent(), false).unwrap();
    assert_eq!((synced.taken.len(), synced.left), (1000, count - 1000));
    assert_eq!(synced.trouble, None);
    run.copy.progress = None;
    let stop = run.copy.stop();
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(run.sync().len(), count - 1000);
    assert_eq!(*heard.lock().unwrap(), [1000]);
    assert_eq!(run.drafted().len(), count);
    assert_eq!(run.copy.refused().count(), 0);
}

#[test]
fn what_a_limit_refuses_is_tried_once_and_counted() {
    let mut run = Run::new(&[("a.md", "a\n")], "");
    put(&run.copy.root(), "b.md", "b\n");
    run.sync();
    let file = draft_file(&run);
    let text = fs_err::read_to_string(&file).unwrap();
    let mut draft: serde_json::Value = text.parse().unwrap();
    draft["changed"] = json!("2001-01-01T00:00:00Z");
    fs_err::write(&file, draft.to_string()).unwrap();
    for number in 0..40 {
        put(&run.copy.root(), &format!("{number}.md"), "x");
    }
    let synced = run.copy.sync(&run.agent(), false).unwrap();
    let trouble = synced.trouble.unwrap();
    assert_eq!((trouble.code, synced.left), (Code::DraftFull, 40));
    assert_eq!(trouble.details["reason"], "age");
    assert_eq!((synced.failed, synced.waits), (0, false));
    assert_eq!(run.copy.refused().count(), 0);
    assert_eq!(run.in_copy().len(), 42);
}

fn histories(seeds: std::ops::Range<u64>) {
    let failed: Vec<u64> = seeds
        .filter(|seed| std::panic::catch_unwind(|| history(*seed)).is_err())
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn nothing_of_either_side_is_lost() {
    histories(0..24);
}

#[test]
#[ignore = "takes many minutes"]
fn nothing_of_either_side_is_lost_in_5000_histories() {
    histories(1000..6000);
}

#[test]
fn k09_a_copy_has_labelled_notes_only_while_its_agent_is_restricted() {
    let mut run = Run::new(&[CLIPPING, ("a.md", "a\n"), ("b.md", "b\n")], SOURCES);
    let labelled = |run: &Run| {
        let agents = run.gateway(None).taint().unwrap().agents.into_iter();
        agents.map(|one| one.agent).collect::<Vec<_>>()
    };
    let copied = |run: &Run| run.copy.root().join("Clippings/c.md").exists();
    assert!(labelled(&run).is_empty() && !copied(&run));
    put(&run.copy.root(), "a.md", "a\nand more\n");
    run.sync();
    assert_eq!(run.gateway(None).taint().unwrap().notes, []);
    // The gateway inside shows the note, and restricts the agent.
    call(&run.agent(), "read", &json!({ "path": "Clippings/c.md" }));
    assert_eq!(labelled(&run), ["ai"]);
    run.sync();
    assert!(copied(&run));
    put(&run.copy.root(), "b.md", "b\nclipped\n");
    run.sync();
    let taint = run.gateway(None).taint().unwrap();
    let notes: Vec<&str> = taint.notes.iter().map(|one| one.path.as_str()).collect();
    assert!(notes.contains(&"b.md"), "{notes:?}");
    // Later its copy has none again, and the vault keeps them.
    run.gateway(None).clear_taint(&[], Some(&[]));
    run.sync();
    assert!(!copied(&run) && run.vault().join("Clippings/c.md").exists());
    assert!(labelled(&run).is_empty());
    assert_eq!(run.drafted(), ["Modified a.md", "Modified b.md"]);
}

/// Both texts of the files in conflict, as a person sees them.
fn sides(run: &Run) -> Vec<[String; 2]> {
    let files = run.waiting().into_iter();
    let files = files.filter(|file| file.file.conflict);
    files
        .flat_map(|file| file.sides)
        .map(|side| [side.draft, side.vault])
        .collect()
}

/// Returns the drafted text of a file.
fn drafted_text(run: &Run, path: &str) -> String {
    let mut files = run.waiting().into_iter().map(|file| file.file);
    files.find(|file| file.path == path).unwrap().diff.unwrap()
}

fn answer(gateway: &Gateway, command: &str, params: &serde_json::Value) -> Envelope {
    let request = json!({ "command": command, "params": params });
    gateway.call(&Request::from_value(&request).unwrap())
}

fn call(gateway: &Gateway, command: &str, params: &serde_json::Value) {
    let answered = answer(gateway, command, params);
    assert!(answered.success, "{answered:?}");
}

/// Drafts a line at the end of a note.
fn append(gateway: &Gateway, path: &str) {
    let params = json!({ "path": path, "content": "drafted" });
    call(gateway, "append", &params);
}

#[test]
fn k09_a_file_at_the_path_of_a_note_that_is_not_shown_is_a_conflict() {
    let sources = format!("{SOURCES}properties = [\"source\"]\n");
    let page = ("p.md", "---\nsource: x\n---\nclipped\n");
    let notes = [CLIPPING, page, ("a.md", "mine\n"), ("b.md", "b\n")];
    for path in ["Clippings/c.md", "p.md"] {
        for direct in ["", "allow_mutations = true\npaths.direct = [\"**\"]\n"] {
            for moves in [false, true] {
                let mut run = Run::new(&notes, &format!("{direct}{sources}"));
                let root = run.copy.root();
                assert_eq!(run.names(), ["a.md", "b.md"]);
                let before = files(&run.vault());
                let conflict = if moves {
                    rename(&run, "a.md", path);
                    format!("Moved {path} from a.md in conflict")
                } else {
                    put(&root, path, "mine\n");
                    format!("Created {path} in conflict")
                };
                run.sync();
                assert_eq!(run.drafted(), [conflict.as_str()]);
                assert_eq!(sides(&run), [["mine\n", &before[path]]]);
                assert_eq!(run.copy.refused().count(), 0);
                // The program goes on with its own text.
                put(&root, path, "mine\nmore\n");
                run.sync();
                assert_eq!(run.drafted(), [conflict.as_str()]);
                assert_eq!(sides(&run), [["mine\nmore\n", &before[path]]]);
                assert_eq!(run.in_copy()[path], "mine\nmore\n");
                assert_eq!(files(&run.vault()), before);
            }
        }
    }
}

#[test]
fn k09_a_new_file_of_the_program_stays_in_its_copy_wherever_it_is() {
    let sources = format!("{SOURCES}properties = [\"source\"]\n");
    let old = ("Clippings/old/c.md", "clipped\n");
    let mut run = Run::new(&[old, ("a.md", "a\n"), ("b.md", "b\n")], &sources);
    let root = run.copy.root();
    put(&root, "Clippings/old/new.md", "new\n");
    put(&root, "Clippings/own/new.md", "new\n");
    put(&root, "noted.md", "---\nsource: me\n---\n");
    rename(&run, "a.md", "Clippings/a.md");
    run.sync();
    let copy = run.in_copy();
    run.sync();
    assert_eq!(run.in_copy(), copy);
    let own = "Clippings/a.md Clippings/old/new.md Clippings/own/new.md";
    assert_eq!(run.names().join(" "), format!("{own} b.md noted.md"));
}

#[test]
fn k09_a_drafted_line_that_the_program_did_not_see_is_kept() {
    let own = [("old.md", "old\n"), ("own.md", "own\n")];
    let mut run = Run::new(&[&own[..], &[CLIPPING]].concat(), SOURCES);
    let agent = run.agent();
    call(&agent, "read", &json!({ "path": "Clippings/c.md" }));
    append(&agent, "own.md");
    append(&agent, "Clippings/c.md");
    let moved = json!({ "path": "old.md", "to": "moved.md" });
    call(&agent, "move", &moved);
    run.gateway(None).clear_taint(&[], Some(&[]));
    drop(agent);
    run.sync();
    // Its own notes are in the copy as they are in the vault.
    let own = own.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(run.in_copy(), own.into());
    let drafted = run.drafted();
    let root = run.copy.root();
    let written = ["own.md", "old.md", "moved.md", "Clippings/c.md"];
    for path in written {
        put(&root, path, "of the program\n");
    }
    run.sync();
    assert_eq!(run.drafted(), drafted);
    for path in ["own.md", "Clippings/c.md"] {
        assert!(drafted_text(&run, path).contains("+drafted\n"), "{path}");
    }
    let mut expected = written;
    expected.sort_unstable();
    assert_eq!(run.refused(), expected);
    let mut codes = run.copy.refused().map(|(_, failure)| failure.code);
    assert!(codes.all(|code| code == Code::DraftConflict));
    // Refused changes stay in the copy.
    for text in run.in_copy().values() {
        assert_eq!(text, "of the program\n");
    }
}

#[test]
fn k09_a_note_that_comes_into_the_copy_where_the_program_wrote_one_is_a_conflict() {
    for drafted in [false, true] {
        let mut run = Run::new(&[("Clippings/c.md", "clipped\n"), ("a.md", "a\n")], SOURCES);
        put(&run.copy.root(), "Clippings/c.md", "mine\n");
        let agent = run.agent();
        call(&agent, "read", &json!({ "path": "Clippings/c.md" }));
        if drafted {
            append(&agent, "Clippings/c.md");
        }
        drop(agent);
        run.sync();
        assert_eq!(run.in_copy()["Clippings/c.md"], "mine\n");
        if drafted {
            assert_eq!(run.drafted(), ["Modified Clippings/c.md"]);
            assert!(drafted_text(&run, "Clippings/c.md").contains("+drafted\n"));
            let refused: Vec<Code> = run.copy.refused().map(|(_, it)| it.code).collect();
            assert_eq!(refused, [Code::DraftConflict]);
        } else {
            assert_eq!(run.drafted(), ["Modified Clippings/c.md in conflict"]);
            assert_eq!(sides(&run), [["mine\n", "clipped\n"]]);
        }
    }
}

#[test]
fn k09_notes_that_were_leaving_the_copy_at_a_kill_were_not_removed_by_the_program() {
    let notes = [("Clippings/s/c.md", "clipped\n"), ("a.md", "a\n")];
    let mut run = Run::new(&notes, SOURCES);
    let read = |run: &Run| call(&run.agent(), "read", &json!({ "path": "Clippings/s/c.md" }));
    read(&run);
    run.sync();
    assert_eq!(run.in_copy().len(), 2);
    run.gateway(None).clear_taint(&[], Some(&[]));
    let mut synced = Synced::default();
    let sides = run.copy.sides(&run.agent()).unwrap();
    let looked = run.copy.look(&sides, false, &mut synced);
    let removed = (false, &mut synced);
    run.copy.update(&sides, &looked, removed).unwrap();
    assert_eq!(run.in_copy().len(), 1);
    // A kill: what `update` found out is not stored.
    run.reopen();
    read(&run);
    run.sync();
    assert_eq!(run.drafted(), [""; 0]);
    assert_eq!(run.in_copy().len(), 2);
}

#[test]
fn a_copy_has_one_run_at_a_time_and_can_be_thrown_away() {
    let run = Run::new(&[("a.md", "a\n")], "");
    let again = || WorkingCopy::open(&run.folder.path().join("state"), &run.vault(), Some("ai"));
    assert_eq!(again().err().unwrap().code, Code::UsageError);
    let folder = run.copy.folder().to_owned();
    run.copy.discard().unwrap();
    assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 1, "the lock");
}

fn pipe(place: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, place, rustix::fs::Mode::RWXU).unwrap();
}

#[test]
fn m08_what_is_no_plain_file_of_the_copy_is_not_read() {
    let mut run = Run::new(&[("a.md", "a\n"), ("F/b.md", "b\n")], "");
    let (vault, root) = (run.vault(), run.copy.root());
    let outside = run.folder.path().join("outside");
    put(&outside, "b.md", "outside\n");
    fs_err::remove_file(root.join("a.md")).unwrap();
    std::os::unix::fs::symlink(outside.join("b.md"), root.join("a.md")).unwrap();
    fs_err::remove_dir_all(root.join("F")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("F")).unwrap();
    pipe(&root.join("pipe.md"));
    let huge = fs_err::File::create(root.join("huge.md")).unwrap();
    huge.set_len(1 << 40).unwrap();
    put(&vault, "F/new.md", "new\n");
    run.sync();
    assert_eq!(run.drafted(), ["Trashed F/b.md", "Trashed a.md"]);
    assert_eq!(run.refused(), ["huge.md"]);
    assert_eq!(files(&outside).keys().collect::<Vec<_>>(), ["b.md"]);
}

#[test]
fn what_the_program_writes_after_a_look_is_not_replaced() {
    let mut run = Run::new(&[("a.md", "a\n")], "");
    let (agent, root) = (run.agent(), run.copy.root());
    put(&run.vault(), "a.md", "of a person\n");
    let mut synced = Synced::default();
    let sides = run.copy.sides(&agent).unwrap();
    let looked = run.copy.look(&sides, false, &mut synced);
    put(&root, "a.md", "of the program\n");
    let shown = (true, &mut synced);
    run.copy.update(&sides, &looked, shown).unwrap();
    assert!(synced.waits);
    assert_eq!(run.in_copy()["a.md"], "of the program\n");
    run.sync();
    assert_eq!(run.in_copy()["a.md"], "of the program\n");
    assert_eq!(run.drafted(), ["Modified a.md in conflict"]);
}

#[test]
fn a_rename_that_is_refused_removes_nothing() {
    let rules = "paths.deny = [\"Private/**\"]\n";
    let mut run = Run::new(&[("a.md", "a\n"), ("b.md", "b\n")], rules);
    let root = run.copy.root();
    fs_err::create_dir(root.join("Private")).unwrap();
    rename(&run, "a.md", "Private/a.md");
    rename(&run, "b.md", "b: draft.md");
    run.sync();
    run.sync();
    assert_eq!(run.drafted(), [""; 0]);
    assert_eq!(run.refused(), ["Private", "Private/a.md", "b: draft.md"]);
    // With a name that is possible it is a rename as any other.
    rename(&run, "b: draft.md", "c.md");
    run.sync();
    assert_eq!(run.drafted(), ["Moved c.md from b.md"]);
}

#[test]
fn what_is_missing_in_a_new_copy_was_not_removed() {
    let mut run = Run::new(&[("a.md", "a\n"), ("x/b.md", "b\n")], "");
    fs_err::remove_dir_all(run.copy.root()).unwrap();
    let (state, vault) = (run.folder.path().join("state"), run.vault());
    let reopened = || WorkingCopy::open(&state, &vault, Some("ai"));
    assert!(reopened().is_err());
    run.reopen();
    run.sync();
    assert_eq!(run.drafted(), [""; 0]);
    assert_eq!(run.in_copy().len(), 2);
    let folder = run.copy.folder().to_owned();
    let other = WorkingCopy::open(&state, &vault, Some("other")).unwrap();
    std::mem::replace(&mut run.copy, other).discard().unwrap();
    assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 1, "the lock");
}

#[test]
fn a_note_that_is_closed_leaves_the_copy_with_a_change_that_was_refused() {
    let notes = [("a.md", "a\n"), ("w/b.md", "b\n")];
    let mut run = Run::new(&notes, "paths.write = [\"w/**\"]\n");
    put(&run.copy.root(), "a.md", "a\nmore\n");
    run.sync();
    assert_eq!(run.in_copy()["a.md"], "a\nmore\n");
    let closed = "paths.deny = [\"a.md\"]\npaths.write";
    run.settings = run.settings.replace("paths.write", closed);
    run.sync();
    assert_eq!(run.names(), ["w/b.md"]);
    let [place] = &run.copy.aside()[..] else {
        panic!("{:?}", run.copy.aside());
    };
    assert_eq!(fs_err::read_to_string(place).unwrap(), "a\nmore\n");
    // A later run, in which it is open again, has it as it is.
    run.reopen();
    run.settings = run.settings.replace("paths.deny = [\"a.md\"]", "");
    run.sync();
    assert_eq!(run.drafted(), [""; 0]);
    assert_eq!(run.in_copy()["a.md"], "a\n");
    assert_eq!(files(&run.vault())["a.md"], "a\n");
}

#[test]
fn a_folder_that_is_renamed_beside_a_busy_file_is_moved() {
    let notes = [("x/a.md", "a\n"), ("x/b.md", "b\n"), ("log.md", "1\n")];
    let mut run = Run::new(&notes, "");
    let root = run.copy.root();
    rename(&run, "x", "y");
    for line in ["2\n", "3\n"] {
        put(&root, "log.md", line);
        run.copy.sync(&run.agent(), true).unwrap();
    }
    run.sync();
    let mut drafted = run.drafted();
    drafted.retain(|line| line.contains(".md"));
    let moved = "Moved y/a.md from x/a.md, Moved y/b.md from x/b.md";
    assert_eq!(drafted.join(", "), format!("Modified log.md, {moved}"));
}

#[test]
fn only_what_the_agent_may_do_without_a_question_is_done_in_the_vault() {
    for (rules, expected) in [
        ("approve = []\n", &["D/b.md"][..]),
        // As `delete` asks.
        ("", &["D/a.md", "D/b.md"]),
        ("approve = [\"write\"]\n", &["D/a.md"]),
        ("commands.deny = [\"@writes\"]\napprove = []\n", &["D/a.md"]),
    ] {
        let settings =
            format!("allow_mutations = true\ndrafts = \"all\"\npaths.direct = [\"D/**\"]\n{rules}");
        let mut run = Run::new(&[("D/a.md", "a\n"), ("n.md", "n\n")], &settings);
        put(&run.vault(), ".trash/n.md", "older\n");
        let root = run.copy.root();
        fs_err::remove_file(root.join("D/a.md")).unwrap();
        put(&root, "D/b.md", "b\n");
        fs_err::remove_file(root.join("n.md")).unwrap();
        run.sync();
        let inside: Vec<String> = files(&run.vault()).into_keys().collect();
        assert_eq!(inside, [expected, &["n.md"]].concat(), "{rules}");
        // The trash has a note of that name, which the agent does not see.
        let drafted = run.drafted().join(", ");
        assert!(drafted.contains("Trashed n.md"), "{rules} {drafted}");
    }
}

#[test]
fn of_two_files_with_one_name_both_are_named() {
    let mut run = Run::new(&[("a.md", "a\n")], "");
    let root = run.copy.root();
    put(&root, "u\u{308}.md", "one\n");
    put(&root, "\u{fc}.md", "two\n");
    run.sync();
    run.copy.name_waiting(&run.agent()).unwrap();
    assert_eq!(run.refused(), ["\u{fc}.md"]);
}

#[test]
fn a_folder_that_the_program_closes_is_opened_and_nothing_in_it_is_removed() {
    use std::os::unix::fs::PermissionsExt as _;

    let mut run = Run::new(&[("x/a.md", "a\n"), ("x/y/b.md", "b\n")], "");
    let root = run.copy.root();
    put(&root, "x/a.md", "a\nmore\n");
    rename(&run, "x", "z");
    for folder in ["z/y", "z", "."] {
        let closed = std::fs::Permissions::from_mode(0o000);
        fs_err::set_permissions(root.join(folder), closed).unwrap();
    }
    run.sync();
    let drafted = run.drafted().join(", ");
    assert!(!drafted.contains("Trashed"), "{drafted}");
    assert!(
        drafted.contains("Moved z/y/b.md from x/y/b.md"),
        "{drafted}"
    );
    for folder in ["z/y", "z", "."] {
        let found = fs_err::metadata(root.join(folder)).unwrap();
        assert_eq!(found.permissions().mode() & 0o700, 0o700, "{folder}");
    }
}

#[test]
fn a_note_that_is_not_text_is_refused_and_stays() {
    let notes = [("a.md", "a\n"), ("b.md", "b\n")];
    let mut run = Run::new(&notes, "paths.deny_tags = [\"secret\"]\n");
    let root = run.copy.root();
    for path in ["a.md", "new.md"] {
        fs_err::write(root.join(path), b"caf\xe9\n").unwrap();
    }
    run.sync();
    run.sync();
    assert_eq!(run.drafted(), [""; 0]);
    assert_eq!(run.refused(), ["a.md", "new.md"]);
    assert_eq!(fs_err::read(root.join("a.md")).unwrap(), b"caf\xe9\n");
}

#[test]
fn what_is_left_out_is_known_with_the_reason() {
    use std::os::unix::ffi::OsStrExt as _;
    let mut run = Run::new(&[("a.md", "a\n")], "");
    let root = run.copy.root();
    fs_err::create_dir_all(root.join("folder/.hidden")).unwrap();
    fs_err::write(root.join(".env"), "x").unwrap();
    std::os::unix::fs::symlink("a.md", root.join("folder/link.md")).unwrap();
    pipe(&root.join("pipe"));
    fs_err::write(root.join(std::ffi::OsStr::from_bytes(b"inv\xff.md")), "x").unwrap();
    let deep = ["e"; 128].join("/");
    fs_err::create_dir_all(root.join(&deep)).unwrap();
    fs_err::write(root.join(&deep).join("x.md"), "x").unwrap();
    run.sync();
    let left_out = run.copy.left_out().into_iter();
    let left_out: Vec<String> = left_out
        .map(|(path, why)| format!("{path}: {why}"))
        .collect();
    let expected = [
        ".env: its name begins with a dot",
        &format!("{deep}/x.md: its path is too long or has more than 128 levels"),
        "folder/.hidden: its name begins with a dot",
        "folder/link.md: it is a symbolic link",
        "inv\u{fffd}.md: its name is not UTF-8 text",
        "pipe: it is not a file",
    ];
    assert_eq!(left_out, expected);
    assert!(!run.drafted().iter().any(|path| path.contains("inv")));
}

#[test]
fn a_renamed_file_that_cannot_be_taken_over_is_not_removed() {
    let mut run = Run::new(&[("a.md", "a\n")], "");
    let root = run.copy.root();
    rename(&run, "a.md", "z.md");
    let mut large = fs_err::OpenOptions::new();
    let large = large.write(true).open(root.join("z.md")).unwrap();
    large.set_len(1 << 40).unwrap();
    for is_running in [true, false] {
        run.copy.sync(&run.agent(), is_running).unwrap();
    }
    run.sync();
    assert_eq!(run.drafted(), [""; 0]);
    assert_eq!(run.refused(), ["z.md"]);
}

/// As after a write through a memory map that the kernel has seen before: its content is another, and its times are
/// not.
#[test]
fn what_a_memory_map_wrote_without_a_trace_is_taken_over_at_the_end() {
    let began = SystemTime::now();
    let mut run = Run::new(&[("a.md", "a\n")], "");
    put(&run.copy.root(), "a.md", "a\nfirst\n");
    run.sync();
    put(&run.copy.root(), "a.md", "a\nsecond\n");
    let path = VaultPath::file("a.md").unwrap();
    let now = run.copy.sides(&run.agent()).unwrap().theirs.files[&path];
    run.copy.known.files.get_mut(&path).unwrap().theirs = Some(now);
    assert_eq!(run.sync(), [""; 0]);
    run.copy.compare_again(began);
    run.sync();
    let seen = run.agent().seen_vault().unwrap();
    assert_eq!(seen.read_bytes(&path).unwrap(), b"a\nsecond\n");
}

/// Returns all that the agent of a run can learn: the contents of its copy and the gateway's answers.
fn learned(run: &Run) -> Vec<String> {
    let agent = run.agent();
    let shown = |command: &str, params: &serde_json::Value| {
        let answered = answer(&agent, command, params);
        let error = answered.error.as_ref();
        let error = error.map(|error| (error.code, error.to_string()));
        let warnings = answered.warnings.iter();
        let warnings: Vec<_> = warnings.map(|it| (it.code, &it.path)).collect();
        let stdout = &answered.stdout;
        format!("{command} {params} {stdout:?} {error:?} {warnings:?}")
    };
    let questions = ["draft:status", "draft:show", "files", "folders", "orphans"];
    let mut learned: Vec<String> = questions.map(|it| shown(it, &json!({}))).into();
    for command in ["read", "draft:show"] {
        let names = NAMES.iter();
        learned.extend(names.map(|path| shown(command, &json!({ "path": path }))));
    }
    let mut folders = vec![run.copy.root()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).unwrap() {
            let place = entry.unwrap().path();
            let text = fs_err::read_to_string(&place).ok();
            let path = place.strip_prefix(run.copy.root());
            learned.push(format!("{path:?} {text:?}"));
            folders.extend(place.is_dir().then_some(place));
        }
    }
    learned[questions.len() + 2 * NAMES.len()..].sort();
    learned
}

/// The paths that the steps use: open notes, new notes, and notes that only one of the vaults has, closed.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "names"));

/// The same steps of a program and of its agent in two vaults that differ in closed notes alone.
fn twins(seed: u64) {
    let tagged = ["tag.md", "x/tag.md"].map(|path| (path, "#private\n"));
    let closed = [&tagged[..], &[("Private/s.md", "s\n")]].concat();
    let open = [("a.md", "a\nb\n"), ("x/c.md", "c\n[[a]]\n")];
    let rules = "paths.deny = [\"Private/**\"]\npaths.deny_tags = [\"private\"]\n";
    let mut runs = [&open[..], &[&open[..], &closed].concat()].map(|notes| {
        let run = Run::new(&[], rules);
        for (path, text) in notes {
            put(&run.vault(), path, text);
        }
        run
    });
    let vault = runs[1].vault();
    fs_err::hard_link(vault.join("Private/s.md"), vault.join("link.md")).unwrap();
    for run in &mut runs {
        run.sync();
    }
    let before = files(&vault);
    let mut random = Random::new(seed);
    let mut steps = Vec::new();
    for number in 0..random.between(3, 9) {
        let kind = random.below(9);
        let (name, to) = (*random.pick(&NAMES), *random.pick(&NAMES));
        steps.push(format!("{kind} {name} {to}"));
        for run in &mut runs {
            let root = run.copy.root();
            let (place, target) = (root.join(name), root.join(to));
            let ask = |command, params| drop(answer(&run.agent(), command, &params));
            let above = |place: &Path| fs_err::create_dir_all(place.parent().unwrap()).is_ok();
            match kind {
                0 => drop(above(&place).then(|| fs_err::write(&place, format!("{number}\n")))),
                1 => drop(fs_err::remove_file(&place)),
                2 | 3 => drop(above(&target).then(|| fs_err::rename(&place, &target))),
                4 => drop(fs_err::create_dir(&place)),
                5 => drop(fs_err::remove_dir(&place)),
                6 => {
                    let content = number.to_string();
                    ask("append", json!({ "path": name, "content": content }));
                }
                7 => ask("move", json!({ "path": name, "to": to })),
                _ => ask("draft:withdraw", json!({ "path": name })),
            }
            for _ in 0..4 {
                if !run.copy.sync(&run.agent(), false).unwrap().waits {
                    break;
                }
            }
        }
        let [without, with] = [&runs[0], &runs[1]].map(learned);
        let pairs = without.iter().zip(&with);
        let differ: Vec<_> = pairs.filter(|(one, other)| one != other).collect();
        assert!(differ.is_empty(), "seed {seed}: {steps:#?} {differ:#?}");
        assert_eq!(without.len(), with.len(), "seed {seed}: {steps:#?}");
    }
    assert_eq!(files(&vault), before, "seed {seed}");
}

#[test]
fn d16_no_step_of_a_program_shows_that_a_closed_note_has_a_name() {
    for seed in 0..10 {
        twins(seed);
    }
}

#[test]
fn a_file_takes_the_name_of_a_folder_after_the_folder_is_gone() {
    let mut run = Run::new(&[("x/a.md", "a\n"), ("b.md", "b\n")], "");
    let root = run.copy.root();
    fs_err::remove_dir_all(root.join("x")).unwrap();
    put(&root, "x", "hi\n");
    run.sync();
    assert_eq!(run.refused(), ["x"]);
    fs_err::remove_file(root.join("b.md")).unwrap();
    put(&root, "b.md/c.md", "c\n");
    run.sync();
    let refused: Vec<_> = run
        .copy
        .refused()
        .map(|(path, failure)| (path.as_str(), failure.code))
        .collect();
    assert_eq!(refused, [("x", Code::FileExists)]);
    fs_err::remove_dir_all(run.vault().join("x")).unwrap();
    run.reopen();
    run.sync();
    let drafted = ["Created b.md/c.md in conflict", "Created x", "Trashed b.md"];
    assert_eq!(run.drafted(), drafted);
}

#[test]
fn an_earlier_version_of_a_file_that_is_refused_leaves_the_draft() {
    let notes = ["a.md", "b.md", "c.md", "d.md", "e.md"].map(|path| (path, path));
    let mut run = Run::new(&notes, "");
    let root = run.copy.root();
    append(&run.agent(), "b.md");
    run.sync();
    run.copy.begin();
    for path in ["a.md", "b.md", "e.md", "new.md"] {
        put(&root, path, "half\n");
    }
    rename(&run, "c.md", "moved.md");
    fs_err::remove_file(root.join("d.md")).unwrap();
    run.sync();
    rename(&run, "e.md", "f.md");
    for path in ["a.md", "b.md", "d.md", "f.md", "moved.md", "new.md"] {
        fs_err::write(root.join(path), b"half\n\xe9\n").unwrap();
    }
    run.sync();
    let refused = ["a.md", "b.md", "d.md", "f.md", "moved.md", "new.md"];
    assert_eq!(run.refused(), refused);
    let earlier = run.copy.reset_earlier(&run.agent(), false).unwrap();
    let earlier = earlier
        .iter()
        .map(|(path, is_reset)| (path.as_str(), *is_reset));
    let earlier: Vec<_> = earlier.collect();
    let reset = ["a.md", "b.md", "e.md", "new.md"].map(|path| (path, true));
    assert_eq!(earlier, reset);
    // The removal is whole, and so is the move.
    let drafted = ["Modified b.md", "Moved moved.md from c.md", "Trashed d.md"];
    assert_eq!(run.drafted(), drafted);
    let text = drafted_text(&run, "b.md");
    assert!(text.contains("drafted") && !text.contains("half"), "{text}");
    assert_eq!(run.refused(), refused);
    // When they are text, they are taken over.
    for path in refused {
        put(&root, path, "whole\n");
    }
    run.sync();
    assert_eq!(run.refused(), [""; 0]);
    let drafted = run.drafted().join(", ");
    let created = "Created d.md, Created f.md, Created new.md";
    let modified = "Modified a.md, Modified b.md, Moved moved.md from c.md";
    assert!(
        drafted.starts_with(&format!("{created}, {modified}, ")),
        "{drafted}"
    );
}
