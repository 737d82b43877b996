//! The report as plain text.

use std::path::Path;
use std::time::Duration;

use super::Size;
use super::in_memory::Asked;
use super::measure::{Figures, Measured};
use super::programs::Programs;
use super::questions::Limit;
use super::served::ServedFigures;
use crate::Fault;
use crate::files::below;

/// The limits in process are those of a vault of this size.
const LIMITED_NOTES: usize = 10_000;
/// The most memory of a run besides the text of the notes, in bytes.
const MEMORY_ALLOWED: u64 = 16 * 1024 * 1024;
/// The growth of the cost relative to that of the vault: ten times the notes may cost twelve times
/// as much.
const GROWTH_ALLOWED: f64 = 1.2;

/// What was compared, and what could not be.
pub(super) fn head(programs: &Programs, runs: usize) -> String {
    let mut text = format!(
        "vault-gw: {}\nmedians of {runs} whole processes, the two sides taking turns; files in the page cache\n",
        programs.ours.display()
    );
    for (name, program) in [
        ("rg", &programs.rg),
        ("find", &programs.find),
        ("cat", &programs.cat),
        ("GNU time (memory)", &programs.time),
    ] {
        if program.is_none() {
            text += &format!("{name} is not installed: its column is empty\n");
        }
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
    let mut text = format!(
        "\n{} notes, {} files, {:.1} MiB\n{:<26} {:>10} {:>10} {:>7} {:>9} {:>8}  {}\n",
        size.notes,
        files.len(),
        mebibytes(bytes),
        "question",
        "ours ms",
        "yard ms",
        "ratio",
        "allowed",
        "MiB",
        "yardstick"
    );
    for (question, figures) in &size.rows {
        let yardstick = question.yardstick.name();
        let name = &question.name;
        text += &match figures {
            Figures::NotServed => format!("{name:<26} {:>10}\n", "-"),
            Figures::Failed(code) => format!("{name:<26} {code}\n"),
            Figures::Measured(measured) => {
                let fat = measured
                    .memory
                    .is_some_and(|kibibytes| kibibytes * 1024 > MEMORY_ALLOWED + bytes);
                let mark = if fat { " !" } else { "" };
                format!(
                    "{}{mark}  {yardstick}\n",
                    row(name, measured, question.limit)
                )
            }
        };
    }
    Ok(text)
}

fn row(name: &str, measured: &Measured, limit: Limit) -> String {
    let ratio = measured
        .yardstick
        .map(|yardstick| ratio(measured.ours, yardstick));
    let (allowed, slow) = match limit {
        Limit::Times(times) => (
            format!("{times:.1}x"),
            ratio.is_some_and(|ratio| ratio > times),
        ),
        Limit::Milliseconds(most) => (format!("{most:.0} ms"), milliseconds(measured.ours) > most),
    };
    format!(
        "{name:<26} {:>10.2} {:>10} {:>7} {:>9} {:>8}",
        milliseconds(measured.ours),
        optional(measured.yardstick.map(milliseconds)),
        optional(ratio),
        format!("{allowed}{}", if slow { " !" } else { "" }),
        measured.memory.map_or_else(
            || "-".to_owned(),
            |kibibytes| format!("{:.1}", mebibytes(kibibytes * 1024))
        ),
    )
}

/// The table of the process that stays.
pub(super) fn served(figures: &ServedFigures) -> String {
    let mut text = format!(
        "\nthe same in one `vault-gw call`\n{:<26} {:>10} {:>10}\n",
        "question", "first ms", "later ms"
    );
    for row in &figures.rows {
        text += &format!(
            "{:<26} {:>10.2} {:>10.2}\n",
            row.name,
            milliseconds(row.first),
            milliseconds(row.later)
        );
    }
    if let Some(memory) = figures.memory {
        let mebibytes = |kibibytes: u64| mebibytes(kibibytes * 1024);
        text += &format!(
            "memory MiB: peak {:.1}, after the last answer {:.1}\n",
            mebibytes(memory.peak),
            mebibytes(memory.current)
        );
    }
    text
}

/// The table of the engine that keeps its index.
pub(super) fn in_memory(size: &Size, rows: &[Asked]) -> String {
    let mut text = format!(
        "\nin process, the index in memory\n{:<44} {:>10} {:>10} {:>10} {:>9}\n",
        "question", "first ms", "later ms", "best ms", "allowed"
    );
    for row in rows {
        let limit = row.limit.filter(|_| size.notes <= LIMITED_NOTES);
        let allowed = limit.map_or_else(String::new, |limit| {
            let slow = if row.later > limit { " !" } else { "" };
            format!("{:.0} ms{slow}", milliseconds(limit))
        });
        text += &format!(
            "{:<44} {:>10.2} {:>10.3} {:>10.3} {allowed:>9}\n",
            row.name,
            milliseconds(row.first),
            milliseconds(row.later),
            milliseconds(row.best)
        );
    }
    text
}

/// How the rows of two vaults compare.
pub(super) fn growth(small: &Size, large: &Size) -> String {
    let factor = ratio_of_counts(large.notes, small.notes);
    let most = factor * GROWTH_ALLOWED;
    let mut text = format!(
        "\ngrowth from {} to {} notes, {most:.1}x allowed\n",
        small.notes, large.notes
    );
    for ((question, before), (_, after)) in small.rows.iter().zip(&large.rows) {
        if let (Figures::Measured(before), Figures::Measured(after)) = (before, after) {
            let grown = ratio(after.ours, before.ours);
            let yardstick = after
                .yardstick
                .zip(before.yardstick)
                .map(|(after, before)| ratio(after, before));
            let slow = if grown > most { " !" } else { "" };
            text += &format!(
                "{:<26} {grown:>9.2}x{slow:<2} (yardstick {})\n",
                question.name,
                optional(yardstick)
            );
        }
    }
    text
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ratio(ours: Duration, yardstick: Duration) -> f64 {
    ours.as_secs_f64() / yardstick.as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "counts of notes are small")]
fn ratio_of_counts(large: usize, small: usize) -> f64 {
    large as f64 / small as f64
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

    #[test]
    fn a_row_that_is_too_slow_is_marked() {
        let slow = row("tags", &measured(50, Some(20)), Limit::Times(2.0));
        assert!(slow.contains("2.50") && slow.contains("2.0x !"), "{slow}");
        let fast = row("tags", &measured(30, Some(20)), Limit::Times(2.0));
        assert!(fast.contains("1.50") && !fast.contains('!'), "{fast}");
        let slow = row("read", &measured(11, None), Limit::Milliseconds(10.0));
        assert!(slow.contains("10 ms !") && slow.contains(" - "), "{slow}");
    }
}
