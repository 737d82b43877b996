//! Failpoints and snapshots of a folder, for tests of edits.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use vault_files::Failpoints;
use vault_files::failpoints::Step;

/// Returns the contents of a folder: permissions and text by path, with hidden files.
pub(crate) fn picture(root: &Path) -> BTreeMap<String, (u32, String)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            let content = if metadata.is_dir() {
                folders.push(path.clone());
                "a folder".to_owned()
            } else if metadata.is_symlink() {
                "a symlink".to_owned()
            } else {
                fs_err::read(&path).unwrap().escape_ascii().to_string()
            };
            found.insert(name.to_owned(), (mode(&metadata), content));
        }
    }
    found
}

#[cfg(unix)]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o7777
}

#[cfg(windows)]
fn mode(_metadata: &std::fs::Metadata) -> u32 {
    0
}

/// Runs a function before each step, with the number of the step from 0.
pub(crate) struct Act<F> {
    act: F,
    next: AtomicUsize,
}

impl<F: Fn(usize, &Step) -> io::Result<()> + Send + Sync + 'static> Act<F> {
    pub(crate) fn new(act: F) -> Arc<Self> {
        Arc::new(Self {
            act,
            next: AtomicUsize::new(0),
        })
    }

    /// Returns the number of steps so far.
    pub(crate) fn steps(&self) -> usize {
        self.next.load(Ordering::SeqCst)
    }
}

impl<F: Fn(usize, &Step) -> io::Result<()> + Send + Sync + 'static> Failpoints for Act<F> {
    fn before(&self, step: Step) -> io::Result<()> {
        (self.act)(self.next.fetch_add(1, Ordering::SeqCst), &step)
    }
}

/// Records every step, so that tests can compare their order.
#[derive(Default)]
pub(crate) struct Remember(pub(crate) Mutex<Vec<Step>>);

impl Failpoints for Remember {
    fn before(&self, step: Step) -> io::Result<()> {
        self.0.lock().unwrap().push(step);
        Ok(())
    }
}
