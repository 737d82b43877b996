//! The version of the app, and whether it has the native command line that this program supports
//! (`official-cli.md` §5.1, §6 and §9, point 1).

use std::fmt;
use std::time::Duration;

use cli_output::Shape;
use vault_engine::Args;

use super::argv;
use super::classify::{CommandRequest, classify};
use super::spawn::{self, Run};
use crate::error::Error;
pub use protocol::Release;
use protocol::{Failure, Issue};

/// Time limit for the answer.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// The first version whose installer includes the native command line.
pub const MINIMUM: Release = Release {
    major: 1,
    minor: 12,
    patch: 7,
};

/// The output of the command `version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppVersion {
    /// The version of the app.
    pub app: Release,
    /// The version of the installer, which determines the installed binary. `None` if it is not a
    /// release number.
    pub installer: Option<Release>,
}

impl fmt::Display for AppVersion {
    /// Formats the version as the app does.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.installer {
            Some(installer) => write!(formatter, "{} (installer {installer})", self.app),
            None => write!(formatter, "{} (installer unknown)", self.app),
        }
    }
}

impl AppVersion {
    /// Parses `1.12.7 (installer 1.12.7)`; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (app, rest) = text.trim().split_once(" (installer ")?;
        let installer = rest.strip_suffix(')')?;
        if installer.is_empty() || installer.contains(')') {
            return None;
        }
        Some(Self {
            app: Release::parse(app)?,
            installer: Release::parse(installer),
        })
    }

    /// Requires the minimum version of the settings for app and installer.
    ///
    /// # Errors
    ///
    /// `CLI_VERSION_UNSUPPORTED` if one of them is older, or if the version of the installer is
    /// unknown.
    pub fn require(self, minimum: Release) -> Result<(), Failure> {
        let fits = |release: Release| release >= minimum;
        if fits(self.app) && self.installer.is_some_and(fits) {
            return Ok(());
        }
        Err(Error::Old(self, minimum).into())
    }

    /// Returns a warning if the app or the installer is older than [`MINIMUM`].
    pub fn warning(self) -> Option<Issue> {
        if self.app >= MINIMUM && !self.has_old_installer() {
            return None;
        }
        Some(
            Issue::new(
                "CLI_VERSION_OLD",
                format!(
                    "Obsidian {self} is too old. vault-gw needs version {MINIMUM} or later of the \
                    app and its installer."
                ),
            )
            .with("version", self.app.to_string())
            .with("minimum", MINIMUM.to_string()),
        )
    }

    /// Whether the installer is older than [`MINIMUM`]. The binary may then be the old, slow one.
    fn has_old_installer(self) -> bool {
        self.installer.is_some_and(|installer| installer < MINIMUM)
    }
}

/// Asks the app for its version, within [`TIMEOUT`] or the deadline of `run`, whichever is earlier.
/// Replaces the words of `run`. Does not check the result against [`MINIMUM`].
///
/// # Errors
///
/// `CLI_VERSION_UNSUPPORTED` if the answer is not a version, because then it comes from another
/// program; otherwise the failure of the run.
pub fn ask(run: Run, vault: &str) -> Result<AppVersion, Failure> {
    let arguments = Args::default();
    let question = CommandRequest {
        command: "version",
        shape: Shape::Version,
        arguments: &arguments,
        confirms: &[],
    };
    let output = spawn::run(Run {
        words: argv::lay_out(vault, question.command, &arguments)?,
        deadline: run.deadline.at_most(TIMEOUT),
        ..run
    })?;
    let printed = classify(question, &output).printed(false)?;
    AppVersion::parse(&printed.text).ok_or_else(|| Error::NotAVersion.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("version_cases.txt");

    #[test]
    fn recorded_versions_are_read() {
        // `official-cli.md` §5.1
        for (text, app, installer) in [
            ("1.12.7 (installer 1.12.7)\n", "1.12.7", "1.12.7"),
            ("1.13.7 (installer 1.13.4)", "1.13.7", "1.13.4"),
            ("1.14.4 (installer 1.14.4)", "1.14.4", "1.14.4"),
        ] {
            let version = AppVersion::parse(text).unwrap();
            assert_eq!(version.app.to_string(), app);
            assert_eq!(version.installer.unwrap().to_string(), installer);
            assert_eq!(version.require(MINIMUM), Ok(()));
        }
        for text in tables::lines(CASES, "recorded versions are read") {
            assert_eq!(AppVersion::parse(text), None, "{text}");
        }
        let odd = AppVersion::parse("1.13.0 (installer unknown)").unwrap();
        assert_eq!(odd.installer, None);
    }

    #[test]
    fn an_old_app_or_installer_is_worth_a_warning_and_refused_below_the_minimum() {
        let minimum = Release::parse("1.12.7").unwrap();
        for (text, is_old) in
            tables::typed::<(&str, bool)>(CASES, "an old app or installer is worth")
        {
            let version = AppVersion::parse(text).unwrap();
            assert_eq!(version.to_string(), text);
            assert_eq!(version.warning().is_some(), is_old, "{text}");
            assert_eq!(version.require(minimum).is_err(), is_old, "{text}");
        }
        let odd = AppVersion::parse("1.13.0 (installer unknown)").unwrap();
        assert_eq!(odd.warning(), None, "nothing is known to be old");
        assert!(odd.require(minimum).is_err(), "nor to be new enough");
    }
}
