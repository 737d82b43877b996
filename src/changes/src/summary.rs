//! The one-line summary of a call (`contracts.md` D46).

use serde_json::{Map, Value};
use vault_answers::{ListNumbers, NoteText, RandomNote};
use vault_engine::{plural, shown};

use crate::data::Data;
use crate::envelope::Envelope;
use allowlist::Effect;
use protocol::Status;

/// Longest part of a note's name or of a parameter in the summary, in characters.
const MAX_NAME: usize = 80;

impl Envelope {
    /// The call in one line: the command and its subject, then the outcome. It contains no text of
    /// a note.
    pub fn summarise(&mut self) {
        let list = self.data.list();
        let subject = subject(&self.params, &self.data, list.is_some());
        let outcome = outcome(self, list);
        self.summary = format!("{}{subject}: {outcome}", self.command);
    }
}

/// Returns the note, folder or text that the call is about, after a space; empty for the whole
/// vault.
fn subject(params: &Map<String, Value>, data: &Data, is_list: bool) -> String {
    let named = [
        "path", "file", "folder", "name", "tag", "query", "id", "code",
    ]
    .iter()
    .find_map(|key| params.get(*key)?.as_str());
    let subject = named.or_else(|| match data.own::<NoteText>() {
        Some(note) => note.path.as_deref(),
        _ if is_list => None,
        _ => data.path(),
    });
    subject.map_or_else(String::new, |subject| format!(" {}", short(subject)))
}

/// Returns a text on one line, with misleading characters escaped (`threats.toml` B10), cut after [`MAX_NAME`]
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
    if let Some(files) = data.planned_files() {
        return format!("planned, {} would change", plural::count(files, "file"));
    }
    if !envelope.meta.changes.is_empty() {
        let files = plural::count(envelope.meta.changes.len(), "file");
        return match envelope.meta.draft {
            Some(_) => format!("drafted, {files} changed in the draft, none in the vault"),
            None => format!("{files} changed"),
        };
    }
    let random = || data.own().map(|note: &RandomNote| &note.content);
    let content = data
        .own()
        .map(|note: &NoteText| &note.content)
        .or_else(random);
    let (returned, total) = match list {
        Some(list) => (Some(list.returned), Some(list.total)),
        None if content.is_some() => (None, None),
        None => {
            let part = data.part();
            (part.returned, part.total)
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
    use std::time::Duration;

    use serde::Serialize;
    use serde_json::json;
    use vault_answers::{AnswerData, NoteText, RandomNote};

    use super::*;
    use protocol::{Code, json::object};

    #[derive(Clone, Debug, PartialEq, Serialize)]
    struct PlanOfOneFile {}

    impl AnswerData for PlanOfOneFile {
        fn planned_files(&self) -> Option<usize> {
            Some(1)
        }
    }

    fn summary(data: impl Into<Data>) -> String {
        let mut envelope = Envelope::for_verb("files", Duration::ZERO, Map::new(), None);
        envelope.data = data.into();
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
            (json!({}), "files: done"),
        ] {
            assert_eq!(summary(object(data)), expected);
        }
        let plan = Data::from_answer(PlanOfOneFile {});
        assert_eq!(summary(plan), "files: planned, 1 file would change");
        for (path, content, expected) in [
            ("a\nb.md", "é\n", "files a b.md: 2 characters"),
            (
                "a\u{202e}dm.exe",
                "é",
                "files a\\u{202e}dm.exe: 1 character",
            ),
        ] {
            let (path, content) = (path.to_owned(), content.to_owned());
            let note = NoteText::new(Some(path.clone()), content.clone());
            let drawn = RandomNote::new(path, content);
            for answer in [vault_answers::Answer::from(note), drawn.into()] {
                assert_eq!(summary(Data::from_answer(answer)), expected);
            }
        }
        let failure = Code::FileNotFound.failure("No such note.");
        let envelope = Envelope::from_failure("read", failure);
        assert_eq!(envelope.summary, "read: failed (FILE_NOT_FOUND)");
    }

    #[test]
    fn a_long_name_is_cut() {
        let shown = summary(object(json!({"path": "x".repeat(200)})));
        assert_eq!(
            shown.chars().count(),
            "files ".len() + MAX_NAME + 1 + ": done".len()
        );
    }
}
