//! The lines of an output, and the sentences that stand for an empty result.

use crate::answer::List;
use crate::shape::Shape;
use crate::text::error::{Fault, Reason};

/// An output without the blank lines around it: an empty line before a known sentence has been
/// seen (`official-cli.md` §5.2, `search`), and Windows ends lines with CRLF.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    /// The number, from 1, of the first line of `text` in the whole output.
    pub(crate) first: usize,
    /// The text.
    pub(crate) text: &'a str,
}

impl<'a> Body<'a> {
    /// Leaves out blank lines at both ends; lines of spaces are not blank.
    pub(crate) fn of(output: &'a str) -> Self {
        let mut first = 1;
        let mut text = output;
        while let Some(rest) = text
            .strip_prefix("\r\n")
            .or_else(|| text.strip_prefix('\n'))
        {
            text = rest;
            first += 1;
        }
        while let Some(rest) = text.strip_suffix('\n') {
            text = rest.strip_suffix('\r').unwrap_or(rest);
        }
        Self { first, text }
    }

    /// Whether there is nothing but blank lines.
    pub(crate) fn is_blank(self) -> bool {
        self.text.is_empty()
    }

    /// The lines with their numbers, without their ends.
    pub(crate) fn lines(self) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = if self.is_blank() {
            None
        } else {
            Some(self.text.split('\n'))
        };
        (self.first..).zip(lines.into_iter().flatten().map(without_return))
    }

    /// The only line.
    pub(crate) fn only_line(self) -> Result<&'a str, Fault> {
        if self.is_blank() {
            return Err(self.fault(Reason::EmptyOutput));
        }
        if self.text.contains('\n') {
            return Err(Fault::at(self.first + 1, Reason::MoreLines));
        }
        Ok(without_return(self.text))
    }

    /// A fault at the first line.
    pub(crate) fn fault(self, reason: Reason) -> Fault {
        Fault::at(self.first, reason)
    }

    /// Whether the output says that the result is empty.
    ///
    /// Besides a shape's own sentence every sentence of the same build counts, so that a reworded
    /// one is not taken for an item. Not for `files` and `folders`, which print nothing.
    pub(crate) fn says_nothing_found(self, shape: Shape) -> Result<bool, Fault> {
        if self.is_blank() {
            return match empty_sentence(shape) {
                // The sentence for bases is deduced, not recorded.
                Some(_) if shape != Shape::Bases => Err(self.fault(Reason::EmptyOutput)),
                _ => Ok(true),
            };
        }
        if matches!(shape, Shape::Files | Shape::Folders) || self.text.contains('\n') {
            return Ok(false);
        }
        let line = without_return(self.text);
        Ok(empty_sentence(shape) == Some(line) || is_empty_sentence(line))
    }

    /// A list with one item a line.
    pub(crate) fn items<T>(
        self,
        shape: Shape,
        mut item: impl FnMut(&'a str) -> Result<T, Reason>,
    ) -> Result<List<T>, Fault> {
        if self.says_nothing_found(shape)? {
            return Ok(List::default());
        }
        let items = self.lines().map(|(number, line)| match line {
            "" => Err(Fault::at(number, Reason::EmptyLine)),
            line => item(line).map_err(|reason| Fault::at(number, reason)),
        });
        items.collect()
    }
}

/// A line without the carriage return that Windows puts before its end.
pub(crate) fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// A whole number; white space around it is tolerated.
pub(crate) fn whole<N: std::str::FromStr>(text: &str) -> Result<N, Reason> {
    let text = text.trim();
    text.parse().map_err(|_| Reason::NotANumber {
        found: text.to_owned(),
    })
}

/// The sentence that a command prints for an empty result, even under `format=json`
/// (`official-cli.md` §5). `None`: it prints nothing, or nobody has recorded what.
pub(crate) fn empty_sentence(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Recents => Some("No recent files."),
        Shape::Aliases => Some("No aliases found."),
        Shape::Tags => Some("No tags found."),
        Shape::Tasks => Some("No tasks found."),
        Shape::Links => Some("No links found."),
        Shape::Backlinks => Some("No backlinks found."),
        Shape::Unresolved => Some("No unresolved links found."),
        Shape::Orphans => Some("No orphan files found."),
        Shape::Deadends => Some("No dead-end files found."),
        Shape::Outline => Some("No headings found."),
        Shape::Search | Shape::SearchContext => Some("No matches found."),
        Shape::Bases => Some("No base files found in vault"),
        Shape::Workspaces => Some("No workspaces saved."),
        Shape::History => Some("No history found for this file."),
        Shape::Confirmation
        | Shape::NoteText
        | Shape::RandomNote
        | Shape::Path
        | Shape::Files
        | Shape::Folders
        | Shape::FileInfo
        | Shape::FolderInfo
        | Shape::VaultInfo
        | Shape::Vaults
        | Shape::Properties
        | Shape::PropertyValue
        | Shape::Tag
        | Shape::WordCount
        | Shape::BaseViews
        | Shape::BaseRows
        | Shape::Templates
        | Shape::Plugins
        | Shape::PluginInfo
        | Shape::Tabs
        | Shape::Commands
        | Shape::Version
        | Shape::Raw
        | Shape::Own(_) => None,
    }
}

/// Whether a line is built like the sentences for an empty result: `No … found.`, `No … saved.`
/// (`official-cli.md` §5, "Consequences for a parser").
pub(crate) fn is_empty_sentence(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("No ") else {
        return false;
    };
    let rest = rest.strip_suffix('.').unwrap_or(rest);
    rest == "recent files"
        || [
            " found",
            " saved",
            " found in vault",
            " found for this file",
        ]
        .iter()
        .any(|end| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_around_are_left_out_and_counted() {
        let body = Body::of("\r\n\na\r\n b\n\r\n\n");
        assert_eq!(body.lines().collect::<Vec<_>>(), [(3, "a"), (4, " b")]);
        assert!(Body::of("\n\r\n").is_blank());
        assert_eq!(Body::of(" ").text, " ");
        assert_eq!(Body::of("").lines().count(), 0);
    }

    #[test]
    fn sentences_for_nothing_are_known_by_their_build() {
        for line in [
            "No tags found.",
            "No tags found",
            "No workspaces saved.",
            "No recent files.",
            "No base files found in vault",
        ] {
            assert!(is_empty_sentence(line), "{line}");
        }
        for line in [
            "No tags found.md",
            "Nothing found.",
            "no tags found.",
            "No idea",
            "",
        ] {
            assert!(!is_empty_sentence(line), "{line}");
        }
    }

    #[test]
    fn an_empty_output_is_an_empty_list_only_where_no_sentence_is_recorded() {
        assert_eq!(
            Body::of("").says_nothing_found(Shape::Files).ok(),
            Some(true)
        );
        assert_eq!(
            Body::of("\n").says_nothing_found(Shape::Templates).ok(),
            Some(true)
        );
        assert!(Body::of("").says_nothing_found(Shape::Tags).is_err());
        // A file may bear any name.
        assert_eq!(
            Body::of("No idea found\n")
                .says_nothing_found(Shape::Files)
                .ok(),
            Some(false)
        );
    }
}
