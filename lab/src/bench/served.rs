//! The same questions to one process that stays: `vault-gw call`, one request a line.

use chores::{Fault, write};
use serde_json::{Map, Value, json};

use super::measure::median;
use super::programs::User;
use super::table::Timed;
use super::{Question, Size};
use crate::vault::{COMMON_WORD, PHRASE};
use crate::world::Pipes;

/// Agents with rules of their own, one of which asks.
const CALLERS: usize = 50;
/// Calls behind each row that compares callers: they differ by less than a few calls do.
const CALLER_RUNS: usize = 200;

/// Asks what the engine answers, all in one process, and last a ranked search, whose first answer
/// builds the ranked index: earlier runs have no use for one. With its memory after that.
pub(super) fn times(
    user: &User<'_>,
    size: &Size,
    runs: usize,
) -> Result<(Vec<Timed>, Option<[u64; 2]>), Fault> {
    let mut pipes = Pipes::start(&mut user.ours(&["call"]))?;
    let mut served = Vec::new();
    for question in size.answered() {
        served.push(row(&mut pipes, question.name, &request(question), runs)?);
    }
    let ranked = json!({
        "command": "notes:search",
        "params": {"query": format!("{COMMON_WORD} {PHRASE}")},
    });
    served.push(row(&mut pipes, "notes:search", &ranked, runs)?);
    let memory = memory_of(pipes.id());
    if let Some(question) = size.answered().find(|question| question.words[0] == "read") {
        let request = request(question);
        let name = format!("{} again", question.name);
        served.push(row(&mut pipes, &name, &request, CALLER_RUNS)?);
        let mut pipes = Pipes::start(&mut user.ours(&callers(user)?))?;
        let name = format!("{} by 1 of {CALLERS}", question.name);
        served.push(row(&mut pipes, &name, &request, CALLER_RUNS)?);
        pipes.end()?;
    }
    pipes.end()?;
    Ok((served, memory))
}

/// Writes settings with many agents, each with rules of its own, and returns the words that start a server for one.
fn callers(user: &User<'_>) -> Result<Vec<String>, Fault> {
    let mut settings = "enabled = true\n".to_owned();
    for number in 0..CALLERS {
        settings += &format!(
            "[agents.caller-{number}]\ncommands.allow = [\"@reads\", \"daily:append\"]\n\
             commands.deny = [\"@bases\"]\n"
        );
    }
    let file = user.folder.join("config/vault-gw/callers.toml");
    write(&file, settings)?;
    let file = file.display().to_string();
    let words = ["--settings", &file, "--agent", "caller-7", "call"];
    Ok(words.map(str::to_owned).to_vec())
}

/// The memory of a process that runs, the most and the current one, in KiB; `None` without `/proc`.
pub(crate) fn memory_of(process: u32) -> Option<[u64; 2]> {
    memory_in(&fs_err::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// The memory that the text of a `/proc/PID/status` states.
fn memory_in(status: &str) -> Option<[u64; 2]> {
    let kibibytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some([kibibytes("VmHWM:")?, kibibytes("VmRSS:")?])
}

/// Asks one question first, and then again and again.
pub(super) fn row(
    pipes: &mut Pipes,
    name: &str,
    request: &Value,
    runs: usize,
) -> Result<Timed, Fault> {
    let (_, first) = pipes.ask(request)?;
    let later: Result<Vec<_>, Fault> = (0..runs).map(|_| Ok(pipes.ask(request)?.1)).collect();
    Ok(Timed {
        name: name.to_owned(),
        times: vec![first, median(later?).unwrap_or_default()],
        limit: None,
    })
}

/// `tags counts` as a request.
fn request(question: &Question) -> Value {
    let mut params = Map::new();
    for word in &question.words[1..] {
        match word.split_once('=') {
            Some((key, value)) => params.insert(key.to_owned(), value.into()),
            None => params.insert(word.clone(), true.into()),
        };
    }
    json!({"command": question.words[0], "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_read_where_the_system_reports_it() {
        let status = "Name:\tvault-gw\nVmPeak:\t  99 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 1024 kB\n";
        let memory = memory_in(status).unwrap();
        assert_eq!(memory, [2048, 1024]);
        assert!(memory_in("Name:\tvault-gw\n").is_none());
    }
}
