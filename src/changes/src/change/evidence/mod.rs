//! Verifies that a change which the official program confirmed really happened (`design/backends.md`,
//! `threats.toml` G12).
//!
//! The catalogue says for every changing command how its change is verified ([`Verification`]). One
//! rule judges all of them: a change that cannot be seen is not a success.

mod alike;
mod look;
mod planned;
mod question;
mod site;
mod unplanned;

use std::time::Duration;

use vault_engine::VaultPath;

pub(super) use self::look::{Claims, Look};
use self::planned::PlannedFiles;
pub use self::question::Questions;
use self::site::Site;
use self::unplanned::{ActiveNote, KeptVersion, NewFile, look_at_daily_note};
use super::observed::Observer;
use super::pending::PendingChange;
use allowlist::Verification;
use protocol::Failure;

/// The longest time for the app to write a file that it has confirmed. In all recordings it writes
/// before it answers, so only a missing change costs this time.
const FILE_PATIENCE: Duration = Duration::from_secs(1);
/// Time to wait for data that the app writes with a delay: its own settings, and the text of an editor.
const EDITOR_PATIENCE: Duration = Duration::from_secs(3);

/// Facts from before the run, to compare with afterwards.
pub(super) enum Evidence {
    /// The files must have the planned content.
    Planned(PlannedFiles),
    /// A new file must exist.
    NewFile(NewFile),
    /// The note must have the content of a kept version.
    KeptVersion(KeptVersion),
    /// Today's note must exist.
    DailyNote(VaultPath),
    /// The active note must have additional text.
    ActiveNote(ActiveNote),
    /// The published site must list the note, or not.
    Site(Site),
    /// The engine cannot plan this call, so nothing proves it.
    Nothing,
}

/// The result of a check of the folder after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The folder shows the requested result, even if nothing had to change for it.
    AsRequested {
        /// The files that differ from the plan only in style.
        styled: Vec<VaultPath>,
    },
    /// The folder shows no part of the change.
    Absent,
    /// The folder shows another change, or only a part of this one.
    Different,
    /// The files could not be read, or nothing in them proves the change.
    Unknown,
}

impl Found {
    /// The change is there exactly as planned.
    pub const fn exact() -> Self {
        Self::AsRequested { styled: Vec::new() }
    }

    /// Whether a later check may find more.
    pub const fn may_come(&self) -> bool {
        matches!(self, Self::Absent | Self::Different)
    }
}

impl Evidence {
    /// Collects the facts before the run. The app is asked for a kept version, the active note and
    /// the published site.
    ///
    /// # Errors
    ///
    /// If it does not answer: without the version or the note nothing could be verified.
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
                    Some(edit) => Self::Planned(PlannedFiles::new(edit, pending, observer)),
                    None => Self::Nothing,
                }
            }
            (Some(Verification::NewFile), _) => Self::NewFile(NewFile::new(call)),
            (Some(Verification::KeptVersion), Some(note)) => {
                Self::KeptVersion(KeptVersion::ask(note, call, questions)?)
            }
            (Some(Verification::DailyNote), Some(note)) => Self::DailyNote(note.clone()),
            (Some(Verification::ActiveFile), _) => {
                Self::ActiveNote(ActiveNote::ask(call, pending.vault, questions)?)
            }
            (Some(kind @ (Verification::Published | Verification::Unpublished)), _) => {
                let removes = kind == Verification::Unpublished;
                Self::Site(Site::before(note, removes, questions))
            }
            (None | Some(Verification::KeptVersion | Verification::DailyNote), _) => Self::Nothing,
        })
    }

    /// Compares with the folder now, or for the published site with the app's lists.
    pub(super) fn look(&self, look: Look<'_>, questions: &Questions<'_>) -> Found {
        let found = match self {
            Self::Planned(planned) => planned.look(look),
            Self::NewFile(new) => new.look(look),
            Self::KeptVersion(version) => version.look(look),
            Self::DailyNote(note) => look_at_daily_note(note, look),
            Self::ActiveNote(active) => active.look(look),
            Self::Site(site) => site.look(questions),
            // Something changed, and nothing shows whether it is the requested change.
            Self::Nothing if look.is_unchanged() => Found::Absent,
            Self::Nothing => Found::Unknown,
        };
        match found {
            Found::AsRequested { .. } if look.claims.contradict(look) => Found::Different,
            Found::Absent if !look.is_unchanged() => Found::Different,
            other => other,
        }
    }

    /// Whether the change is in the vault's folder. In that case an error without changes in the folder means that
    /// nothing changed.
    pub(super) const fn is_in_folder(&self) -> bool {
        !matches!(self, Self::Site(_))
    }

    /// Returns how long to wait for a confirmed change that is not there yet.
    pub(super) fn patience(&self) -> Duration {
        match self {
            // A file of the app's own settings is planned.
            Self::Planned(planned) if planned.contents.keys().any(VaultPath::is_hidden) => {
                EDITOR_PATIENCE
            }
            Self::ActiveNote(_) => EDITOR_PATIENCE,
            Self::Site(_) => Duration::ZERO,
            _ => FILE_PATIENCE,
        }
    }
}
