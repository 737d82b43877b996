//! What a running server asks the system for at each question: the same in a small vault and in a
//! large one, whichever backend is set.

use std::fmt::Write as _;
use std::time::Duration;

use crate::support::thin::skipped;
use crate::support::traced::{
    QUESTIONS, QUESTIONS_OF_NAMES, SETTINGS, TracedServer, total, world_of,
};
use crate::support::write_private;

/// How much two counts may differ: the look for the app's socket, and a wake-up more or less.
const SLACK: usize = 10;

/// The most that a question may need in a build for tests, which also checks each descriptor that
/// it closes. The folders of a test are three levels below the root; each level adds some ten calls.
const MOST: usize = 195;

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
        for (_, question) in QUESTIONS.iter().copied() {
            server.ask(question);
        }
    }
    faults += &compared(&mut servers, &QUESTIONS);
    assert!(faults.is_empty(), "{faults}");
}

/// The most system calls that labels may add: to read the ledger and look up the labels of the sources.
const FOR_LABELS: usize = 30;

#[test]
fn labels_add_a_few_system_calls_to_a_question_whose_answer_knows_its_sources() {
    let world = world_of(100);
    let plain = world.write_settings();
    let start = |settings: &std::path::Path| {
        let words = ["--settings", settings.to_str().unwrap()];
        TracedServer::start(&world, &words)
    };
    let labelled = plain.with_file_name("labels.toml");
    let labels = "[taint]\nsources = [\"Clippings/**\"]\n";
    write_private(&labelled, format!("{}{labels}", world.settings));
    let (Ok(mut without), Ok(mut with)) = (start(&plain), start(&labelled)) else {
        return skipped("the system forbids tracing");
    };
    for server in [&mut without, &mut with] {
        for (_, question) in QUESTIONS.iter().copied() {
            server.ask(question);
        }
    }
    // A settings file that is younger than two seconds is read at each question.
    std::thread::sleep(Duration::from_millis(2500));
    without.count();
    with.count();
    let mut faults = String::new();
    // The tags of a vault are of all its notes.
    for (command, question) in QUESTIONS.iter().filter(|(command, _)| *command != "tags") {
        let (without, with) = (without.fewest(question), with.fewest(question));
        if total(&with) > total(&without) + FOR_LABELS {
            writeln!(
                faults,
                "{command}: {} {without:?}, with labels {} {with:?}",
                total(&without),
                total(&with)
            )
            .unwrap();
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// The questions for which the servers differ in their system calls, or need too many.
fn compared(servers: &mut [(String, TracedServer)], questions: &[(&str, &str)]) -> String {
    let mut faults = String::new();
    for (command, question) in questions {
        let counts: Vec<_> = servers
            .iter_mut()
            .map(|(of, server)| (of.clone(), server.fewest(question)))
            .collect();
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
