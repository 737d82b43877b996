//! The export that writes copies at the moment, and what one that was killed has left.
//!
//! Which run writes where stands in the state folder until it is done. The next export finds it
//! there and removes the temporary files of that run, and nothing else.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vault_engine::{Change, State, Touched, Vault, VaultPath, Witness};

use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::precondition::sha256;
use crate::gateway::state_folder::{Lock, NoLock, StateFolder};
use crate::settings::private_file::Unsafe;

const FOLDER: &str = "export";
const LOCK: &str = "lock";
const RUNNING: &str = "running.json";
/// How long an export waits for another.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest file that is read back: the paths of a very large export.
const MOST_BYTES: u64 = 64 << 20;

/// What is kept of the export that writes.
#[derive(Serialize, Deserialize)]
struct Run {
    /// Its id, by which its temporary files are called.
    id: String,
    /// SHA-256 of the export folder's path.
    root: String,
    /// Where its copies go.
    paths: Vec<String>,
}

/// The right to write copies, held until it is dropped or the process ends.
pub(super) struct Running {
    folder: StateFolder,
    _lock: Lock,
}

impl Running {
    /// Removes what a killed export has left in `target`, and puts down what this one writes.
    /// `LOCK_TIMEOUT` where others wrote for five seconds.
    pub(super) fn begin(
        state: PathBuf,
        witness: Option<Arc<dyn Witness>>,
        target: &Vault,
        id: &str,
        changes: &[Change],
    ) -> Result<Self, Failure> {
        let folder = StateFolder::new(state, &[FOLDER], witness);
        folder.create().map_err(unusable)?;
        let lock = folder.lock(LOCK, PATIENCE).map_err(|reason| match reason {
            NoLock::Held => Failure::new(
                Code::LockTimeout,
                "Another export was being written the whole time. Try again in a moment.",
            ),
            NoLock::Unsafe(reason) => unusable(reason),
        })?;
        let root = sha256(target.root().as_os_str().as_encoded_bytes());
        let before = folder.read(RUNNING, MOST_BYTES).ok().flatten();
        let before = before.and_then(|bytes| serde_json::from_slice::<Run>(&bytes).ok());
        if let Some(killed) = before.filter(|killed| killed.root == root) {
            // What cannot be removed is in nobody's way: its name is its own.
            target.remove_leftovers(&killed.id, &touched(&killed)).ok();
        }
        let run = Run {
            id: id.to_owned(),
            root,
            paths: changes.iter().filter_map(created).collect(),
        };
        let bytes = serde_json::to_vec(&run)
            .map_err(|error| unusable(Unsafe::Io(std::io::Error::other(error))))?;
        folder.replace(RUNNING, &bytes).map_err(unusable)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Everything is in its place, and no temporary file is left.
    pub(super) fn end(self) {
        // Where it stays the next export looks for leftovers in vain.
        self.folder.remove(RUNNING).ok();
    }
}

fn created(change: &Change) -> Option<String> {
    match change {
        Change::Create { path, .. } => Some(path.to_string()),
        _ => None,
    }
}

/// The places of a run's copies. An export replaces nothing, so no leftover of it is the only one
/// of its content.
fn touched(run: &Run) -> Vec<Touched> {
    let paths = run
        .paths
        .iter()
        .filter_map(|path| VaultPath::file(path).ok());
    paths
        .map(|path| Touched {
            path,
            before: State::Absent,
            after: State::Absent,
        })
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn unusable(reason: Unsafe) -> Failure {
    Failure::new(
        Code::IoError,
        format!(
            "What exports are under way cannot be put down: a file of the state folder {reason}. \
             Check its permissions and that the disk is not full."
        ),
    )
    .with("reason", "export")
}
