//! What a container image is built of: the file that describes it, and the static program for each
//! processor. `docker build` and its kin take the archive as it is.

use serde_json::json;

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, gzip, tar};
use crate::formats::third_party;
use crate::pack::Package;

/// An image with nothing but the program. State and settings are in folders of their own, which the
/// user of the image may keep in volumes.
const CONTAINERFILE: &str = include_str!("Containerfile");

/// The user of the image, who is not root.
const USER: &str = "65532:65532";

/// Packs the folder to build from, if there is a system that containers run on.
pub(crate) fn pack(facts: &Facts) -> Result<Option<Package>, Fault> {
    let mut entries = Vec::new();
    for system in facts.targets.iter().filter(|system| system.is_linux()) {
        let architecture = system.debian();
        let program = format!("{architecture}/{}", facts.name);
        entries.push(Entry::program(program, facts.program(system)?));
        entries.push(third_party::entry(
            facts,
            system,
            &format!("{architecture}/"),
        )?);
    }
    if entries.is_empty() {
        return Ok(None);
    }
    entries.push(Entry::file("Containerfile", containerfile(facts)?));
    entries.extend(facts.entries(&["LICENSE-MIT", "LICENSE-APACHE"], "")?);
    // The copy of an empty folder makes a folder that the image's user owns.
    entries.push(Entry::file("home/.keep", ""));
    let name = format!("{}-{}-container.tar.gz", facts.name, facts.version);
    Ok(Some(Package::new(
        name,
        gzip(&tar(facts, &entries, "", false)?)?,
    )))
}

fn containerfile(facts: &Facts) -> Result<String, Fault> {
    let source = facts.repository.as_ref();
    let source = source.map_or_else(String::new, |url| {
        format!(" \\\n      org.opencontainers.image.source=\"{url}\"")
    });
    facts.filled(CONTAINERFILE, json!({"source": source, "user": USER}))
}
