//! Text with roles and without control sequences.

use super::role::Role;
use super::wrap;
use crate::sanitise;

/// Lines of text with roles. Control sequences are removed when text is added, so the only ones in
/// the output are the sequences of the roles.
#[derive(Clone, Debug, Default)]
pub struct StyledText {
    lines: Vec<StyledLine>,
    /// Whether the last line has ended.
    is_ended: bool,
}

/// One line, which may be wrapped to several rows of the terminal.
#[derive(Clone, Debug, Default)]
pub struct StyledLine {
    spans: Vec<(Role, String)>,
    /// The indentation of the rows after the first, in columns; `None` for the indentation of the
    /// text.
    hang: Option<usize>,
    /// Whether the terminal itself breaks the line, so that it is copied as one.
    is_whole: bool,
}

impl StyledLine {
    /// A line of one role. Line breaks in it become spaces.
    pub fn new(role: Role, text: &str) -> Self {
        Self::default().with(role, text)
    }

    /// Appends text to the line.
    #[must_use]
    pub fn with(mut self, role: Role, text: &str) -> Self {
        let clean = sanitise::for_terminal(text);
        let clean = clean.replace(['\n', '\r'], " ");
        if !clean.is_empty() {
            self.spans.push((role, clean));
        }
        self
    }

    /// Sets the indentation of the rows after the first, in columns.
    #[must_use]
    pub fn with_hanging_indent(mut self, columns: usize) -> Self {
        self.hang = Some(columns);
        self
    }

    /// Marks the line so that it is not wrapped: text of a note, code, a line of a diff.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// Returns the pieces of the line with their roles.
    pub fn spans(&self) -> &[(Role, String)] {
        &self.spans
    }

    /// Returns the width in columns.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| wrap::width(text)).sum()
    }

    /// Fills the line with spaces up to a width in columns.
    #[must_use]
    pub(super) fn padded(self, columns: usize) -> Self {
        let missing = columns.saturating_sub(self.width());
        self.with(Role::Plain, &" ".repeat(missing))
    }

    /// Appends another line to the line.
    #[must_use]
    pub(super) fn followed_by(mut self, other: &Self) -> Self {
        self.spans.extend(other.spans.iter().cloned());
        self
    }

    /// Returns the rows of the line on a terminal of this width, broken between words.
    pub(super) fn wrapped(&self, columns: usize) -> Vec<Self> {
        if self.is_whole {
            vec![self.clone()]
        } else {
            self.folded(columns)
        }
    }

    /// Returns the rows of the line at this width, also of a line that [`Self::whole`] leaves unbroken.
    pub fn folded(&self, columns: usize) -> Vec<Self> {
        if self.width() <= columns {
            return vec![self.clone()];
        }
        let rows = wrap::rows(&self.spans, columns, self.hang);
        rows.into_iter()
            .map(|spans| Self {
                spans,
                ..Self::default()
            })
            .collect()
    }

    fn render(&self, colour: bool, into: &mut String) {
        for (role, text) in &self.spans {
            let style = role.style();
            if colour && !style.is_plain() {
                *into += &format!("{style}{text}{style:#}");
            } else {
                *into += text;
            }
        }
    }
}

/// Returns the byte offset of the second column of a line: after two or more spaces, or after a label with a colon.
/// `None` if the line is indented or has no columns.
fn first_column(line: &str) -> Option<usize> {
    let gap = line.find("  ");
    let colon = line.find(": ").map(|at| at + 1);
    let colon = colon.filter(|end| *end <= LONGEST_LABEL && gap.is_none_or(|gap| *end <= gap));
    let start = colon.or(gap).filter(|start| *start > 0)?;
    let rest = line.get(start..)?;
    let text = rest.trim_start_matches(' ');
    (!text.is_empty()).then(|| line.len() - text.len())
}

/// Returns the byte offset of the last column of a line.
fn last_column(line: &str) -> Option<usize> {
    let first = first_column(line)?;
    let later = line.get(first..)?.rfind("  ").map(|at| first + at + 2);
    let last = later.filter(|at| line.get(*at..).is_some_and(|text| !text.trim().is_empty()));
    Some(last.unwrap_or(first))
}

/// The longest label before a colon, in bytes.
const LONGEST_LABEL: usize = 16;

impl StyledText {
    /// Text without roles, line by line.
    pub fn unstyled(text: &str) -> Self {
        let clean = sanitise::for_terminal(text);
        let mut styled = Self::default();
        for line in clean.split_inclusive('\n') {
            let text = line.trim_end_matches(['\n', '\r']);
            styled.lines.push(StyledLine {
                spans: vec![(Role::Plain, text.to_owned())],
                ..StyledLine::default()
            });
            styled.is_ended = line.ends_with('\n');
        }
        styled
    }

    /// Marks the text so that the terminal wraps its lines; with `but_sentences`, only lines that are not our
    /// sentences. A sentence ends with a full stop, a comma or the like; a command line or a path does not.
    #[must_use]
    pub fn whole(mut self, but_sentences: bool) -> Self {
        for line in &mut self.lines {
            let end = line.spans.last().and_then(|(_, text)| text.chars().last());
            let is_sentence = end.is_some_and(|end| ".,;:?".contains(end));
            line.is_whole = !(but_sentences && is_sentence);
        }
        self
    }

    /// Lines of this program in columns: what does not fit on a row continues below the last
    /// column. A label, as in `vault        Notes` or `What to do:  …`, is emphasised.
    pub fn labelled(text: &str) -> Self {
        let mut styled = Self::unstyled(text);
        for line in &mut styled.lines {
            let text: String = line.spans.iter().map(|(_, text)| text.as_str()).collect();
            let Some(column) = last_column(&text) else {
                continue;
            };
            let label = first_column(&text).filter(|first| *first == column);
            if let Some((label, value)) = label.and_then(|label| text.split_at_checked(label)) {
                line.spans = vec![
                    (Role::Heading, label.to_owned()),
                    (Role::Plain, value.to_owned()),
                ];
            }
            line.hang = Some(wrap::width(text.get(..column).unwrap_or_default()));
        }
        styled
    }

    /// Adds a line after the last one, and ends it.
    pub fn line(&mut self, line: StyledLine) {
        self.lines.push(line);
        self.is_ended = true;
    }

    /// Returns the lines.
    pub fn lines(&self) -> &[StyledLine] {
        &self.lines
    }

    /// Ends the last line, so that further text starts on a new one.
    pub fn end_line(&mut self) {
        self.is_ended = true;
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.line(StyledLine::default());
    }

    /// Adds the lines of another text.
    pub fn append(&mut self, other: Self) {
        self.is_ended = other.is_ended || (other.lines.is_empty() && self.is_ended);
        self.lines.extend(other.lines);
    }

    /// Returns the text on a terminal of this width: broken between words, with the sequences of its roles if it is in
    /// colour.
    pub fn render(&self, columns: usize, colour: bool) -> String {
        let mut text = String::new();
        for line in &self.lines {
            for row in line.wrapped(columns) {
                row.render(colour, &mut text);
                text.push('\n');
            }
        }
        if !self.is_ended {
            text.pop();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("styled_text_cases.txt");

    #[test]
    fn f05_only_the_sequences_of_roles_come_out() {
        let mut text = StyledText::default();
        text.line(StyledLine::new(
            Role::Name,
            "a\u{1b}[2J\u{9b}31m\u{202e}b\nc",
        ));
        assert_eq!(text.render(80, false), "ab c\n");
        assert_eq!(text.render(80, true), "\u{1b}[36mab c\u{1b}[0m\n");
    }

    #[test]
    fn what_does_not_fit_goes_on_below_its_column() {
        for [text, shown] in tables::section(CASES, "what does not fit goes on below") {
            let text = StyledText::labelled(&format!("{text}\n"));
            assert_eq!(text.render(19, false), shown);
        }
        let text = StyledText::labelled("vault  x\u{1b}[2Jy");
        assert_eq!(text.render(80, true), "\u{1b}[1mvault  \u{1b}[0mxy");
    }

    #[test]
    fn the_end_of_the_text_stays_as_it_is() {
        for text in ["", "a", "a\n", "a\n\n", "\n", "a\r\nb"] {
            let shown = StyledText::unstyled(text).render(80, true);
            assert_eq!(shown, text.replace('\r', ""));
        }
    }

    /// A line to copy stays whole; a sentence of ours is broken.
    #[test]
    fn a_line_to_copy_is_not_broken() {
        let text = "See https://example.org/a/b/c\n  vault-gw settings unset vault\nTwo words.\n";
        let plain = StyledText::unstyled(text);
        assert_eq!(plain.clone().whole(false).render(8, false), text);
        let shown = plain.whole(true).render(8, false);
        assert_eq!(shown, text.replace("Two words", "Two\nwords"));
    }
}
