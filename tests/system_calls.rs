//! What a running server asks the system for at each question: the same in a small vault and in a
//! large one, whichever backend is set.

use std::fmt::Write as _;
use std::time::Duration;

use crate::support::thin::skipped;
use crate::support::traced::{
    QUESTIONS, QUESTIONS_OF_NAMES, SETTINGS, TracedServer, total, world_of,
};

/// How much two counts may differ: the look for the app's socket, and a wake-up more or less.
const SLACK: usize = 10;

/// The most that a question may need in a build for tests, which also checks each descriptor that
/// it closes.
const MOST: usize = 170;

#[test]
fn a_served_question_costs_the_same_system_calls_whatever_the_vault_and_the_backend() {
    let worlds = [100, 10_000].map(|notes| (notes, world_of(notes)));
    let mut servers = Vec::new();
    for (notes, world) in &worlds {
        for (backend, words) in SETTINGS {
            match TracedServer::start(world, words) {
                Ok(server) => servers.push((format!("{notes} notes, {backend}"), server)),
                Err(error) => return skipped(&format!("the system forbids tracing: {error}")),
            }
        }
    }
    for (_, server) in &mut servers {
        server.ask(QUESTIONS_OF_NAMES[0].1);
    }
    // A settings file that is younger than two seconds is read at each question.
    std::thread::sleep(Duration::from_millis(2500));
    for (_, server) in &servers {
        server.count();
    }
    let mut faults = compared(&mut servers, &QUESTIONS_OF_NAMES);
    for (_, server) in &mut servers {
        for (_, question) in QUESTIONS {
            server.ask(question);
        }
    }
    faults += &compared(&mut servers, &QUESTIONS);
    assert!(faults.is_empty(), "{faults}");
}

/// The questions for which the servers differ in their system calls, or need too many.
fn compared(servers: &mut [(String, TracedServer)], questions: &[(&str, &str)]) -> String {
    let mut faults = String::new();
    for (command, question) in questions {
        let counts: Vec<_> =
            servers.iter_mut().map(|(of, server)| (of.clone(), server.fewest(question))).collect();
        let totals = || counts.iter().map(|(_, calls)| total(calls));
        let (least, most) = (totals().min().unwrap(), totals().max().unwrap());
        if most - least > SLACK || most > MOST {
            for (of, calls) in &counts {
                writeln!(faults, "{command}, {of}: {} {calls:?}", total(calls)).unwrap();
            }
        }
    }
    faults
}
