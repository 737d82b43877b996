//! Installs each package in a clean place and uses it once. One line for each.

mod bare;
mod bundle;
mod documents;
mod registries;
mod system_packages;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use self::tools::Tools;
use crate::Fault;
use crate::facts::Facts;
use crate::system::System;

/// How a trial ended.
pub(crate) enum Outcome {
    /// It works; what was done.
    Works(String),
    /// It could not be tried; why.
    Skipped(String),
}

impl Outcome {
    #[expect(clippy::unnecessary_wraps, reason = "it ends a trial")]
    fn works(what: impl Into<String>) -> Result<Self, Fault> {
        Ok(Self::Works(what.into()))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it ends a trial")]
    fn skipped(why: impl Into<String>) -> Result<Self, Fault> {
        Ok(Self::Skipped(why.into()))
    }
}

/// What every trial knows.
pub(crate) struct Trial {
    facts: Facts,
    /// The packages.
    packages: PathBuf,
    /// A folder for one trial alone.
    work: TempDir,
    tools: Tools,
}

impl Trial {
    /// The system that this runs on, if packages were made for it.
    fn here(&self) -> Result<&'static System, Fault> {
        let here = self
            .facts
            .systems()?
            .into_iter()
            .find(|system| system.is_here());
        here.ok_or_else(|| "no package is for the system that this runs on".into())
    }

    /// A package that must be there.
    fn package(&self, name: &str) -> Result<PathBuf, Fault> {
        let path = self.packages.join(name);
        if path.is_file() {
            return Ok(path);
        }
        Err(format!("{} is missing", path.display()).into())
    }

    /// A new folder below the one of this trial.
    fn folder(&self, name: &str) -> Result<PathBuf, Fault> {
        let folder = self.work.path().join(name);
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Where a trial makes its root folder, which may be filled by root.
    fn root(&self) -> PathBuf {
        self.work.path().join("root")
    }

    /// Lets an installed program name its version and show its demo.
    fn use_once(&self, program: &Path) -> Result<(), Fault> {
        let version = self.tools.run(program, &["--version"], self.work.path())?;
        self.check_version(&version)?;
        let demo = self.tools.run(program, &["demo"], self.work.path())?;
        check_demo(&demo)
    }

    fn check_version(&self, printed: &str) -> Result<(), Fault> {
        let wanted = format!("{} {}", self.facts.name, self.facts.version);
        if printed.starts_with(&wanted) {
            return Ok(());
        }
        Err(format!("`--version` printed {printed:?}, not `{wanted}`").into())
    }
}

/// The demo reads a note, and shows that the vault cannot be left.
fn check_demo(printed: &str) -> Result<(), Fault> {
    for wanted in ["daily:read", "PATH_ESCAPE"] {
        if !printed.contains(wanted) {
            return Err(format!("`demo` did not print `{wanted}`:\n{printed}").into());
        }
    }
    Ok(())
}

/// The name of a channel, and its trial.
type Row = (&'static str, fn(&Trial) -> Result<Outcome, Fault>);

const ROWS: [Row; 14] = [
    ("checksums", documents::checksums),
    ("archive, bare root", bare::archive),
    ("archive, arm64", bare::archive_arm),
    ("container", bare::container),
    (".deb", system_packages::deb),
    (".deb, lintian", system_packages::lintian),
    (".rpm", system_packages::rpm),
    ("npm", registries::npm),
    ("PyPI", registries::pypi),
    (".mcpb", bundle::mcpb),
    ("Homebrew", documents::homebrew),
    ("Nix flake", documents::nix),
    ("MCP registry", documents::server),
    ("SBOM", documents::sbom),
];

/// Tries every package, and prints a line for each. Fails where one does not work.
pub(crate) fn run(parts: &Path, packages: &Path) -> Result<String, Fault> {
    // The tools run in folders of their own.
    let packages = fs_err::canonicalize(packages)?;
    let mut report = String::new();
    let mut failed = 0;
    for (name, row) in ROWS {
        let trial = Trial {
            facts: Facts::open(parts)?,
            packages: packages.clone(),
            work: tempfile::tempdir()?,
            tools: Tools::new()?,
        };
        let start = Instant::now();
        let outcome = match row(&trial) {
            Ok(Outcome::Works(what)) => format!("ok: {what}"),
            Ok(Outcome::Skipped(why)) => format!("skipped: {why}"),
            Err(fault) => {
                failed += 1;
                format!("FAILED: {fault}")
            }
        };
        let outcome = outcome.trim_end();
        // What root made, only root can remove.
        drop(
            trial
                .tools
                .run_as_root("rm", &["-rf", &bare::text(&trial.root())?]),
        );
        let seconds = start.elapsed().as_secs_f32();
        report += &format!("{name:20} {seconds:5.1} s  {outcome}\n");
    }
    if failed == 0 {
        return Ok(report.trim_end().to_owned());
    }
    Err(format!("{failed} of the packages do not work\n{report}").into())
}
