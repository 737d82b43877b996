//! The report as plain text.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use chores::{Fault, below};

use super::Size;
use super::measure::{Measured, real};
use super::programs::Programs;
use super::questions::Question;

/// The limits in process are those of a vault of this size.
const LIMITED_NOTES: usize = 10_000;
/// The most memory of a run besides the text of the notes, in bytes.
const MEMORY_ALLOWED: u64 = 16 * 1024 * 1024;
/// The growth of the cost relative to that of the vault: ten times the notes may cost twelve times
/// as much.
const GROWTH_ALLOWED: f64 = 1.2;

/// Describes the comparison, and lists the programs that are not installed.
pub(super) fn head(programs: &Programs, runs: usize) -> String {
    let mut text = format!(
        "vault-gw: {}\nmedians of {runs} whole processes, the two sides taking turns; files in the page cache\n",
        programs.ours.display()
    );
    for name in ["rg", "find", "cat"] {
        if programs.installed(name).is_none() {
            text += &format!("{name} is not installed: its column is empty\n");
        }
    }
    if programs.time.is_none() {
        text += "GNU time is not installed: no memory is shown\n";
    }
    text
}

/// The table of one vault.
pub(super) fn rows(size: &Size, root: &Path) -> Result<String, Fault> {
    let files = below(root, false)?;
    let mut bytes = 0;
    for file in &files {
        bytes += fs_err::metadata(root.join(file))?.len();
    }
    let (notes, files, mebibytes) = (size.notes, files.len(), mebibytes(bytes));
    let mut text = format!("\n{notes} notes, {files} files, {mebibytes:.1} MiB\n");
    text += &line(
        "question",
        &["ours ms", "yard ms", "ratio", "allowed", "MiB", "yardstick"],
    );
    for (question, figures) in &size.rows {
        text += &match figures {
            Err(code) => line(question.name, &[code]),
            Ok(measured) => {
                let most = (MEMORY_ALLOWED + bytes) / 1024;
                let is_fat = measured.memory.is_some_and(|memory| memory > most);
                row(question, measured, is_fat)
            }
        };
    }
    Ok(text)
}

fn row(question: &Question, measured: &Measured, is_fat: bool) -> String {
    let ours = milliseconds(measured.ours);
    let yardstick = measured.yardstick.map(milliseconds);
    let ratio = yardstick.map(|yardstick| ours / yardstick);
    let memory = measured.memory.map(|memory| mebibytes(memory * 1024));
    let cells = [
        optional(Some(ours)),
        optional(yardstick),
        optional(ratio),
        question.limit.to_owned() + mark(question.is_slow(ours, ratio)),
        optional(memory) + mark(is_fat),
        question.yardstick.to_owned(),
    ];
    line(question.name, &cells)
}

/// A line of a table.
pub(super) fn line(name: &str, cells: &[impl Display]) -> String {
    let cells = cells.iter().map(|cell| format!(" {cell:>10}"));
    format!("{name:<44}{}\n", cells.collect::<String>())
}

/// The mark after a figure that is over its limit.
pub(super) fn mark(is_over: bool) -> &'static str {
    if is_over { " !" } else { "" }
}

/// A question with its times, of which the first is that without anything prepared, and the second the median of
/// the later ones.
pub(super) struct Timed {
    /// The command with its arguments, or the edit.
    pub(super) name: String,
    pub(super) times: Vec<Duration>,
    /// The limit of the median for 10,000 notes; `None` if there is no limit.
    pub(super) limit: Option<Duration>,
}

/// A table of times.
pub(super) fn times(title: &str, heads: &[&str], rows: &[Timed], size: &Size) -> String {
    let mut text = format!("\n{title}\n{}", line("question", heads));
    for Timed { name, times, limit } in rows {
        let cells = times
            .iter()
            .map(|time| format!("{:.3}", milliseconds(*time)));
        let limit = limit.filter(|_| size.notes <= LIMITED_NOTES);
        let allowed = limit.map(|limit| {
            let is_over = times.get(1).is_some_and(|later| *later > limit);
            format!("{:.0} ms{}", milliseconds(limit), mark(is_over))
        });
        text += &line(name, &cells.chain(allowed).collect::<Vec<_>>());
    }
    text
}

/// The line of the memory of the process that stays, the most and the last of it.
pub(super) fn memory(kibibytes: [u64; 2]) -> String {
    let [peak, current] = kibibytes.map(|kibibytes| mebibytes(kibibytes * 1024));
    format!("memory MiB: peak {peak:.1}, after the last answer {current:.1}\n")
}

/// Compares the rows of two vaults.
pub(super) fn growth(small: &Size, large: &Size) -> String {
    let factor = real(large.notes) / real(small.notes);
    let most = factor * GROWTH_ALLOWED;
    let mut text = format!(
        "\ngrowth from {} to {} notes, {most:.1}x allowed; that of the yardstick\n",
        small.notes, large.notes
    );
    for ((question, before), (_, after)) in small.rows.iter().zip(&large.rows) {
        if let (Ok(before), Ok(after)) = (before, after) {
            let ratio =
                |after: Duration, before: Duration| after.as_secs_f64() / before.as_secs_f64();
            let grown = ratio(after.ours, before.ours);
            let yardstick = after.yardstick.zip(before.yardstick);
            let yardstick = optional(yardstick.map(|(after, before)| ratio(after, before)));
            let cells = [format!("{grown:.2}x{}", mark(grown > most)), yardstick];
            text += &line(question.name, &cells);
        }
    }
    text
}

/// A time as a number.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(
    clippy::cast_precision_loss,
    reason = "one digit after the point is shown"
)]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}

fn optional(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(ours: u64, yardstick: Option<u64>) -> Measured {
        Measured {
            ours: Duration::from_millis(ours),
            yardstick: yardstick.map(Duration::from_millis),
            memory: Some(2_048),
        }
    }

    fn row(limit: &'static str, measured: &Measured) -> String {
        let question = Question {
            name: "tags",
            words: Vec::new(),
            yardstick: "",
            command: None,
            limit,
        };
        super::row(&question, measured, false)
    }

    #[test]
    fn a_row_that_is_too_slow_is_marked() {
        let slow = row("2.0x", &measured(50, Some(20)));
        assert!(slow.contains("2.50") && slow.contains("2.0x !"), "{slow}");
        let fast = row("2.0x", &measured(30, Some(20)));
        assert!(fast.contains("1.50") && !fast.contains('!'), "{fast}");
        let slow = row("10 ms", &measured(11, None));
        assert!(slow.contains("10 ms !") && slow.contains(" - "), "{slow}");
    }
}
