//! `server.json`, by which the MCP registry lists the server and its packages.

use serde_json::json;

use crate::Fault;
use crate::facts::Facts;
use crate::formats::mcpb;
use crate::pack::{Package, named};

/// The file name that the registry's publisher expects.
pub(crate) const FILE: &str = "server.json";

/// The file, and the packages of npm and `PyPI` in it, with places to be filled.
const SERVER: &str = include_str!("server.json");
const REGISTRIES: &str = include_str!("server_registries.json");

/// Writes it, if the repository proves who the owner is.
pub(crate) fn pack(facts: &Facts, packages: &[Package]) -> Result<Option<Package>, Fault> {
    if facts.server_name().is_none() {
        return Ok(None);
    }
    let mut listed = facts.filled_json(REGISTRIES, json!({}))?;
    let listed = listed.as_array_mut().ok_or("the registries are no list")?;
    for system in &facts.targets {
        let file = mcpb::file_name(facts, system);
        listed.push(json!({
            "registryType": "mcpb",
            "identifier": facts.download(&file),
            "version": facts.version,
            "fileSha256": named(packages, &file)?.hash(),
            "transport": {"type": "stdio"},
        }));
    }
    let server = facts.filled_json(SERVER, json!({"packages": listed}))?;
    Ok(Some(Package::new(FILE, format!("{server:#}\n"))))
}
