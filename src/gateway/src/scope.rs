//! Path rules: a caller under them gets answers from the vault without the closed files
//! (`design/path-rules.md`, `threats.toml` D13).
//!
//! The engine limits the vault (see [`vault_engine::Sight`]), so it answers every call that depends on
//! more than one open note. A call about the vault that only the app can answer is refused.

use std::sync::Arc;

use cli_output::Shape;
use vault_answers::{FileItem, List, VaultItem};
use vault_engine::{NoteRules, Sight, VaultPath};

use crate::error::Error;
use allowlist::{Call, Effect, Target, Verification};
use backend::{PinnedVault, Produced, ResolvedCall, engine_failure};
use changes::{
    Backend, Choice, Envelope,
    change::{has_other_names, keeps_property_types},
};
use protocol::{Caller, Failure, Issue, message};
use tiers::{Policy, named_templates};

/// A [`Sight`] of the files and folders that the policy allows.
struct OpenPaths {
    policy: Policy,
    /// `None` if no rule closes notes by what is in them.
    notes: Option<NoteRules>,
}

impl Sight for OpenPaths {
    fn sees_file(&self, path: &VaultPath) -> bool {
        self.policy.may_read(path)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        self.policy.may_list(path)
    }

    fn minds_hard_links(&self) -> bool {
        !self.policy.allows_hard_links()
    }

    fn note_rules(&self) -> Option<&NoteRules> {
        self.notes.as_ref()
    }
}

/// Returns the sight of a policy; `None` if its path rules close nothing, so that no filter is
/// needed.
pub(super) fn sight_of(policy: &Policy) -> Option<Arc<dyn Sight>> {
    (!policy.reads_everything()).then(|| {
        Arc::new(OpenPaths {
            notes: policy.note_rules(),
            policy: policy.clone(),
        }) as Arc<dyn Sight>
    })
}

/// Whether the answer or the effect of a call depends on other files than the file whose path the policy checks. Links
/// lead to other notes, a base shows any note, a move checks every name and changes links, a template is looked up by
/// name, and a daily note may be created from one.
pub(super) fn depends_on_other_files(call: &Call) -> bool {
    let by_shape = matches!(
        call.command.output,
        Shape::Links | Shape::Backlinks | Shape::BaseRows
    );
    let from_template = named_templates(call).next().is_some();
    let by_target = match call.acts_on() {
        Target::DailyNote => call.effects().contains(Effect::Write),
        Target::Note | Target::NewFile | Target::ActiveFile | Target::None => false,
        Target::NoteOrVault | Target::Folder | Target::Vault => true,
        Target::App => !is_of_app_alone(call.command.output),
    };
    by_shape || call.command.may_change_links() || from_template || by_target
}

/// Whether the app may answer from what is closed to the caller, or change it. It reads a note itself, after any
/// check of ours, so it is not asked for one that a tag or a property may close.
pub(super) fn needs_the_engine(call: &Call, policy: &Policy) -> bool {
    let acts_on_file = !matches!(call.acts_on(), Target::None | Target::App);
    if keeps_property_types(call) && !policy.is_unrestricted() {
        return true;
    }
    !policy.reads_everything()
        && (depends_on_other_files(call) || acts_on_file && policy.note_rules().is_some())
}

/// Whether the answer is only about the app, and never names a file of the vault.
fn is_of_app_alone(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Confirmation
            | Shape::Vaults
            | Shape::Version
            | Shape::Plugins
            | Shape::PluginInfo
            | Shape::Commands
    )
}

/// Refuses a call that the app would answer from closed files too. `choose` has already given the
/// engine every such call that it can answer.
pub(super) fn refuse_unlimited(
    call: &Call,
    choice: &Choice,
    policy: &Policy,
) -> Result<(), Failure> {
    let by_app = matches!(choice.backend, Backend::Obsidian(_));
    if !by_app || !needs_the_engine(call, policy) {
        return Ok(());
    }
    if call.command.verification() == Some(Verification::DailyNote) {
        return Err(Error::TemplateOfTheApp.into());
    }
    let instead = if call.acts_on() != Target::Note && call.command.param("file").is_some() {
        "Pass one note as `path`.".into()
    } else {
        message!("Read the notes one by one. {files} lists the files that you may read.")
    };
    Err(Error::Unlimited(call.command.id.clone(), instead).into())
}

/// Refuses a call that the app would answer from a file with several names under path rules. The app opens the file,
/// and changes it under all of its names; the engine looks at them first, and separates the file that it changes.
pub(super) fn refuse_other_names(
    resolved: &ResolvedCall,
    choice: &Choice,
    policy: &Policy,
    seen: &PinnedVault,
) -> Result<(), Failure> {
    let by_app = matches!(choice.backend, Backend::Obsidian(_));
    if !by_app || policy.is_unrestricted() || policy.allows_hard_links() {
        return Ok(());
    }
    let given = resolved.call.paths().into_iter().map(|(_, path)| path);
    let mut files = given.chain(resolved.note.clone());
    let Some(file) = files.find(|file| has_other_names(&seen.root().join(file.as_str()))) else {
        return Ok(());
    };
    if resolved.call.effects().is_mutation() {
        return Err(Error::HardLinks(file).into());
    }
    seen.engine.facts(&file).map(drop).map_err(engine_failure)
}

/// Removes paths of the machine from the answers of the app to an agent: the folders of other vaults from `vaults`, and
/// files outside of the vault from `recents` (`official-cli.md` §5.1). The engine never lists these.
pub(super) fn hide_what_is_outside(
    mut produced: Produced,
    resolved: &ResolvedCall,
    vault: &PinnedVault,
    caller: Caller,
) -> Result<Produced, Failure> {
    let shape = resolved.call.command.output;
    if caller == Caller::Person || !matches!(shape, Shape::Vaults | Shape::Recents) {
        return Ok(produced);
    }
    let answer = match &mut produced.outcome {
        Ok(Some(answer)) => answer,
        // Fail closed: text that cannot be parsed cannot be filtered either.
        Ok(None) => return Err(Error::Withheld.into()),
        Err(_) => return Ok(produced),
    };
    let mut changed = false;
    if let Some(vaults) = answer.downcast_mut::<List<VaultItem>>() {
        let here = vault.root().to_string_lossy();
        for item in &mut vaults.items {
            if item.path.as_deref().is_some_and(|path| path != here) {
                item.path = None;
                changed = true;
            }
        }
    } else if let Some(recents) = answer.downcast_mut::<List<FileItem>>() {
        let is_inside = |item: &FileItem| {
            let path = VaultPath::file(&item.path).ok();
            path.is_some_and(|path| path.as_str() == item.path && vault.engine.facts(&path).is_ok())
        };
        let (inside, outside): (Vec<FileItem>, Vec<FileItem>) = std::mem::take(&mut recents.items)
            .into_iter()
            .partition(is_inside);
        changed = !outside.is_empty();
        *recents = List::new(inside);
    }
    if changed {
        produced.render_again(&resolved.call);
    }
    Ok(produced)
}

/// Removes issues about closed files, which do not exist for the caller. Most are never created; this catches issues of
/// the gateway's own work in the whole vault, such as a recovery.
pub(super) fn hide_what_is_closed(envelope: &mut Envelope, policy: &Policy) {
    if policy.reads_everything() {
        return;
    }
    for issues in [
        &mut envelope.warnings,
        &mut envelope.violations,
        &mut envelope.advice,
    ] {
        issues.retain(|issue| may_be_shown(issue, policy));
    }
}

fn may_be_shown(issue: &Issue, policy: &Policy) -> bool {
    let Some(path) = &issue.path else {
        return true;
    };
    match issue.code {
        // About the configuration folder: every vault has one, so its name reveals nothing.
        "CONFIG_IGNORED" | "CONFIG_FOLDER_MISSING" | "CONFIG_FOLDER_UNCLEAR" => true,
        "FOLDER_UNREADABLE" => VaultPath::folder(path).is_ok_and(|folder| policy.may_list(&folder)),
        _ => VaultPath::file(path).is_ok_and(|file| policy.may_read(&file)),
    }
}
