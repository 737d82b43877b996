//! The content that the app shows for an agent: a file, with the files that it embeds.

use std::collections::BTreeSet;

use serde_json::Value;
use vault_engine::scan::scan;
use vault_engine::{Change, Editor, IndexedVault, Vault, VaultPath};

use crate::aimed::AimedCall;
use crate::caller::CallerContext;
use crate::error::Error;
use allowlist::{Effect, Target};
use backend::engine_failure;
use changes::findings::{FileResult, Finding, Form, Table, unmarked};
use protocol::{Code, Failure};
use tiers::Switch;

impl CallerContext {
    /// Refuses a call of an agent that makes the app show active content: in the files as the plan leaves them, and in
    /// the files that they embed. The app knows no drafts, so the folder counts.
    ///
    /// # Errors
    ///
    /// `ACTIVE_CONTENT` with the first place; or the failure of a file that cannot be read as a whole.
    pub(crate) fn refuse_to_show(
        &self,
        aimed: &AimedCall<'_>,
        changes: &[Change],
    ) -> Result<(), Failure> {
        let (opened, call) = (aimed.opened, &aimed.resolved.call);
        let shows = call.effects().contains(Effect::Ui);
        if !shows || self.is_person() || self.policy.allows(Switch::Active) {
            return Ok(());
        }
        if call.acts_on() == Target::Vault {
            return Err(Error::AppChooses(call.command.id.clone()).into());
        }
        let mut vault = opened.vault.clone();
        vault.engine = Editor(&vault.engine.as_in_the_folder()).after(changes);
        let vault = vault.limited_to(self.sight.as_ref())?.engine;
        let mut waiting = named(aimed, changes, &vault)?;
        let named = waiting.len();
        let is_drafted =
            |path: &VaultPath| !vault.is_there(path) && aimed.seen.engine.is_there(path);
        if let Some(path) = waiting.iter().find(|path| is_drafted(path)) {
            return Err(Error::OnlyDrafted(path.clone()).into());
        }
        let mut known: BTreeSet<VaultPath> = waiting.iter().cloned().collect();
        let mut at = 0;
        while let Some(path) = waiting.get(at).cloned() {
            let is_embedded = at >= named;
            at += 1;
            if !vault.is_there(&path) || is_embedded && !Form::of_file(&path)?.is_rendered() {
                continue;
            }
            opened.limits.cancel.check()?;
            let bytes = vault.read_bytes(&path).map_err(engine_failure)?;
            refuse_file(&path, &bytes)?;
            for target in embedded(&path, &bytes)? {
                if let Some(found) = led_to(&vault, &target, &path)?
                    && known.insert(found.clone())
                {
                    waiting.push(found);
                }
            }
        }
        Ok(())
    }
}

/// Returns the files that the app shows first: the files that the plan writes, or else the note of the call. A daily
/// note that is missing is made from its template.
fn named(
    aimed: &AimedCall<'_>,
    changes: &[Change],
    vault: &Vault,
) -> Result<Vec<VaultPath>, Failure> {
    let written = changes.iter().filter_map(|change| match change {
        Change::Create { path, .. } | Change::Modify { path, .. } => Some(path.clone()),
        _ => None,
    });
    let mut named: Vec<VaultPath> = written.collect();
    if named.is_empty() {
        named.extend(aimed.resolved.note.clone());
    }
    let makes_it = |note: &VaultPath| !vault.is_there(note);
    if aimed.resolved.call.acts_on() == Target::DailyNote && named.iter().any(makes_it) {
        let daily = vault.daily_notes().map_err(engine_failure)?;
        named.extend(led_to(vault, &daily.template, &VaultPath::root())?);
    }
    Ok(named)
}

/// Returns the file to which a link in `source` leads; `None` if it leads to no file.
fn led_to(vault: &Vault, link: &str, source: &VaultPath) -> Result<Option<VaultPath>, Failure> {
    let path = link.split('#').next().unwrap_or_default();
    if path.is_empty() {
        return Ok(None);
    }
    let (index, _) = IndexedVault(vault).link_index().map_err(engine_failure)?;
    Ok(index.resolve(path, source).path())
}

/// Returns the targets of what a file embeds.
fn embedded(path: &VaultPath, bytes: &[u8]) -> Result<Vec<String>, Failure> {
    let text = unmarked(bytes);
    let embeds = |text: &str| scan(text).embeds.into_iter().map(|embed| embed.target);
    Ok(match Form::of_file(path)? {
        Form::Note => embeds(&text).collect(),
        Form::Canvas => {
            let parsed: Value = serde_json::from_str(&text).unwrap_or_default();
            let nodes = parsed.get("nodes").and_then(Value::as_array);
            let nodes = nodes.into_iter().flatten();
            let fields = nodes.flat_map(|node| {
                let field = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default();
                embeds(field("text")).chain([field("file").to_owned()])
            });
            fields.collect()
        }
        Form::Base | Form::Svg | Form::Pdf | Form::Binary | Form::Other => Vec::new(),
    })
}

/// Refuses a file that runs or loads something when the app shows it.
fn refuse_file(path: &VaultPath, bytes: &[u8]) -> Result<(), Failure> {
    let whole = FileResult {
        after: Some(bytes),
        ..FileResult::default()
    };
    let table = Table::builtin()?;
    let acts = |finding: &Finding| {
        table
            .row(finding.kind)
            .is_none_or(|row| row.acts_when_shown)
    };
    let found = whole.findings(path, &|_, _| None, &|_| None, &|_| false)?;
    let Some(first) = found.into_iter().find(acts) else {
        return Ok(());
    };
    let line = (first.line).map_or_else(String::new, |line| format!("Line {line} of "));
    let message = format!(
        "Nothing was shown or changed. {line}`{path}` has active content ({}). {} Read the file \
        instead, or ask a person to look at it.",
        first.kind, first.why
    );
    Err(Code::ActiveContent
        .failure(message)
        .with("path", path.as_str())
        .with("line", first.line)
        .with("kind", first.kind)
        .with("needs", vec![Switch::Active.key()]))
}
