//! The roles that text plays on a terminal, and their colours.

use anstyle::{AnsiColor, Style};

/// The role of a piece of text. Roles use the terminal's own palette, which suits its background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Text without a role.
    #[default]
    Plain,
    /// The heading of a table or of a part of a page.
    Heading,
    /// The path of a note, or another name.
    Name,
    /// A line number or another place.
    Place,
    /// Text that a search has found.
    Match,
    /// A line that is added.
    Added,
    /// A line that is removed.
    Removed,
    /// A new word in a changed line.
    AddedWord,
    /// A removed word in a changed line.
    RemovedWord,
    /// The place of a change in a file.
    Hunk,
    /// Less important text, such as a separator.
    Faint,
    /// A result that is in order.
    Good,
    /// A result that needs attention.
    Caution,
    /// A result that is wrong.
    Bad,
    /// A hint or a note.
    Hint,
}

impl Role {
    /// Returns the style in colour; the default style for plain text.
    pub fn style(self) -> Style {
        let of = |colour: AnsiColor| colour.on_default();
        match self {
            Self::Plain => Style::new(),
            Self::Heading => Style::new().bold(),
            Self::Name | Self::Hunk => of(AnsiColor::Cyan),
            Self::Place | Self::Added | Self::Good => of(AnsiColor::Green),
            Self::Removed => of(AnsiColor::Red),
            Self::AddedWord => of(AnsiColor::Green).bold().underline(),
            Self::RemovedWord => of(AnsiColor::Red).bold().underline(),
            Self::Faint => Style::new().dimmed(),
            Self::Caution => of(AnsiColor::Yellow).bold(),
            Self::Match | Self::Bad => of(AnsiColor::Red).bold(),
            Self::Hint => of(AnsiColor::Cyan).bold(),
        }
    }
}
