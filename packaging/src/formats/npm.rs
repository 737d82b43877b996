//! The packages of npm: a thin one that starts the program, and one with the program for each system,
//! of which npm installs the one that fits. None has an install script.

use serde_json::{Map, Value, json};

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, gzip, tar};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// What each package holds besides its own files.
const TEXTS: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// The oldest Node.js that is kept and has what the launcher uses.
const NODE: &str = ">=18";

const LAUNCHER: &str = include_str!("npm_launcher.js");

/// The package with the program for a system.
pub(crate) fn platform(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let name = platform_name(facts, system);
    let program = facts.program_name(system);
    let mut manifest = manifest(facts, &name);
    manifest["os"] = json!([system.platform()]);
    manifest["cpu"] = json!([system.cpu()]);
    if system.platform() == "linux" {
        // It is static.
        manifest["libc"] = json!(["glibc", "musl"]);
    }
    manifest["preferUnplugged"] = json!(true);
    let entries = vec![
        Entry::program(format!("bin/{program}"), facts.program(system)?),
        Entry::file(third_party::FILE, third_party::texts(facts, system)?),
    ];
    package(facts, &manifest, entries)
}

/// The package that people install.
pub(crate) fn launcher(facts: &Facts) -> Result<Package, Fault> {
    let script = format!("bin/{}.js", facts.name);
    let mut manifest = manifest(facts, &facts.name);
    manifest["bin"] = json!({&facts.name: script});
    manifest["engines"] = json!({"node": NODE});
    let platforms = facts.systems()?.into_iter();
    let platforms: Map<String, Value> = platforms
        .map(|system| (platform_name(facts, system), json!(facts.version)))
        .collect();
    manifest["optionalDependencies"] = Value::Object(platforms);
    if let Some(server) = facts.server_name() {
        manifest["mcpName"] = json!(server);
    }
    package(facts, &manifest, vec![Entry::program(script, LAUNCHER)])
}

fn platform_name(facts: &Facts, system: &System) -> String {
    format!("{}-{}-{}", facts.name, system.platform(), system.cpu())
}

fn manifest(facts: &Facts, name: &str) -> Value {
    let mut manifest = json!({
        "name": name,
        "version": facts.version,
        "description": facts.description,
        "keywords": facts.keywords,
        "license": format!("({})", facts.license),
        "author": facts.maintainer,
    });
    if let Some(url) = &facts.repository {
        manifest["homepage"] = json!(url);
        manifest["bugs"] = json!(format!("{url}/issues"));
        manifest["repository"] = json!({"type": "git", "url": format!("git+{url}.git")});
    }
    manifest
}

fn package(facts: &Facts, manifest: &Value, mut entries: Vec<Entry>) -> Result<Package, Fault> {
    entries.push(Entry::file("package.json", format!("{manifest:#}\n")));
    for text in TEXTS {
        entries.push(facts.entry(text, text)?);
    }
    let name = manifest["name"]
        .as_str()
        .ok_or("a package without a name")?;
    let name = format!("{name}-{}.tgz", facts.version);
    Ok(Package::new(
        name,
        gzip(&tar(facts, &entries, "package/", false)?)?,
    ))
}
