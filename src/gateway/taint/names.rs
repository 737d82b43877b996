//! Harmless names for labelled notes: an answer that has only names of them shows these instead, and labels nobody.
//!
//! A harmless name is `untrusted-` with the beginning of a hash, so no word of it comes from the note. A call can
//! use it as a path.

use std::collections::BTreeSet;

use cli_output::{Answer, BaseRows};
use serde_json::Value as Json;
use vault_engine::{AuditReport, VaultPath, is_known_extension};

use super::LabelView;
use super::answers::texts;
use crate::allowlist::{Call, ParamKind, Value};
use crate::backend::{Captured, Payload, PinnedVault, Produced, engine_failure};
use crate::digest::sha256;
use crate::failure::Failure;
use crate::issue::Issue;

/// How a harmless name begins.
const PREFIX: &str = "untrusted-";
/// How many digits of the hash follow.
const DIGITS: usize = 12;

/// The answer with harmless names in place of the names that are new; `None` if it has other new text.
pub(super) fn with_harmless_names(
    mut produced: Produced,
    call: &Call,
    view: &LabelView,
    is_new: &dyn Fn(&str) -> bool,
) -> Option<Produced> {
    let Ok(Payload::Answer(answer)) = &mut produced.outcome else {
        return None;
    };
    let mut left_out = 0;
    for issues in [&mut produced.warnings, &mut produced.violations, &mut produced.advice] {
        let before = issues.len();
        issues.retain(|issue| !texts(issue).iter().any(|text| is_new(text)));
        left_out += before - issues.len();
    }
    if let Answer::BaseRows(rows) = answer
        && !has_only_names(rows, view, is_new)
    {
        return None;
    }
    if let Some(report) = answer.as_own_mut::<AuditReport>() {
        report.told.items.retain(|finding| !texts(finding).iter().any(|text| is_new(text)));
    }
    let mut shown = BTreeSet::new();
    answer.visit_names(&mut |name| {
        if is_new(name) {
            *name = harmless_name(name, view);
            shown.insert(name.clone());
        }
    });
    if texts(answer).iter().any(|text| is_new(text) && !shown.contains(text)) {
        return None;
    }
    let text = cli_output::render_shown(answer, call.command.output, &call.as_cli_arguments());
    let omitted = produced.stdout.omitted();
    produced.stdout = Captured::from_bytes(text.into_bytes(), usize::MAX);
    produced.stdout.total += omitted;
    produced.exact_text = None;
    produced.warnings.push(warning(shown.len(), left_out));
    Some(produced)
}

/// Whether the rows of labelled files have only names of these. Any other cell is text of the file, or a formula has
/// made it from that text.
fn has_only_names(rows: &BaseRows, view: &LabelView, is_new: &dyn Fn(&str) -> bool) -> bool {
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
        let is_clean = labelled.is_empty() && !cells().any(is_new);
        is_clean || row.cells.values().all(is_harmless)
    })
}

fn warning(shown: usize, left_out: usize) -> Issue {
    let mut message = format!(
        "Notes with text from outside have names that may contain instructions. {} shown as `{PREFIX}…` here. Such a name can be used as a path; an answer with text of the note restricts this agent.",
        if shown == 1 { "1 of them is".to_owned() } else { format!("{shown} of them are") }
    );
    if left_out > 0 {
        message += &format!(
            " {} about such notes left out.",
            cli_output::plural::count(left_out, "message")
        );
    }
    Issue::new("UNTRUSTED_NAMES", message).with("names", shown).with("leftOut", left_out)
}

/// The harmless name of a labelled note, folder, tag or property. Folders that are not labelled stay, and so does
/// the extension.
fn harmless_name(name: &str, view: &LabelView) -> String {
    if let Some(tag) = name.strip_prefix('#') {
        return format!("#{}", hashed(tag));
    }
    let short = hashed(name);
    let Some(path) = VaultPath::file(name).ok().filter(|path| view.is_labelled(path, None)) else {
        return short;
    };
    let count = path.components().count();
    let is_clean = |length: &usize| !view.is_labelled_name(&path.beginning(*length));
    let clean = (1..count).take_while(is_clean).last().unwrap_or_default();
    let folder = path.beginning(clean);
    let short = match path.extension() {
        extension if is_known_extension(extension) => format!("{short}.{extension}"),
        _ => short,
    };
    if folder.is_root() { short } else { format!("{folder}/{short}") }
}

fn hashed(name: &str) -> String {
    let hash = sha256(name.as_bytes());
    format!("{PREFIX}{}", hash.get(..DIGITS).unwrap_or_default())
}

/// The digits of a harmless name, in a path too.
fn digits(text: &str) -> Option<&str> {
    let (_, digits) = text.rsplit_once(PREFIX)?;
    let digits = digits.split('.').next()?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (digits.len() == DIGITS && digits.bytes().all(is_digit)).then_some(digits)
}

/// The call with the real names of files and folders in place of the harmless ones.
///
/// # Errors
///
/// If the names in the vault cannot be listed.
pub(in crate::gateway) fn with_real_names(
    mut call: Call,
    seen: &PinnedVault,
) -> Result<Call, Failure> {
    let mut files = None;
    let command = call.command.clone();
    for (key, value) in &mut call.arguments.values {
        let is_name = || {
            let kind = command.param(key).map(|param| &param.kind);
            matches!(kind, Some(ParamKind::NoteName))
        };
        let texts: Vec<&mut String> = match value {
            Value::Path(path) => {
                if let Some(real) = real_name(path.as_str(), seen, &mut files)? {
                    *path = real;
                }
                continue;
            }
            Value::Text(text) if is_name() => vec![text],
            Value::List(items) => items
                .iter_mut()
                .filter_map(|item| match item {
                    Json::String(text) => Some(text),
                    _ => None,
                })
                .collect(),
            Value::Text(_) | Value::Integer(_) => continue,
        };
        for text in texts {
            if let Some(real) = real_name(text, seen, &mut files)? {
                *text = real.to_string();
            }
        }
    }
    Ok(call)
}

/// The file or folder with this harmless name. `files` keeps the names of the vault.
fn real_name(
    name: &str,
    seen: &PinnedVault,
    files: &mut Option<Vec<VaultPath>>,
) -> Result<Option<VaultPath>, Failure> {
    let Some(digits) = digits(name) else {
        return Ok(None);
    };
    let files = if let Some(files) = files {
        files
    } else {
        let root = VaultPath::root();
        let listed = seen.engine.names_below(&root, root.as_str()).map_err(engine_failure)?;
        let paths = listed.files.into_iter().map(|file| file.path);
        files.insert(paths.chain(listed.folders).collect())
    };
    let is_meant = |path: &&VaultPath| {
        [path.as_str(), path.name(), path.basename()]
            .iter()
            .any(|name| sha256(name.as_bytes()).starts_with(digits))
    };
    Ok(files.iter().find(is_meant).cloned())
}
