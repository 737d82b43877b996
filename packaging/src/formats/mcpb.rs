//! The bundle that clients such as Claude Desktop install by a double click: the program, and a manifest
//! that asks for the folder of the vault. Its form is the `MANIFEST.md` of the MCPB project, version 0.3.

use serde_json::json;

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, zip};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// The server's picture, 256 pixels wide.
const ICON: &[u8] = include_bytes!("../../icon.png");

/// The settings of a user who has none: to install the bundle is to let the client call.
const SETTINGS: &str = "# Used while you have no settings of your own. `vault-gw settings path` says where those would be.\n\
    enabled = true\n";

/// Packs the bundle.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let program = format!("server/{}", facts.program_name(system));
    let entries = [
        Entry::file("manifest.json", manifest(facts, system, &program)?),
        Entry::program(&program, facts.program(system)?),
        Entry::file("server/settings.toml", SETTINGS),
        Entry::file("icon.png", ICON),
        facts.entry("README.md", "README.md")?,
        facts.entry("LICENSE-MIT", "LICENSE-MIT")?,
        facts.entry("LICENSE-APACHE", "LICENSE-APACHE")?,
        Entry::file(third_party::FILE, third_party::texts(facts, system)?),
    ];
    Ok(Package::new(
        file_name(facts, system),
        zip(facts, &entries)?,
    ))
}

/// The file name of the bundle for a system.
pub(crate) fn file_name(facts: &Facts, system: &System) -> String {
    format!("{}.mcpb", facts.stem(system))
}

fn manifest(facts: &Facts, system: &System, program: &str) -> Result<String, Fault> {
    let (author, address) = facts.maintainer_parts()?;
    let mut manifest = json!({
        "manifest_version": "0.3",
        "name": facts.name,
        "display_name": "Obsidian vault",
        "version": facts.version,
        "description": facts.description,
        "long_description": facts.about,
        "author": {"name": author, "email": address},
        "icon": "icon.png",
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": [
                    "mcp",
                    "--default-settings",
                    "${__dirname}/server/settings.toml",
                    "--vault",
                    "${user_config.vault}",
                ],
            },
        },
        "tools": facts.tools,
        "tools_generated": true,
        "prompts_generated": true,
        "keywords": facts.keywords,
        "license": facts.license,
        "compatibility": {"platforms": [system.platform()]},
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Vault folder",
                "description": "The folder that you open as a vault in Obsidian",
                "required": true,
            },
        },
    });
    if let Some(url) = &facts.repository {
        manifest["author"]["url"] = json!(url);
        manifest["repository"] = json!({"type": "git", "url": format!("{url}.git")});
        manifest["homepage"] = json!(url);
        manifest["documentation"] = json!(format!("{url}/tree/v{}/docs", facts.version));
        manifest["support"] = json!(format!("{url}/issues"));
    }
    Ok(format!("{manifest:#}\n"))
}
