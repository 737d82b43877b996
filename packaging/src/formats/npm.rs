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

/// The manifest of all packages, with places to be filled.
const MANIFEST: &str = include_str!("npm.json");

const LAUNCHER: &str = include_str!("npm_launcher.js");

/// The package with the program for a system.
pub(crate) fn platform(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let program = facts.program_name(system);
    let more = json!({
        "package": platform_name(facts, system),
        "systems": [system.platform()],
        "processors": [system.cpu()],
        // It is static.
        "libraries": system.is_linux().then_some(["glibc", "musl"]),
        "unplugged": true,
        "server": null,
    });
    let entries = vec![
        Entry::program(format!("bin/{program}"), facts.program(system)?),
        third_party::entry(facts, system, "")?,
    ];
    package(facts, more, entries)
}

/// The package that people install.
pub(crate) fn launcher(facts: &Facts) -> Result<Package, Fault> {
    let script = format!("bin/{}.js", facts.name);
    let platform = |system: &System| (platform_name(facts, system), json!(facts.version));
    let platforms: Map<String, Value> = facts.targets.iter().map(platform).collect();
    let more = json!({
        "package": facts.name,
        "programs": {&facts.name: script},
        // The oldest Node.js that is kept and has what the launcher uses.
        "engines": {"node": ">=18"},
        "platforms": platforms,
    });
    package(facts, more, vec![Entry::program(script, LAUNCHER)])
}

fn platform_name(facts: &Facts, system: &System) -> String {
    format!("{}-{}-{}", facts.name, system.platform(), system.cpu())
}

fn package(facts: &Facts, mut more: Value, mut entries: Vec<Entry>) -> Result<Package, Fault> {
    let url = facts.repository.as_ref();
    more["git"] = json!(url.map(|url| json!({"type": "git", "url": format!("git+{url}.git")})));
    let manifest = facts.filled_json(MANIFEST, more)?;
    entries.push(Entry::file("package.json", format!("{manifest:#}\n")));
    entries.extend(facts.entries(&TEXTS, "")?);
    let name = manifest["name"]
        .as_str()
        .ok_or("a package without a name")?;
    let name = format!("{name}-{}.tgz", facts.version);
    let archive = gzip(&tar(facts, &entries, "package/", false)?)?;
    Ok(Package::new(name, archive))
}
