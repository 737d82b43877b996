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

/// The manifest, with places to be filled.
const MANIFEST: &str = include_str!("mcpb.json");

/// The settings of a user who has none: to install the bundle is to let the client call.
const SETTINGS: &str = include_str!("mcpb_settings.toml");

/// Packs the bundle.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let program = format!("server/{}", facts.program_name(system));
    let url = facts.repository.as_ref();
    let git = url.map(|url| json!({"type": "git", "url": format!("{url}.git")}));
    let more = json!({"program": program, "platform": system.platform(), "git": git});
    let manifest = facts.filled_json(MANIFEST, more)?;
    let mut entries = vec![
        Entry::file("manifest.json", format!("{manifest:#}\n")),
        Entry::program(&program, facts.program(system)?),
        Entry::file("server/settings.toml", SETTINGS),
        Entry::file("icon.png", ICON),
    ];
    entries.extend(facts.entries(&["README.md", "LICENSE-MIT", "LICENSE-APACHE"], "")?);
    entries.push(third_party::entry(facts, system, "")?);
    Ok(Package::new(
        file_name(facts, system),
        zip(facts, &entries)?,
    ))
}

/// The file name of the bundle for a system.
pub(crate) fn file_name(facts: &Facts, system: &System) -> String {
    format!("{}.mcpb", facts.stem(system))
}
