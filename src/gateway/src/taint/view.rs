//! The labelled notes, for one call.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use vault_engine::{
    EngineError, IndexedVault, NoteRules, Overlay, PlannedFile, Sight, Vault, VaultPath,
};

use super::locked;
use protocol::digest::sha256;
use store::drafts::origin_of;
use store::labels::{Labels, NoteLabel, Why};
use tiers::{PathPattern, Policy};

/// The labels of a vault as a caller meets them: by folder, by property, by the ledger, and by content.
pub(crate) struct LabelView {
    sources: Arc<Sources>,
    /// The properties that label a note.
    pub(super) rules: NoteRules,
    pub(super) labels: Arc<Labels>,
    /// The agent, whose draft has labels of its own.
    pub(super) agent: Option<String>,
    /// The vault as the agent sees it through its draft, without path rules.
    pub(super) vault: Vault,
    /// Notes that a person cleared, with the content that they cleared, and new files of the draft without text from
    /// outside.
    exempt: BTreeSet<VaultPath>,
    /// Files that the draft makes, files that it moves, and folders that it makes, without outside text: the agent
    /// chose their names.
    own: BTreeSet<VaultPath>,
    found: Mutex<FoundLabel>,
    /// The lengths of labelled contents that are gone from their paths, as they were when this view first looked.
    gone: OnceLock<BTreeSet<u64>>,
}

/// The maximum number of paths that [`Sources`] remembers.
const MOST_REMEMBERED: usize = 200_000;

/// The folders of `taint.sources`.
pub(super) struct Sources {
    /// Opens the files that none of them has.
    opens: Policy,
    patterns: Vec<PathPattern>,
    /// Whether one of them has the path.
    known: Mutex<HashMap<VaultPath, bool>>,
}

impl Sources {
    pub(super) fn new(opens: Policy, patterns: Vec<PathPattern>) -> Arc<Self> {
        Arc::new(Self {
            opens,
            patterns,
            known: Mutex::default(),
        })
    }

    /// Whether one of the folders has this file or folder. Its own name is the owner's.
    fn contain(&self, path: &VaultPath) -> bool {
        let mut known = locked(&self.known);
        if let Some(known) = known.get(path) {
            return *known;
        }
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        let is_in_one = self.judge(path);
        known.insert(path.clone(), is_in_one);
        is_in_one
    }

    fn judge(&self, path: &VaultPath) -> bool {
        !self.opens.may_read(path)
            && !self.patterns.iter().any(|pattern| {
                let rest = pattern.as_str().strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.starts_with('/'))
            })
    }
}

/// The results of a call's lookups.
#[derive(Default)]
struct FoundLabel {
    /// Whether the content of a file is labelled at another path.
    by_content: BTreeMap<VaultPath, bool>,
    /// The labelled files that the call met.
    met: BTreeSet<VaultPath>,
}

impl LabelView {
    pub(super) fn new(
        sources: Arc<Sources>,
        rules: NoteRules,
        labels: Arc<Labels>,
        (agent, vault): (Option<String>, Vault),
    ) -> Self {
        let cleared = labels.cleared.iter();
        let exempt = cleared.filter_map(|(path, hash)| {
            let path = VaultPath::file(path).ok()?;
            let bytes = vault.read_bytes(&path).ok()?;
            (sha256(&bytes) == *hash).then_some(path)
        });
        let mut exempt: BTreeSet<VaultPath> = exempt.collect();
        let is_clean = |path: &VaultPath| labels.of_draft(agent.as_deref(), path).is_none();
        let mut own = BTreeSet::new();
        if let Some(overlay) = vault.overlay() {
            let files = overlay.files.iter().filter(|(path, _)| is_clean(path));
            for (path, file) in files {
                let origin = origin_of(path, file);
                if origin.is_none() {
                    exempt.insert(path.clone());
                }
                if origin != Some(path) {
                    own.insert(path.clone());
                }
            }
            let made = overlay
                .folders
                .iter()
                .filter(|(path, exists)| **exists && is_clean(path));
            own.extend(made.map(|(path, _)| path.clone()));
        }
        Self {
            sources,
            rules: rules.except(exempt.clone()),
            labels,
            agent,
            vault,
            exempt,
            own,
            found: Mutex::default(),
            gone: OnceLock::new(),
        }
    }

    /// Whether the file is labelled; with its content if that is at hand.
    pub(crate) fn is_labelled(&self, path: &VaultPath, bytes: Option<&[u8]>) -> bool {
        let by_path =
            || self.is_source(path) || self.is_in_ledger(path) || self.has_labelled_content(path);
        let by_path = || !self.own.contains(path) && by_path();
        !path.is_hidden() && (by_path() || self.by_property(path, bytes))
    }

    /// Returns the reason why the file is labelled, as the rest of a sentence that starts with "It"; `None` if it is
    /// not.
    pub(crate) fn why(&self, path: &VaultPath) -> Option<String> {
        let label = self.labels.label_of(path);
        let label = label.or_else(|| self.of_draft(path));
        if let Some(label) = label {
            return Some(label.in_words());
        }
        if self.is_source(path) {
            return Some(Why::Source.in_words().to_owned());
        }
        if self.has_labelled_content(path) {
            return Some("has the text of a note with outside text that is gone".to_owned());
        }
        let has_property = self.by_property(path, None);
        has_property.then(|| "has a property of `taint.properties`, or cannot be read".to_owned())
    }

    /// Whether a folder or a property labels the file, regardless of the ledger.
    pub(crate) fn is_by_rule(&self, path: &VaultPath) -> bool {
        self.is_source(path) || self.by_property(path, None)
    }

    /// Whether the file is labelled, regardless of its text.
    pub(super) fn by_path(&self, path: &VaultPath) -> bool {
        !self.own.contains(path)
            && (self.is_source(path) || self.is_in_ledger(path) || self.had_labelled_content(path))
    }

    /// Returns the label of a file in the draft of the agent, if it sees the vault through that.
    fn of_draft(&self, path: &VaultPath) -> Option<&NoteLabel> {
        let overlay = self.vault.overlay()?;
        let mut places = (1..=path.components().count()).map(|count| path.beginning(count));
        let is_planned = places.any(|place| {
            overlay.files.contains_key(&place) || overlay.folders.contains_key(&place)
        });
        self.labels
            .of_draft(self.agent.as_deref(), path)
            .filter(|_| is_planned)
    }

    /// Returns the planned changes without those that the draft's labels are about. A note of the vault that such a
    /// change is about is as in the folder.
    pub(crate) fn clean_overlay(&self) -> Overlay {
        let overlay = self.vault.overlay().map(|overlay| Overlay::clone(overlay));
        let mut overlay = overlay.unwrap_or_default();
        let is_labelled = |path: &VaultPath| self.of_draft(path).is_some();
        let labelled = overlay.files.iter().filter(|(path, _)| is_labelled(path));
        let back: BTreeSet<VaultPath> = labelled
            .filter_map(|(path, file)| origin_of(path, file).cloned())
            .collect();
        overlay.files.retain(|path, file| {
            !(is_labelled(path) || *file == PlannedFile::Gone && back.contains(path))
        });
        overlay.folders.retain(|path, _| !is_labelled(path));
        overlay
    }

    /// Whether the ledger labels the path: a file, or a folder, whose name may be outside text.
    fn is_in_ledger(&self, path: &VaultPath) -> bool {
        // A file that somebody moved away is known by its content.
        let is_there = || self.on_disk(path.as_str()).exists() || self.is_planned(path);
        let is_labelled = self.labels.label_of(path).is_some() && is_there();
        if is_labelled {
            self.meet(path);
        }
        is_labelled || self.of_draft(path).is_some()
    }

    /// Whether a folder of `taint.sources` or the ledger labels the path, without a look at any file. For a file or
    /// folder that only the draft has, the names of the folders above count.
    pub(super) fn is_labelled_name(&self, path: &VaultPath) -> bool {
        let mut path = path.clone();
        while self.own.contains(&path) {
            path = path.parent();
        }
        !path.is_hidden() && (self.is_source(&path) || self.is_in_ledger(&path))
    }

    fn meet(&self, path: &VaultPath) {
        locked(&self.found).met.insert(path.clone());
    }

    fn is_source(&self, path: &VaultPath) -> bool {
        if self.exempt.contains(path) || !self.sources.contain(path) {
            return false;
        }
        self.meet(path);
        true
    }

    fn by_property(&self, path: &VaultPath, bytes: Option<&[u8]>) -> bool {
        if self.rules.is_empty() || !path.is_note() {
            return false;
        }
        match bytes {
            Some(bytes) => self.rules.close_bytes(path, bytes),
            None => self
                .vault
                .read_bytes(path)
                .is_ok_and(|bytes| self.rules.close_bytes(path, &bytes)),
        }
    }

    /// As [`Self::has_labelled_content`], as it was when this view first looked.
    fn had_labelled_content(&self, path: &VaultPath) -> bool {
        // No other file is opened, not even to see how long it is.
        if self.gone().is_empty() {
            return false;
        }
        let known = locked(&self.found).by_content.get(path).copied();
        known.unwrap_or_else(|| {
            let is_labelled = self.has_labelled_content(path);
            let by_content = &mut locked(&self.found).by_content;
            by_content.insert(path.clone(), is_labelled);
            is_labelled
        })
    }

    fn gone(&self) -> &BTreeSet<u64> {
        self.gone.get_or_init(|| {
            let notes = self.labels.notes.iter();
            let gone = notes.filter(|(path, label)| label.size > 0 && !self.on_disk(path).exists());
            let gone = gone.map(|(_, label)| label.size);
            gone.chain(self.labels.contents.values().copied()).collect()
        })
    }

    /// Whether the draft says what is at the path.
    fn is_planned(&self, path: &VaultPath) -> bool {
        let overlay = self.vault.overlay();
        overlay.is_some_and(|overlay| overlay.files.contains_key(path))
    }

    /// Whether the file has the content of a labelled file that is not at its path any more: a person or another
    /// program moved it.
    fn has_labelled_content(&self, path: &VaultPath) -> bool {
        if !self.labels.knows_contents() || self.is_planned(path) {
            return false;
        }
        let Ok(size) = fs_err::symlink_metadata(self.on_disk(path.as_str())).map(|it| it.len())
        else {
            return false;
        };
        let is_gone = |other: &str| other != path.as_str() && !self.on_disk(other).exists();
        let others = self.labels.of_size(size);
        let others: Vec<&NoteLabel> = others
            .filter(|(other, _)| size > 0 && is_gone(other))
            .map(|(_, label)| label)
            .collect();
        if others.is_empty() && !self.labels.has_content_of(size) {
            return false;
        }
        let bytes = self.vault.as_in_the_folder().read_bytes(path);
        let hash = bytes.map(|bytes| sha256(&bytes));
        hash.is_ok_and(|hash| {
            self.labels.contents.contains_key(&hash)
                || others.iter().any(|label| label.sha256 == hash)
        })
    }

    fn on_disk(&self, path: &str) -> PathBuf {
        self.vault.root().join(path)
    }

    /// Returns the labelled files that the call met and that the ledger does not know yet, by their contents, so that
    /// they are found again after a move.
    pub(super) fn new_contents(&self, now: Timestamp) -> Vec<(String, NoteLabel)> {
        let met = std::mem::take(&mut locked(&self.found).met);
        let new = met.into_iter().filter_map(|path| {
            let facts = fs_err::symlink_metadata(self.on_disk(path.as_str())).ok()?;
            let since = facts.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            let modified = i64::try_from(since.as_nanos()).ok();
            let known = self.labels.notes.get(path.as_str());
            let is_known =
                known.is_some_and(|label| label.size == facts.len() && label.modified == modified);
            if is_known || !facts.is_file() {
                return None;
            }
            let bytes = self.vault.as_in_the_folder().read_bytes(&path).ok()?;
            let label = NoteLabel {
                why: known.map_or(Why::Source, |label| label.why),
                agent: known.and_then(|label| label.agent.clone()),
                at: known.map_or(now, |label| label.at),
                sha256: sha256(&bytes),
                size: facts.len(),
                modified,
                clean: known.and_then(|label| label.clean.clone()),
            };
            Some((path.to_string(), label))
        });
        new.collect()
    }

    /// Whether the view is the same as long as the index of notes is: the cleared files are notes.
    pub(super) fn lasts(&self) -> bool {
        self.labels
            .cleared
            .keys()
            .all(|path| VaultPath::file(path).is_ok_and(|it| it.is_note()))
    }

    /// Returns the files and folders that are labelled, as a sight without them hides them.
    pub(super) fn hidden(&self) -> Result<Hidden, EngineError> {
        let root = VaultPath::root();
        let names = IndexedVault(&self.vault).names_below(&root)?;
        let paths = names
            .files
            .into_iter()
            .map(|file| file.path)
            .chain(names.folders);
        let paths = paths.filter(|path| self.by_path(path)).collect();
        Ok(Hidden {
            paths,
            exempt: self.exempt.clone(),
        })
    }

    /// Returns the sight of this policy without the labelled files, and without the folders with labelled names if
    /// `hides_folders`.
    pub(super) fn without_labelled(
        self: &Arc<Self>,
        inner: Option<Arc<dyn Sight>>,
        hides_folders: bool,
    ) -> Arc<dyn Sight> {
        let rules = inner.as_ref().and_then(|inner| inner.note_rules());
        let rules = rules.map_or_else(
            || self.rules.clone(),
            |rules| rules.clone().and(&self.rules),
        );
        Arc::new(Unlabelled {
            inner,
            view: Arc::clone(self),
            hides_folders,
            rules: (!rules.is_empty()).then_some(rules),
        })
    }
}

/// The state on which a sight without the labelled files depends. With the same state, an earlier sight still applies.
#[derive(PartialEq, Eq)]
pub(super) struct Hidden {
    paths: BTreeSet<VaultPath>,
    /// Notes that no property labels.
    exempt: BTreeSet<VaultPath>,
}

/// A [`Sight`] without the labelled files.
struct Unlabelled {
    inner: Option<Arc<dyn Sight>>,
    view: Arc<LabelView>,
    hides_folders: bool,
    rules: Option<NoteRules>,
}

impl Sight for Unlabelled {
    fn sees_file(&self, path: &VaultPath) -> bool {
        let inner = self.inner.as_ref();
        inner.is_none_or(|inner| inner.sees_file(path)) && !self.view.by_path(path)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        let inner = self.inner.as_ref();
        let is_labelled = || {
            if self.hides_folders {
                self.view.is_labelled_name(path)
            } else {
                self.view.is_in_ledger(path)
            }
        };
        inner.is_none_or(|inner| inner.sees_folder(path)) && !is_labelled()
    }

    fn minds_hard_links(&self) -> bool {
        let inner = self.inner.as_ref();
        inner.is_some_and(|inner| inner.minds_hard_links())
    }

    fn note_rules(&self) -> Option<&NoteRules> {
        self.rules.as_ref()
    }
}
