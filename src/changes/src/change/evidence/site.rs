//! `publish:add` and `publish:remove` change no file, so the app's list of published notes is
//! compared.
//!
//! No output of the publish commands was recorded (`official-cli.md` §10), so only a list that
//! clearly changed is a proof.

use cli_output::Shape;
use vault_engine::{Args, VaultPath};

use super::Found;
use super::question::Questions;

/// The app's lists before the run.
pub(crate) struct Site {
    note: Option<VaultPath>,
    /// Whether the app no longer lists the note afterwards; otherwise it lists it.
    removes: bool,
    before: Option<ListedSite>,
}

/// The app's lists that contain the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedSite {
    is_published: bool,
    is_pending: bool,
}

impl Site {
    /// Asks for the lists. If the app does not answer, nothing can be proved afterwards.
    pub(crate) fn before(
        note: Option<&VaultPath>,
        removes: bool,
        questions: &Questions<'_>,
    ) -> Self {
        let mut site = Self {
            note: note.cloned(),
            removes,
            before: None,
        };
        site.before = site.listed(questions);
        site
    }

    /// Asks for the lists again and compares.
    pub(crate) fn look(&self, questions: &Questions<'_>) -> Found {
        let (Some(before), Some(after)) = (self.before, self.listed(questions)) else {
            return Found::Unknown;
        };
        let wanted = ListedSite {
            is_published: !self.removes,
            is_pending: self.removes && after.is_pending,
        };
        match (before == wanted, after == wanted) {
            // If no list contains the note, its name may be in a form that is not recognised.
            (true, true) if self.removes => Found::Unknown,
            (_, true) => Found::exact(),
            (_, false) => Found::Unknown,
        }
    }

    fn listed(&self, questions: &Questions<'_>) -> Option<ListedSite> {
        let note = self.note.as_ref()?;
        let names = |command| {
            let text = questions.ask(command, Shape::Raw, &Args::default()).ok()?;
            Some(names(&text, note))
        };
        Some(ListedSite {
            is_published: names("publish:list")?,
            is_pending: names("publish:status")?,
        })
    }
}

/// Whether a line is this path, or has it as a separate cell.
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
