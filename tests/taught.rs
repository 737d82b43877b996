//! Agents that learned Obsidian's own skill, or the help page of its command line, get on here: each
//! example of both is answered, or refused with a sentence that says what to do instead.

use std::collections::BTreeMap;

use fake_obsidian::scenario::Scenario;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::Deserialize;

use crate::support::{Ran, World};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    example: Vec<Example>,
}

/// A line of a source, and what comes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    source: String,
    line: String,
    says: String,
    #[serde(default)]
    refused: bool,
    engine: Option<Outcome>,
    #[serde(default)]
    given: BTreeMap<String, String>,
    keeps: Option<(String, String)>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    says: String,
    refused: bool,
}

impl Example {
    fn all() -> Vec<Self> {
        let table: Table = toml::from_str(include_str!("data/taught_examples.toml")).unwrap();
        table.example
    }

    fn outcome(&self, backend: &str) -> Outcome {
        let usual = Outcome {
            says: self.says.clone(),
            refused: self.refused,
        };
        let engine = self.engine.clone().filter(|_| backend == "embedded");
        engine.unwrap_or(usual)
    }

    /// Types the line in a vault of its own.
    fn run(&self, backend: &str) -> (World, Ran) {
        let now = today();
        let scenario = Scenario {
            now: Some(now.clone()),
            ..Scenario::logged()
        };
        let world = World::with_fixture_vault()
            .with_fake(&scenario)
            .set("allow_mutations = true")
            .set(&format!("backend = {backend:?}"));
        let other = world.scratch().join("My Vault");
        fs_err::create_dir_all(other.join(".obsidian")).unwrap();
        let vaults = [world.vault.as_path(), other.as_path()];
        world.home.register(vaults).unwrap();
        let daily = now.strftime("Daily/%Y-%m-%d.md").to_string();
        world.write(&daily, "- [ ] first\n- [x] second\n- [ ] third\n");
        let soup = "# Soup\n\n- [x] Peel\n- [?] Salt\n\ntext\n\n- [ ] Boil\n";
        world.write("Recipe.md", soup);
        world.write("README.md", "# Read me\n");
        for template in ["Template", "Travel"] {
            world.write(&format!("Templates/{template}.md"), "# {{title}}\n");
        }
        for (path, text) in &self.given {
            world.write(path, text);
        }
        let words = shell_words::split(&self.line).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = world.run(&words);
        (world, ran)
    }
}

/// The program has the clock of the machine.
fn today() -> Zoned {
    Timestamp::now().to_zoned(TimeZone::UTC)
}

fn every_example_on(backend: &str) {
    let mut wrong = Vec::new();
    for example in Example::all() {
        let outcome = example.outcome(backend);
        let (world, ran) = example.run(backend);
        let message = format!("{}{}", ran.text(), ran.stderr.replace("\nhint: ", " "));
        let kept = example.keeps.as_ref().map(|(path, text)| {
            let now = fs_err::read_to_string(world.vault.join(path)).unwrap_or_default();
            now.contains(text.as_str())
        });
        // What is refused leaves nothing and asks the app nothing.
        let is_right = (ran.status == Some(0)) != outcome.refused
            && message.contains(&outcome.says)
            && kept.unwrap_or(true)
            && (!outcome.refused || ran.text().is_empty() && world.runs().is_empty());
        if !is_right {
            wrong.push(format!("{}: {}: {ran:?}", example.source, example.line));
        }
    }
    assert_eq!(wrong, [""; 0], "{backend}");
}

#[test]
fn every_example_of_obsidians_skill_and_help_page_is_met_by_the_app() {
    every_example_on("obsidian");
}

#[test]
fn every_example_of_obsidians_skill_and_help_page_is_met_by_the_engine() {
    every_example_on("embedded");
}

/// What the app would ignore is not sent to it.
#[test]
fn a_flag_that_only_obsidians_skill_knows_stays_here() {
    let example = Example::all()
        .into_iter()
        .find(|example| example.line == r#"--yes create name="My Note" silent overwrite"#);
    let (world, _ran) = example.unwrap().run("obsidian");
    let run = world.runs().pop().unwrap();
    assert!(run.contains(" create ") && !run.contains("silent"), "{run}");
}
