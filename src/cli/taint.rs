//! `vault-gw outside`: which notes and agents are labelled because of outside text, why, and clearing
//! them (`design/labels.md`).

use serde_json::{Map, json};
use vault_engine::shown;

use super::Cli;
use super::report::{self, TextAndData, VerbEnd};
use frontend::setup;
use gateway::{Gateway, TaintReport};
use protocol::{Caller, Failure, json::object};

/// The actions on labels.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum TaintAction {
    /// List the agents that are restricted, and the notes that calls have marked as outside text
    Show,
    /// Say why notes count as outside text, or that they do not
    Explain {
        /// The notes, by path or by name
        #[arg(value_name = "NOTE", required = true)]
        notes: Vec<String>,
    },
    /// Take notes for your own text, or end the restriction of agents
    Clear {
        /// The notes, by path or by name
        #[arg(value_name = "NOTE", required_unless_present = "agents")]
        notes: Vec<String>,
        /// The agents; without names all of them
        #[arg(long, value_name = "NAME", num_args = 0..)]
        agents: Option<Vec<String>>,
    },
}

/// Runs `vault-gw outside`.
pub(crate) fn run(cli: Cli<'_>, action: Option<&TaintAction>) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    Ok(match action {
        None | Some(TaintAction::Show) => shown_labels(&gateway.taint()?).into(),
        Some(TaintAction::Explain { notes }) => explained(&gateway, notes)?.into(),
        Some(TaintAction::Clear { notes, agents }) => {
            let answered = gateway.clear_taint(notes, agents.as_deref());
            report::answer(terminal, options, &answered).into()
        }
    })
}

fn shown_labels(report: &TaintReport) -> TextAndData {
    let mut text = String::new();
    let row = |name: &str| shown::row(name).into_owned();
    for agent in &report.agents {
        let taint = &agent.taint;
        let note = taint.note.as_ref();
        let note = note.map_or_else(String::new, |note| format!(", {}", row(note)));
        let name = match agent.agent.as_str() {
            "" => "agents without a name".to_owned(),
            name => format!("agent {}", row(name)),
        };
        text += &format!(
            "{name}: restricted since {} ({}{note}), until {}\n",
            taint.since, taint.command, taint.until
        );
    }
    for note in &report.notes {
        let draft = note.draft.as_ref().map_or("", |_| " (in a draft)");
        text += &format!("{}{draft}: {}\n", row(&note.path), row(&note.why));
    }
    for note in &report.cleared {
        text += &format!("{}: cleared by a person\n", row(note));
    }
    if text.is_empty() {
        let answer = if report.on {
            "No agent is restricted, and no call has marked a note as outside text. Notes in `taint.sources`, and notes with a property in `taint.properties`, always count as outside text.\n"
        } else {
            "No note counts as outside text, because the settings name no source. `vault-gw settings set taint.sources '[\"Clippings/**\"]'` names one.\n"
        };
        answer.clone_into(&mut text);
    }
    (text, object(json!(report)))
}

fn explained(gateway: &Gateway, notes: &[String]) -> Result<TextAndData, Failure> {
    let mut text = String::new();
    let mut data = Map::new();
    for note in notes {
        let (note, why) = gateway.why_labelled(note)?;
        let answer = why.as_ref().map_or_else(
            || "your own text".to_owned(),
            |why| format!("outside text: it {}", shown::row(why)),
        );
        text += &format!("{}: {answer}\n", shown::row(&note));
        data.insert(note, json!(why));
    }
    Ok((text, data))
}
