//! Which version of the app answers: asked for once for each binary and app, and compared with what
//! the settings require (`official-cli.md` §6, §9, point 1).

use super::{Obsidian, Ready};
use crate::backend::obsidian::classify::COLD_START_PAUSE;
use crate::backend::obsidian::known_version::Known;
use crate::backend::obsidian::probe::AppInstance;
use crate::backend::obsidian::slots::Access;
use crate::backend::obsidian::version;
use crate::backend::{Limits, PinnedVault};
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;

impl Ready {
    /// The binary and the app as one line, which differs for another binary or app.
    fn of(&self) -> String {
        let binary = self.binary.identity();
        let Some(AppInstance { peer_pid, socket }) = self.instance else {
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
    /// Refuses an app that is older than `min_version` of the settings, or whose version is not
    /// known, before anything else is run.
    pub fn require_version(
        &self,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let Some(minimum) = self.min_version else {
            return Ok(());
        };
        // Without a probe a restarted app cannot be told from the old one, so ask each time.
        let known = (ready.instance.is_some())
            .then(|| self.known_version.recall(&ready.of(), vault.root()))
            .flatten();
        if let Some(Known::Version(version)) = known {
            return version.require(minimum);
        }
        match self.ask_version(vault, ready, limits) {
            Ok(version) => version.require(minimum),
            Err(failure) => Err(match failure.code {
                Code::Timeout
                | Code::CliExitNonzero
                | Code::CliReportedError
                | Code::CliVersionUnsupported => version::unknown(minimum),
                _ => failure,
            }),
        }
    }

    /// The warning about an app that is older than vault-gw is made for. Asks only where nothing is
    /// remembered of this binary and app; to be called after a run that succeeded.
    pub fn version_warning(
        &self,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
    ) -> Option<Issue> {
        let known = self.known_version.recall(&ready.of(), vault.root());
        let known = known.unwrap_or_else(|| {
            self.ask_version(vault, ready, limits)
                .map_or(Known::NoVersion, Known::Version)
        });
        match known {
            Known::Version(version) => version.warning(),
            Known::NoVersion => None,
        }
    }

    /// Asks the app for its version and remembers what it says.
    fn ask_version(
        &self,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
    ) -> Result<version::AppVersion, Failure> {
        // Alone, so that calls that run at once do not all ask.
        let _slot = self
            .slots
            .take(Access::Write, limits.deadline, &limits.cancel)?;
        if ready.instance.is_some()
            && let Some(Known::Version(version)) =
                self.known_version.recall(&ready.of(), vault.root())
        {
            return Ok(version);
        }
        let ask = || version::ask(ready.run(Vec::new(), limits), &ready.vault);
        let mut asked = ask();
        if (asked.as_ref()).is_err_and(|failure| failure.code == Code::AppNotReady) {
            (limits.cancel).wait(COLD_START_PAUSE.min(limits.deadline.left()));
            asked = ask();
        }
        let known = asked
            .as_ref()
            .map_or(Known::NoVersion, |version| Known::Version(*version));
        self.known_version.remember(ready.of(), known, vault.root());
        asked
    }
}
