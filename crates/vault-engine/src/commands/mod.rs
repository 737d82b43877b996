//! The commands that a folder can answer: one table from command id to function.

mod aliases;
mod appearance;
mod backlinks;
mod bases;
mod bookmarks;
mod daily;
mod deadends;
mod files;
mod folders;
mod links;
mod manifests;
mod notes;
mod one_note;
mod orphans;
mod outline;
mod own;
mod plugins;
mod properties;
mod random;
mod recents;
mod search;
mod tag;
mod tags;
pub(crate) mod target;
pub(crate) mod task;
mod tasks;
pub(crate) mod templates;
mod unresolved;
mod vaults;
mod word_count;
mod workspaces;

use cli_output::{Answer, Arguments, List, Shape};

use self::own::View;
pub use self::own::{
    AuditReport, ExportedNote, Finding, FindingCount, FindingPage, NoteParts, NoteSectionText,
    Severity, exports, plan_export,
};
pub(crate) use self::word_count::{body, words};

use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::vault::{Note, Vault};
use crate::warning::Warning;

/// An answer with what belongs beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// Exact bytes of the note whose text is the answer, for its hash; `None` where the answer
    /// is not a note's text.
    pub bytes: Option<Vec<u8>>,
    /// What the answer leaves out.
    pub warnings: Vec<Warning>,
}

impl Reply {
    fn new(answer: Answer, warnings: Vec<Warning>) -> Self {
        Self {
            answer,
            bytes: None,
            warnings,
        }
    }

    /// The reply that shows a note's text, as `wrap` puts it.
    fn of_note(
        note: Note,
        mut warnings: Vec<Warning>,
        wrap: impl FnOnce(String, String) -> Answer,
    ) -> Self {
        if note.lossy {
            warnings.push(Warning::NotUtf8 {
                path: note.path.clone(),
            });
        }
        Self {
            answer: wrap(note.path.to_string(), note.text),
            bytes: Some(note.bytes),
            warnings,
        }
    }
}

type Serve = fn(&Vault, &Arguments, &Surroundings) -> Result<Reply, EngineError>;

const COMMANDS: &[(&str, Serve)] = &[
    ("aliases", aliases::aliases),
    ("backlinks", backlinks::backlinks),
    ("base:views", bases::views),
    ("bases", bases::bases),
    ("bookmarks", bookmarks::bookmarks),
    ("daily:path", daily::path),
    ("daily:read", daily::read),
    ("deadends", deadends::deadends),
    ("file", files::file),
    ("files", files::files),
    ("folder", folders::folder),
    ("folders", folders::folders),
    ("links", links::links),
    ("orphans", orphans::orphans),
    ("outline", outline::outline),
    ("plugin", plugins::plugin),
    ("plugins", plugins::plugins),
    ("plugins:enabled", plugins::enabled),
    ("properties", properties::properties),
    ("property:read", properties::read),
    ("random:read", random::read),
    ("read", files::read),
    ("recents", recents::recents),
    ("search", search::search),
    ("search:context", search::context),
    ("snippets", appearance::snippets),
    ("snippets:enabled", appearance::enabled_snippets),
    ("tag", tag::tag),
    ("tags", tags::tags),
    ("task", task::task),
    ("tasks", tasks::tasks),
    ("template:read", templates::read),
    ("templates", templates::templates),
    ("theme", appearance::theme),
    ("themes", appearance::themes),
    ("unresolved", unresolved::unresolved),
    ("vault", vaults::vault),
    ("vaults", vaults::vaults),
    ("wordcount", word_count::word_count),
    ("workspaces", workspaces::workspaces),
];

/// Whether the engine answers this command.
pub fn serves(command: &str) -> bool {
    find(command).is_some() || find_own(command).is_some()
}

/// Every command that the engine answers: those of the app, then the gateway's own.
pub fn commands() -> impl Iterator<Item = &'static str> {
    let own = own::COMMANDS.iter().filter(|own| own.serve.is_some());
    let app = COMMANDS.iter().map(|(name, _)| *name);
    app.chain(own.map(|own| own.id))
}

/// Every shape that a command's `output` may name: those of the app, then those of own commands.
pub fn shapes() -> impl Iterator<Item = Shape> {
    let own = own::COMMANDS.iter().map(|own| Shape::Own(&own.form));
    Shape::APP.iter().copied().chain(own)
}

/// Answers a command as the app would (`official-cli.md` §5.1), from the folder alone.
///
/// Parameters that a command does not have are ignored, empty `file`, `path`, `folder` and `ext`
/// count as absent, all as in the app (`official-cli.md` §4).
pub fn answer(
    vault: &Vault,
    command: &str,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Answer, EngineError> {
    reply(vault, command, arguments, surroundings).map(|reply| reply.answer)
}

/// As [`answer`], with the note's bytes and the warnings.
pub fn reply(
    vault: &Vault,
    command: &str,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    if let Some(serve) = find(command) {
        return serve(vault, arguments, surroundings);
    }
    let serve = find_own(command).ok_or_else(|| EngineError::NotServed {
        command: command.to_owned(),
    })?;
    serve(&View::new(vault), arguments, surroundings)
}

fn find_own(command: &str) -> Option<own::Serve> {
    let own = own::COMMANDS.iter().find(|own| own.id == command)?;
    own.serve
}

fn find(command: &str) -> Option<Serve> {
    COMMANDS
        .iter()
        .find(|(name, _)| *name == command)
        .map(|(_, serve)| *serve)
}

/// A whole list, or with `total` its length alone.
fn listed<T>(items: Vec<T>, arguments: &Arguments, wrap: impl FnOnce(List<T>) -> Answer) -> Answer {
    if arguments.flag("total") {
        total(items.len())
    } else {
        wrap(List::new(items))
    }
}

fn total(total: usize) -> Answer {
    Answer::Total(cli_output::Total { total })
}

#[cfg(test)]
mod graph_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transcripts;
