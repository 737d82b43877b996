//! Makes every package that the built programs allow.

use std::path::Path;

use crate::Fault;
use crate::facts::Facts;
use crate::files::{hex, sha256};
use crate::formats;

/// The list of the packages with their hashes.
pub(crate) const CHECKSUMS: &str = "SHA256SUMS";

/// A finished package.
pub(crate) struct Package {
    /// Its file name.
    pub(crate) name: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

impl Package {
    /// A package of this name.
    pub(crate) fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
        }
    }

    /// Its SHA-256.
    pub(crate) fn hash(&self) -> String {
        hex(&sha256(&self.bytes))
    }
}

/// A package that is there already, by its file name.
pub(crate) fn named<'packages>(
    packages: &'packages [Package],
    file: &str,
) -> Result<&'packages Package, Fault> {
    let found = packages.iter().find(|package| package.name == file);
    found.ok_or_else(|| format!("{file} is not among the packages").into())
}

/// Makes the packages from the parts in one folder, and says what it made.
pub(crate) fn run(parts: &Path, folder: &Path) -> Result<String, Fault> {
    let facts = Facts::open(parts)?;
    let mut packages = Vec::new();
    for system in &facts.targets {
        packages.push(formats::archive::pack(&facts, system)?);
        if system.is_linux() {
            packages.push(formats::deb::pack(&facts, system)?);
            packages.push(formats::rpm::pack(&facts, system)?);
        }
        packages.push(formats::npm::platform(&facts, system)?);
        packages.push(formats::wheel::pack(&facts, system)?);
        packages.push(formats::mcpb::pack(&facts, system)?);
        packages.push(formats::sbom::pack(&facts, system)?);
    }
    packages.push(formats::npm::launcher(&facts)?);
    packages.extend(formats::container::pack(&facts)?);
    let mut report = String::new();
    if facts.repository.is_some() {
        packages.push(formats::homebrew::pack(&facts, &packages)?);
        packages.extend(formats::scoop::pack(&facts, &packages)?);
        packages.extend(formats::winget::pack(&facts, &packages)?);
        packages.extend(formats::server::pack(&facts, &packages)?);
    } else {
        report += "Homebrew, Scoop, winget and the MCP registry: left out, since no repository is known \
                   (--repository URL)\n";
    }
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    let sums = packages
        .iter()
        .map(|it| format!("{}  {}\n", it.hash(), it.name));
    let sums = Package::new(CHECKSUMS, sums.collect::<String>());
    fs_err::create_dir_all(folder)?;
    for package in packages.iter().chain([&sums]) {
        fs_err::write(folder.join(&package.name), &package.bytes)?;
        let kilobytes = package.bytes.len().div_ceil(1000);
        report += &format!("{kilobytes:>9} KB  {}\n", package.name);
    }
    Ok(format!("{report}in {}", folder.display()))
}
