//! The same questions to an engine that keeps the index in memory, inside one process: run by the
//! engine's own bench program, as this one is not built for speed.

use std::time::Duration;

use chores::{Fault, cargo, printed, write};

use super::Size;
use super::programs::User;
use super::table::Timed;

/// Measures the questions that the engine answers. The index is read from the cache that earlier
/// rows left.
pub(super) fn times(user: &User<'_>, size: &Size, runs: usize) -> Result<Vec<Timed>, Fault> {
    let questions = size
        .answered()
        .map(|question| question.words.join("\t") + "\n");
    let file = user.folder.join("questions");
    write(&file, questions.collect::<String>())?;
    let mut command = cargo();
    command
        .args(["bench", "--quiet", "--package", "vault-engine"])
        .args(["--bench", "followed", "--"])
        .args([&user.root, &user.folder.join("cache/vault-gw")])
        .arg(runs.to_string())
        .stdin(fs_err::File::open(&file)?.into_file());
    let text = printed(&mut command)?;
    text.lines().map(parse_timing).collect()
}

fn parse_timing(line: &str) -> Result<Timed, Fault> {
    let mut fields = line.splitn(4, '\t');
    let times = fields
        .by_ref()
        .take(3)
        .map(|time| Ok(Duration::from_micros(time.parse()?)));
    let times: Result<Vec<_>, std::num::ParseIntError> = times.collect();
    match (times, fields.next()) {
        (Ok(times), Some(name)) => Ok(Timed {
            name: name.to_owned(),
            times,
            limit: limit(name),
        }),
        _ => Err(format!("the engine's bench printed `{line}`").into()),
    }
}

/// The limit of a question for 10,000 notes.
fn limit(name: &str) -> Option<Duration> {
    let milliseconds = match name.split(' ').next()? {
        "backlinks" | "tags" | "links" => 1,
        // Three times what `tags counts` may cost (`design/questions.md`).
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
        let read = parse_timing("1500\t20\t7\ttags counts").unwrap();
        assert_eq!(read.name, "tags counts");
        assert_eq!(read.times[0], Duration::from_micros(1500));
        assert_eq!(read.limit, Some(Duration::from_millis(1)));
        assert!(parse_timing("oops").is_err());
    }
}
