//! Runs and times both sides of a row.

use std::process::Command;
use std::time::{Duration, Instant};

use chores::{Fault, failed, output};
use serde_json::Value;

use super::programs::User;
use super::questions::Question;

/// The result of one row; the code with which our program failed to answer, if it did.
pub(super) type Figures = Result<Measured, String>;

/// The medians of a row.
pub(super) struct Measured {
    pub(super) ours: Duration,
    /// The yardstick's time; `None` if it is not installed.
    pub(super) yardstick: Option<Duration>,
    /// Peak memory of our program in KiB; `None` without GNU time.
    pub(super) memory: Option<u64>,
}

/// Measures one question `runs` times on each side, after one round that does not count.
pub(super) fn figures(
    user: &User<'_>,
    question: &mut Question,
    runs: usize,
) -> Result<Figures, Fault> {
    if let Some(code) = failure(user, &question.words)? {
        return Ok(Err(code));
    }
    let is_cold = question.is_cold();
    let prepare = || if is_cold { user.forget() } else { Ok(()) };
    let mut commands = vec![user.ours(&question.words)];
    commands.extend(question.command.take());
    let mut times = in_turn(runs, &mut commands, prepare)?.into_iter();
    prepare()?;
    Ok(Ok(Measured {
        ours: times.next().unwrap_or_default(),
        yardstick: times.next(),
        memory: memory(user, question)?,
    }))
}

/// The medians of commands that take turns, after one round that does not count, with what is done before each round.
pub(super) fn in_turn(
    runs: usize,
    commands: &mut [Command],
    mut prepare: impl FnMut() -> Result<(), Fault>,
) -> Result<Vec<Duration>, Fault> {
    let mut times = vec![Vec::new(); commands.len()];
    for round in 0..=runs {
        prepare()?;
        for (command, times) in commands.iter_mut().zip(&mut times) {
            let time = timed(command)?;
            times.extend((round > 0).then_some(time));
        }
    }
    Ok(times.into_iter().filter_map(median).collect())
}

/// The code with which our program fails to answer, if it does.
fn failure(user: &User<'_>, words: &[String]) -> Result<Option<String>, Fault> {
    let mut command = user.ours(words);
    let answer = output(command.arg("--json"))?;
    let envelope: Value = serde_json::from_slice(&answer.stdout)
        .map_err(|error| format!("`{}` gave no envelope: {error}", words.join(" ")))?;
    if envelope["success"] == true {
        return Ok(None);
    }
    let code = envelope["error"]["code"].as_str().unwrap_or("no code");
    Ok(Some(code.to_owned()))
}

/// Wall time of a whole process, with reading all that it prints.
fn timed(command: &mut Command) -> Result<Duration, Fault> {
    let started = Instant::now();
    let answer = output(command)?;
    let time = started.elapsed();
    // `rg` exits with 1 if nothing matches.
    match answer.status.code() {
        Some(0 | 1) => Ok(time),
        _ => Err(failed(command, &answer)),
    }
}

/// Peak memory in KiB of one more run of our program.
fn memory(user: &User<'_>, question: &Question) -> Result<Option<u64>, Fault> {
    let Some(time) = &user.programs.time else {
        return Ok(None);
    };
    let file = user.folder.join("scratch");
    let ours = user.ours(&question.words);
    let mut command = user.command(time);
    command.args(["-f", "%M", "-o"]).arg(&file);
    command.arg(ours.get_program()).args(ours.get_args());
    timed(&mut command)?;
    let text = fs_err::read_to_string(&file)?;
    Ok(text.trim().parse().ok())
}

/// The median; `None` without times.
pub(crate) fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// A count as a number to divide by.
pub(crate) fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one_in_order() {
        let times = [9, 1, 5].map(Duration::from_millis).to_vec();
        assert_eq!(median(times), Some(Duration::from_millis(5)));
        assert_eq!(median(Vec::new()), None);
    }
}
