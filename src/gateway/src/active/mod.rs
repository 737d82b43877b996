//! Active content: text that runs or loads something when someone opens or publishes the file
//! (`design/active-content.md`).
//!
//! The results of a plan are compared with the earlier text: only new content is found, so that two harmless edits
//! cannot join to a harmful one, and older content of a note is not reported. The kinds are in
//! `config/active_content.toml`.

mod shown;

use serde_json::json;
use vault_engine::VaultPath;

use crate::caller::CallerContext;
use crate::error::Error;
use allowlist::{Call, Effect};
use backend::PinnedVault;
use changes::ChangePlan;
pub(crate) use changes::findings::Finding;
use changes::findings::{UNREADABLE, findings};
use protocol::{Code, Failure, Issue};
use tiers::{Drafts, Switch, can_be_drafted};

/// Maximum number of findings in an answer.
const MOST_SHOWN: usize = 20;

impl CallerContext {
    /// Finds the active content that a plan of an agent leaves. Changes of a person are not checked.
    ///
    /// # Errors
    ///
    /// `ACTIVE_CONTENT` if that is closed, and the change does not go into a draft.
    pub(crate) fn find_active_content(
        &self,
        call: &Call,
        plan: &mut ChangePlan,
        (seen, into_draft): (&PinnedVault, bool),
    ) -> Result<(), Failure> {
        if self.is_person() {
            return Ok(());
        }
        let effects = call.effects();
        let is_unplanned =
            !vault_engine::plans(&call.command.id) && effects.contains(Effect::Write);
        // Files that the app shows are checked in `shown.rs`.
        if is_unplanned && !effects.contains(Effect::Ui) && !self.policy.allows(Switch::Active) {
            return Err(Error::OnlyTheAppKnows(call.command.id.clone()).into());
        }
        let is_seen = |path: &VaultPath| !plan.unseen.holds(path);
        plan.findings = findings(plan.changes(), &is_seen, &seen.engine)?;
        if into_draft {
            return Ok(());
        }
        self.refuse_active_content(&plan.findings)
    }

    /// Refuses active content if the policy closes it.
    ///
    /// # Errors
    ///
    /// `ACTIVE_CONTENT` with the places and what to write instead.
    pub(crate) fn refuse_active_content(&self, findings: &[Finding]) -> Result<(), Failure> {
        let Some(first) = findings
            .first()
            .filter(|_| !self.policy.allows(Switch::Active))
        else {
            return Ok(());
        };
        let line = first
            .line
            .map_or_else(String::new, |line| format!("Line {line} of "));
        let what = if first.kind == UNREADABLE {
            format!("With this change, `{}` would not be valid.", first.path)
        } else {
            format!(
                "{line}`{}` would contain active content ({}).",
                first.path, first.kind
            )
        };
        let message = format!(
            "{what} {} Nothing was changed. {}",
            first.why, first.instead
        );
        Err(Code::ActiveContent
            .failure(message)
            .with("path", first.path.as_str())
            .with("findings", listed_findings(findings))
            .with("total", findings.len())
            .with("needs", vec![Switch::Active.key()]))
    }

    /// Whether a call that was refused with this failure can go into the draft of its agent instead.
    pub(crate) fn may_draft_active_content(&self, failure: &Failure, call: &Call) -> bool {
        failure.code == Code::ActiveContent
            && self.policy.drafts() != Drafts::Off
            && can_be_drafted(&call.command, call.effects())
    }
}

/// Returns the findings that an answer lists.
fn listed_findings(findings: &[Finding]) -> Vec<serde_json::Value> {
    let shown = findings.iter().take(MOST_SHOWN);
    shown.map(|finding| json!(finding)).collect()
}

/// Warnings for the agent whose draft has these findings.
pub(super) fn warnings(findings: &[Finding]) -> impl Iterator<Item = Issue> {
    findings.iter().take(MOST_SHOWN).map(|finding| {
        let message = format!("{} {}", finding.why, finding.instead);
        let issue = Issue::new("HOLDS_ACTIVE_CONTENT", message).with_path(&finding.path);
        issue.with("kind", finding.kind).with("line", finding.line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use changes::Options;
    use protocol::Caller;
    use sandbox::Environment;
    use settings::Settings;

    #[test]
    fn active_content_is_refused_unless_the_settings_open_it() {
        let note = VaultPath::file("Note.md").unwrap();
        let change = [vault_engine::Change::Create {
            path: note,
            after: b"<script>steal()</script>\n".to_vec(),
        }];
        let folder = tempfile::tempdir().unwrap();
        let vault = vault_engine::Vault::open(folder.path()).unwrap();
        let found = findings(&change, &|_| true, &vault).unwrap();
        let refusal = |text: &str| {
            let settings = Settings::parse("settings.toml", text).unwrap();
            let options = Options::new(Caller::Agent);
            let caller = CallerContext::new(settings, options, Environment::default()).unwrap();
            assert_eq!(caller.refuse_active_content(&[]), Ok(()));
            let refused = caller.refuse_active_content(&found);
            refused.map_err(|failure| failure.code)
        };
        assert_eq!(refusal(""), Err(Code::ActiveContent));
        assert_eq!(refusal("allow_active = true"), Ok(()));
    }
}
