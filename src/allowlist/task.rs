//! What people want to do: the headings of the help.

use serde::Deserialize;

/// A task of a person, under which the help lists commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Notes of a day, a week, a month.
    Daily,
    /// To find notes.
    Find,
    /// To read them, whole or in part.
    Read,
    /// To write text.
    Write,
    /// To move, rename and remove files.
    Arrange,
    /// Properties, tags and tasks of notes.
    Properties,
    /// Links between notes.
    Links,
    /// The vault as a whole.
    Vault,
    /// Bases.
    Bases,
    /// Earlier versions.
    History,
    /// Obsidian Publish.
    Publish,
    /// The app itself.
    App,
    /// A command whose entry names no task.
    #[default]
    Other,
}

impl Task {
    /// All, in the order of the help.
    pub const ALL: [Self; 13] = [
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
        Self::Other,
    ];

    /// The heading.
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
            Self::Other => "Other commands",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowlist::Catalogue;

    #[test]
    fn every_command_has_a_task_and_every_task_commands() {
        let commands: Vec<Task> = Catalogue::whole()
            .unwrap()
            .commands()
            .map(|command| command.task)
            .collect();
        for task in Task::ALL {
            assert_eq!(commands.contains(&task), task != Task::Other, "{task:?}");
        }
    }
}
