//! The archive to unpack anywhere: `tar.gz`, and `zip` for Windows.

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, gzip, tar, zip};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// The texts that each archive holds beside the program.
pub(crate) const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Packs the archive.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let stem = facts.stem(system);
    let name = facts.program_name(system);
    let mut entries = vec![
        Entry::program(format!("{stem}/{name}"), facts.program(system)?),
        Entry::file(
            format!("{stem}/{}", third_party::FILE),
            third_party::texts(facts, system)?,
        ),
    ];
    for text in TEXTS {
        entries.push(facts.entry(text, &format!("{stem}/{text}"))?);
    }
    for script in facts.completions()? {
        let path = format!("completions/{script}");
        entries.push(facts.entry(&path, &format!("{stem}/{path}"))?);
    }
    if system.platform() == "win32" {
        return Ok(Package::new(format!("{stem}.zip"), zip(facts, &entries)?));
    }
    let page = format!("man/{}.1", facts.name);
    entries.push(facts.entry(&page, &format!("{stem}/{page}"))?);
    let archive = gzip(&tar(facts, &entries, "", false)?)?;
    Ok(Package::new(format!("{stem}.tar.gz"), archive))
}
