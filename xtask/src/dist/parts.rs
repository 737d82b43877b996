//! What packages say and hold, from the metadata of Cargo, the catalogue and the files of the repository.

use std::path::Path;

use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;
use vault_gw::caller::Caller;
use vault_gw::frontend::tools;
use vault_gw::program::reference::installed_files;
use vault_gw::settings::Settings;

use super::{DistOptions, build};

/// The files of the repository that packages hold.
const TEXTS: [&str; 6] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "flake.nix",
];

/// Writes the parts for these systems.
pub(super) fn gather(
    root: &Path,
    parts: &Path,
    options: &DistOptions,
    targets: &[String],
    epoch: u32,
) -> Result<(), String> {
    for text in TEXTS {
        let bytes = fs_err::read(root.join(text)).map_err(|error| error.to_string())?;
        write(&parts.join("share").join(text), &bytes)?;
    }
    for file in installed_files() {
        write(&parts.join("share").join(&file.path), file.text.as_bytes())?;
    }
    for target in targets {
        let metadata = build::metadata(root, Some(target))?.to_string();
        let file = parts.join("metadata").join(format!("{target}.json"));
        write(&file, metadata.as_bytes())?;
    }
    let facts = facts(root, options, targets, epoch)?;
    write(&parts.join("facts.json"), format!("{facts:#}\n").as_bytes())
}

fn facts(
    root: &Path,
    options: &DistOptions,
    targets: &[String],
    epoch: u32,
) -> Result<Value, String> {
    let metadata = build::metadata(root, None)?;
    let manifest =
        fs_err::canonicalize(root.join("Cargo.toml")).map_err(|error| error.to_string())?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages.find(|package| package["manifest_path"].as_str() == manifest.to_str());
    let package = package.ok_or("cargo metadata does not name the program")?;
    let words = &package["metadata"]["packages"];
    let maintainer = options.maintainer.as_deref().map(Value::from);
    let repository = options.repository.as_deref().map(Value::from);
    Ok(json!({
        "name": package["name"],
        "version": package["version"],
        "description": package["description"],
        "about": words["about"],
        "license": package["license"],
        "keywords": package["keywords"],
        "repository": repository.unwrap_or_else(|| package["repository"].clone()),
        "maintainer": maintainer.unwrap_or_else(|| words["maintainer"].clone()),
        "epoch": epoch,
        "targets": targets,
        "tools": tools()?,
    }))
}

/// The tools that an agent has once a new user has let agents call.
fn tools() -> Result<Vec<Value>, String> {
    let settings = Settings::parse("settings.toml", "enabled = true");
    let policy = settings.and_then(|settings| settings.policy(Caller::Agent, None));
    let policy = policy.map_err(|failure| failure.message)?;
    let catalogue = Catalogue::whole().map_err(|failure| failure.message)?;
    let tools = tools::tools(catalogue, &policy).into_iter();
    Ok(tools
        .map(|tool| json!({"name": tool.name, "description": tool.description}))
        .collect())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().ok_or("a part without a folder")?;
    fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs_err::write(path, bytes).map_err(|error| error.to_string())
}
