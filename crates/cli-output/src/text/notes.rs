//! Texts that are passed through: notes, and texts without a recorded format.

use vault_answers::{Answer, NoteText, PathAnswer, RandomNote, RawText, Total};
use vault_files::Args;

use crate::app_form::{AnswerType, AppForm, Printed};
use crate::text::body::{Body, without_return};
use crate::text::error::{Fault, Reason};
use crate::text::total::NO_NOTES;

/// Every byte of the output is the note's; only its last newline may be the app's.
pub(crate) static NOTE_TEXT: AppForm = AppForm::new::<NoteText>("note-text", |body, _| {
    Ok(Answer::from(NoteText::new(None, body.output.to_owned())))
});
pub(crate) static RANDOM_NOTE: AppForm = AppForm::new::<RandomNote>("random-note", parse_random)
    .or(&[AnswerType::of::<Total>()])
    .zero(NO_NOTES);
pub(crate) static PATH: AppForm = AppForm::new::<PathAnswer>("path", |body, _| {
    let path = body.only_line()?.to_owned();
    Ok(Answer::from(PathAnswer { path }))
});
pub(crate) static RAW: AppForm = AppForm::new::<RawText>("raw", |body, _| {
    Ok(Answer::from(RawText::new(body.output.to_owned())))
});

/// Reads the path and the text, or the sentence that there is no note.
fn parse_random(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    if body.text == NO_NOTES {
        return Ok(Answer::from(Total { total: 0 }));
    }
    let expected = |line| Fault::at_line(line, Reason::Pattern("path, empty line, text"));
    let (path, rest) = body.output.split_once('\n').ok_or_else(|| expected(1))?;
    let path = without_return(path);
    if path.is_empty() {
        return Err(expected(1));
    }
    let content = rest
        .strip_prefix('\n')
        .or_else(|| rest.strip_prefix("\r\n"));
    let content = content.ok_or_else(|| expected(2))?.to_owned();
    Ok(Answer::from(RandomNote::new(path.to_owned(), content)))
}

/// The text with the newline that the app puts at the end of what has none
/// (`official-cli.md` §3, "result text").
pub(crate) fn ended(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

impl Printed for NoteText {
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        self.content.clone()
    }

    /// A note as the app's output shows it.
    fn printed_form(self, _arguments: &Args) -> Answer {
        Answer::from(NoteText::new(None, ended(self.content)))
    }
}

impl Printed for RandomNote {
    /// The path, an empty line, the text (`official-cli.md` §5.1, `random:read`).
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        format!("{}\n\n{}", self.path, self.content)
    }

    /// A random note as the app's output shows it.
    fn printed_form(self, _arguments: &Args) -> Answer {
        Answer::from(RandomNote::new(self.path, ended(self.content)))
    }
}

impl Printed for PathAnswer {
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        self.path.clone()
    }
}

impl Printed for RawText {
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        self.text.clone()
    }

    /// A text as the app's output shows it.
    fn printed_form(self, _arguments: &Args) -> Answer {
        Answer::from(RawText::new(ended(self.text)))
    }
}
