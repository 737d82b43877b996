//! Reasons to refuse a call, strictest first, and what each says to the caller.

use std::collections::BTreeSet;

use serde_json::json;
use vault_engine::VaultPath;

use super::scope::Access;
use super::switch::Switch;
use crate::allowlist::{EffectSet, Tier};
use crate::code::Code;
use crate::failure::Failure;

/// Why a call is refused. The order of the variants is the rank: where several reasons hold, the
/// first one is told, in whatever order they were found (`faults.md` A08).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refusal {
    /// It would run code.
    Execute,
    /// An argument points outside the vault.
    Escape { argument: String },
    /// A path that the owner's rules, or the built-in ones, do not open.
    Path { path: String, access: Access },
    /// It would act on the active file, whose path cannot be checked, under path rules.
    UncheckedActiveFile,
    /// It would change or send whatever the vault holds, under path rules.
    WholeVault { access: Access },
    /// The command belongs to a tier that is closed.
    Tier { needed: Tier },
    /// Switches that are off.
    Switches { needed: BTreeSet<Switch> },
    /// A destination may be meant as a folder or as a file.
    FolderOrFile {
        argument: String,
        folder: String,
        file: String,
    },
    /// An argument that should be a path is none.
    MalformedPath { argument: String, reason: String },
    /// It would act on the active file.
    ActiveFile {
        /// Whether a note can be named instead.
        can_name: bool,
    },
}

impl Refusal {
    /// The failure for a caller who may see up to `tier`, for a call with these effects.
    pub(super) fn into_failure(self, tier: Tier, effects: EffectSet) -> Failure {
        let needs = self.needs();
        let failure = match self {
            Self::Execute => Failure::new(
                Code::CommandRefused,
                "The command would run code, which is never open.",
            ),
            Self::Escape { argument } => Failure::new(
                Code::PathEscape,
                format!(
                    "`{argument}` points outside the vault. Give a path relative to the vault \
                     folder, such as `notes/a.md`."
                ),
            )
            .with("argument", argument),
            Self::Path { path, access } => closed_path(path, access),
            Self::UncheckedActiveFile => Failure::new(
                Code::PathDenied,
                "Under the path rules of this vault a command may not act on the active file, \
                 whose path is not known beforehand. Name the note with `path=` or `file=`.",
            )
            .with("reason", "active-file"),
            Self::WholeVault { .. } => Failure::new(
                Code::PathDenied,
                "Under the path rules of this vault a command may not act on the whole vault. \
                 Name one note with `path=` or `file=`.",
            )
            .with("reason", "whole-vault"),
            Self::Tier { needed } => Failure::new(
                Code::TierClosed,
                format!(
                    "The command belongs to tier {}, and {} is the highest that is open.",
                    needed.name(),
                    tier.name(),
                ),
            ),
            Self::Switches { needed } => Failure::new(
                Code::MutationDisabled,
                format!("The call would {}, which is turned off.", would(&needed)),
            ),
            Self::FolderOrFile {
                argument,
                folder,
                file,
            } => Failure::new(
                Code::UsageError,
                format!(
                    "`{argument}` holds a dot, so the app takes it for the whole new path, and it \
                     ends in no file extension. Write `{folder}` or `{file}`."
                ),
            )
            .with("argument", argument),
            Self::MalformedPath { argument, reason } => Failure::new(
                Code::UsageError,
                format!(
                    "`{argument}` is not a path inside the vault: {reason}. Give a path such as \
                     `notes/a.md`."
                ),
            )
            .with("argument", argument),
            Self::ActiveFile { can_name: true } => Failure::new(
                Code::UsageError,
                "No note is named, and the file that is active in the app is not open. Name a \
                 note with `path=` or `file=`; only the vault's owner can open the active file, \
                 with `allow_active_file` in the settings file.",
            )
            .with("reason", "active-file"),
            Self::ActiveFile { can_name: false } => Failure::new(
                Code::MutationDisabled,
                "The command acts on the file that is active in the app, which is turned off.",
            )
            .with("reason", "active-file"),
        };
        failure
            .with("tier", tier.name())
            .with("needs", needs)
            .with("effects", json!(effects))
    }

    /// The settings that would have to say otherwise; a tier with its value.
    fn needs(&self) -> Vec<String> {
        match self {
            Self::Execute
            | Self::Escape { .. }
            | Self::FolderOrFile { .. }
            | Self::MalformedPath { .. } => Vec::new(),
            Self::Path { path, .. } if is_hidden(path) => Vec::new(),
            Self::Path { access, .. } | Self::WholeVault { access } => vec![
                match access {
                    Access::Read => "paths.read",
                    Access::Write => "paths.write",
                }
                .to_owned(),
            ],
            Self::UncheckedActiveFile => vec!["paths.read".to_owned()],
            Self::Tier { needed } => vec![format!("tier={}", needed.name())],
            Self::Switches { needed } => needed.iter().map(|switch| switch.key().into()).collect(),
            Self::ActiveFile { .. } => vec![Switch::ActiveFile.key().to_owned()],
        }
    }
}

/// The strictest of the reasons found, whatever their order.
pub(super) fn strictest(refusals: impl IntoIterator<Item = Refusal>) -> Option<Refusal> {
    refusals.into_iter().min()
}

fn closed_path(path: String, access: Access) -> Failure {
    let message = if is_hidden(&path) {
        format!(
            "`{path}` is never open, as are all files and folders whose name starts with a dot. \
             Use another path."
        )
    } else {
        format!(
            "`{path}` is not open for {}.",
            match access {
                Access::Read => "reading",
                Access::Write => "writing",
            },
        )
    };
    Failure::new(Code::PathDenied, message).with("path", path)
}

/// Whether no setting could open the path (`design.md` §3).
fn is_hidden(path: &str) -> bool {
    VaultPath::file(path).is_ok_and(|path| path.is_hidden())
}

/// What is turned off, the gravest of it.
fn would(needed: &BTreeSet<Switch>) -> &'static str {
    if needed.contains(&Switch::Publish) {
        "send notes off this machine"
    } else if needed.contains(&Switch::Export) {
        "put copies of notes outside of the vault"
    } else if needed.contains(&Switch::Mutations) {
        "change the vault"
    } else {
        "change what the app shows"
    }
}
