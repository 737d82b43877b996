//! The same questions to one process that stays: `vault-gw call`, one request a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::measure::{Figures, median};
use super::programs::User;
use super::{Question, Size};
use crate::Fault;

/// A question's first answer, which may have to build the index, and the median of the later ones.
pub(super) struct Served {
    pub(super) name: String,
    pub(super) first: Duration,
    pub(super) later: Duration,
}

/// Asks what the engine answers, all in one process.
pub(super) fn times(user: &User<'_>, size: &Size, runs: usize) -> Result<Vec<Served>, Fault> {
    let mut command = user.ours(&["call".to_owned()]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the process has no pipes".into());
    };
    let mut session = Session {
        input,
        output: BufReader::new(output),
    };
    let mut served = Vec::new();
    let answered = size
        .rows
        .iter()
        .filter(|(question, figures)| !question.cold && matches!(figures, Figures::Measured(_)));
    for (question, _) in answered {
        let request = request(question).to_string();
        let first = session.ask(&request)?;
        let later: Result<Vec<_>, Fault> = (0..runs).map(|_| session.ask(&request)).collect();
        served.push(Served {
            name: question.name.clone(),
            first,
            later: median(later?).unwrap_or_default(),
        });
    }
    drop(session);
    child.wait()?;
    Ok(served)
}

struct Session {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// The time from a request to the end of its answer.
    fn ask(&mut self, request: &str) -> Result<Duration, Fault> {
        let mut line = String::new();
        let started = Instant::now();
        writeln!(self.input, "{request}")?;
        self.output.read_line(&mut line)?;
        let time = started.elapsed();
        let envelope: Value = serde_json::from_str(&line).unwrap_or_default();
        if envelope["success"] == true {
            Ok(time)
        } else {
            Err(format!("vault-gw call: {request} got {line}").into())
        }
    }
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
