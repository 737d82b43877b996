//! Harmless names for labelled notes: an answer that has only names of them shows these instead, and labels nobody.
//!
//! A harmless name is `untrusted-` with the beginning of a hash, so no word of it comes from the note. A secret of the
//! state folder is hashed too, so nobody can check a guess of the real name. A call can use it as a path.
//!
//! Findings and warnings with such names are left out, and a failure is replaced by the one without labelled notes if
//! it has the same code. In a base every other cell in the row of a labelled file counts as its text, because a
//! formula can make it from that. A path that the caller names itself reveals nothing, so it does not restrict.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use uuid::Uuid;
use vault_answers::{Answer, BaseRows};
use vault_engine::{Arg, AuditReport, IndexedVault, VaultPath, is_known_extension};

use super::answers::texts;
use super::{LabelView, Labels};
use allowlist::{Call, ParamKind, RawValue};
use backend::{PinnedVault, Produced, engine_failure};
use changes::{Envelope, Request};
use protocol::{Failure, Issue, digest::sha256};

/// The beginning of a harmless name.
pub(crate) const HARMLESS: &str = "untrusted-";
/// Number of hexadecimal digits of the hash in a harmless name.
const DIGITS: usize = 12;

/// Returns the answer with harmless names in place of the names that are new; `None` if it has other new text.
pub(super) fn with_harmless_names(
    mut produced: Produced,
    call: &Call,
    names: &HarmlessNames,
    new: &BTreeSet<&str>,
) -> Option<Produced> {
    let Ok(Some(answer)) = &mut produced.outcome else {
        return None;
    };
    if produced.is_of_gateway {
        return None;
    }
    let mut left_out = 0;
    for issues in [
        &mut produced.warnings,
        &mut produced.violations,
        &mut produced.advice,
    ] {
        let before = issues.len();
        issues.retain(|issue| !has_any(issue, new));
        left_out += before - issues.len();
    }
    if let Some(rows) = answer.downcast_ref()
        && !has_only_names(rows, &names.view, new)
    {
        return None;
    }
    if let Some(report) = answer.downcast_mut::<AuditReport>() {
        let findings = &mut report.findings.items;
        findings.retain(|finding| !has_any(finding, new));
    }
    let shown = replace_names(answer, names, new);
    if texts(answer)
        .iter()
        .any(|text| new.contains(text.as_str()) && !shown.contains(text))
    {
        return None;
    }
    produced.render_again(call);
    produced.warnings.push(warning(shown.len(), left_out));
    Some(produced)
}

/// Returns the answer with harmless names in place of these names of files, which is all that it has of them.
pub(super) fn with_names_replaced(
    mut produced: Produced,
    call: &Call,
    names: &HarmlessNames,
    new: &BTreeSet<&str>,
) -> Produced {
    if let Some(answer) = produced.backend_answer() {
        let shown = replace_names(answer, names, new);
        produced.render_again(call);
        produced.warnings.push(warning(shown.len(), 0));
    }
    produced
}

/// Replaces names, and returns the harmless ones.
fn replace_names(
    answer: &mut Answer,
    names: &HarmlessNames,
    new: &BTreeSet<&str>,
) -> BTreeSet<String> {
    let mut shown = BTreeSet::new();
    answer.each_name(&mut |name| {
        if new.contains(name.as_str()) {
            *name = names.replace(name);
            shown.insert(name.clone());
        }
    });
    shown
}

/// Whether a value has one of these texts.
fn has_any(value: &impl Serialize, new: &BTreeSet<&str>) -> bool {
    texts(value).iter().any(|text| new.contains(text.as_str()))
}

/// Whether the rows of labelled files have only names of these. Any other cell is text of the file, or a formula has
/// made it from that text.
fn has_only_names(rows: &BaseRows, view: &LabelView, new: &BTreeSet<&str>) -> bool {
    rows.rows.items.iter().all(|row| {
        let cells = || row.cells.values().filter_map(Json::as_str);
        let paths = cells().filter_map(|cell| VaultPath::file(cell).ok());
        let labelled: Vec<VaultPath> = paths.filter(|path| view.is_labelled(path, None)).collect();
        let is_name = |cell: &str| {
            labelled
                .iter()
                .any(|path| [path.as_str(), path.name(), path.basename()].contains(&cell))
        };
        let is_harmless = |cell: &Json| match cell {
            Json::Null => true,
            Json::String(text) => text.is_empty() || is_name(text),
            _ => false,
        };
        let is_clean = labelled.is_empty() && !cells().any(|cell| new.contains(cell));
        is_clean || row.cells.values().all(is_harmless)
    })
}

fn warning(shown: usize, left_out: usize) -> Issue {
    let mut message = format!(
        "The answer shows {} as `{HARMLESS}…`, because the names of notes with outside text may \
         contain instructions. To read such a note, use the shown name as its path. This agent is \
         then restricted.",
        vault_engine::plural::count(shown, "name")
    );
    if left_out > 0 {
        message += &format!(
            " The answer leaves out {} about such notes.",
            vault_engine::plural::count(left_out, "message")
        );
    }
    Issue::new("UNTRUSTED_NAMES", message)
        .with("names", shown)
        .with("leftOut", left_out)
}

/// Harmless names for what is labelled in a vault.
pub(crate) struct HarmlessNames {
    pub(super) view: Arc<LabelView>,
    /// The secret that is hashed with each name.
    pub(super) key: String,
}

impl HarmlessNames {
    /// Returns the name of a file or folder for a caller that has not named it: the harmless one if it is labelled.
    pub(crate) fn of(&self, path: &VaultPath) -> String {
        if self.replaces(path) {
            self.replace(path.as_str())
        } else {
            path.to_string()
        }
    }

    fn replaces(&self, path: &VaultPath) -> bool {
        self.view.is_labelled(path, None) || self.view.is_labelled_name(path)
    }

    /// Returns the harmless name of a labelled note, folder, tag or property. Folders that are not labelled stay, and
    /// so does the extension.
    fn replace(&self, name: &str) -> String {
        if let Some(tag) = name.strip_prefix('#') {
            return format!("#{}", self.hashed(tag));
        }
        let short = self.hashed(name);
        let labelled = VaultPath::file(name).ok();
        let Some(path) = labelled.filter(|path| self.replaces(path)) else {
            return short;
        };
        let count = path.components().count();
        let is_clean = |length: &usize| !self.view.is_labelled_name(&path.beginning(*length));
        let clean = (1..count).take_while(is_clean).last().unwrap_or_default();
        let folder = path.beginning(clean);
        let short = match path.extension() {
            extension if is_known_extension(extension) => format!("{short}.{extension}"),
            _ => short,
        };
        if folder.is_root() {
            short
        } else {
            format!("{folder}/{short}")
        }
    }

    fn hashed(&self, name: &str) -> String {
        format!("{HARMLESS}{}", keyed_digits(&self.key, name))
    }
}

/// Returns the digits of a harmless name.
fn keyed_digits(key: &str, name: &str) -> String {
    let mut hash = sha256(format!("{key} {name}").as_bytes());
    hash.truncate(DIGITS);
    hash
}

/// Returns a path of the call with a harmless name, as the caller wrote it.
pub(super) fn named_harmlessly(call: &Call) -> Option<VaultPath> {
    let mut paths = call.paths().into_iter().map(|(_, path)| path);
    paths.find(|path| digits(path.as_str()).is_some())
}

/// Returns the digits of a harmless name, in a path too.
fn digits(text: &str) -> Option<&str> {
    let (_, digits) = text.rsplit_once(HARMLESS)?;
    let digits = digits.split('.').next()?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (digits.len() == DIGITS && digits.bytes().all(is_digit)).then_some(digits)
}

impl Labels<'_> {
    /// Harmless names for this caller; `None` if it gets the real ones.
    ///
    /// # Errors
    ///
    /// If the ledger of labels cannot be read or written.
    pub(crate) fn harmless_names(
        &self,
        vault: &PinnedVault,
    ) -> Result<Option<HarmlessNames>, Failure> {
        if self.caller.is_labelled() || !self.caller.hides_names() {
            return Ok(None);
        }
        let view = self.view_of_caller(vault)?;
        view.map(|view| self.harmless_names_of(vault, &view))
            .transpose()
    }

    /// Returns harmless names for what is labelled in this view.
    pub(super) fn harmless_names_of(
        &self,
        vault: &PinnedVault,
        view: &Arc<LabelView>,
    ) -> Result<HarmlessNames, Failure> {
        Ok(HarmlessNames {
            key: self.names_key(vault, view)?,
            view: Arc::clone(view),
        })
    }

    /// Replaces labelled names that the request did not say in the list of what changed.
    pub(crate) fn hide_changed_names(
        &self,
        request: &Request,
        vault: impl Fn() -> Result<PinnedVault, Failure>,
        envelope: &mut Envelope,
    ) {
        if envelope.meta.changes.is_empty() || envelope.meta.taint.is_some() || self.taint.is_none()
        {
            return;
        }
        let names = vault().and_then(|vault| self.harmless_names(&vault));
        let names = match names {
            Ok(None) => return,
            Ok(names) => names,
            // Without its labels no name is known to be harmless.
            Err(_) => None,
        };
        let said: BTreeSet<&str> = request
            .params
            .0
            .values()
            .filter_map(|value| match value {
                RawValue::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let Some(names) = names else {
            let left_out = std::mem::take(&mut envelope.meta.changes).len();
            let message = format!(
                "The names of {} are left out, because the list of notes with outside text cannot \
                be read.",
                vault_engine::plural::count(left_out, "changed file")
            );
            envelope
                .warnings
                .push(Issue::new("UNTRUSTED_NAMES", message).with("leftOut", left_out));
            return;
        };
        for change in &mut envelope.meta.changes {
            for name in [Some(&mut change.path), change.from.as_mut()]
                .into_iter()
                .flatten()
            {
                if !said.contains(name.as_str())
                    && let Ok(path) = VaultPath::file(name)
                {
                    *name = names.of(&path);
                }
            }
        }
    }

    /// Returns the secret of the harmless names of this vault, which stay the same as long as the state folder does.
    fn names_key(&self, vault: &PinnedVault, view: &LabelView) -> Result<String, Failure> {
        if let Some(key) = &view.labels.names_key {
            return Ok(key.clone());
        }
        let new = Uuid::new_v4().simple().to_string();
        if self.caller.state_folder().is_err() {
            let of_process = self.taint.map(|taint| &taint.names_key);
            return Ok(of_process.cloned().unwrap_or(new));
        }
        self.records
            .journal_of(vault)?
            .change_labels(|labels| labels.names_key.get_or_insert(new).clone())
    }

    /// Returns the call with the real names of files and folders in place of the harmless ones.
    ///
    /// # Errors
    ///
    /// If the names in the vault, or the labels, cannot be read.
    pub(crate) fn with_real_names(&self, call: Call, seen: &PinnedVault) -> Result<Call, Failure> {
        let Some(taint) = self.taint else {
            return Ok(call);
        };
        if !call.arguments.values.values().any(may_have_a_harmless_name) {
            return Ok(call);
        }
        let labels = self.ledger(seen)?;
        with_real_names(
            call,
            seen,
            labels.names_key.as_ref().unwrap_or(&taint.names_key),
        )
    }
}

/// Whether a value has the beginning of a harmless name.
fn may_have_a_harmless_name(value: &Arg) -> bool {
    match value {
        Arg::Path(path) | Arg::Line { path, .. } => path.as_str().contains(HARMLESS),
        Arg::Text(text) => text.contains(HARMLESS),
        Arg::List(items) => items
            .iter()
            .any(|item| item.as_str().is_some_and(|text| text.contains(HARMLESS))),
        Arg::Integer(_) => false,
    }
}

fn with_real_names(mut call: Call, seen: &PinnedVault, secret: &str) -> Result<Call, Failure> {
    let mut files = None;
    let command = call.command.clone();
    for (key, value) in &mut call.arguments.values {
        let is_name = || {
            let kind = command.param(key).map(|param| &param.kind);
            matches!(kind, Some(ParamKind::NoteName))
        };
        let texts: Vec<&mut String> = match value {
            Arg::Path(path) => {
                if let Some(real) = real_name(path.as_str(), (seen, secret), &mut files)? {
                    *path = real;
                }
                continue;
            }
            Arg::Text(text) if is_name() => vec![text],
            Arg::List(items) => items
                .iter_mut()
                .filter_map(|item| match item {
                    Json::String(text) => Some(text),
                    _ => None,
                })
                .collect(),
            Arg::Line { .. } | Arg::Text(_) | Arg::Integer(_) => continue,
        };
        for text in texts {
            if let Some(real) = real_name(text, (seen, secret), &mut files)? {
                *text = real.to_string();
            }
        }
    }
    Ok(call)
}

/// Returns the file or folder with this harmless name. `files` keeps the names of the vault.
fn real_name(
    name: &str,
    (seen, key): (&PinnedVault, &str),
    files: &mut Option<Vec<VaultPath>>,
) -> Result<Option<VaultPath>, Failure> {
    let Some(digits) = digits(name) else {
        return Ok(None);
    };
    let files = if let Some(files) = files {
        files
    } else {
        let root = VaultPath::root();
        let listed = IndexedVault(&seen.engine)
            .names_below(&root)
            .map_err(engine_failure)?;
        let paths = listed.files.into_iter().map(|file| file.path);
        files.insert(paths.chain(listed.folders).collect())
    };
    let is_meant = |path: &&VaultPath| {
        [path.as_str(), path.name(), path.basename()]
            .iter()
            .any(|name| keyed_digits(key, name) == digits)
    };
    Ok(files.iter().find(is_meant).cloned())
}
