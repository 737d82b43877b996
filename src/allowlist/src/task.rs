//! Tasks of people: the headings of the help.

use protocol::words;

words! {
    /// A task of a person, as a heading of the help.
    pub enum Task {
        /// Notes of a day, a week, a month.
        Daily = "daily",
        /// Commands that find notes and text.
        Find = "find",
        /// Reading notes, whole or in part.
        Read = "read",
        /// Creating notes and writing text.
        Write = "write",
        /// Moving, renaming and removing files.
        Arrange = "arrange",
        /// Properties, tags and tasks of notes.
        Properties = "properties",
        /// Links between notes, in both directions.
        Links = "links",
        /// Commands about the vault as a whole.
        Vault = "vault",
        /// Commands about base files and their views.
        Bases = "bases",
        /// Commands about earlier versions of notes.
        History = "history",
        /// The publishing service Obsidian Publish.
        Publish = "publish",
        /// The app itself and its commands.
        App = "app",
    }
}

impl Task {
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
