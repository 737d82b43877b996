//! The files that describe packages: checksums, formula, flake, `server.json`, and the list of crates.

use std::collections::BTreeMap;

use super::bare::text;
use super::{Outcome, Trial};
use crate::Fault;
use crate::files::{hex, sha256};
use crate::formats::server;
use crate::pack::CHECKSUMS;

/// The form of `server.json`, as the MCP registry publishes it.
const SERVER_SCHEMA: &str = include_str!("../../schemas/server.schema.json");

/// The library of the `CycloneDX` project that checks lists by their schema.
const SBOM_TOOL: &str = "cyclonedx-python-lib[json-validation]==11.12.0";

/// What checks a document by a JSON schema.
const SERVER_TOOL: &str = "jsonschema==4.25.1";

const SERVER_CHECK: &str = "\
import json, sys
import jsonschema
schema, document = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.validators.validator_for(schema).check_schema(schema)
jsonschema.validate(document, schema, format_checker=jsonschema.FormatChecker())
";

const SBOM_CHECK: &str = "\
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    with open(path) as file:
        error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read())
    if error:
        sys.exit(f'{path}: {error}')
";

/// Every package has its line, and every line is right.
pub(super) fn checksums(trial: &Trial) -> Result<Outcome, Fault> {
    let listed = fs_err::read_to_string(trial.package(CHECKSUMS)?)?;
    let listed = listed.lines().filter_map(|line| line.split_once("  "));
    let mut listed: BTreeMap<&str, &str> = listed.map(|(hash, name)| (name, hash)).collect();
    let mut count = 0;
    for entry in fs_err::read_dir(&trial.packages)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_str().ok_or("a package whose name is not Unicode")?;
        if name == CHECKSUMS {
            continue;
        }
        if listed.remove(name) != Some(&hex(&sha256(&fs_err::read(entry.path())?))) {
            return Err(format!("the hash of {name} is missing or wrong").into());
        }
        count += 1;
    }
    if let Some(name) = listed.keys().next() {
        return Err(format!("{name} is listed and not there").into());
    }
    Outcome::works(format!("{count} packages, each with its SHA-256"))
}

/// The formula is valid Ruby, and in the style of Homebrew where that is installed.
pub(super) fn homebrew(trial: &Trial) -> Result<Outcome, Fault> {
    if trial.facts.repository.is_none() {
        return Outcome::skipped("no repository is known (--repository URL)");
    }
    let formula = text(&trial.package(&format!("{}.rb", trial.facts.name))?)?;
    let work = trial.work.path();
    if trial.tools.has("brew") {
        trial
            .tools
            .run("brew", &["style", "--formula", &formula], work)?;
        return Outcome::works("brew style");
    }
    if let Some(tool) = trial.tools.lacks(&["ruby"]) {
        return Outcome::skipped(format!("brew and {tool} are not installed"));
    }
    trial.tools.run("ruby", &["-wc", &formula], work)?;
    Outcome::works("valid Ruby; not installed, since brew is not installed")
}

/// The flake can be parsed. Building it fetches all of nixpkgs, so that is left to its users.
pub(super) fn nix(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["nix-instantiate"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let flake = trial.work.path().join("flake.nix");
    fs_err::write(&flake, trial.facts.part("flake.nix")?)?;
    trial.tools.run(
        "nix-instantiate",
        &["--parse", &text(&flake)?],
        trial.work.path(),
    )?;
    Outcome::works("valid Nix; not built")
}

/// `server.json` has the registry's form, by its JSON schema.
pub(super) fn server(trial: &Trial) -> Result<Outcome, Fault> {
    if trial.facts.server_name().is_none() {
        return Outcome::skipped("no repository on GitHub is known (--repository URL)");
    }
    let schema = trial.work.path().join("server.schema.json");
    fs_err::write(&schema, SERVER_SCHEMA)?;
    let files = [text(&schema)?, text(&trial.package(server::FILE)?)?];
    check(
        trial,
        SERVER_TOOL,
        SERVER_CHECK,
        &files,
        "valid by the registry's JSON schema",
    )
}

/// The lists have the form of their standard, by the standard's own library.
pub(super) fn sbom(trial: &Trial) -> Result<Outcome, Fault> {
    let mut lists = Vec::new();
    for system in trial.facts.systems()? {
        let list = format!("{}.cdx.json", trial.facts.stem(system));
        lists.push(text(&trial.package(&list)?)?);
    }
    let what = format!("{} lists valid by {SBOM_TOOL}", lists.len());
    check(trial, SBOM_TOOL, SBOM_CHECK, &lists, &what)
}

/// Runs a script with a library of `PyPI`, in an environment of its own, on these files.
fn check(
    trial: &Trial,
    library: &str,
    script: &str,
    files: &[String],
    what: &str,
) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["python3"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let folder = trial.folder("environment")?;
    trial.tools.run("python3", &["-m", "venv", "."], &folder)?;
    let words = ["install", "--disable-pip-version-check", library];
    if let Err(fault) = trial.tools.run(folder.join("bin/pip"), &words, &folder) {
        return Outcome::skipped(format!("{library} could not be fetched: {fault}"));
    }
    let words = ["-c".to_owned(), script.to_owned()];
    let words: Vec<&String> = words.iter().chain(files).collect();
    trial
        .tools
        .run(folder.join("bin/python"), &words, &folder)?;
    Outcome::works(what)
}
