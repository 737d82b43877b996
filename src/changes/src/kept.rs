//! The contents of a run in the journal, for a person whose undo is refused: to print them, or to
//! write them to a new note.

use serde::Serialize;
use vault_answers::AnswerData;
use vault_engine::{Change, Editor, State, VaultPath, Version, shown, with_added};

use crate::error::Error;
use backend::{PinnedVault, Produced, engine_failure};
use protocol::{Failure, digest::hexadecimal, words};
use store::journal::{JournalEntry, VaultLock, short_id};

words! {
    /// The request of a person about the contents that the journal keeps of a run, with the value of its parameter.
    pub enum Kept {
        /// Print the content of one file.
        Show = "show",
        /// Write the content of one file to a new note next to it.
        Beside = "beside",
        /// Restore all contents, although the files have changed since.
        Over = "over",
    }
}

/// A content that was at a path before a run, and nowhere after it.
pub struct KeptContent {
    facts: KeptFacts,
    bytes: Vec<u8>,
}

impl KeptContent {
    /// Returns the content of the file at `path`; without a path the only content of the run.
    ///
    /// # Errors
    ///
    /// If the run kept nothing, or several contents and no path names one.
    pub fn find(
        lock: &VaultLock,
        entry: &JournalEntry,
        path: Option<&VaultPath>,
    ) -> Result<Self, Failure> {
        let all: Vec<(&VaultPath, Version)> = lock.contents(entry).collect();
        let found = match (path, all.as_slice()) {
            (Some(path), _) => all.iter().find(|(kept, _)| *kept == path),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some((path, version)) = found else {
            return Err(none_or_several(entry, &all, path));
        };
        Ok(Self {
            facts: KeptFacts {
                run: entry.run_id,
                path: (*path).clone(),
                bytes: version.size,
                sha256: hexadecimal(&version.sha256),
                text: None,
                written_to: None,
                dry_run: None,
            },
            bytes: lock.content(entry, version)?,
        })
    }

    /// Returns the id of the run that the content is from.
    pub const fn run(&self) -> uuid::Uuid {
        self.facts.run
    }

    /// Returns the new note for the content: next to the old one, or at the top of the vault if that folder no longer
    /// exists.
    ///
    /// # Errors
    ///
    /// If no name next to the old one is free, or the vault cannot be read.
    pub fn beside(&self, vault: &PinnedVault) -> Result<(VaultPath, Change), Failure> {
        let KeptFacts { run, path, .. } = &self.facts;
        let run = short_id(*run);
        let own = path.parent();
        let is_there = Editor(&vault.engine)
            .state_at(&own)
            .map_err(engine_failure)?
            == State::Folder;
        let folder = if is_there && !own.is_hidden() {
            own
        } else {
            VaultPath::root()
        };
        let name = with_added(path.name(), &format!(" (before {run})"));
        let wanted = folder
            .join(&name)
            .map_err(|error| Error::InvalidName(name, error.to_string()))?;
        let path = Editor(&vault.engine)
            .free_path(&wanted)
            .map_err(engine_failure)?;
        let after = self.bytes.clone();
        Ok((path.clone(), Change::Create { path, after }))
    }

    /// Returns the answer with the content itself.
    pub fn with_text(self) -> Produced {
        let text = std::str::from_utf8(&self.bytes).ok().map(str::to_owned);
        Produced::with_text(KeptFacts { text, ..self.facts }, self.bytes)
    }

    /// Returns the answer after the content was written to a note.
    pub fn written(&self, to: &VaultPath, dry_run: bool) -> Produced {
        let text = format!(
            "{} the content of `{}` from before run {} to {}\n",
            if dry_run { "Would write" } else { "Wrote" },
            shown::row(self.facts.path.as_str()),
            self.facts.run,
            shown::row(to.as_str())
        );
        let written_to = Some(to.clone());
        let dry_run = dry_run.then_some(true);
        Produced::with_text(
            KeptFacts {
                written_to,
                dry_run,
                ..self.facts.clone()
            },
            text,
        )
    }
}

/// The answer about a content that the journal keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptFacts {
    run: uuid::Uuid,
    path: VaultPath,
    bytes: u64,
    sha256: String,
    /// The content, if it is text and was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written_to: Option<VaultPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
}

impl AnswerData for KeptFacts {
    fn planned_files(&self) -> Option<usize> {
        self.dry_run.map(|_| 1)
    }
}

/// Returns the failure if the run has no content, or several.
fn none_or_several(
    entry: &JournalEntry,
    all: &[(&VaultPath, Version)],
    wanted: Option<&VaultPath>,
) -> Failure {
    let run = entry.run_id;
    let paths: Vec<String> = all.iter().map(|(path, _)| path.to_string()).collect();
    let only_moved = entry.files.iter().find_map(|file| {
        let from = file.moved_from.as_ref()?;
        let is_it = wanted.map_or(all.is_empty(), |path| *path == *from || *path == file.path);
        let is_kept = all.iter().any(|(path, _)| *path == from);
        (is_it && !is_kept).then(|| Error::OnlyMoved(from.clone(), file.path.clone(), run))
    });
    let error = only_moved.unwrap_or_else(|| match wanted {
        _ if paths.is_empty() => Error::NothingKept(run),
        Some(path) => Error::FileNotKept(path.clone(), run, paths),
        None => Error::SeveralFiles(run, paths),
    });
    error.into()
}
