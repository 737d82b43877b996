//! The hits of a search: the lines of each note below its path, with the matches marked.

use std::ops::Range;

use serde::Deserialize;
use vault_engine::search::Query;
use vault_engine::shown;

use super::role::Role;
use super::rows::AnswerRows;
use super::styled_text::{StyledLine, StyledText};
use crate::sanitise;

/// Returns the hits, grouped by note; `None` if the rows are not lines of notes.
pub(super) fn render_hits(rows: &AnswerRows, query: Option<&str>) -> Option<StyledText> {
    // A query in another language, such as the words of a ranked search, may not parse as one of
    // this.
    let query = query.and_then(|query| Query::parse(query, false).ok());
    let mut styled = StyledText::default();
    let mut note = "";
    let mut before: Option<(u64, &str)> = None;
    for row in &rows.rows {
        let Found { path, line, text } = Found::deserialize(row).ok()?;
        if path != note {
            if !note.is_empty() {
                styled.gap();
            }
            styled.line(StyledLine::new(Role::Name, &shown::row(path)));
            note = path;
            before = None;
        }
        // A line with several matches is shown once, with all of them marked.
        if before.replace((line, text)) == Some((line, text)) {
            continue;
        }
        for line in hit(line, text, query.as_ref()) {
            styled.line(line);
        }
    }
    Some(styled)
}

/// A line that was found in a note.
#[derive(Deserialize)]
struct Found<'row> {
    path: &'row str,
    line: u64,
    #[serde(alias = "snippet")]
    text: &'row str,
}

/// Returns the rows of one hit: its line number, and its text with the matches marked.
fn hit(number: u64, text: &str, query: Option<&Query>) -> Vec<StyledLine> {
    let clean = sanitise::for_terminal(text);
    let label = format!("{number}: ");
    let hang = label.len();
    let lines = clean.lines().enumerate();
    lines
        .map(|(at, line)| {
            let start = if at == 0 {
                StyledLine::new(Role::Place, &label)
            } else {
                StyledLine::new(Role::Plain, &" ".repeat(hang))
            };
            let marks = query.map(|query| query.marks(line)).unwrap_or_default();
            marked(
                start,
                line.trim_start(),
                line.len() - line.trim_start().len(),
                &marks,
            )
            .with_hanging_indent(hang)
        })
        .collect()
}

/// Adds a text that begins at byte `offset` of the line that `marks` refer to.
fn marked(mut styled: StyledLine, text: &str, offset: usize, marks: &[Range<usize>]) -> StyledLine {
    let mut done = 0;
    for mark in marks {
        let start = mark.start.saturating_sub(offset).max(done);
        let end = mark.end.saturating_sub(offset);
        if let (Some(before), Some(found)) = (text.get(done..start), text.get(start..end)) {
            styled = styled.with(Role::Plain, before).with(Role::Match, found);
            done = end;
        }
    }
    styled.with(Role::Plain, text.get(done..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use protocol::json::object;

    #[test]
    fn hits_stand_below_their_note_and_are_marked_once() {
        let data = json!({ "items": [
            { "path": "A.md", "matches": [
                { "line": 3, "text": "  a Boat and a boat" },
                { "line": 3, "text": "  a Boat and a boat" },
                { "line": 9, "text": "the \u{1b}[2Jboat again, in a line that is longer" },
            ]},
            { "path": "B\u{1b}[2J.md", "matches": [{ "line": 1, "text": "boats" }] },
        ]});
        let rows = AnswerRows::from_data(&object(data).into(), &[]);
        let text = render_hits(&rows, Some("boat -sail"))
            .unwrap()
            .render(30, true);
        insta::assert_snapshot!(text.replace('\u{1b}', "^"));
    }
}
