//! `note:get` (`contracts.md` K09, K10): a note, or one part of it.

use obsidian_note::byte_order_mark;
use obsidian_note::frontmatter::split;
use obsidian_note::sha256::sha256;
use serde_json::{Map, Value};
use vault_answers::{AnswerText, OwnText, PlaceInText};

use super::note::Note;
use super::prelude::*;
use super::structure::Document;
use crate::notes::frontmatter_of;

pub(super) static COMMAND: OwnCommand = OwnCommand::new::<NoteParts>("note:get", "note-parts", get)
    .with_text_pages()
    .telling(OwnText::Notes);

/// A note, or the parts of it that were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteParts {
    /// The note.
    pub path: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// Lower-case hexadecimal SHA-256 of the whole file. Only where the answer holds all of the file,
    /// since a write takes it for a sign that the caller has seen the whole note. `frontmatter` holds
    /// no comments, so there is none where the properties may have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its properties; empty where they cannot be read. Not with `only=body` or `section`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<Map<String, Value>>,
    /// Its text below the properties, as stored; with `section` that section alone. Not with
    /// `only=frontmatter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The section that the text is from. Only with `section`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<NoteSectionText>,
    /// The printed text: the requested part of the file, as stored.
    #[serde(skip)]
    pub text: String,
    /// The place of the part in the text; `None` if the text is complete.
    #[serde(flatten)]
    pub place: Option<PlaceInText>,
}

/// The place of the text of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSectionText {
    /// The heading's id, as in the outline.
    pub heading_id: String,
    /// The heading's text.
    pub heading_text: String,
    /// The heading's line in the file, from 1.
    pub line: usize,
}

impl AnswerData for NoteParts {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Text(&self.path)])
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        Some(AnswerText {
            text: self.body.as_mut()?,
            place: &mut self.place,
            sha256: Some(&mut self.sha256),
        })
    }
}

/// Returns the properties and the text of a note, as stored. With `only` one of the two, with
/// `section` only the text of that section. The properties end where the app ends them.
pub(super) fn get(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let note = Note::read(call.vault, arguments)?;
    let mut answer = NoteParts {
        path: note.path.to_string(),
        size: u64::try_from(note.bytes.len()).unwrap_or(u64::MAX),
        sha256: None,
        frontmatter: None,
        body: None,
        section: None,
        text: String::new(),
        place: None,
    };
    if let Some(id) = arguments.text("section") {
        return section(note, id, answer);
    }
    let only = arguments.text("only");
    let Note {
        path,
        text,
        bytes,
        mut warnings,
        ..
    } = note;
    let warned = warnings.len();
    let (yaml, body) = parts(&text);
    if only != Some("body") {
        answer.frontmatter = Some(frontmatter_of(&path, &text, &mut warnings).properties);
    }
    if only != Some("frontmatter") {
        answer.body = Some(body.to_owned());
    }
    // The answer contains only a part of the file, so it must not give the hash of the whole (`threats.toml` F15).
    let is_whole = only.is_none() && warnings.len() == warned && !may_have_comment(yaml);
    answer.sha256 = is_whole.then(|| sha256(&bytes));
    let printed = match only {
        Some("body") => body,
        Some("frontmatter") => yaml,
        _ => &text,
    };
    answer.text.push_str(printed);
    Ok(Reply::new(answer, warnings))
}

fn section(note: Note, id: &str, mut answer: NoteParts) -> Result<Reply, EngineError> {
    let document = Document::from_note(note)?;
    let Some((heading, line, span)) = document.section(id) else {
        return Err(document.section_missing(id));
    };
    let text = document.text.get(span).unwrap_or_default().to_owned();
    answer.section = Some(NoteSectionText {
        heading_id: heading.id.clone(),
        heading_text: heading.text.clone(),
        line,
    });
    answer.body = Some(text.clone());
    answer.text = text;
    Ok(Reply::new(answer, document.warnings))
}

/// YAML and body, split as the app splits them (`vault-semantics.md` §3.2), without a byte order
/// mark.
pub(super) fn parts(text: &str) -> (&str, &str) {
    match split(text) {
        Some(block) => (
            text.get(block.yaml).unwrap_or_default(),
            text.get(block.body..).unwrap_or_default(),
        ),
        None => ("", byte_order_mark::strip(text)),
    }
}

/// Whether the YAML may have a comment. The parsed values do not show comments.
fn may_have_comment(yaml: &str) -> bool {
    let begins_comment = |(at, _)| {
        let before = yaml.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(char::is_whitespace)
    };
    yaml.match_indices('#').any(begins_comment)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, fails, reply, text};

    const NOTE: &str = "---\ntitle: T  # kept\ndate: 2025-03-01\n---\n\n# One\n\ntext  \n\n## Two\n\nmore\n\n# Three\n\n";

    #[test]
    fn a_note_whole_and_in_parts() {
        let (_folder, vault) = vault(&[
            ("a/n.md", NOTE),
            ("plain.md", "\u{feff}no properties"),
            ("bad.md", "---\na: [\n---\nbody\n"),
        ]);
        let whole = ask(&vault, "note:get path=a/n.md");
        assert_eq!(
            whole["frontmatter"],
            json!({"title": "T", "date": "2025-03-01"})
        );
        let body = NOTE.split_once("---\n\n").unwrap().1;
        assert_eq!(whole["body"], format!("\n{body}"));
        assert_eq!(
            (&whole["path"], &whole["size"]),
            (&json!("a/n.md"), &json!(NOTE.len()))
        );
        // The data does not show the comment in the properties, nor properties that cannot be read.
        assert_eq!(whole.get("sha256"), None);
        assert_eq!(ask(&vault, "note:get path=bad.md").get("sha256"), None);
        assert_eq!(text(&vault, "note:get path=a/n.md"), NOTE);

        let only = ask(&vault, "note:get path=a/n.md only=body");
        assert_eq!(
            (&only["body"], only.get("frontmatter")),
            (&whole["body"], None)
        );
        let only = ask(&vault, "note:get path=a/n.md only=frontmatter");
        assert_eq!(
            (&only["frontmatter"], only.get("body")),
            (&whole["frontmatter"], None)
        );
        assert_eq!(
            text(&vault, "note:get path=a/n.md only=frontmatter"),
            "title: T  # kept\ndate: 2025-03-01\n"
        );

        let plain = ask(&vault, "note:get path=plain.md");
        assert_eq!(plain["sha256"].as_str().unwrap().len(), 64);
        assert_eq!(
            (&plain["frontmatter"], &plain["body"]),
            (&json!({}), &json!("no properties"))
        );
        let bad = reply(&vault, "note:get path=bad.md").unwrap();
        assert_eq!(bad.warnings[0].code(), "INVALID_FRONTMATTER");
        assert_eq!(ask(&vault, "note:get path=bad.md")["body"], "body\n");
    }

    #[test]
    fn one_section_goes_up_to_the_next_of_its_rank() {
        let (_folder, vault) = vault(&[("n.md", NOTE)]);
        let of = |id: &str| ask(&vault, &format!("note:get path=n.md section={id}"));
        let one = of("h1-one-0001");
        assert_eq!(one["body"], "# One\n\ntext  \n\n## Two\n\nmore\n\n");
        assert_eq!(
            one["section"],
            json!({"headingId": "h1-one-0001", "headingText": "One", "line": 6})
        );
        assert_eq!(one.get("frontmatter"), None);
        assert_eq!(of("h2-two-0002")["body"], "## Two\n\nmore\n\n");
        assert_eq!(of("h1-three-0003")["body"], "# Three\n\n");
        let error = fails(&vault, "note:get path=n.md section=h1-one-0002");
        assert!(error.to_string().contains("h1-one-0002"), "{error}");
    }

    #[test]
    fn sections_are_cut_between_lines() {
        let note = "\u{feff}# A\r\na\r\n> # Quoted\r\n> more\r\n\r\n- x\r\n\r\n  # In a list\r\nSet\r\n===\r\nend";
        let (_folder, vault) = vault(&[("n.md", note)]);
        let of =
            |id: &str| ask(&vault, &format!("note:get path=n.md section={id}"))["body"].clone();
        assert_eq!(of("h1-a-0001"), "# A\r\na\r\n");
        assert_eq!(
            of("h1-quoted-0002"),
            "> # Quoted\r\n> more\r\n\r\n- x\r\n\r\n"
        );
        assert_eq!(of("h1-in-a-list-0003"), "  # In a list\r\n");
        assert_eq!(of("h1-set-0004"), "Set\r\n===\r\nend");
    }
}
