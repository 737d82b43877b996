//! The record of the running export, and the cleanup after a killed one.
//!
//! While an export runs, the state folder names its run and its files. If the export is killed, the
//! next one finds that record and removes the temporary files of that run, and nothing else.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vault_engine::{Change, Editor, Failpoints, Vault, VaultPath};

use super::state_folder::{Lock, PATIENCE, StateFolder};
use crate::error::Collection;
use protocol::{Failure, digest::sha256};

const FOLDER: &str = "export";
const LOCK: &str = "lock";
const RUNNING: &str = "running.json";
/// Largest file that is read back: the paths of a very large export.
const MOST_BYTES: u64 = 64 << 20;

/// The record of an export in progress.
#[derive(Serialize, Deserialize)]
struct ExportRun {
    /// The id of the run, which is part of the names of its temporary files.
    id: String,
    /// SHA-256 of the export folder's path.
    root: String,
    /// The paths of the exported files, relative to the export folder.
    paths: Vec<String>,
}

/// The lock of exports, kept until it is dropped or the process ends.
pub struct RunningExport {
    folder: StateFolder,
    _lock: Lock,
}

impl RunningExport {
    /// Takes the lock of exports, removes the files that a killed export left in `target`, and records the files that
    /// this export will write.
    ///
    /// # Errors
    ///
    /// `LOCK_TIMEOUT` if other exports hold the lock for five seconds, `IO_ERROR` if the record cannot be written.
    pub fn begin(
        state: PathBuf,
        failpoints: Option<Arc<dyn Failpoints>>,
        target: &Vault,
        id: &str,
        changes: &[Change],
    ) -> Result<Self, Failure> {
        let folder = StateFolder::new(Collection::Export, state, &[FOLDER], failpoints);
        folder.create()?;
        let lock = folder.lock(LOCK, PATIENCE)?;
        let root = sha256(target.root().as_os_str().as_encoded_bytes());
        let before: Option<ExportRun> = folder.read_json(RUNNING, MOST_BYTES);
        if let Some(killed) = before.filter(|killed| killed.root == root) {
            let paths = killed.paths.iter();
            let paths: Vec<VaultPath> = paths
                .filter_map(|path| VaultPath::file(path).ok())
                .collect();
            // Best effort: a leftover does no harm, because no other run uses its name.
            Editor(target).remove_all_leftovers(&killed.id, &paths).ok();
        }
        let run = ExportRun {
            id: id.to_owned(),
            root,
            paths: changes.iter().filter_map(created).collect(),
        };
        folder.replace_json(RUNNING, &run)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Removes the record: every copy is in place and no temporary file is left.
    pub fn end(self) {
        // If this fails, the next export looks for leftovers and finds none.
        self.folder.remove(RUNNING).ok();
    }
}

fn created(change: &Change) -> Option<String> {
    match change {
        Change::Create { path, .. } => Some(path.to_string()),
        _ => None,
    }
}
