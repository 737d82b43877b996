//! `.deb` and `.rpm`, installed into a root folder of their own, so that the machine stays as it is.

use super::bare::{lacks_root, text};
use super::{Outcome, Trial};
use crate::Fault;

/// Installs, uses and removes the `.deb`.
pub(super) fn deb(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(why) = lacks_root(trial, &["dpkg", "dpkg-deb"]) {
        return Outcome::skipped(why);
    }
    let package = deb_file(trial)?;
    let root = trial.folder("root")?;
    let state = root.join("var/lib/dpkg");
    fs_err::create_dir_all(state.join("updates"))?;
    fs_err::create_dir_all(state.join("info"))?;
    fs_err::write(state.join("status"), "")?;
    let option = format!("--root={}", text(&root)?);
    let log = format!("--log={}", text(&root.join("log"))?);
    trial
        .tools
        .run_as_root("dpkg", &[&option, &log, "--install", &package])?;
    let name = &trial.facts.name;
    let program = root.join("usr/bin").join(name);
    trial.use_once(&program)?;
    trial
        .tools
        .run_as_root("dpkg", &[&option, &log, "--purge", name])?;
    if program.exists() {
        return Err("the program is still there after `dpkg --purge`".into());
    }
    Outcome::works("installed into a root folder by dpkg, run, purged")
}

/// Lets lintian look at the `.deb`; a warning is a failure.
pub(super) fn lintian(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["lintian"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    // Lintian refuses root without the first option.
    let options = [
        "--allow-root",
        "--fail-on",
        "error,warning",
        "--tag-display-limit",
        "0",
    ];
    let package = deb_file(trial)?;
    let words: Vec<&str> = options.into_iter().chain([package.as_str()]).collect();
    let printed = trial.tools.run("lintian", &words, trial.work.path())?;
    if printed.trim().is_empty() {
        return Outcome::works("lintian says nothing");
    }
    Err(format!("lintian says\n{printed}").into())
}

fn deb_file(trial: &Trial) -> Result<String, Fault> {
    let architecture = trial.here()?.debian.ok_or("no `.deb` is for this system")?;
    let facts = &trial.facts;
    let file = format!("{}_{}_{architecture}.deb", facts.name, facts.version);
    text(&trial.package(&file)?)
}

/// Queries, checks, installs and uses the `.rpm`.
pub(super) fn rpm(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(why) = lacks_root(trial, &["rpm"]) {
        return Outcome::skipped(why);
    }
    let architecture = trial.here()?.rpm.ok_or("no `.rpm` is for this system")?;
    let facts = &trial.facts;
    let file = format!("{}-{}-1.{architecture}.rpm", facts.name, facts.version);
    let package = text(&trial.package(&file)?)?;
    let work = trial.work.path();
    let query = ["-qp", "--queryformat", "%{NAME} %{VERSION}", &package];
    let printed = trial.tools.run("rpm", &query, work)?;
    trial.check_version(&printed)?;
    trial
        .tools
        .run("rpm", &["-K", "--nosignature", &package], work)?;
    let root = trial.folder("root")?;
    let option = format!("--root={}", text(&root)?);
    let install = [&option, "-i", "--nosignature", &package];
    trial.tools.run_as_root("rpm", &install)?;
    trial.use_once(&root.join("usr/bin").join(&facts.name))?;
    trial
        .tools
        .run_as_root("rpm", &[&option, "-V", &facts.name])?;
    Outcome::works("queried, checked, installed into a root folder by rpm, verified, run")
}
