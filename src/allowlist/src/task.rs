//! Tasks of people: the headings of the help.

use serde::Deserialize;

/// A task of a person, as a heading of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Notes of a day, a week, a month.
    Daily,
    /// Commands that find notes and text.
    Find,
    /// Reading notes, whole or in part.
    Read,
    /// Creating notes and writing text.
    Write,
    /// Moving, renaming and removing files.
    Arrange,
    /// Properties, tags and tasks of notes.
    Properties,
    /// Links between notes, in both directions.
    Links,
    /// Commands about the vault as a whole.
    Vault,
    /// Commands about base files and their views.
    Bases,
    /// Commands about earlier versions of notes.
    History,
    /// The publishing service Obsidian Publish.
    Publish,
    /// The app itself and its commands.
    App,
}

impl Task {
    /// All tasks, in the order of the help.
    pub const ALL: [Self; 12] = [
        Self::Daily,
        Self::Find,
        Self::Read,
        Self::Write,
        Self::Arrange,
        Self::Properties,
        Self::Links,
        Self::Vault,
        Self::Bases,
        Self::History,
        Self::Publish,
        Self::App,
    ];

    /// Returns the heading of the help.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Daily => "Daily and other periodic notes",
            Self::Find => "Find notes and text",
            Self::Read => "Read notes",
            Self::Write => "Write",
            Self::Arrange => "Move, rename, delete, open",
            Self::Properties => "Properties, tags and tasks",
            Self::Links => "Links",
            Self::Vault => "The whole vault",
            Self::Bases => "Bases",
            Self::History => "Earlier versions",
            Self::Publish => "Obsidian Publish",
            Self::App => "The app",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn every_task_has_commands() {
        let commands: Vec<Task> = Catalogue::whole()
            .unwrap()
            .commands()
            .map(|command| command.task)
            .collect();
        for task in Task::ALL {
            assert!(commands.contains(&task), "{task:?}");
        }
    }
}
