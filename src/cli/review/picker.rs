//! The picker at the terminal: files and hunks with check marks. What is checked is accepted.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crossterm::event::DisableMouseCapture;
use crossterm::execute;
use crossterm::terminal::{LeaveAlternateScreen, disable_raw_mode, is_raw_mode_enabled};
use line_diff::shown_hunks;
use scm_record::helpers::CrosstermInput;
use scm_record::{
    ChangeType, File, FileMode, RecordError, RecordInput, RecordState, Recorder, Section,
    SectionChangedLine, Tristate,
};

use crate::code::Code;
use crate::failure::Failure;
use crate::frontend::escape;
use crate::gateway::{Happening, ReviewWarning, WaitingDraft, WaitingFile};

/// The number of the hunk that is not text.
const WHOLE: usize = 0;

/// What a person checked in a draft.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Picked {
    /// The checked hunks, by note.
    pub(super) accepted: BTreeMap<String, BTreeSet<usize>>,
    /// How many others there are.
    pub(super) left: usize,
    /// How many of these were checked in part. They count as not checked: a hunk is accepted as a whole.
    pub(super) partly: usize,
}

/// Shows the draft and lets a person check hunks; `None` if they leave without an answer.
///
/// # Errors
///
/// If the terminal cannot be used.
pub(super) fn pick(draft: &WaitingDraft) -> Result<Option<Picked>, Failure> {
    pick_with(draft, &mut CrosstermInput)
}

fn pick_with(draft: &WaitingDraft, input: &mut dyn RecordInput) -> Result<Option<Picked>, Failure> {
    // The hunk of each section; a section that is only context has none.
    let mut numbers = Vec::new();
    let mut files = Vec::new();
    for file in &draft.files {
        let (sections, of_sections): (Vec<_>, Vec<_>) = sections(file).into_iter().unzip();
        numbers.push(of_sections);
        files.push(File {
            old_path: file.file.from.as_deref().map(path),
            path: path(&file.file.path),
            file_mode: FileMode::FILE_DEFAULT,
            sections,
        });
    }
    let state = RecordState { is_read_only: false, commits: Vec::new(), files };
    let state = match Recorder::new(state, input).run() {
        Ok(state) => state,
        Err(RecordError::Cancelled) => return Ok(None),
        Err(error) => {
            restore_screen();
            return Err(Code::IoError.failure(format!(
                "The terminal cannot be used: {error}. `vault-gw review --list` needs none."
            )));
        }
    };
    let mut picked = Picked::default();
    for ((waiting, file), numbers) in draft.files.iter().zip(&state.files).zip(numbers) {
        // What does not fit into the list cannot be checked.
        if waiting.file.hunks != [WHOLE] {
            picked.left += waiting.file.left_out;
        }
        for (section, number) in file.sections.iter().zip(numbers) {
            let Some(number) = number else { continue };
            let checked = section.tristate();
            if checked == Tristate::True {
                let path = waiting.file.path.clone();
                picked.accepted.entry(path).or_default().insert(number);
            } else {
                picked.left += 1;
            }
            picked.partly += usize::from(checked == Tristate::Partial);
        }
    }
    Ok(Some(picked))
}

/// Gives the screen back, which the picker does not do if it fails. What fails here has failed before.
fn restore_screen() {
    if is_raw_mode_enabled().unwrap_or_default() {
        let _raw = disable_raw_mode();
        let _screen = execute!(std::io::stdout(), LeaveAlternateScreen, DisableMouseCapture);
    }
}

/// A name as it is shown.
fn path(name: &str) -> Cow<'static, Path> {
    Cow::Owned(PathBuf::from(escape::line(name)))
}

/// The file in sections, with the numbers of their hunks.
fn sections(waiting: &WaitingFile) -> Vec<(Section<'static>, Option<usize>)> {
    let file = &waiting.file;
    let hunks = shown_hunks(file.diff.as_deref().unwrap_or_default());
    let mut sections = Vec::new();
    let warnings = waiting.warnings.iter();
    let lines: Vec<_> = warnings
        .map(|warning| Cow::Owned(format!("! {}\n", escape::line(&warning.sentence()))))
        .collect();
    if !lines.is_empty() {
        sections.push((Section::Unchanged { lines }, None));
    }
    let mut hunks = hunks.iter();
    if file.hunks.contains(&WHOLE) {
        let mut lines = vec![remark(&whole(waiting))];
        if file.hunks.len() == 1 {
            // The lines of a new or removed note are judged with the note.
            let all = hunks.by_ref().flat_map(|hunk| &hunk.lines);
            lines.extend(all.filter_map(|line| changed(line)));
        }
        sections.push((Section::Changed { lines }, Some(WHOLE)));
    }
    for hunk in hunks {
        let is_context = |line: &&&str| line.starts_with(' ');
        let above = hunk.lines.iter().take_while(is_context);
        let above_count = above.clone().count();
        let below = hunk.lines.iter().skip(above_count).filter(is_context);
        let lines = hunk.lines.iter().filter_map(|line| changed(line));
        sections.push((context(above), None));
        let lines = lines.collect();
        sections.push((Section::Changed { lines }, Some(hunk.number)));
        sections.push((context(below), None));
    }
    sections
}

/// What happens to the note as a whole, and what the lines do not say.
fn whole(waiting: &WaitingFile) -> String {
    let file = &waiting.file;
    let from = file.from.as_deref().map(escape::line).unwrap_or_default();
    let mut text = match file.change {
        Happening::Created => "new note".to_owned(),
        Happening::Moved => format!("renamed from {from}"),
        Happening::FolderMade => "new folder".to_owned(),
        _ => waiting.warnings.first().map(ReviewWarning::sentence).unwrap_or_default(),
    };
    if file.left_out > 0 {
        text += &format!("; {} more hunks are not shown", file.left_out);
    }
    format!("({text})")
}

fn remark(text: &str) -> SectionChangedLine<'static> {
    line(ChangeType::Added, text)
}

/// A changed line of a diff; `None` for context and remarks.
fn changed(text: &str) -> Option<SectionChangedLine<'static>> {
    let kind = match text.as_bytes().first()? {
        b'-' => ChangeType::Removed,
        b'+' => ChangeType::Added,
        _ => return None,
    };
    Some(line(kind, text.get(1..)?))
}

fn line(change_type: ChangeType, text: &str) -> SectionChangedLine<'static> {
    SectionChangedLine {
        is_checked: false,
        change_type,
        line: Cow::Owned(escape::block(text) + "\n"),
    }
}

fn context<'line>(lines: impl Iterator<Item = &'line &'line str>) -> Section<'static> {
    let lines =
        lines.map(|line| Cow::Owned(escape::block(line.get(1..).unwrap_or_default()) + "\n"));
    Section::Unchanged { lines: lines.collect() }
}

#[cfg(test)]
mod tests {
    use scm_record::helpers::TestingInput;
    use scm_record::{Event, TestingScreenshot};
    use uuid::Uuid;

    use super::*;
    use crate::gateway::DraftedFile;

    fn file(path: &str, change: Happening, hunks: &[usize], diff: &str) -> WaitingFile {
        WaitingFile {
            file: DraftedFile {
                path: path.to_owned(),
                change,
                from: (change == Happening::Moved).then(|| "Old.md".to_owned()),
                hunks: hunks.to_vec(),
                conflict: false,
                findings: Vec::new(),
                diff: Some(diff.to_owned()),
                left_out: 0,
            },
            added: 0,
            removed: 0,
            warnings: Vec::new(),
            properties: Vec::new(),
            links_added: Vec::new(),
            links_removed: Vec::new(),
            conflict_reason: None,
            sides: Vec::new(),
        }
    }

    fn draft() -> WaitingDraft {
        let two =
            "@@ -1,2 +1,2 @@ hunk 1\n-a\n+b\u{202e}\n keep\n@@ -9 +9,2 @@ hunk 2\n same\n+new\n";
        WaitingDraft {
            draft: Uuid::nil(),
            agent: None,
            client: None,
            created: String::new(),
            changed: String::new(),
            state: String::new(),
            waiting: 2,
            groups: Vec::new(),
            files: vec![
                file("New.md", Happening::Created, &[0], "@@ -0,0 +1 @@ hunk 1\n+text\n"),
                file("Plan\u{202e}.md", Happening::Moved, &[0, 1, 2], two),
            ],
        }
    }

    fn picked(events: Vec<Event>) -> Option<Picked> {
        pick_with(&draft(), &mut TestingInput::new(60, 20, events)).unwrap()
    }

    fn notes(of: &[(&str, &[usize])]) -> BTreeMap<String, BTreeSet<usize>> {
        let notes = of.iter().map(|(note, hunks)| {
            let hunks = hunks.iter().copied().collect();
            ((*note).to_owned(), hunks)
        });
        notes.collect()
    }

    #[test]
    fn what_is_checked_is_accepted_and_the_rest_is_left() {
        let new: (&str, &[usize]) = ("New.md", &[0]);
        let plan: (&str, &[usize]) = ("Plan\u{202e}.md", &[0, 1, 2]);
        let all = Picked { accepted: notes(&[new, plan]), ..Picked::default() };
        assert_eq!(picked(vec![Event::ToggleAll, Event::QuitAccept]), Some(all));
        let first = Picked { accepted: notes(&[new]), left: 3, partly: 0 };
        assert_eq!(picked(vec![Event::ToggleItem, Event::QuitAccept]), Some(first));
        assert_eq!(picked(vec![Event::QuitCancel]), None);
    }

    #[test]
    fn the_screen_shows_hidden_characters_and_what_happens_to_the_note() {
        let screen = TestingScreenshot::default();
        let events = vec![Event::ExpandAll, screen.event(), Event::QuitCancel];
        assert_eq!(picked(events), None);
        insta::assert_snapshot!(screen);
    }
}
