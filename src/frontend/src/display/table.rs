//! Tables with aligned columns and a header.

use super::role::Role;
use super::styled_text::{StyledLine, StyledText};

/// Number of spaces between two columns.
const GAP: usize = 2;
/// A column is not made narrower than this, in columns of the terminal.
const NARROWEST: usize = 10;
/// A cell up to this width is not broken.
const SHORT: usize = 12;
/// Width in columns up to which a word in a longer cell is not broken.
const UNBROKEN: usize = 18;

/// A table. If the terminal is too narrow for it, each row becomes a block of lines, one for each
/// cell.
#[derive(Clone, Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<(Role, String)>>,
}

impl Table {
    /// An empty table with these headings.
    pub fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            header: header.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, with one cell for each heading.
    pub fn row(&mut self, cells: Vec<(Role, String)>) {
        self.rows.push(cells);
    }

    /// Lays the table out for a terminal of this width.
    pub fn laid_out(&self, columns: usize) -> StyledText {
        match self.widths(columns) {
            Some(widths) => self.side_by_side(&widths),
            None => self.blocks(),
        }
    }

    /// Returns the table in its full width, for a pipe.
    pub fn unbounded(&self) -> StyledText {
        self.side_by_side(&self.natural())
    }

    fn natural(&self) -> Vec<usize> {
        let headings = self
            .header
            .iter()
            .map(|name| line(Role::Plain, name).width());
        let mut widths: Vec<usize> = headings.collect();
        for row in &self.rows {
            for (width, (role, text)) in widths.iter_mut().zip(row) {
                *width = (*width).max(line(*role, text).width());
            }
        }
        widths
    }

    /// Returns the widths of the columns. The columns with the most room shrink until all fit. `None` if they cannot.
    fn widths(&self, columns: usize) -> Option<Vec<usize>> {
        let mut widths = self.natural();
        let least = self.least();
        let gaps = GAP * widths.len().saturating_sub(1);
        let room = columns.checked_sub(gaps)?;
        while widths.iter().sum::<usize>() > room {
            let excess = widths.iter().sum::<usize>() - room;
            let spare = |(width, least): &(&mut usize, &usize)| width.saturating_sub(**least);
            let (widest, least) = widths.iter_mut().zip(&least).max_by_key(spare)?;
            let spare = widest.saturating_sub(*least);
            if spare == 0 {
                return None;
            }
            // Takes half of the excess at a time, so that several wide columns share the loss.
            *widest -= excess.div_ceil(2).min(spare);
        }
        Some(widths)
    }

    /// Returns the minimum widths of the columns, which keep all but very long words whole.
    fn least(&self) -> Vec<usize> {
        let mut least = vec![NARROWEST; self.header.len()];
        for row in &self.rows {
            for (least, (role, text)) in least.iter_mut().zip(row) {
                let words = text.split(' ').map(|word| line(*role, word).width());
                let longest = words.max().unwrap_or_default().min(UNBROKEN);
                let whole = Some(line(*role, text).width()).filter(|whole| *whole <= SHORT);
                *least = (*least).max(whole.unwrap_or(longest));
            }
        }
        least
    }

    fn side_by_side(&self, widths: &[usize]) -> StyledText {
        let mut text = StyledText::default();
        if self.header.iter().any(|name| !name.is_empty()) {
            let header = self.header.iter();
            let header: Vec<_> = header.map(|name| line(Role::Heading, name)).collect();
            text.append(row_of(&header, widths));
        }
        for row in &self.rows {
            let cells: Vec<_> = row.iter().map(|(role, text)| line(*role, text)).collect();
            text.append(row_of(&cells, widths));
        }
        text
    }

    fn blocks(&self) -> StyledText {
        let mut text = StyledText::default();
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                text.gap();
            }
            let mut indent = "";
            for (name, (role, cell)) in self.header.iter().zip(row) {
                if cell.is_empty() {
                    continue;
                }
                let label = if indent.is_empty() || name.is_empty() {
                    String::new()
                } else {
                    format!("{}: ", name.to_lowercase())
                };
                let start = StyledLine::new(Role::Plain, indent).with(Role::Faint, &label);
                text.line(start.with(*role, cell).with_hanging_indent(4));
                indent = "  ";
            }
        }
        text
    }
}

fn line(role: Role, text: &str) -> StyledLine {
    // A cell is one line, so line breaks and tabs become spaces.
    StyledLine::new(role, &text.replace('\t', " "))
}

/// Returns one row of cells, each broken between words within its column.
fn row_of(cells: &[StyledLine], widths: &[usize]) -> StyledText {
    let columns: Vec<Vec<StyledLine>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| cell.wrapped((*width).max(1)))
        .collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = StyledText::default();
    for at in 0..height {
        let mut row = StyledLine::default();
        let mut column = 0;
        for (cell, width) in columns.iter().zip(widths) {
            if let Some(cell) = cell.get(at).filter(|cell| cell.width() > 0) {
                row = row.padded(column).followed_by(cell);
            }
            column += width + GAP;
        }
        text.line(row);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(["RUN", "COMMAND", "PATHS"]);
        for (run, command, paths) in [
            ("0a1b2c3d", "append", "Home.md"),
            (
                "ffffffff",
                "create",
                "Projects/Boat/Log of the year.md, 漢字.md",
            ),
        ] {
            table.row(vec![
                (Role::Name, run.to_owned()),
                (Role::Plain, command.to_owned()),
                (Role::Plain, paths.to_owned()),
            ]);
        }
        table
    }

    #[test]
    fn columns_are_aligned_and_give_way() {
        for columns in [80, 40, 24] {
            let text = sample().laid_out(columns).render(columns, false);
            for line in text.lines() {
                assert!(line.chars().count() <= columns, "{line}");
            }
            insta::assert_snapshot!(format!("table_{columns}"), text);
        }
    }
}
