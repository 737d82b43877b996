//! The packages of npm and `PyPI`, installed from their files. Nothing is fetched, so that no package of
//! somebody else can take their place.

use super::bare::text;
use super::{Outcome, Trial, check_demo};
use crate::Fault;

/// Installs the npm packages into a fresh folder, and starts the program by `npx`.
pub(super) fn npm(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["npm", "npx"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let facts = &trial.facts;
    let system = trial.here()?;
    let (name, version) = (&facts.name, &facts.version);
    let launcher = trial.package(&format!("{name}-{version}.tgz"))?;
    let platform = format!("{name}-{}-{}-{version}.tgz", system.platform, system.cpu);
    let platform = trial.package(&platform)?;
    let folder = trial.folder("project")?;
    fs_err::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let options = [
        "install",
        "--offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ];
    let files = [text(&launcher)?, text(&platform)?];
    let words: Vec<&str> = options
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    trial.tools.run("npm", &words, &folder)?;
    let version = trial
        .tools
        .run("npx", &["--offline", name, "--version"], &folder)?;
    trial.check_version(&version)?;
    check_demo(
        &trial
            .tools
            .run("npx", &["--offline", name, "demo"], &folder)?,
    )?;
    let refused = trial
        .tools
        .run("npx", &["--offline", name, "no-such-command"], &folder);
    if refused.is_ok() {
        return Err("the launcher does not pass on the exit status".into());
    }
    Outcome::works("npm i of the packed files, npx demo, exit status passed on")
}

/// Installs the wheel into a fresh environment.
pub(super) fn pypi(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["python3"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let facts = &trial.facts;
    let stem = format!("{}-{}", facts.name.replace('-', "_"), facts.version);
    let wheel = format!("{stem}-py3-none-{}.whl", trial.here()?.wheel_tag);
    let wheel = text(&trial.package(&wheel)?)?;
    let folder = trial.folder("environment")?;
    trial.tools.run("python3", &["-m", "venv", "."], &folder)?;
    let pip = folder.join("bin/pip");
    let words = [
        "install",
        "--no-index",
        "--disable-pip-version-check",
        &wheel,
    ];
    trial.tools.run(&pip, &words, &folder)?;
    trial.use_once(&folder.join("bin").join(&facts.name))?;
    let words = [
        "show",
        "--files",
        "--disable-pip-version-check",
        &facts.name,
    ];
    let shown = trial.tools.run(&pip, &words, &folder)?;
    if !shown.contains(&facts.description) {
        return Err(format!("pip does not show the description:\n{shown}").into());
    }
    Outcome::works("pip install into a fresh environment, run")
}
