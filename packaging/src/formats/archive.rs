//! The archive to unpack anywhere: `tar.gz`, and `zip` for Windows.

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, gzip, tar, zip};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// The texts that each archive holds beside the program.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Packs the archive.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let stem = facts.stem(system);
    let name = facts.program_name(system);
    let folder = format!("{stem}/");
    let mut entries = facts.entries(&TEXTS, &folder)?;
    entries.insert(
        0,
        Entry::program(format!("{stem}/{name}"), facts.program(system)?),
    );
    entries.insert(1, third_party::entry(facts, system, &folder)?);
    for script in facts.completions()? {
        entries.extend(facts.entries(&[&format!("completions/{script}")], &folder)?);
    }
    if system.is_windows() {
        return Ok(Package::new(format!("{stem}.zip"), zip(facts, &entries)?));
    }
    let page = format!("man/{}.1", facts.name);
    entries.extend(facts.entries(&[&page], &folder)?);
    let archive = gzip(&tar(facts, &entries, "", false)?)?;
    Ok(Package::new(format!("{stem}.tar.gz"), archive))
}
