//! A check of the folder after a run, and the changes that the program reported.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;
use vault_answers::{Confirmation, RawText};
use vault_engine::{State, Touched, VaultPath};

use crate::change::observed::{Observer, Snapshot, same};
use backend::{PinnedVault, Produced};

/// A check of the folder after the run.
#[derive(Clone, Copy)]
pub(crate) struct Look<'look> {
    pub vault: &'look PinnedVault,
    pub observer: &'look Observer,
    pub snapshot: &'look Snapshot,
    /// The report of the program, unless it reported a failure.
    pub claims: &'look Claims,
}

impl Look<'_> {
    /// Returns the states before and now of the note that the command is about; `None` if it cannot be read.
    pub(crate) fn states_of(self, note: &VaultPath) -> Option<(State, State)> {
        let before = self.observer.touched.first()?.before;
        Some((before, self.snapshot.state_of(note)?))
    }

    /// Whether nothing in the folder changed.
    pub(crate) fn is_unchanged(self) -> bool {
        let mut touched = self.observer.touched.iter();
        let is_same = |touched: &Touched| {
            let now = self.snapshot.state_of(&touched.path);
            now.is_some_and(|now| same(now, touched.before))
        };
        touched.all(is_same)
            && self
                .snapshot
                .differing
                .as_ref()
                .is_some_and(BTreeMap::is_empty)
    }
}

/// The files that the program reports as changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    /// The paths of the changed files, in composed Unicode form.
    paths: Vec<String>,
    /// The file that it reports as written.
    pub(super) written: Option<VaultPath>,
    /// Whether it reports that it permanently deleted a file.
    has_deleted: bool,
}

impl Claims {
    /// Reads the paths of reported files from the answer of the app.
    pub(crate) fn new(produced: &Produced) -> Self {
        let Ok(Some(answer)) = &produced.outcome else {
            return Self::default();
        };
        if let Some(confirmation) = answer.downcast_ref() {
            return Self::confirmed(confirmation);
        }
        // `unique` prints the sentence of `create`.
        let raw = answer.downcast_ref().map(|raw: &RawText| raw.text.trim());
        let created = raw.and_then(|text| text.strip_prefix("Created: "));
        created.map_or_else(Self::default, Self::written)
    }

    fn confirmed(confirmation: &Confirmation) -> Self {
        match confirmation {
            Confirmation::Created { path }
            | Confirmation::Overwrote { path }
            | Confirmation::Appended { path }
            | Confirmation::Prepended { path } => Self::written(path),
            Confirmation::Trashed { path } | Confirmation::Deleted { path } => Self {
                paths: vec![composed(path)],
                has_deleted: matches!(confirmation, Confirmation::Deleted { .. }),
                ..Self::default()
            },
            Confirmation::Moved { path, destination }
            | Confirmation::Renamed { path, destination } => Self {
                paths: vec![composed(path), composed(destination)],
                ..Self::default()
            },
            _ => Self::default(),
        }
    }

    fn written(path: &str) -> Self {
        Self {
            paths: vec![composed(path)],
            written: VaultPath::file(path).ok(),
            ..Self::default()
        }
    }

    /// Whether the report names something that did not happen: a change of a file that is not the
    /// command's target and did not change, or a permanent deletion of a file that should go to the
    /// trash, by the report or by the content of the vault's own trash.
    pub(crate) fn contradict(&self, look: Look<'_>) -> bool {
        if self.has_deleted && !look.observer.trashed.is_empty() || !look.snapshot.lost.is_empty() {
            return true;
        }
        let known = look.observer.known();
        let known: Vec<String> = known.map(|path| composed(path.as_str())).collect();
        let differing = look.snapshot.differing.as_ref();
        self.paths.iter().any(|path| {
            !known.contains(path)
                && differing.is_some_and(|differing| {
                    !differing
                        .keys()
                        .any(|changed| composed(changed.as_str()) == *path)
                })
        })
    }
}

/// Returns the composed form, in which the app's paths are compared.
fn composed(path: &str) -> String {
    path.nfc().collect()
}
