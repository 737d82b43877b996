//! `server.json`, by which the MCP registry lists the server and its packages.

use serde_json::{Value, json};

use crate::Fault;
use crate::facts::Facts;
use crate::formats::mcpb;
use crate::pack::Package;

/// The file name that the registry's publisher expects.
pub(crate) const FILE: &str = "server.json";

/// The version of the form.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// Writes it, if the repository proves who the owner is.
pub(crate) fn pack(facts: &Facts, packages: &[Package]) -> Result<Option<Package>, Fault> {
    let (Some(name), Some(repository)) = (facts.server_name(), &facts.repository) else {
        return Ok(None);
    };
    let arguments = json!([
        {"type": "positional", "value": "mcp"},
        {
            "type": "named",
            "name": "--vault",
            "description": "The folder of the vault",
            "format": "filepath",
            "isRequired": true,
        },
    ]);
    let mut listed = vec![
        registry(facts, "npm", &arguments),
        registry(facts, "pypi", &arguments),
    ];
    for system in facts.systems()? {
        let file = mcpb::file_name(facts, system);
        let bundle = packages.iter().find(|package| package.name == file);
        let bundle = bundle.ok_or_else(|| format!("{file} is not among the packages"))?;
        listed.push(json!({
            "registryType": "mcpb",
            "identifier": facts.download(&file),
            "version": facts.version,
            "fileSha256": bundle.hash(),
            "transport": {"type": "stdio"},
        }));
    }
    let server = json!({
        "$schema": SCHEMA,
        "name": name,
        "title": "Obsidian vault",
        "description": facts.description,
        "version": facts.version,
        "repository": {"url": repository, "source": "github"},
        "packages": listed,
    });
    Ok(Some(Package::new(FILE, format!("{server:#}\n"))))
}

fn registry(facts: &Facts, kind: &str, arguments: &Value) -> Value {
    json!({
        "registryType": kind,
        "identifier": facts.name,
        "version": facts.version,
        "transport": {"type": "stdio"},
        "packageArguments": arguments,
    })
}
