//! The outcome of a change by the official program, decided once, from the program's report and the
//! state of the folder (`design/backends.md`, `threats.toml` G12, F10).

use vault_engine::VaultPath;

use super::evidence::Found;
use super::observed::Observed;
use super::planned::Happening;
use crate::error::Error;
use backend::Produced;
use protocol::{Code, Failure, Issue, Message};

/// The outcome of a change. The folder decides, not the program.
#[derive(Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The program confirmed the change, and it is in the folder.
    Done {
        /// The files that differ from the plan only in style.
        styled: Vec<VaultPath>,
    },
    /// The program confirmed the change, and no part of it is there. It may still happen.
    MayCome,
    /// The program confirmed the change, and the folder contains another change, or only a part of
    /// it.
    Different,
    /// The program confirmed the change, and nothing proves it.
    Unproven,
    /// The program failed, nothing changed, and nothing will change later.
    NotDone,
    /// The program failed, and files changed while it ran.
    ChangedDespiteError,
    /// The program failed. The change may have happened outside of the folder, or may still happen.
    Unknown,
}

impl Judgement {
    /// Judges the program's answer by what was `found` and `observed` last. `is_in_folder` says
    /// whether the folder shows a change of this kind at all.
    pub fn new(produced: &Produced, found: Found, observed: &Observed, is_in_folder: bool) -> Self {
        let mut changes = observed.changes.iter();
        match (&produced.outcome, found) {
            (Ok(_), Found::AsRequested { styled }) => Self::Done { styled },
            (Ok(_), Found::Absent) => Self::MayCome,
            (Ok(_), Found::Different) => Self::Different,
            (Ok(_), Found::Unknown) => Self::Unproven,
            // A file whose times alone changed says nothing about what the app did.
            (Err(_), _) if changes.any(|file| file.change != Happening::Touched) => {
                Self::ChangedDespiteError
            }
            (Err(_), Found::Unknown) if is_in_folder => Self::Unknown,
            // The app continues a command after its caller has gone. After any other failure it has
            // finished, and the folder shows everything that it did.
            (Err(failure), _) if produced.may_have_happened && is_unanswered(failure) => {
                Self::Unknown
            }
            (Err(_), _) => Self::NotDone,
        }
    }

    /// Whether there is nothing to undo or to wait for, so that no journal entry is needed.
    pub fn leaves_nothing(&self, observed: &Observed) -> bool {
        observed.changes.is_empty() && matches!(self, Self::Done { .. } | Self::NotDone)
    }

    /// Applies the outcome to the answer: a confirmation that the folder contradicts becomes a
    /// failure.
    pub fn correct(&self, produced: &mut Produced, observed: &Observed) {
        produced.may_have_happened = match self {
            Self::Done { .. } | Self::MayCome | Self::NotDone => false,
            Self::Different | Self::Unproven | Self::ChangedDespiteError | Self::Unknown => true,
        };
        let error = match self {
            Self::Done { styled } => {
                produced.warnings.extend(not_as_planned(styled));
                produced.warnings.extend(observed.beyond_plan());
                return;
            }
            Self::ChangedDespiteError => {
                produced.warnings.push(Issue::new(
                    "CHANGED_DESPITE_ERROR",
                    "The command failed, but files changed while it ran. `meta.changes` lists these files.",
                ));
                return;
            }
            Self::NotDone => {
                if let Err(failure) = &mut produced.outcome {
                    failure.map(Message::deny_change);
                }
                return;
            }
            Self::Unknown => return,
            Self::MayCome => Error::NotChanged,
            Self::Different => Error::ChangedDifferently,
            Self::Unproven => Error::NotVerified,
        };
        produced.outcome = Err(error.into());
    }
}

/// Whether the program, or the app behind it, ended without an answer.
fn is_unanswered(failure: &Failure) -> bool {
    is_interrupted(failure)
        || failure.code == Code::InternalError
        || failure.details.contains_key("signal")
}

/// Whether the program was stopped before it answered.
pub(super) const fn is_interrupted(failure: &Failure) -> bool {
    matches!(failure.code, Code::Timeout | Code::Cancelled)
}

fn not_as_planned(styled: &[VaultPath]) -> Option<Issue> {
    let paths: Vec<&str> = styled.iter().map(VaultPath::as_str).collect();
    (!paths.is_empty()).then(|| {
        Issue::new(
            "NOT_AS_PLANNED",
            "Obsidian made the change, but formatted the text in its own way. `meta.changes` shows the result.",
        )
        .with("paths", paths)
    })
}
