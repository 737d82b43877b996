//! Whether the caller may take this run back: the switch, the command, and every path that it touched.

use vault_engine::{State, VaultPath, is_changed_by_commands};

use crate::error::Error;
use crate::pass::Pipeline;
use allowlist::{Catalogue, Effect, EffectSet, Placement};
use backend::PinnedVault;
use protocol::{Failure, Message, Part, joined, message};
use settings::Paths;
use store::audit::{RecordedStep, recorded_steps};
use store::journal::{Direction, Reversible, Undoing};
use tiers::{Drafts, Rule};

impl Pipeline<'_> {
    pub(crate) fn mutations_are_on(&self) -> Result<(), Failure> {
        if self.caller.policy.writes_directly() {
            return Ok(());
        }
        let rule = self.caller.policy.closes_the_vault();
        let why = match rule {
            Rule::OnlyDrafts => "All changes go into your draft",
            _ => "Changes are turned off",
        };
        let settings = self.caller.policy.settings_of(&rule);
        let error = Error::UndoClosed(why, self.caller.policy.tier(), rule.needs());
        Err(self.naming_draft(Failure::from(error).closed_by(settings)))
    }

    /// Adds to a refused undo the question that removes changes from the draft.
    pub(super) fn naming_draft(&self, mut failure: Failure) -> Failure {
        if self.caller.policy.drafts() != Drafts::Off {
            failure.add_hint(message!(
                "To remove changes from your draft, use {draft:withdraw} with `path` or `all`."
            ));
        }
        failure
    }

    /// Requires that the tier and the rules open the command that made the change to its caller, and the command of
    /// each step. A person may always take back what an agent did.
    pub(super) fn check_command(&self, run: &Reversible) -> Result<(), Failure> {
        if self.caller.is_person() {
            return Ok(());
        }
        let Some(made) = run.command() else {
            // The entry of the change was pruned.
            return if self.caller.policy.opens_every_change() {
                Ok(())
            } else {
                Err(Error::UndoneCommandUnknown(self.caller.policy.tier()).into())
            };
        };
        let Ok(command) = Catalogue::find_builtin(made) else {
            return Ok(());
        };
        let evaluation = self.caller.policy.check_command(&command, command.effects);
        if let Some(Rule::Command { .. } | Rule::Tier { .. }) = evaluation.rule {
            return evaluation.failure().map_or(Ok(()), Err);
        }
        let params = run.made().map(|made| &made.params);
        let steps = params.map(recorded_steps).unwrap_or_default();
        let is_open = |step: &RecordedStep| {
            Catalogue::find_builtin(&step.command)
                .is_ok_and(|command| self.caller.policy.opens_whole(&command))
        };
        if let Some(closed) = steps.iter().find(|step| !is_open(step)) {
            let tier = self.caller.policy.tier();
            return Err(Error::UndoneStepClosed(closed.command.clone(), tier).into());
        }
        match run.made() {
            Some(made) => self.caller.policy.check_arguments(&command, &made.params),
            None => Ok(()),
        }
    }

    /// Requires that every touched path may be written now, by any caller. The failure names no path that the caller
    /// may not read (`threats.toml` D13).
    ///
    /// A caller under path rules cannot undo a run that may have changed links. Links in closed notes may have followed it,
    /// and an answer that depends on that would reveal these notes.
    pub(super) fn check_paths(&self, run: &Reversible, vault: &PinnedVault) -> Result<(), Failure> {
        let entry = &run.entry;
        let params = run.made().map(|made| &made.params);
        let steps = params.map(recorded_steps).unwrap_or_default();
        let links = links_changed(run.command(), &steps);
        if let Some(links) = links.filter(|_| !self.caller.policy.reads_everything()) {
            return Err(match links {
                Links::OfFiles => self.other_files(
                    Error::UndoneMove,
                    "This move may have changed notes that the path rules hide.",
                ),
                Links::OfOthers => self.other_files(
                    Error::UndoneLinks,
                    "This run may have changed notes that the path rules hide.",
                ),
            });
        }
        let effects = EffectSet::from_iter([Effect::Write]);
        let mut unplanned = entry.unplanned.iter();
        let seen = vault.clone().limited_to(self.caller.sight.as_ref())?;
        let is_closed = |path: &VaultPath| {
            !is_changed_by_commands(&seen.engine, path) && !seen.engine.sees(path)
        };
        let mut files = entry.files.iter();
        let closed = files.any(|file| {
            let is_folder = file.before == State::Folder || file.after == Some(State::Folder);
            is_closed(&file.path) && !(is_folder && self.caller.policy.may_fill(&file.path))
        });
        if closed || unplanned.any(is_closed) {
            return Err(self.other_files(
                Error::UndoneFiles,
                "This run also changed files that the path rules hide.",
            ));
        }
        for file in &entry.files {
            let is_folder = file.before == State::Folder || file.after == Some(State::Folder);
            let is_open = is_changed_by_commands(&seen.engine, &file.path)
                || (is_folder && self.caller.policy.may_fill(&file.path));
            if !is_open {
                self.caller.policy.check_path(&file.path, effects)?;
            }
        }
        Ok(())
    }

    /// Returns the refusal of an undo that depends on closed files. A person learns which of their own settings close
    /// them; other callers learn nothing more (`threats.toml` D13).
    fn other_files(&self, for_agent: Error, for_person: &'static str) -> Failure {
        let paths = &self.caller.settings.paths;
        let standard = Paths::default();
        let keys: Vec<Message> = [
            ("paths.read", paths.read != standard.read),
            ("paths.write", paths.write != standard.write),
            ("paths.deny", paths.deny != standard.deny),
            ("paths.deny_tags", !paths.deny_tags.is_empty()),
            ("paths.deny_properties", !paths.deny_properties.is_empty()),
        ]
        .into_iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(key, _)| Part::Settings(format!("unset {key}")).into())
        .collect();
        if keys.is_empty() || !self.caller.is_person() {
            return for_agent.into();
        }
        let again = if keys.len() == 1 {
            "the setting"
        } else {
            "the settings"
        };
        Error::UndoneUnderRules(for_person, joined(keys, "and"), again).into()
    }

    /// Returns the effect of an agent's redo that leaves active content again. An undo brings back what was there.
    pub(super) fn active_again(
        &self,
        undoing: &Undoing,
        vault: &PinnedVault,
    ) -> Result<EffectSet, Failure> {
        if self.caller.is_person() || undoing.run.direction() == Direction::Undo {
            return Ok(EffectSet::EMPTY);
        }
        let changes = &undoing.restoration.changes;
        let found = changes::findings::findings(changes, &|_| true, &vault.engine)?;
        self.caller.refuse_active_content(&found)?;
        let effect = (!found.is_empty()).then_some(Effect::Active);
        Ok(effect.into_iter().collect())
    }
}

/// The links that a run may have changed in notes that are closed to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Links {
    /// Links to files that it moved. Moving them back changes the links again.
    OfFiles,
    /// Others, such as links to a heading that it renamed, or those of several steps.
    OfOthers,
}

/// Returns which links a run of this command with these steps may have changed; `None` if none. A run whose command or
/// steps are unknown may have changed any.
fn links_changed(command: Option<&str>, steps: &[RecordedStep]) -> Option<Links> {
    let Some(command) = command else {
        return Some(Links::OfOthers);
    };
    let Ok(command) = Catalogue::find_builtin(command) else {
        return None;
    };
    if command.has_steps() && !steps.is_empty() {
        let may_change_links = |step: &RecordedStep| {
            Catalogue::find_builtin(&step.command).map_or(true, |step| step.may_change_links())
        };
        return steps
            .iter()
            .any(may_change_links)
            .then_some(Links::OfOthers);
    }
    let moves = command.moves_a_file() || command.placement() == Some(Placement::WholeFolder);
    let links = if moves {
        Links::OfFiles
    } else {
        Links::OfOthers
    };
    command.may_change_links().then_some(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d13_a_list_may_have_changed_links_only_if_one_of_its_steps_may() {
        let steps = |commands: &[&str]| -> Vec<RecordedStep> {
            let steps = commands.iter().map(|command| RecordedStep {
                command: (*command).to_owned(),
                effects: EffectSet::EMPTY,
            });
            steps.collect()
        };
        let list = |commands: &[&str]| links_changed(Some("notes:change"), &steps(commands));
        assert_eq!(list(&["append", "create"]), None);
        for unknown in [&["append", "move"][..], &["heading:rename"], &["gone"], &[]] {
            assert_eq!(list(unknown), Some(Links::OfOthers), "{unknown:?}");
        }
        let alone = |command| links_changed(command, &[]);
        assert_eq!(alone(Some("append")), None);
        for command in ["move", "rename", "folder:move"] {
            assert_eq!(alone(Some(command)), Some(Links::OfFiles), "{command}");
        }
        for command in ["heading:rename", "note:extract", "note:merge"] {
            assert_eq!(alone(Some(command)), Some(Links::OfOthers), "{command}");
        }
        assert_eq!(alone(None), Some(Links::OfOthers));
    }
}
