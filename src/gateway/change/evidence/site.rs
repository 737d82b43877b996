//! `publish:add` and `publish:remove` change no file: the app's list of published notes is looked at.
//!
//! No answer of the publish commands has been recorded (`official-cli.md` §10), so only a list that
//! plainly changed is a proof.

use cli_output::Shape;
use vault_engine::VaultPath;

use super::found::Found;
use super::question::Questions;

/// What the site listed before the run.
pub(crate) struct Site {
    note: Option<VaultPath>,
    wanted: SiteChange,
    before: Option<Listed>,
}

/// What the command does to the list of published notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteChange {
    /// It lists the note.
    Add,
    /// It takes the note off the list.
    Remove,
}

/// What the app says of one note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Listed {
    is_published: bool,
    is_pending: bool,
}

impl Site {
    /// Asks for the lists. Where they are not told, nothing can be proved afterwards.
    pub(super) fn before(
        note: Option<&VaultPath>,
        wanted: SiteChange,
        questions: &Questions<'_>,
    ) -> Self {
        let mut site = Self {
            note: note.cloned(),
            wanted,
            before: None,
        };
        site.before = site.listed(questions);
        site
    }

    /// Asks again.
    pub(super) fn look(&self, questions: &Questions<'_>) -> Found {
        let (Some(before), Some(after)) = (self.before, self.listed(questions)) else {
            return Found::Unknown;
        };
        let removes = self.wanted == SiteChange::Remove;
        let wanted = Listed {
            is_published: !removes,
            is_pending: removes && after.is_pending,
        };
        match (before == wanted, after == wanted) {
            // A note that no list names may be one whose name is not recognised.
            (true, true) if removes => Found::Unknown,
            (_, true) => Found::exact(),
            (_, false) => Found::Unknown,
        }
    }

    fn listed(&self, questions: &Questions<'_>) -> Option<Listed> {
        let note = self.note.as_ref()?;
        let names = |command| {
            let text = questions.ask(command, Shape::Raw, &[], &[]).ok()?;
            Some(names(&text, note))
        };
        Some(Listed {
            is_published: names("publish:list")?,
            is_pending: names("publish:status")?,
        })
    }
}

/// Whether a line is this path, or has it as a cell of its own.
fn names(text: &str, note: &VaultPath) -> bool {
    text.lines().any(|line| {
        line.trim() == note.as_str() || line.split('\t').any(|cell| cell.trim() == note.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g12_a_note_is_listed_by_its_whole_path() {
        let note = VaultPath::file("a/b.md").unwrap();
        for text in ["a/b.md\n", "x.md\na/b.md", "changed\ta/b.md\n"] {
            assert!(names(text, &note), "{text}");
        }
        for text in ["", "xa/b.md\n", "a/b.md.bak\n", "No published files found."] {
            assert!(!names(text, &note), "{text}");
        }
    }
}
