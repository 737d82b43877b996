//! Whether the change that the official program confirmed is really there (`design.md` §5,
//! `faults.md` G12).
//!
//! Every command that changes something says in the catalogue how its change is verified
//! ([`Verification`]). One rule judges all of them: a change that cannot be seen is not a success.

mod alike;
mod planned;
mod question;
mod site;
mod unplanned;

use std::collections::BTreeMap;
use std::time::Duration;

use cli_output::{Answer, Confirmation};
use unicode_normalization::UnicodeNormalization as _;
use vault_engine::{Touched, VaultPath};

use self::planned::PlannedFiles;
pub(super) use self::question::Questions;
use self::site::{Site, SiteChange};
use self::unplanned::{ActiveNote, DailyNote, KeptVersion, NewFile};
use super::observed::{Observer, Snapshot, same};
use super::perform::PendingChange;
use crate::allowlist::Verification;
use crate::backend::{Payload, PinnedVault, Produced};
use crate::failure::Failure;

/// How long the app may take to write a file that it has confirmed. It writes before it answers as
/// far as anybody has recorded, so this is spent on what is missing only.
const FILE_PATIENCE: Duration = Duration::from_secs(1);
/// The same for what the app writes with a delay: its own settings, and the text of an editor.
const EDITOR_PATIENCE: Duration = Duration::from_secs(3);

/// What is known before the run, to compare with afterwards.
pub(super) enum Evidence {
    /// The files must be as planned.
    Planned(PlannedFiles),
    /// A file must appear.
    NewFile(NewFile),
    /// The note must hold a kept version.
    KeptVersion(KeptVersion),
    /// Today's note must be there.
    DailyNote(DailyNote),
    /// The active note must have more text.
    ActiveNote(ActiveNote),
    /// The published site must list the note, or not.
    Site(Site),
    /// The engine cannot plan this call, so nothing proves it.
    Nothing,
}

/// What a look at the folder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The change is there. `styled` names files that differ from the plan in style only.
    AsAsked {
        /// These files.
        styled: Vec<VaultPath>,
    },
    /// Nothing had to change, and nothing did.
    NothingToDo,
    /// Nothing of the change is there.
    Absent,
    /// Something else is there, or only a part of the change.
    Different,
    /// It cannot be looked at.
    Unseen,
}

impl Found {
    /// The change is there, as planned to the byte.
    const fn exact() -> Self {
        Self::AsAsked { styled: Vec::new() }
    }

    /// Whether a later look may find more.
    pub(super) const fn may_come(&self) -> bool {
        matches!(self, Self::Absent | Self::Different)
    }
}

/// What a look is judged by.
#[derive(Clone, Copy)]
pub(super) struct Look<'look> {
    pub(super) vault: &'look PinnedVault,
    pub(super) observer: &'look Observer,
    pub(super) snapshot: &'look Snapshot,
    /// What the program printed, where it was no failure.
    pub(super) claims: &'look Claims,
}

impl Look<'_> {
    /// Whether nothing in the folder is other than before.
    fn is_unchanged(self) -> bool {
        let mut touched = self.observer.touched().iter();
        let is_same = |touched: &Touched| {
            let now = self.snapshot.at(&touched.path);
            now.is_some_and(|now| same(now, touched.before))
        };
        touched.all(is_same) && self.snapshot.differing().is_some_and(BTreeMap::is_empty)
    }
}

impl Evidence {
    /// What has to be known before the run. For a kept version and for the published site the app is
    /// asked; where it does not tell, a version is not restored.
    pub(super) fn before(
        pending: &PendingChange<'_>,
        observer: &Observer,
        questions: &Questions<'_>,
    ) -> Result<Self, Failure> {
        let call = &pending.resolved.call;
        let note = pending.resolved.note.as_ref();
        Ok(match (call.command.verification(), note) {
            (Some(Verification::PlannedFiles | Verification::PlannedProperties), _) => {
                match &pending.plan.edit {
                    Some(edit) => Self::Planned(PlannedFiles::of(edit, pending, observer)),
                    None => Self::Nothing,
                }
            }
            (Some(Verification::NewFile), _) => Self::NewFile(NewFile::of(call)),
            (Some(Verification::KeptVersion), Some(note)) => {
                Self::KeptVersion(KeptVersion::ask(note, call, questions)?)
            }
            (Some(Verification::DailyNote), Some(note)) => {
                Self::DailyNote(DailyNote::new(note.clone()))
            }
            (Some(Verification::ActiveFile), _) => {
                Self::ActiveNote(ActiveNote::ask(call, pending.vault, questions)?)
            }
            (Some(Verification::Published), _) => {
                Self::Site(Site::before(note, SiteChange::Add, questions))
            }
            (Some(Verification::Unpublished), _) => {
                Self::Site(Site::before(note, SiteChange::Remove, questions))
            }
            (None | Some(Verification::KeptVersion | Verification::DailyNote), _) => Self::Nothing,
        })
    }

    /// What the folder shows now.
    pub(super) fn judge(&self, look: Look<'_>, questions: &Questions<'_>) -> Found {
        let found = match self {
            Self::Planned(planned) => planned.judge(look),
            Self::NewFile(new) => new.judge(look),
            Self::KeptVersion(version) => version.judge(look),
            Self::DailyNote(daily) => daily.judge(look),
            Self::ActiveNote(active) => active.judge(look),
            Self::Site(site) => site.judge(questions),
            // Whatever changed, nobody can say whether it is what was asked for.
            Self::Nothing if look.is_unchanged() => Found::Absent,
            Self::Nothing => Found::Unseen,
        };
        match found {
            Found::AsAsked { .. } | Found::NothingToDo if look.claims.contradict(look) => {
                Found::Different
            }
            Found::Absent if !look.is_unchanged() => Found::Different,
            other => other,
        }
    }

    /// Whether the change is one of the vault's folder, so that an error that changed nothing there
    /// changed nothing.
    pub(super) const fn is_in_folder(&self) -> bool {
        !matches!(self, Self::Site(_))
    }

    /// How long to go on looking for a change that was confirmed and is not there.
    pub(super) fn patience(&self) -> Duration {
        match self {
            Self::Planned(planned) if planned.has_settings() => EDITOR_PATIENCE,
            Self::ActiveNote(_) => EDITOR_PATIENCE,
            Self::Planned(_)
            | Self::NewFile(_)
            | Self::KeptVersion(_)
            | Self::DailyNote(_)
            | Self::Nothing => FILE_PATIENCE,
            Self::Site(_) => Duration::ZERO,
        }
    }
}

/// The files that the program says it changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    /// Their paths, composed as the app writes them.
    paths: Vec<String>,
    /// The file that it says it wrote.
    written: Option<VaultPath>,
    /// Whether it says that it removed a file for good.
    has_deleted: bool,
}

impl Claims {
    /// What the answer names.
    pub(super) fn of(produced: &Produced) -> Self {
        match &produced.outcome {
            Ok(Payload::Answer(Answer::Confirmation(confirmation))) => {
                Self::confirmed(confirmation)
            }
            // `unique` prints the sentence of `create`.
            Ok(Payload::Answer(Answer::Raw(raw))) => raw
                .text
                .trim()
                .strip_prefix("Created: ")
                .map_or_else(Self::default, Self::written),
            Ok(_) | Err(_) => Self::default(),
        }
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

    /// The file that the program says it wrote.
    pub(super) fn written_file(&self) -> Option<&VaultPath> {
        self.written.as_ref()
    }

    /// Whether a file is named that the command is not about and that did not change, or one was removed for good that was
    /// to go to the trash: the answer would tell of something that did not happen.
    fn contradict(&self, look: Look<'_>) -> bool {
        if self.has_deleted && look.observer.fills_trash() {
            return true;
        }
        let known = look.observer.known();
        let known: Vec<String> = known.map(|path| composed(path.as_str())).collect();
        let differing = look.snapshot.differing();
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

/// The spelling in which the app's paths are compared.
fn composed(path: &str) -> String {
    path.nfc().collect()
}
