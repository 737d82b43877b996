//! `note:section` (`contracts.md` K13, §3.2).

use obsidian_note::shown::rows;
use obsidian_note::slug::slug;

use super::note::Note;
use super::prelude::*;
use super::structure::{Document, MAX_HEADINGS};

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteSections>("note:section", "note-sections", sections);

/// The sections of one note, without their text: `note:get section=<headingId>` gives that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSections {
    /// The note.
    pub path: String,
    /// As in the outline.
    pub title: Option<String>,
    /// The sections in the order of the note, at most 500 at once.
    pub sections: List<NoteSection>,
}

/// One section: a heading and what follows up to the next one of the same or a higher rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSection {
    /// The slug of the note's path, a colon, and `headingId`.
    pub section_id: String,
    /// The heading's id, as in the outline.
    pub heading_id: String,
    /// The heading's level, 1 to 6.
    pub level: u8,
    /// The headings from the outermost one to this.
    pub heading_path: Vec<String>,
    /// The heading's text.
    pub heading_text: String,
    /// The heading's line in the file, from 1.
    pub line: usize,
    /// The sections right below it.
    pub child_section_ids: Vec<String>,
    /// Whether there is more in it than headings.
    pub body_available: bool,
}

impl AnswerData for NoteSections {
    /// Lines of the headings down to the section, its heading's id, and `empty` for an empty
    /// section, separated by tabs.
    fn text(&self) -> String {
        rows(self.sections.items.iter().map(|section| {
            let emptiness = if section.body_available { "" } else { "empty" };
            [
                section.heading_path.join(" > "),
                section.heading_id.clone(),
                emptiness.to_owned(),
            ]
        }))
    }

    fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.sections)
    }
}

/// Returns the sections of one note, without their text.
pub(super) fn sections(call: &Call<'_>) -> Result<Reply, EngineError> {
    let document = Document::from_note(Note::read(call.vault, call.arguments)?)?;
    let path_slug = slug(document.path.as_str());
    let path_slug = if path_slug.is_empty() {
        "note"
    } else {
        &path_slug
    };
    let mut sections: Vec<NoteSection> = Vec::new();
    // The numbers of the headings that enclose the next one, from the outermost in.
    let mut around: Vec<usize> = Vec::new();
    let headings = document.structure.headings.as_slice();
    for (number, (heading, line)) in document.headings().enumerate() {
        while around
            .pop_if(|outer| {
                headings
                    .get(*outer)
                    .is_some_and(|outer| outer.level >= heading.level)
            })
            .is_some()
        {}
        let section_id = format!("{path_slug}:{}", heading.id);
        if let Some(parent) = around.last().and_then(|parent| sections.get_mut(*parent)) {
            parent.child_section_ids.push(section_id.clone());
        }
        around.push(number);
        let names = around.iter().filter_map(|number| headings.get(*number));
        let end = document.structure.end_of_section(number);
        let within = heading.span.end..end.unwrap_or(usize::MAX);
        sections.push(NoteSection {
            section_id,
            heading_id: heading.id.clone(),
            level: heading.level,
            heading_path: names.map(|heading| heading.text.clone()).collect(),
            heading_text: heading.text.clone(),
            line,
            child_section_ids: Vec::new(),
            body_available: document.structure.holds_text(within),
        });
    }
    let answer = NoteSections {
        path: document.path.to_string(),
        sections: page_of(sections, call.arguments, MAX_HEADINGS),
        title: document.title,
    };
    Ok(Reply::new(answer, document.warnings))
}
