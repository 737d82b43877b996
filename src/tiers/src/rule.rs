//! The rules that decide about a call, strictest first, and the message of each refusal.

use std::collections::BTreeSet;

use serde_json::json;
use vault_engine::VaultPath;

use super::command_rules::ClosingRule;
use super::drafts::Drafts;
use super::scope::Access;
use super::switch::Switch;
use allowlist::{EffectSet, Tier};
use protocol::{Code, Failure, explain, for_person};

/// The value of `details.reason` of a refusal because the call would use the active file.
pub const ACTIVE_FILE: &str = "active-file";

/// The rule that decides about a call. The variants are ordered by severity: if several rules apply,
/// the first one decides, regardless of the order in which they were found (`threats.toml` A08).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The call would run code.
    Execute,
    /// An argument points outside the vault.
    Escape {
        /// The name of the argument.
        argument: String,
    },
    /// The owner's or the built-in path rules deny a path.
    Path {
        /// The path, as the call names it.
        path: String,
        /// The access of the call to it.
        access: Access,
        /// The key of the setting that denies it.
        key: &'static str,
    },
    /// There are path rules, and the call would use the active file, whose path is not known.
    UncheckedActiveFile {
        /// The keys of the path rules.
        keys: BTreeSet<&'static str>,
    },
    /// There are path rules, and the call would change or send the whole vault.
    WholeVault {
        /// The keys of the path rules.
        keys: BTreeSet<&'static str>,
        /// Whether the command has a parameter that names a note.
        can_name: bool,
    },
    /// A rule of the owner closes the command.
    Command {
        /// The id of the command.
        command: String,
        /// The rule.
        rule: ClosingRule,
    },
    /// The command needs a higher tier than the policy allows.
    Tier {
        /// The tier of the command.
        needed: Tier,
    },
    /// All changes go into a draft, and this change cannot.
    OnlyDrafts,
    /// The call needs switches that are off.
    Switches {
        /// The switches that are off and would have to be on.
        needed: BTreeSet<Switch>,
    },
    /// A destination could be a folder or a file.
    FolderOrFile {
        /// The name of the argument.
        argument: String,
        /// The path of the note if the value is a folder.
        folder: String,
        /// The path of the note if the value is its name.
        file: String,
    },
    /// An argument is not a valid path.
    MalformedPath {
        /// The name of the argument.
        argument: String,
        /// The fault of its value.
        reason: String,
    },
    /// The call would use the active file, and the switch for that is off.
    ActiveFile {
        /// Whether the command has a parameter that names a note.
        can_name: bool,
    },
    /// A person must approve calls with these effects.
    Approval {
        /// The effects of the call that need the approval.
        effects: EffectSet,
    },
}

impl Rule {
    /// Returns the rule that this switch is off.
    pub fn switch(switch: Switch) -> Self {
        Self::Switches {
            needed: [switch].into(),
        }
    }

    /// Returns the failure of a call with these effects under a policy that allows up to `tier`. `None` if the rule
    /// asks only for an approval.
    pub(super) fn failure(&self, tier: Tier, effects: EffectSet) -> Option<Failure> {
        let failure = explain! { match self {
            Self::Execute => CommandRefused
                "The command would run code, which is never allowed.";
            Self::Escape { argument } => PathEscape { argument: argument.as_str() }
                "`{argument}` points outside the vault."
                "Give a path relative to the vault folder, such as `notes/a.md`.";
            Self::Path { path, .. } if is_hidden(path) => PathDenied { path: path.as_str() }
                "Calls cannot use `{path}`, because the name of a file or folder in this path \
                starts with a dot."
                "Use another path.";
            Self::Path { path, access, key } => PathDenied { path: path.as_str() }
                (format!("The settings do not allow {} `{path}`: {}.", access.in_words(), closing(key)));
            Self::UncheckedActiveFile { .. } => PathDenied { reason: ACTIVE_FILE }
                "The path rules do not allow a command on the active file, because the path of this file is not known in advance."
                "Pass the note as `path` or `file`.";
            Self::WholeVault { can_name: true, .. } => PathDenied { reason: "whole-vault" }
                "The path rules of this vault do not allow a command on the whole vault."
                "Pass one note as `path` or `file`.";
            Self::WholeVault { .. } => PathDenied { reason: "whole-vault" }
                "The path rules of this vault do not allow a command on the whole vault."
                "Use a command that takes the `path` of the note.";
            Self::Tier { needed } => TierClosed
                (format!("The command belongs to tier {}. Only tiers up to {} are allowed.", needed.name(), tier.name()));
            Self::OnlyDrafts => MutationDisabled
                "All changes are put into a draft, but this call does something that a draft \
                cannot contain."
                "Omit the flag that shows or sends something, or use another command.";
            Self::Switches { needed } => MutationDisabled
                (format!("The call would {}. The settings do not allow that.", would(needed)));
            Self::FolderOrFile { argument, folder, file } => UsageError { argument: argument.as_str() }
                "The app would take `{argument}` as the path of a file, because it contains a dot. \
                But the text after the dot is not a known extension."
                "Write `{folder}` or `{file}`.";
            Self::MalformedPath { argument, reason } => UsageError { argument: argument.as_str() }
                "`{argument}` is not a path inside the vault: {reason}."
                "Give a path such as `notes/a.md`.";
            Self::ActiveFile { can_name: true } => UsageError { reason: ACTIVE_FILE }
                "The call does not say which note to use."
                "Pass a note as `path` or `file`."
                (for_person("To use the note that is active in the app, the owner of the vault must set `allow_active_file` in the settings."));
            Self::ActiveFile { .. } => MutationDisabled { reason: ACTIVE_FILE }
                "The command acts on the file that is active in the app."
                "The settings do not allow calls on the active file.";
        } else {
            Self::Command { command, rule } => closed_command(command, rule),
            Self::Approval { .. } => return None,
        } };
        let failure = failure
            .with("tier", tier.name())
            .with("needs", self.needs());
        Some(failure.with("effects", json!(effects)))
    }

    /// Returns the settings that would have to change to allow the call; a tier with its value.
    pub fn needs(&self) -> Vec<String> {
        match self {
            Self::Execute
            | Self::Approval { .. }
            | Self::Escape { .. }
            | Self::FolderOrFile { .. }
            | Self::MalformedPath { .. } => Vec::new(),
            Self::Path { path, .. } if is_hidden(path) => Vec::new(),
            Self::Path { key, .. } => vec![(*key).to_owned()],
            Self::WholeVault { keys, .. } | Self::UncheckedActiveFile { keys } => {
                keys.iter().map(|key| (*key).to_owned()).collect()
            }
            Self::Command { rule, .. } => vec![rule.key.clone()],
            Self::Tier { needed } => vec![format!("tier={}", needed.name())],
            Self::OnlyDrafts => vec![Drafts::KEY.to_owned()],
            Self::Switches { needed } => needed.iter().map(|switch| switch.key().into()).collect(),
            Self::ActiveFile { .. } => vec![Switch::ActiveFile.key().to_owned()],
        }
    }
}

fn closed_command(command: &str, rule: &ClosingRule) -> Failure {
    let why = match &rule.pattern {
        Some(pattern) => format!("`{pattern}` in `{}` matches the command", rule.key),
        None if rule.argument.is_some() => format!("`{}` does not include the argument", rule.key),
        None => format!("`{}` does not include the command", rule.key),
    };
    let what = match &rule.argument {
        Some(argument) => format!("the argument `{argument}` of `{command}`"),
        None => format!("`{command}`"),
    };
    let message = format!("The settings do not allow {what}: {why}.");
    let failure = Code::CommandDenied
        .failure(message)
        .with("rule", rule.key.as_str());
    match (&rule.pattern, &rule.argument) {
        (Some(pattern), _) => failure.with("pattern", pattern.as_str()),
        (None, Some(argument)) => failure.with("argument", argument.as_str()),
        (None, None) => failure,
    }
}

/// Says how this list of paths closes a path.
fn closing(key: &str) -> String {
    match key {
        "paths.read" | "paths.write" => format!("`{key}` does not include it"),
        _ => format!("a rule in `{key}` matches it"),
    }
}

/// Whether no setting can allow the path (`design/path-rules.md`).
pub(super) fn is_hidden(path: &str) -> bool {
    VaultPath::file(path).is_ok_and(|path| path.is_hidden())
}

/// Returns the most severe effect among the switches that are off, as the rest of a sentence.
fn would(needed: &BTreeSet<Switch>) -> &'static str {
    if needed.contains(&Switch::Publish) {
        "send notes off this machine"
    } else if needed.contains(&Switch::Export) {
        "copy notes out of the vault"
    } else if needed.contains(&Switch::Import) {
        "import notes from outside the vault"
    } else if needed.contains(&Switch::Mutations) {
        "change the vault"
    } else if needed.contains(&Switch::Active) {
        "add active content to a note"
    } else {
        "change what the app shows"
    }
}
