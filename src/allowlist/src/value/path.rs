//! Values that are paths, names or references to a line, and the likely meaning of a wrong one.

use std::borrow::Cow;

use vault_engine::{Arg, PathError, VaultPath, check_new_name};

use super::integer;
use super::problem::ValueProblem;

/// Largest 1-based line number in a task reference.
pub(super) const MAX_LINE: i64 = 2_147_483_647;

pub(super) fn file(text: &str) -> Result<VaultPath, ValueProblem> {
    VaultPath::file(text).map_err(|reason| problem_of(reason, text))
}

pub(super) fn folder(text: &str) -> Result<VaultPath, ValueProblem> {
    VaultPath::folder(text).map_err(|reason| problem_of(reason, text))
}

fn problem_of(reason: PathError, text: &str) -> ValueProblem {
    match reason {
        PathError::Escape => escape(text),
        reason => ValueProblem::Path(reason),
    }
}

/// The problem of a path outside the vault. It is the same for every absolute path: it must not reveal where the
/// vault is (`threats.toml` D01).
pub(super) fn escape(text: &str) -> ValueProblem {
    let climbs = text.split(['/', '\\']).any(|component| component == "..");
    if let Some(path) = app_link(text) {
        return ValueProblem::AppLink { path };
    }
    if climbs || text.contains("://") {
        ValueProblem::Path(PathError::Escape)
    } else {
        ValueProblem::Absolute
    }
}

/// The name of a file to create or to rename to, as `vault-semantics.md` §7.2 allows. Its ending is
/// checked later, when the extension is known.
pub(super) fn new_name(text: Cow<'_, str>) -> Result<Arg, ValueProblem> {
    if file(&text)?.is_absolute_elsewhere() {
        return Err(escape(&text));
    }
    if text.contains('/') {
        let mut bad = vec!["/".to_owned()];
        bad.extend(bad_characters(&text));
        return Err(ValueProblem::Slash { bad });
    }
    match check_new_name(&text) {
        Ok(()) | Err(PathError::Ending) => Ok(Arg::Text(text.into_owned())),
        Err(reason @ PathError::Character(_)) => {
            let (bad, instead) = (bad_characters(&text), name_instead(&text));
            let is_name = !bad.is_empty() && check_new_name(&instead).is_ok();
            Err(if is_name {
                ValueProblem::InName { bad, instead }
            } else {
                ValueProblem::Path(reason)
            })
        }
        Err(reason) => Err(ValueProblem::Path(reason)),
    }
}

/// Returns the path in a link that opens a file in the app:
/// `obsidian://open?vault=v&file=Work%2FPlan`.
fn app_link(text: &str) -> Option<String> {
    let (_, query) = text.strip_prefix("obsidian://")?.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, file) = pairs.find(|(key, _)| matches!(*key, "file" | "filepath"))?;
    let file = percent_decoded(file)?;
    let path = VaultPath::file(file.trim_start_matches('/')).ok()?;
    let end = if path.extension().is_empty() {
        ".md"
    } else {
        ""
    };
    check_new_name(path.name())
        .is_ok()
        .then(|| format!("{path}{end}"))
}

/// Decodes a percent-encoded text; `None` if it is malformed or not UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(digits[0])? * 16 + digit(digits[1])?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the visible characters of a name or path that are not allowed in file names on every
/// system.
pub fn bad_characters(text: &str) -> Vec<String> {
    let mut bad: Vec<String> = Vec::new();
    for character in text.chars().filter(|one| r#"*"\<>:|?"#.contains(*one)) {
        let message = character.to_string();
        if !bad.contains(&message) {
            bad.push(message);
        }
    }
    bad
}

/// Returns a name close to this one, without characters that are not allowed in file names on every system. For a path,
/// applied to each name.
pub fn name_instead(text: &str) -> String {
    let name = text.replace(": ", " - ").replace([':', '|', '\\'], "-");
    name.replace(['*', '"', '<', '>', '?'], "")
        .split('/')
        .map(|name| match name.trim().rsplit_once('.') {
            Some((stem, extension)) => format!("{}.{extension}", stem.trim()),
            None => name.trim().to_owned(),
        })
        .collect::<Vec<_>>()
        .join("/")
}

/// Splits `path:line` into the path and the 1-based line. A text without a line is checked as a
/// path first, so that a path which leaves the vault is always reported as `PATH_ESCAPE`.
pub(super) fn split_task_ref(text: &str) -> Result<(VaultPath, u32), ValueProblem> {
    let split = text
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, integer(line, 1, MAX_LINE).ok()?.try_into().ok()?)));
    match split {
        Some((path, line)) => Ok((file(path)?, line)),
        None if VaultPath::file(text) == Err(PathError::Escape) => Err(escape(text)),
        None => Err(ValueProblem::NotATaskRef),
    }
}
