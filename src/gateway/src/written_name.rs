//! Recognises a name or a path of a note that is written as something else: a link, a heading of a note, a tag.

use serde_json::{Value as Json, json};
use vault_engine::{Arg, VaultPath, shown};

use allowlist::{Call, ListKind, percent_decoded};
use backend::PinnedVault;
use protocol::{Code, Failure, Message, message};

/// Returns the name of the note in a link such as `[[Plan#Risks|the risks]]` or `[Plan](Plan.md)`, or in quotes.
fn name_in_link(text: &str) -> &str {
    let mut quotes = ['"', '\'', '`'].into_iter();
    let in_quotes = quotes.find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let text = in_quotes
        .or_else(|| target_of_markdown(text))
        .unwrap_or(text);
    let inner = text.strip_prefix('!').unwrap_or(text);
    let inner = inner.strip_prefix("[[").unwrap_or(inner);
    let inner = inner.strip_suffix("]]").unwrap_or(inner);
    let end = inner.find(['#', '|']).unwrap_or(inner.len());
    inner
        .get(..end)
        .filter(|name| !name.is_empty())
        .unwrap_or(text)
}

/// Returns the target of a Markdown link.
fn target_of_markdown(text: &str) -> Option<&str> {
    let (_, target) = text
        .strip_prefix('[')?
        .strip_suffix(')')?
        .split_once("](")?;
    Some(target)
}

/// Says what to send instead of a name or a path that is written as something else; `None` if it is written as a name.
pub(crate) fn instead(text: &str) -> Option<Message> {
    instead_in(text, written_as)
}

/// The parameter that takes a text as it is written.
fn written_as(plain: &str) -> &'static str {
    let path = VaultPath::file(plain).ok();
    let is_path = path.is_some_and(|path| !path.extension().is_empty());
    if is_path { "path" } else { "file" }
}

/// Returns the parameter that a note is found by: a name may have an extension too.
fn param_of_note(plain: &str, seen: &PinnedVault) -> &'static str {
    let is_there = VaultPath::file(plain).is_ok_and(|path| seen.engine.is_there(&path));
    if !is_there && note_named(plain, seen).is_some() {
        return "file";
    }
    written_as(plain)
}

/// As [`instead`], with the parameter that takes what is left.
fn instead_in<'name>(text: &str, param: impl Fn(&str) -> &'name str) -> Option<Message> {
    let is_tag = text
        .strip_prefix('#')
        .is_some_and(|tag| !tag.is_empty() && !tag.contains(['#', ' ', '.', '|']));
    if is_tag {
        return Some(message!(
            "`{}` is a tag, not a note. To list the notes that have this tag, use {notes:list} with `tag`.",
            shown::row(text)
        ));
    }
    let plain = name_in_link(text);
    if plain == text {
        return None;
    }
    let sent = shown::row(plain);
    let param = param(plain);
    let what = if param == "path" { "path" } else { "name" };
    let mut hint = Message::from(format!(
        "Pass only the {what} `{sent}` as `{param}`, without quotes or brackets."
    ));
    if text.contains('#') {
        let part =
            message!("To read a part of a note, use {notes:read} with `heading` or `block`.");
        hint.push_sentence(part);
    }
    Some(hint)
}

/// Returns the note of this path, or else of this name.
pub(crate) fn note_named(text: &str, seen: &PinnedVault) -> Option<VaultPath> {
    let path = VaultPath::file(text).ok();
    if let Some(path) = path.filter(|path| seen.engine.facts(path).is_ok()) {
        return Some(path);
    }
    seen.file_named(text)
}

/// Returns the item of a list that is meant by a link or by a path with a part of the note behind
/// it.
pub(super) fn item_instead(text: &str, kind: ListKind, seen: &PinnedVault) -> Option<Json> {
    if let Some((path, lines)) = text.rsplit_once(':').filter(|_| kind == ListKind::Notes) {
        let is_lines = lines.split('-').all(|line| line.parse::<u32>().is_ok());
        if let Some(note) = note_named(path, seen).filter(|_| is_lines) {
            return Some(json!({ "path": note.as_str(), "lines": lines }));
        }
    }
    let plain = name_in_link(text);
    let note = note_named(plain, seen).filter(|_| plain != text)?;
    let part = text.split_once('#').map(|(_, part)| part);
    let part = part.and_then(|part| part.split(['|', ']']).next());
    let part = part.filter(|part| !part.is_empty() && kind == ListKind::Notes);
    let path = note.as_str();
    Some(match part {
        None => json!(path),
        Some(part) => match part.strip_prefix('^') {
            Some(block) => json!({ "path": path, "block": block }),
            None => json!({ "path": path, "heading": part }),
        },
    })
}

/// Returns the failure of a call whose note is not there, and the call itself, by what its name or path means.
pub(super) fn explained(mut failure: Failure, call: &Call, seen: &PinnedVault) -> (Failure, Call) {
    let mut call = call.clone();
    if failure.code != Code::FileNotFound {
        return (failure, call);
    }
    for (name, value) in &mut call.arguments.values {
        let text = value.to_text();
        let is_target = failure.detail("target") == Some(&text);
        let is_note = ["path", "file"].contains(&name.as_str());
        let decoded = percent_decoded(&text)
            .filter(|plain| is_note && *plain != text && note_named(plain, seen).is_some());
        let answer = match &decoded {
            Some(plain) => Some(message!(
                "Pass `{}` as `{}`, without percent encoding.",
                shown::row(plain),
                name
            )),
            None if is_note => instead_in(&text, |plain| param_of_note(plain, seen)),
            None => instead_in(&text, |_| name.as_str()).filter(|_| is_target),
        };
        let Some(answer) = answer else { continue };
        let plain = decoded.unwrap_or_else(|| name_in_link(&text).to_owned());
        let what = format!("There is no file \"{}\".", shown::row(&text));
        failure = failure.without_hints().say(what).hint(answer);
        failure.details.shift_remove("target");
        if !is_note {
            failure = failure.with("target", plain.as_str());
        }
        *value = match (&value, VaultPath::file(&plain)) {
            (Arg::Path(_), Ok(path)) => Arg::Path(path),
            _ => Arg::Text(plain),
        };
    }
    (failure, call)
}

/// Whether a call that means another one names a note by that.
pub(super) fn is_found(meant: &Call, call: &Call, seen: &PinnedVault) -> bool {
    let is_path = |path: &str| VaultPath::file(path).is_ok_and(|path| seen.engine.is_there(&path));
    let is_name = |name: &str| seen.file_named(name).is_some();
    meant.arguments != call.arguments
        && (meant.arguments.param("path").is_some_and(is_path)
            || meant.arguments.param("file").is_some_and(is_name))
}

#[cfg(test)]
mod tests {
    use super::instead;

    const CASES: &str = include_str!("written_name_cases.txt");

    #[test]
    fn written_forms_that_are_not_names_are_explained() {
        for (text, says) in
            tables::typed::<(&str, Option<&str>)>(CASES, "written forms that are not names")
        {
            let shown = instead(text).map(|shown| shown.text());
            match says {
                Some(says) => assert!(shown.is_some_and(|shown| shown.contains(says)), "{text}"),
                None => assert_eq!(shown, None, "{text}"),
            }
        }
    }
}
