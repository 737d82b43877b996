//! The lines of an output, and the sentences for an empty result.

use vault_answers::List;

use crate::text::error::{Fault, Reason};

/// An output without the blank lines around it: an empty line may come before a known sentence
/// (`official-cli.md` §5.2, `search`), and Windows ends lines with CRLF.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    /// The number, from 1, of the first line of `text` in the whole output.
    pub(crate) first: usize,
    /// The output without the blank lines around it.
    pub(crate) text: &'a str,
    /// The whole output, for texts that are passed on.
    pub(crate) output: &'a str,
    /// The output for an empty result.
    empty: Empty,
}

/// The output of a command for an empty result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Empty {
    /// This sentence, even under `format=json` (`official-cli.md` §5).
    Says(&'static str),
    /// This sentence, which is inferred and not recorded; no output means the same.
    MaySay(&'static str),
    /// Not recorded; no output and any such sentence mean it.
    Unrecorded,
    /// No output: every line is an item.
    Silent,
}

impl Empty {
    /// The sentence for an empty result; `None` if none is known.
    pub(crate) fn sentence(self) -> Option<&'static str> {
        match self {
            Self::Says(sentence) | Self::MaySay(sentence) => Some(sentence),
            Self::Unrecorded | Self::Silent => None,
        }
    }
}

impl<'a> Body<'a> {
    /// Removes blank lines at both ends; lines of spaces are not blank.
    pub(crate) fn new(output: &'a str, empty: Empty) -> Self {
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
        Self {
            first,
            text,
            output,
            empty,
        }
    }

    /// Whether there are only blank lines.
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

    /// The only line; an error if there are more.
    pub(crate) fn only_line(self) -> Result<&'a str, Fault> {
        if self.is_blank() {
            return Err(self.fault(Reason::EmptyOutput));
        }
        if self.text.contains('\n') {
            return Err(Fault::at_line(self.first + 1, Reason::MoreLines));
        }
        Ok(without_return(self.text))
    }

    /// A fault at the first line.
    pub(crate) fn fault(self, reason: Reason) -> Fault {
        Fault::at_line(self.first, reason)
    }

    /// Whether the output says that the result is empty.
    ///
    /// Besides a shape's own sentence every sentence of the same build counts, so that a reworded one is not taken for
    /// an item. This does not apply to a shape that prints nothing for an empty result.
    pub(crate) fn says_nothing_found(self) -> Result<bool, Fault> {
        if self.is_blank() {
            return match self.empty {
                Empty::Says(_) => Err(self.fault(Reason::EmptyOutput)),
                _ => Ok(true),
            };
        }
        if matches!(self.empty, Empty::Silent) || self.text.contains('\n') {
            return Ok(false);
        }
        let line = without_return(self.text);
        Ok(self.empty.sentence() == Some(line) || is_empty_sentence(line))
    }

    /// A list with one item a line.
    pub(crate) fn items<T>(
        self,
        mut item: impl FnMut(&'a str) -> Result<T, Reason>,
    ) -> Result<List<T>, Fault> {
        if self.says_nothing_found()? {
            return Ok(List::default());
        }
        let items = self.lines().map(|(number, line)| match line {
            "" => Err(Fault::at_line(number, Reason::EmptyLine)),
            line => item(line).map_err(|reason| Fault::at_line(number, reason)),
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

    const CASES: &str = include_str!("body_cases.txt");

    #[test]
    fn blank_lines_around_are_left_out_and_counted() {
        let body = Body::new("\r\n\na\r\n b\n\r\n\n", Empty::Unrecorded);
        assert_eq!(body.lines().collect::<Vec<_>>(), [(3, "a"), (4, " b")]);
        assert!(Body::new("\n\r\n", Empty::Unrecorded).is_blank());
        assert_eq!(Body::new(" ", Empty::Unrecorded).text, " ");
        assert_eq!(Body::new("", Empty::Unrecorded).lines().count(), 0);
    }

    #[test]
    fn sentences_for_nothing_are_known_by_their_build() {
        for line in tables::lines(CASES, "sentences for nothing are known") {
            assert!(is_empty_sentence(line), "{line}");
        }
        for line in tables::lines(CASES, "sentences for nothing are known, 2") {
            assert!(!is_empty_sentence(line), "{line}");
        }
    }

    #[test]
    fn an_empty_output_is_an_empty_list_only_where_no_sentence_is_recorded() {
        let says_nothing = |output, empty| Body::new(output, empty).says_nothing_found().ok();
        assert_eq!(says_nothing("", Empty::Silent), Some(true));
        assert_eq!(says_nothing("\n", Empty::Unrecorded), Some(true));
        assert_eq!(says_nothing("", Empty::MaySay("No a found")), Some(true));
        assert_eq!(says_nothing("", Empty::Says("No tags found.")), None);
        // A file may bear any name.
        assert_eq!(says_nothing("No idea found\n", Empty::Silent), Some(false));
    }
}
