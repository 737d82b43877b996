//! A vault with planned changes answers as one into which they were written.

use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;

use obsidian_note::{NoteRules, VaultPath};
use seeded_random::Random;
use vault_edits::Change;
use vault_edits::Editor;
use vault_files::testing::{arguments, surroundings};
use vault_files::{Detail, Sight, Vault};
use vault_index::IndexedVault;

use super::*;

/// Arguments that are given to every read command, each list at once.
const ARGUMENTS: &[&[&str]] = &[
    &["file=a", "query=bread", "name=t", "line=3", "folder=x"],
    &["path=x/c.md", "query=bread flour", "name=none"],
    &["path=b.md", "from=a.md", "to=b.md", "query=d", "verbose"],
    &["path=Gone.base", "query=[up] OR tag:#t", "paths=[\"a.md\"]"],
    &["query=\"bake bread\"", "total", "tag=t"],
    &[],
];

/// Report the path of the vault, or work on the cache.
const OF_THE_FOLDER: &[&str] = &["vault", "vaults", "vault:index"];

const TEXTS: &[&str] = &[
    "[[a]] bread #t",
    "[[none]] [[d]] Bread\n- [ ] knead\n",
    "---\naliases: [Loaf]\n---\n[[x/c]]",
    "---\nup: \"[[b]]\"\n---\n# Deep\n![[pic.png]]",
    "---\na: [\n---\n",
    "- [ ] flour #u\n- [x] [[e f]]",
];

/// Closes notes by their paths, tags and properties.
struct Rules {
    hidden: &'static str,
    rules: NoteRules,
}

impl Sight for Rules {
    fn sees_file(&self, path: &VaultPath) -> bool {
        !path.as_str().starts_with(self.hidden)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        self.sees_file(path)
    }

    fn minds_hard_links(&self) -> bool {
        true
    }

    fn note_rules(&self) -> Option<&NoteRules> {
        Some(&self.rules)
    }
}

fn sights() -> Vec<Option<Arc<dyn Sight>>> {
    let rules = |hidden, tags: &[&'static str], properties: &[&'static str]| {
        let rules = NoteRules::new(tags.iter().copied(), properties.iter().copied());
        Some(Arc::new(Rules { hidden, rules }) as Arc<dyn Sight>)
    };
    vec![
        None,
        Some(Arc::new(Without("x/".to_owned()))),
        rules("z/", &["t"], &[]),
        rules("x/y", &["u"], &["up"]),
    ]
}

/// A vault whose changes are planned, and one into which they are written.
struct Twins {
    planned: World,
    written: World,
    cache: tempfile::TempDir,
    /// The first vault with its planned changes.
    view: Vault,
    /// The limit of the caller who changes it.
    sight: Option<Arc<dyn Sight>>,
    touched: Vec<VaultPath>,
    numbers: Random,
}

impl Twins {
    fn new(seed: u64, sight: Option<Arc<dyn Sight>>) -> Self {
        let planned = World::new(Followed::new());
        let twins = Self {
            written: World::new(Followed::new()),
            cache: scratch(),
            view: planned.warm(),
            planned,
            sight,
            touched: Vec::new(),
            numbers: Random::new(seed),
        };
        for (name, _) in FILES.iter().copied() {
            twins.planned.set_time(name, 2_000);
            twins.written.set_time(name, 2_000);
        }
        twins
    }

    /// A file of the view, or at times one that does not exist.
    fn some_file(&mut self) -> String {
        let files = IndexedVault(&self.view).index().unwrap().files().to_vec();
        match files.get(self.numbers.below(files.len() + 1)) {
            Some(path) => path.to_string(),
            None => "none.md".to_owned(),
        }
    }

    fn new_name(&mut self) -> String {
        let folders = ["", "", "x/", "x/y/", "z/", "z/w/", "b.md/", "v.md/"];
        let folder = *self.numbers.pick(&folders);
        let stem = *self.numbers.pick(&["a", "A", "b", "c", "d", "e f", "v"]);
        format!(
            "{folder}{stem}.{}",
            self.numbers.pick(&["md", "md", "md", "png"])
        )
    }

    /// The words of a random command that changes something.
    fn command(&mut self) -> Vec<String> {
        let (file, new) = (self.some_file(), self.new_name());
        let (text, folder) = (
            *self.numbers.pick(TEXTS),
            *self.numbers.pick(&["x", "x/y", "z", "z/w"]),
        );
        let to = *self.numbers.pick(&["v", "z/y", "x/w", "X"]);
        let (path, content) = (format!("path={file}"), format!("content={text}"));
        let (created, to_new) = (format!("path={new}"), format!("to={new}"));
        let words: &[&str] = match self.numbers.below(18) {
            0 => &["append", &path, &content],
            1 => &["prepend", &path, &content],
            2 => &["create", &created, &content],
            3 => &["create", &created, &content, "overwrite"],
            4 | 5 => &["move", &path, &to_new],
            6 => &["rename", &path, "name=g"],
            7 => &["delete", &path, "permanent"],
            8 => &["delete", &path],
            9 => &[
                "folder:move",
                &format!("path={folder}"),
                &format!("to={to}"),
            ],
            10 => &["property:set", "name=up", "value=[[a]]", &path],
            11 => &["property:remove", "name=tags", &path],
            12 => &["task", &path, "line=3", "toggle"],
            13 => {
                let edits = r#"edits=[{"old":"bread","new":"rye [[b]]"}]"#;
                &["note:edit", &path, edits]
            }
            14 => &["tags:rename", "from=t", "to=u"],
            15 => &["bookmark", &path],
            16 => &["daily:append", &content],
            _ => &["folder", &format!("path={folder}")],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// Plans one command on both vaults, and carries it out: in the view, and in the folder of the
    /// other.
    fn change(&mut self) {
        let wanted = self.command();
        let [here, there] = [self.view.clone(), self.written.fresh()]
            .map(|vault| limited(&vault, self.sight.as_ref()))
            .map(|vault| planned(&vault, &wanted));
        match (here, there) {
            (Ok(here), Ok(there)) => {
                assert_eq!(shown(&here), shown(&there), "{wanted:?}");
                // A file that is moved into a folder of its own name, for example.
                if Editor(&self.written.fresh()).apply(&there, "run").is_err() {
                    return;
                }
                self.touched
                    .extend(here.iter().flat_map(Change::paths).cloned());
                self.view = Editor(&self.view.clone()).after_at(&here, 1_000);
                for change in &there {
                    if let Change::Create { path, .. } | Change::Modify { path, .. } = change {
                        self.written.set_time(path.as_str(), 1_000);
                    }
                }
            }
            (here, there) => assert_eq!(here.err(), there.err(), "{wanted:?}"),
        }
    }

    /// A person changes or removes a file that no plan touches.
    fn person(&mut self) {
        let name = format!("own/{}.md", self.numbers.below(4));
        let files = IndexedVault(&self.planned.fresh())
            .index()
            .unwrap()
            .files()
            .to_vec();
        let is_free = |path: &VaultPath| !self.touched.contains(path);
        let notes = files.iter().filter(|path| path.is_note() && is_free(path));
        let notes: Vec<&VaultPath> = notes.collect();
        let name = match notes.get(self.numbers.below(2 * notes.len() + 1)) {
            Some(path) => path.to_string(),
            None => name,
        };
        if !is_free(&VaultPath::file(&name).unwrap()) {
            return;
        }
        let text = *self.numbers.pick(&["[[b]] rye bread", "#t flour [[none]]"]);
        let removes = notes.iter().any(|note| note.as_str() == name) && self.numbers.once_in(4);
        for world in [&self.planned, &self.written] {
            if removes {
                world.remove(&name);
            } else {
                world.write(&name, text);
                world.set_time(&name, 3_000);
            }
        }
    }

    /// Compares what callers see through the view with what they see in the written vault.
    fn compare(&self, questions: &[Vec<&str>], round: usize) {
        let written = self.written.fresh();
        let overlay = self.view.overlay().map(|overlay| overlay.as_ref().clone());
        let overlay = overlay.unwrap_or_default();
        let alone = self.planned.fresh().with_overlay(overlay.clone());
        let cached = alone.clone().with_cache(self.cache.path().to_owned());
        let again = self.planned.warm().with_overlay(overlay);
        for (number, sight) in sights().iter().enumerate() {
            let written = limited(&written, sight.as_ref());
            let index = IndexedVault(&written).index().unwrap();
            let answers: Vec<_> = questions
                .iter()
                .map(|words| describe(&written, words))
                .collect();
            let contents =
                |vault: &Vault| vault.contents(&VaultPath::root(), Detail::Sizes).unwrap();
            for (way, view) in [&self.view, &alone, &cached, &again]
                .into_iter()
                .enumerate()
            {
                let at = format!("round {round}, sight {number}, way {way}");
                let view = limited(view, sight.as_ref());
                assert_eq!(IndexedVault(&view).index().unwrap(), index, "{at}");
                assert_eq!(contents(&view), contents(&written), "{at}");
                for (words, expected) in questions.iter().zip(&answers) {
                    assert_eq!(describe(&view, words), *expected, "{at}: {words:?}");
                }
                for file in index.files() {
                    let read = |vault: &Vault| vault.read_bytes(file).unwrap();
                    assert_eq!(read(&view), read(&written), "{at}");
                    let piece = |vault: &Vault| vault.pieces(file).unwrap().read(1, 7).unwrap();
                    assert_eq!(piece(&view), piece(&written), "{at}");
                    let modified = |vault: &Vault| vault.facts(file).unwrap().modified;
                    assert_eq!(modified(&view), modified(&written), "{at}: {file}");
                }
            }
        }
        // The folder itself shows nothing of the plan, nor does the cache that the view wrote.
        let folder = IndexedVault(&self.planned.fresh()).index().unwrap();
        let cached = self
            .planned
            .fresh()
            .with_cache(self.cache.path().to_owned());
        assert_eq!(IndexedVault(&cached).index().unwrap(), folder);
        assert_eq!(
            IndexedVault(&self.view.as_in_the_folder()).index().unwrap(),
            folder
        );
    }
}

impl World {
    /// Sets when a file was changed: milliseconds since 1970.
    fn set_time(&self, name: &str, milliseconds: u64) {
        let file = fs_err::OpenOptions::new()
            .append(true)
            .open(self.path(name));
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
        file.unwrap().file().set_modified(time).unwrap();
    }
}

fn limited(vault: &Vault, sight: Option<&Arc<dyn Sight>>) -> Vault {
    match sight {
        Some(sight) => IndexedVault(&vault.clone())
            .limited_to(Arc::clone(sight))
            .unwrap(),
        None => vault.clone(),
    }
}

/// An answer without the times at which files were created: they cannot be set.
fn describe(vault: &Vault, words: &[&str]) -> String {
    let shown = format!("{:?}", answer(vault, words));
    let mut parts = shown.split("created: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        shown + "created: " + part.trim_start_matches(|letter: char| letter.is_ascii_digit())
    })
}

/// The changes of a command; `folder` makes a folder, or removes an empty one.
fn planned(vault: &Vault, wanted: &[String]) -> Result<Vec<Change>, String> {
    if wanted[0] != "folder" {
        let edit = Editor(vault).plan(
            &wanted[0],
            &arguments(&wanted[0], &wanted[1..]),
            &surroundings(),
        );
        return edit
            .map(|edit| edit.changes)
            .map_err(|error| error.to_string());
    }
    let path = VaultPath::file(wanted[1].trim_start_matches("path=")).unwrap();
    let whole = vault.whole();
    Ok(match whole.contents(&path, Detail::Names) {
        Ok(contents) if contents.is_empty() => vec![Change::RemoveFolder { path }],
        Err(_) if path.parent().is_root() && !whole.is_there(&path) => {
            vec![Change::MakeFolder { path }]
        }
        _ => Vec::new(),
    })
}

/// The changes without the names in the trash: what a plan adds and removes leaves nothing there.
fn shown(changes: &[Change]) -> Vec<Change> {
    let trash = |path: &VaultPath| {
        if path.is_hidden() {
            VaultPath::root()
        } else {
            path.clone()
        }
    };
    let shown = changes.iter().filter_map(|change| match change {
        Change::MakeFolder { path } if path.is_hidden() => None,
        Change::Move { from, to, version } => Some(Change::Move {
            from: from.clone(),
            to: trash(to),
            version: *version,
        }),
        other => Some(other.clone()),
    });
    shown.collect()
}

fn histories(seed: u64, count: usize, changes: usize) {
    let served = vault_questions::commands().filter(|command| !OF_THE_FOLDER.contains(command));
    let words = served.flat_map(|command| {
        let with = move |arguments: &&'static [&'static str]| [&[command], *arguments].concat();
        ARGUMENTS.iter().map(with)
    });
    let questions = words.chain(QUESTIONS.iter().map(|words| words.to_vec()));
    let questions: Vec<Vec<&str>> = questions.collect();
    let sights = sights();
    let mut next = questions.iter().cycle();
    for history in 0..count {
        let sight = sights[history % sights.len()].clone();
        let seed = seed + u64::try_from(history).unwrap();
        let mut twins = Twins::new(seed, sight);
        for round in 0..changes {
            twins.change();
            if twins.numbers.once_in(3) {
                twins.person();
            }
            let some = next.by_ref().take(questions.len() / changes + 1).cloned();
            // Each question is asked in every fourth history.
            let some = some.skip(history % 4).step_by(4);
            twins.compare(&some.collect::<Vec<_>>(), round);
        }
    }
}

#[test]
fn planned_changes_are_read_as_if_they_were_written() {
    histories(1, 8, 8);
}
