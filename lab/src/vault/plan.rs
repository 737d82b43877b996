//! The files of a vault: all paths, before any text is made up, so that links have targets.

use std::collections::HashSet;

use jiff::civil::{Date, date};
use seeded_random::Random;

use super::FLAWS;
use super::grammar::text;

/// The first note of every vault, to which many notes link.
pub(crate) const HUB: &str = "Templates/Daily.md";
/// The last day that has a daily note.
const LAST_DAY: Date = date(2025, 12, 31);
/// The folder of attachments, as the settings name it.
const ATTACHMENTS: &str = "Attachments";
/// About every n-th note adds one more of these.
const NOTES_A_FOLDER: usize = 25;
const NOTES_A_DAILY_NOTE: usize = 20;
const NOTES_A_MALFORMED_ONE: usize = 500;
/// The same for files that are not notes, by their extensions: attachments, canvases and bases.
const OTHERS: [(usize, &str); 3] = [(15, "png"), (200, "canvas"), (500, "base")];
/// No vault has so many daily notes that they reach the years before 1000.
const MOST_DAILY_NOTES: usize = 3_000;

/// The paths of a vault.
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) notes: Vec<PlannedNote>,
    /// The attachments, the canvases and the bases.
    pub(super) others: [Vec<String>; 3],
}

/// A note that is to be written.
pub(super) struct PlannedNote {
    /// Its path with `.md`.
    pub(super) path: String,
    pub(super) kind: Kind,
    /// Its place among [`FLAWS`].
    pub(super) fault: Option<usize>,
}

/// The purpose of a note.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A note with text of any kind.
    Ordinary,
    /// The note of a day.
    Daily(Date),
    /// A template with variables.
    Template,
}

impl PlannedNote {
    /// The name without folder and extension.
    pub(super) fn name(&self) -> &str {
        self.stem().rsplit('/').next().unwrap_or_default()
    }

    /// The path without `.md`.
    pub(super) fn stem(&self) -> &str {
        self.path.strip_suffix(".md").unwrap_or(&self.path)
    }
}

impl Plan {
    /// The plan of a vault with that many notes.
    pub(super) fn new(count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let folders = folders(&mut random, count / NOTES_A_FOLDER + 2);
        let mut paths = Paths::default();
        let mut notes = Vec::with_capacity(count);
        for name in ["Daily", "Meeting", "Book"] {
            let path = paths.free("Templates", name, "md");
            notes.push((path, Kind::Template));
        }
        let mut day = LAST_DAY;
        for _ in 0..(count / NOTES_A_DAILY_NOTE).min(MOST_DAILY_NOTES) {
            let folder = day.strftime("Daily/%Y/%m").to_string();
            let path = paths.free(&folder, &day.to_string(), "md");
            notes.push((path, Kind::Daily(day)));
            day = day.yesterday().unwrap_or(day);
        }
        notes.truncate(count);
        while notes.len() < count {
            let folder = some_folder(&mut random, &folders);
            let path = paths.free(folder, &text(&mut random, "note-name"), "md");
            notes.push((path, Kind::Ordinary));
        }
        let others = OTHERS.map(|(each, extension)| {
            let free = |_| {
                let folder = match extension {
                    "png" if random.percent(70) => ATTACHMENTS,
                    _ => some_folder(&mut random, &folders),
                };
                paths.free(folder, &text(&mut random, "title"), extension)
            };
            (0..=count / each).map(free).collect()
        });
        Self {
            seed,
            notes: with_faults(notes),
            others,
        }
    }

    /// Every folder with a file.
    pub(super) fn folders(&self) -> HashSet<&str> {
        let notes = self.notes.iter().map(|note| note.path.as_str());
        let paths = notes.chain(self.others.iter().flatten().map(String::as_str));
        paths
            .filter_map(|path| Some(path.rsplit_once('/')?.0))
            .collect()
    }
}

/// Folders one to five deep; each new folder is in an existing one, or in the root.
fn folders(random: &mut Random, count: usize) -> Vec<String> {
    let mut known = HashSet::new();
    let mut folders: Vec<String> = Vec::with_capacity(count);
    while folders.len() < count {
        let name = text(random, "folder-name");
        let parent = folders
            .get(random.below(folders.len() * 5 / 4 + 1))
            .filter(|parent| parent.matches('/').count() < 4);
        let mut path = parent.map_or_else(|| name.clone(), |parent| format!("{parent}/{name}"));
        if known.contains(&path.to_lowercase()) {
            path = format!("{path} {}", folders.len());
        }
        known.insert(path.to_lowercase());
        folders.push(path);
    }
    folders
}

/// A folder, or in a few cases the root.
fn some_folder<'folders>(random: &mut Random, folders: &'folders [String]) -> &'folders str {
    if random.percent(4) {
        ""
    } else {
        random.pick::<String>(folders)
    }
}

/// The taken paths, compared without case, so that the vault is the same on every system.
#[derive(Default)]
struct Paths(HashSet<String>);

impl Paths {
    fn free(&mut self, folder: &str, name: &str, extension: &str) -> String {
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut path = format!("{folder}{slash}{name}.{extension}");
        let mut number = 1;
        while !self.0.insert(path.to_lowercase()) {
            number += 1;
            path = format!("{folder}{slash}{name} {number}.{extension}");
        }
        path
    }
}

/// Spreads the malformed notes evenly over the ordinary ones, every fault at least once.
fn with_faults(notes: Vec<(String, Kind)>) -> Vec<PlannedNote> {
    let wanted = FLAWS.len().max(notes.len() / NOTES_A_MALFORMED_ONE);
    let step = (notes.len() / (wanted + 1)).max(1);
    let mut faults = (0..FLAWS.len()).cycle().take(wanted).peekable();
    let mut due = step;
    let planned = notes.into_iter().enumerate().map(|(index, (path, kind))| {
        let is_due = index >= due && kind == Kind::Ordinary;
        due += if is_due { step } else { 0 };
        let fault = faults.next_if(|_| is_due);
        PlannedNote { path, kind, fault }
    });
    planned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_has_the_requested_notes_and_no_path_twice() {
        for count in [1, 3, 40, 2_000] {
            let plan = Plan::new(count, 9);
            assert_eq!(plan.notes.len(), count);
            assert_eq!(plan.notes[0].path, HUB);
            let paths: HashSet<String> = plan
                .notes
                .iter()
                .map(|note| note.path.to_lowercase())
                .collect();
            assert_eq!(paths.len(), count);
        }
    }

    #[test]
    fn folders_are_up_to_five_deep_and_names_are_ambiguous() {
        let plan = Plan::new(2_000, 9);
        let depth = |folder: &str| folder.matches('/').count() + 1;
        let depths: Vec<usize> = plan.folders().into_iter().map(depth).collect();
        assert_eq!(depths.iter().min(), Some(&1));
        assert_eq!(depths.iter().max(), Some(&5));
        let twins = |name: &str| plan.notes.iter().filter(|note| note.name() == name).count();
        assert!(twins("README") > 3, "{}", twins("README"));
        assert!(twins("Index") > 1 && twins("index") > 1);
    }

    #[test]
    fn every_fault_stands_somewhere_and_few_notes_have_one() {
        for count in [60, 1_000, 10_000] {
            let plan = Plan::new(count, 9);
            let faults: Vec<usize> = plan.notes.iter().filter_map(|note| note.fault).collect();
            for fault in 0..FLAWS.len() {
                assert!(faults.contains(&fault), "{fault:?} in {count}");
            }
            assert!(faults.len() <= 7.max(count / 500), "{}", faults.len());
        }
    }
}
