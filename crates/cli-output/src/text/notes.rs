//! Texts that are passed through: notes, and whatever has no recorded format.

use crate::answer::{
    Answer, AnswerPayload, NameVisitor, NoteText, PathAnswer, RandomNote, RawText, Total,
};
use crate::arguments::Arguments;
use crate::shape::Shape;
use crate::text::body::{Body, without_return};
use crate::text::error::{Fault, Reason};
use crate::text::total::NO_NOTES;

/// Every byte of the output is the note's; only its last newline may be the app's.
pub(crate) fn parse_note(text: &str) -> Answer {
    Answer::NoteText(NoteText {
        path: None,
        content: text.to_owned(),
        sha256: None,
    })
}

/// Reads the path and the text, or the sentence that there is no note.
pub(crate) fn parse_random(text: &str) -> Result<Answer, Fault> {
    let body = Body::of(text);
    if body.text == NO_NOTES {
        return Ok(Answer::Total(Total { total: 0 }));
    }
    let expected = |line| {
        Fault::at(
            line,
            Reason::Pattern {
                pattern: "path, empty line, text",
            },
        )
    };
    let (path, rest) = text.split_once('\n').ok_or_else(|| expected(1))?;
    let path = without_return(path);
    if path.is_empty() {
        return Err(expected(1));
    }
    let content = rest
        .strip_prefix('\n')
        .or_else(|| rest.strip_prefix("\r\n"));
    let content = content.ok_or_else(|| expected(2))?.to_owned();
    Ok(Answer::RandomNote(RandomNote {
        path: path.to_owned(),
        content,
        sha256: None,
    }))
}

/// Reads one path.
pub(crate) fn parse_path(body: Body<'_>) -> Result<Answer, Fault> {
    let path = body.only_line()?.to_owned();
    Ok(Answer::Path(PathAnswer { path }))
}

/// Takes the text as it is.
pub(crate) fn parse_raw(text: &str) -> Answer {
    Answer::Raw(RawText {
        text: text.to_owned(),
    })
}

/// The text with the newline that the app puts at the end of what has none
/// (`official-cli.md` §3, "result text").
fn ended(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

impl AnswerPayload for NoteText {
    fn text(&self, _shape: Shape, _arguments: &Arguments) -> String {
        self.content.clone()
    }

    /// A note as the app's output shows it.
    fn printed(self, _shape: Shape, _arguments: &Arguments) -> Answer {
        Answer::NoteText(NoteText {
            path: None,
            content: ended(self.content),
            sha256: None,
        })
    }
}

impl AnswerPayload for RandomNote {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
    }

    /// The path, an empty line, the text (`official-cli.md` §5.1, `random:read`).
    fn text(&self, _shape: Shape, _arguments: &Arguments) -> String {
        format!("{}\n\n{}", self.path, self.content)
    }

    /// A random note as the app's output shows it.
    fn printed(self, _shape: Shape, _arguments: &Arguments) -> Answer {
        Answer::RandomNote(RandomNote {
            content: ended(self.content),
            sha256: None,
            ..self
        })
    }
}

impl AnswerPayload for PathAnswer {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
    }

    fn text(&self, _shape: Shape, _arguments: &Arguments) -> String {
        self.path.clone()
    }
}

impl AnswerPayload for RawText {
    fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn text(&self, _shape: Shape, _arguments: &Arguments) -> String {
        self.text.clone()
    }

    /// A text as the app's output shows it.
    fn printed(self, _shape: Shape, _arguments: &Arguments) -> Answer {
        Answer::Raw(RawText {
            text: ended(self.text),
        })
    }
}
