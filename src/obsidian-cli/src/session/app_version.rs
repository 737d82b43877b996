//! Determines the app's version, cached per binary and app instance, and compares it with the
//! minimum in the settings (`official-cli.md` §6, §9, point 1).

use super::{Obsidian, Ready};
use crate::classify::COLD_START_PAUSE;
use crate::error::Error;
use crate::known_version::VersionAnswer;
use crate::permits::RunAccess;
use crate::probe::AppInstance;
use crate::version;
use backend::{Limits, PinnedVault};
use protocol::{Code, Failure, Issue};

impl Ready {
    /// Returns the cache key of the app's version: identifies the binary and the app instance.
    fn version_key(&self) -> String {
        let binary = self.target.binary.identity.as_text();
        let Some(AppInstance { peer_pid, socket }) = self.target.instance else {
            return binary;
        };
        let pid = peer_pid.unwrap_or_default();
        let socket = socket.map_or_else(String::new, |socket| {
            format!("{}:{}:{}", socket.device, socket.inode, socket.changed)
        });
        format!("{binary} {pid} {socket}")
    }
}

impl Obsidian {
    /// Checks the app's version against `min_version` in the settings, before anything else runs.
    ///
    /// # Errors
    ///
    /// `CLI_VERSION_UNSUPPORTED` if the app is older or its version is unknown; otherwise the
    /// failure of the run that asked for it.
    pub fn require_version(
        &self,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let Some(minimum) = self.min_version else {
            return Ok(());
        };
        // Without a probe a restart of the app cannot be detected, so the cache cannot be used.
        if ready.target.instance.is_some()
            && let Some(VersionAnswer::Version(version)) = self.known(vault, ready)
        {
            return version.require(minimum);
        }
        match self.ask_version(vault, ready, limits) {
            Ok(version) => version.require(minimum),
            Err(failure) => Err(match failure.code {
                Code::Timeout
                | Code::CliExitNonzero
                | Code::CliReportedError
                | Code::CliVersionUnsupported => Error::UnknownVersion(minimum).into(),
                _ => failure,
            }),
        }
    }

    /// Returns a warning if the app is older than vault-gw supports. Asks the app only if no answer is cached. Call
    /// this after a successful run.
    pub fn version_warning(
        &self,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
    ) -> Option<Issue> {
        match self.known(vault, ready) {
            Some(VersionAnswer::Version(version)) => version.warning(),
            Some(VersionAnswer::NoVersion) => None,
            None => self.ask_version(vault, ready, limits).ok()?.warning(),
        }
    }

    fn known(&self, vault: &PinnedVault, ready: &Ready) -> Option<VersionAnswer> {
        self.known_version
            .recall(&ready.version_key(), vault.root())
    }

    /// Asks the app for its version and caches the answer.
    fn ask_version(
        &self,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
    ) -> Result<version::AppVersion, Failure> {
        // Take the writer permit, so that concurrent calls do not all ask.
        let _permit = self.permit(RunAccess::Write, limits)?;
        if ready.target.instance.is_some()
            && let Some(VersionAnswer::Version(version)) = self.known(vault, ready)
        {
            return Ok(version);
        }
        let ask = || version::ask(ready.run(Vec::new(), limits), &ready.vault);
        let mut question = ask();
        if (question.as_ref()).is_err_and(|failure| failure.code == Code::AppNotReady) {
            (limits.cancel).wait(COLD_START_PAUSE.min(limits.deadline.left()));
            question = ask();
        }
        let known = match &question {
            Ok(version) => VersionAnswer::Version(*version),
            Err(_) => VersionAnswer::NoVersion,
        };
        self.known_version
            .remember(ready.version_key(), known, vault.root());
        question
    }
}
