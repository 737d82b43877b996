//! The one-line summary of a call (`contracts.md` D46).

use cli_output::{Answer, ListNumbers, plural, shown};
use serde_json::{Map, Value};

use super::data::Data;
use super::envelope::Envelope;
use crate::allowlist::Effect;
use crate::status::Status;

/// Longest part of a note's name or of a parameter in the summary, in characters.
const MAX_NAME: usize = 80;

impl Envelope {
    /// The call in one line: the command and its subject, then the outcome. It contains no text of
    /// a note.
    pub(crate) fn summarise(&mut self) {
        let list = self.data.list();
        let subject = subject(&self.params, &self.data, list.is_some());
        let outcome = outcome(self, list);
        self.summary = format!("{}{subject}: {outcome}", self.command);
    }
}

/// The note, folder or text that the call is about, after a space; empty for the whole vault.
fn subject(params: &Map<String, Value>, data: &Data, is_list: bool) -> String {
    let named = [
        "path", "file", "folder", "name", "tag", "query", "id", "code",
    ]
    .iter()
    .find_map(|key| params.get(*key)?.as_str());
    let subject = named.or_else(|| match data.answer() {
        Some(Answer::NoteText(note)) => note.path.as_deref(),
        _ if is_list => None,
        _ => data.as_map().get("path")?.as_str(),
    });
    subject.map_or_else(String::new, |subject| format!(" {}", short(subject)))
}

/// A text on one line, with misleading characters escaped (`faults.md` B10), cut after [`MAX_NAME`]
/// characters.
fn short(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    let line = shown::row(&line);
    match line.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.into_owned(),
    }
}

fn outcome(envelope: &Envelope, list: Option<ListNumbers>) -> String {
    if let Some(error) = &envelope.error {
        let done = match envelope.status {
            Status::Refused => "refused",
            Status::Unknown => "may have happened",
            _ => "failed",
        };
        return format!("{done} ({})", error.code);
    }
    let data = &envelope.data;
    if data.is_plan() {
        let files = data
            .as_map()
            .get("files")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        return format!("planned, {} would change", plural::count(files, "file"));
    }
    if !envelope.meta.changes.is_empty() {
        let files = plural::count(envelope.meta.changes.len(), "file");
        return match envelope.meta.draft {
            Some(_) => format!("drafted, {files} changed in the draft, none in the vault"),
            None => format!("{files} changed"),
        };
    }
    let number = |key: &str| usize::try_from(data.as_map().get(key)?.as_u64()?).ok();
    let (returned, total, content) = match (list, data.answer()) {
        (Some(list), _) => (Some(list.returned), Some(list.total), None),
        (None, Some(Answer::NoteText(note))) => (None, None, Some(note.content.as_str())),
        (None, _) => {
            let content = data.as_map().get("content").and_then(Value::as_str);
            (number("returned"), number("total"), content)
        }
    };
    let findings = envelope.violations.len();
    match (returned, total) {
        _ if findings > 0 => plural::count(findings, "violation"),
        (_, Some(0)) => "nothing found".to_owned(),
        (Some(returned), Some(total)) if returned < total => {
            format!("{returned} of {total} items")
        }
        (_, Some(total)) => plural::count(total, "item"),
        _ if envelope.status == Status::NoMatches => "nothing found".to_owned(),
        _ if envelope
            .meta
            .effects
            .iter()
            .any(|effect| *effect != Effect::Read) =>
        {
            "done, nothing changed".to_owned()
        }
        _ => match content {
            Some(content) => plural::count(content.chars().count(), "character"),
            None => "done".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::code::Code;

    fn summary(data: Value) -> String {
        let Value::Object(data) = data else {
            unreachable!("the tests send objects")
        };
        let mut envelope = Envelope::for_verb("files", std::time::Duration::ZERO, data, None);
        envelope.summarise();
        envelope.summary
    }

    #[test]
    fn each_outcome_has_its_line() {
        for (data, expected) in [
            (json!({"total": 3}), "files: 3 items"),
            (json!({"total": 1, "returned": 1}), "files: 1 item"),
            (json!({"total": 9, "returned": 2}), "files: 2 of 9 items"),
            (json!({"total": 0, "returned": 0}), "files: nothing found"),
            (
                json!({"path": "a\nb.md", "content": "é\n"}),
                "files a b.md: 2 characters",
            ),
            (
                json!({"path": "a\u{202e}dm.exe", "content": "é"}),
                "files a\\u{202e}dm.exe: 1 character",
            ),
            (
                json!({"dryRun": true, "files": [{}]}),
                "files: planned, 1 file would change",
            ),
            (json!({}), "files: done"),
        ] {
            assert_eq!(summary(data), expected);
        }
        let failure = Code::FileNotFound.failure("No such note.");
        let envelope = Envelope::from_failure("read", failure);
        assert_eq!(envelope.summary, "read: failed (FILE_NOT_FOUND)");
    }

    #[test]
    fn a_long_name_is_cut() {
        let told = summary(json!({"path": "x".repeat(200)}));
        assert_eq!(
            told.chars().count(),
            "files ".len() + MAX_NAME + 1 + ": done".len()
        );
    }
}
