//! Tries each package, by the script `try.sh`, which is told what the packages say.

use std::path::Path;

use chores::command;

use crate::Fault;
use crate::facts::Facts;

/// Runs the script, which prints its table as it grows.
pub(crate) fn run(parts: &Path, packages: &Path) -> Result<String, Fault> {
    let facts = Facts::open(parts)?;
    let here = facts.targets.iter().find(|system| system.is_here());
    let here = here.ok_or("no package is for the system that this runs on")?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    #[expect(clippy::disallowed_methods, reason = "the tools of the developer")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let status = command("bash")
        .arg(sources.join("try.sh"))
        .env_clear()
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        // The tools run in folders of their own.
        .env("PARTS", fs_err::canonicalize(parts)?)
        .env("PACKAGES", fs_err::canonicalize(packages)?)
        .env("SCHEMAS", sources.join("schemas"))
        .env("NAME", &facts.name)
        .env("VERSION", &facts.version)
        .env("DESCRIPTION", &facts.description)
        .env(
            "REPOSITORY",
            facts.repository.as_deref().unwrap_or_default(),
        )
        .env("STEM", facts.stem(here))
        .env("PLATFORM", here.platform())
        .env("CPU", here.cpu())
        .env("WHEEL_TAG", &here.wheel_tag)
        .env("DEBIAN", here.debian())
        .env("RPM", here.processor())
        .status()?;
    if status.success() {
        return Ok("what could be tried works".to_owned());
    }
    Err("not all packages work".into())
}
