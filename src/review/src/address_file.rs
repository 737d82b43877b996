//! The file that leads to the page. It is in the private state folder and has the same path after each start, so a
//! person can bookmark it (`design/review.md`).
//!
//! The port and the session are new at each start: another user's server could wait at a known port for the cookie and
//! the key of an open tab. So the file redirects to the present port with a token that was not used. A browser says of
//! this redirect that it comes from another page, so that is allowed for the document `/`, which contains nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use protocol::Failure;
use sandbox::{PrivateFolder, Unsafe};

/// The name of the file.
const NAME: &str = "review-page.html";
/// The maximum number of bytes of the file that are read.
const MOST_BYTES: u64 = 4096;
/// The text while no page is served.
const ENDED: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>vault-gw</title>\n<p>The review page is not open. <code>vault-gw review --web</code> opens it.\n";

/// The file that leads to the page.
pub(super) struct AddressFile {
    folder: PathBuf,
    /// The text that this process wrote last.
    written: Mutex<String>,
}

impl AddressFile {
    /// The file in this state folder.
    pub(super) fn new(state: PathBuf) -> Self {
        Self {
            folder: state,
            written: Mutex::default(),
        }
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// Makes the file lead to this address.
    ///
    /// # Errors
    ///
    /// If the state folder is unsafe, or the file cannot be written.
    pub(super) fn lead_to(&self, address: &str) -> Result<(), Failure> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        *written = format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n<title>vault-gw</title>\n<p>The review page opens.\n"
        );
        let replaced = PrivateFolder::create(&self.folder)
            .and_then(|folder| folder.replace(OsStr::new(NAME), written.as_bytes()));
        replaced.map_err(|reason| reason.into_failure(NAME))
    }

    /// Makes the file say that the page has ended, unless it leads to the page of another process.
    pub(super) fn end(&self) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = end(&self.folder, written.as_bytes());
        // If it stays, it leads to a port where nobody answers, with a token that is not valid.
        drop(ended);
    }
}

fn end(folder: &Path, written: &[u8]) -> Result<(), Unsafe> {
    let folder = PrivateFolder::open(folder)?;
    let name = OsStr::new(NAME);
    if folder.read(name, MOST_BYTES)? == written {
        folder.replace(name, ENDED.as_bytes())?;
    }
    Ok(())
}
