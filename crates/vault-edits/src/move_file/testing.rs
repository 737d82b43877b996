//! Moves in small vaults, applied in memory.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Zoned;
use obsidian_note::note_record::record_of;
use obsidian_note::{LinkIndex, Resolution, VaultPath};
use vault_files::testing::given;
use vault_files::{EngineError, Surroundings, Vault};

use crate::Editor;
use crate::{Change, Edit};

/// The files of a vault with their bytes.
pub(super) type Files = BTreeMap<VaultPath, Vec<u8>>;

/// Returns the plan of a command.
pub(super) fn plan(
    vault: &Vault,
    command: &str,
    params: &[(&str, &str)],
) -> Result<Edit, EngineError> {
    let surroundings = Surroundings {
        now: Zoned::default(),
        random: 0,
        registry: vault_files::Registry::default(),
    };
    Editor(vault).plan(command, &given(command, params, &[]), &surroundings)
}

/// Returns all files of the vault that are not hidden.
pub(super) fn files(root: &Path) -> Files {
    let vault = Vault::open(root).unwrap();
    let contents = vault
        .contents(&VaultPath::root(), vault_files::Detail::Names)
        .unwrap();
    contents
        .files
        .into_iter()
        .map(|file| {
            let bytes = vault.read_bytes(&file.path).unwrap();
            (file.path, bytes)
        })
        .collect()
}

/// The files after these steps. Each step must find the content that it expects.
pub(super) fn applied(files: &Files, changes: &[Change]) -> Files {
    let mut files = files.clone();
    for change in changes {
        match change {
            Change::Move { from, to, version } => {
                let bytes = files.remove(from).unwrap();
                assert_eq!(u64::try_from(bytes.len()).unwrap(), version.size);
                assert_eq!(files.insert(to.clone(), bytes), None);
            }
            Change::Modify {
                path,
                before,
                after,
            } => {
                assert_ne!(before, after, "{path}");
                assert_eq!(
                    files.insert(path.clone(), after.clone()).as_ref(),
                    Some(before)
                );
            }
            Change::Create { path, after } => {
                assert_eq!(files.insert(path.clone(), after.clone()), None);
            }
            Change::MakeFolder { .. } | Change::RemoveFolder { .. } => {}
            other @ Change::Remove { .. } => panic!("{other:?}"),
        }
    }
    files
}

/// The number of links from one file to another.
pub(super) type Edges = BTreeMap<(VaultPath, VaultPath), u32>;

/// Returns the link graph of a vault by the index, and all unresolved linkpaths.
pub(super) fn graph(files: &Files) -> (Edges, BTreeMap<(VaultPath, String), u32>) {
    let index = LinkIndex::new(files.keys().cloned());
    let (mut edges, mut missing) = (Edges::new(), BTreeMap::new());
    for (source, bytes) in files.iter().filter(|(path, _)| path.is_indexed()) {
        for link in record_of(source, bytes).0.links {
            *match index.resolve(&link.linkpath, source) {
                Resolution::Found(found) => edges.entry((source.clone(), found.path)).or_default(),
                Resolution::Missing => missing
                    .entry((source.clone(), link.linkpath.clone()))
                    .or_default(),
            } += link.count;
        }
    }
    (edges, missing)
}
