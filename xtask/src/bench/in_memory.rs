//! The same questions to an engine that keeps the index in memory, inside one process: run by the
//! engine's own bench program, as this one is not built for speed.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use super::Size;
use super::measure::Figures;
use super::programs::User;
use crate::Fault;
use crate::targets::cargo;

/// The times of one question.
pub(super) struct Asked {
    /// The command with its arguments, or the edit.
    pub(super) name: String,
    /// The first time, when nothing is prepared for it.
    pub(super) first: Duration,
    /// The median of the later times.
    pub(super) later: Duration,
    /// The best of them, which a busy machine changes least.
    pub(super) best: Duration,
    /// The limit of the median for 10,000 notes; `None` if there is no limit.
    pub(super) limit: Option<Duration>,
}

/// Measures the questions that the engine answers. The index is read from the cache that earlier
/// rows left.
pub(super) fn times(user: &User<'_>, size: &Size, runs: usize) -> Result<Vec<Asked>, Fault> {
    let mut questions = String::new();
    for (question, figures) in &size.rows {
        if !question.is_cold() && matches!(figures, Figures::Measured(_)) {
            questions += &question.words.join("\t");
            questions.push('\n');
        }
    }
    let mut command = cargo();
    command
        .args(["bench", "--quiet", "--package", "vault-engine"])
        .args(["--bench", "followed", "--"])
        .arg(user.root())
        .arg(user.cache())
        .arg(runs.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().ok_or("the bench has no pipe")?;
    input.write_all(questions.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err("cargo bench --package vault-engine fails".into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(asked).collect()
}

fn asked(line: &str) -> Result<Asked, Fault> {
    let unreadable = || Fault::from(format!("the engine's bench printed `{line}`"));
    let fields: Vec<&str> = line.splitn(4, '\t').collect();
    let [first, later, best, name] = fields.as_slice() else {
        return Err(unreadable());
    };
    let time = |text: &str| -> Result<Duration, Fault> {
        let microseconds: u64 = text.parse().map_err(|_| unreadable())?;
        Ok(Duration::from_micros(microseconds))
    };
    Ok(Asked {
        name: (*name).to_owned(),
        first: time(first)?,
        later: time(later)?,
        best: time(best)?,
        limit: limit(name),
    })
}

/// The limit of a question for 10,000 notes.
fn limit(name: &str) -> Option<Duration> {
    let milliseconds = match name.split(' ').next()? {
        "backlinks" | "tags" | "links" => 1,
        // Three times what `tags counts` may cost (`design.md` §15).
        "base:query" => 3,
        "search" if name.contains(crate::vault::RARE_WORD) => 6,
        _ => return None,
    };
    Some(Duration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_engines_bench_is_read() {
        let read = asked("1500\t20\t7\ttags counts").unwrap();
        assert_eq!(read.name, "tags counts");
        assert_eq!(read.first, Duration::from_micros(1500));
        assert_eq!(read.limit, Some(Duration::from_millis(1)));
        assert!(asked("oops").is_err());
    }
}
