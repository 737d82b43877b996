//! A part of a note for a command that reads, found in the same way as for an edit.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::sheet::Sheet;
use super::{block, heading, lines};
use crate::cancellation::CancellationToken;
use crate::edit_miss::EditMiss;

/// A part of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excerpt {
    /// A heading with the text and the subheadings below it.
    Section(String),
    /// The lines of the block with this id, without its `^`.
    Block(String),
    /// Lines by number, counted from 1; the last is included.
    Lines {
        /// The first line; the note must have it.
        first: NonZeroUsize,
        /// The last line; the note may end before it.
        last: NonZeroUsize,
    },
}

/// The place of a part in its note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptSpan {
    /// Its bytes in the note.
    pub bytes: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
}

impl Excerpt {
    /// Returns the place of the part, in whole lines. After a cancellation the result is meaningless: callers must
    /// check the token before they use it.
    ///
    /// # Errors
    ///
    /// If the note has no such part, or several.
    pub fn find(
        &self,
        note: &[u8],
        cancellation: &CancellationToken,
    ) -> Result<ExcerptSpan, EditMiss> {
        let sheet = Sheet::new(note).with_cancellation(cancellation.clone());
        let lines = match self {
            Self::Section(requested) => {
                let index = heading::find(&sheet, requested)?;
                let start = sheet.facts().headings[index].span.start.line as usize;
                start..heading::below(&sheet, index).section_end
            }
            Self::Block(id) => lines::of(&sheet, &block::find(&sheet, id)?.span),
            Self::Lines { first, last } => {
                lines::check(&sheet, first.get())?;
                first.get() - 1..last.get().min(sheet.line_count())
            }
        };
        let mark = note.len() - sheet.bytes().len();
        Ok(ExcerptSpan {
            bytes: sheet.line_start(lines.start) + mark..sheet.line_start(lines.end) + mark,
            line: lines.start + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_is_found_in_a_note_that_is_not_parsed_to_its_end() {
        let part = Excerpt::Section("A".to_owned());
        let stop = CancellationToken::default();
        assert_eq!(part.find(b"x\n# A\ny\n", &stop).unwrap().line, 2);
        stop.cancel();
        part.find(b"x\n# A\ny\n", &stop).unwrap_err();
    }
}
