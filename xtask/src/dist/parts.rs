//! The texts and files of packages, from the metadata of Cargo, the catalogue and the repository.

use std::path::Path;

use chores::{Fault, copy, write};
use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;
use vault_gw::frontend::tools;
use vault_gw::program::reference::installed_files;
use vault_gw::protocol::Caller;
use vault_gw::settings::Settings;

use super::Options;
use super::build::Builder;

/// The files of the repository that packages contain.
const TEXTS: &str = "CHANGELOG.md Cargo.lock LICENSE-APACHE LICENSE-MIT README.md flake.nix";

/// Writes the parts for these systems.
pub(super) fn gather(
    builder: &Builder,
    parts: &Path,
    options: &Options,
    targets: &[String],
) -> Result<(), Fault> {
    for text in TEXTS.split(' ') {
        copy(&builder.root.join(text), &parts.join("share").join(text))?;
    }
    for file in installed_files() {
        write(&parts.join("share").join(&file.path), &file.text)?;
    }
    for target in targets {
        let metadata = builder.metadata(Some(target))?.to_string();
        write(&parts.join(format!("metadata/{target}.json")), metadata)?;
    }
    let facts = facts(builder, options, targets)?;
    write(&parts.join("facts.json"), format!("{facts:#}\n"))
}

fn facts(builder: &Builder, options: &Options, targets: &[String]) -> Result<Value, Fault> {
    let metadata = builder.metadata(None)?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages.find(|it| it["name"] == "vault-gw" && it["source"].is_null());
    let package = package.ok_or("cargo metadata does not name the program")?;
    let words = &package["metadata"]["packages"];
    let given = |option: &Option<String>, own: &Value| {
        option
            .as_ref()
            .map_or(own.clone(), |text| json!(text.trim_end_matches('/')))
    };
    Ok(json!({
        "name": package["name"],
        "version": package["version"],
        "description": package["description"],
        "about": words["about"],
        "license": package["license"],
        "keywords": package["keywords"],
        "repository": given(&options.repository, &package["repository"]),
        "maintainer": given(&options.maintainer, &words["maintainer"]),
        "epoch": builder.epoch,
        "targets": targets,
        "tools": tools()?,
    }))
}

/// The tools that an agent has once a new user has let agents call.
fn tools() -> Result<Vec<Value>, Fault> {
    let settings = Settings::parse("settings.toml", "enabled = true")?;
    let policy = settings.policy(Caller::Agent, None)?;
    let tools = tools::tools(Catalogue::whole()?, &policy).into_iter();
    Ok(tools
        .map(|tool| json!({"name": tool.name, "description": tool.description}))
        .collect())
}
