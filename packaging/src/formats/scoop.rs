//! The manifest by which Scoop installs the archive for Windows. Its fields are those of Scoop's `schema.json` and of
//! the pages "App Manifests" and "App Manifest Autoupdate" of its wiki (<https://github.com/ScoopInstaller/Scoop/wiki>).

use serde_json::{Map, Value, json};

use crate::Fault;
use crate::facts::Facts;
use crate::pack::{CHECKSUMS, Package, named};
use crate::system::System;

/// The manifest, with places to be filled.
const MANIFEST: &str = include_str!("scoop.json");

/// The placeholder that Scoop replaces by the version of a newer release.
const NEWER: &str = "$version";

/// Writes the manifest for the archives among the packages, if there is one for Windows and the repository is on GitHub,
/// where Scoop looks for newer releases.
pub(crate) fn pack(facts: &Facts, packages: &[Package]) -> Result<Option<Package>, Fault> {
    let mut current = Map::new();
    let mut newer = Map::new();
    for system in facts.targets.iter().filter(|it| it.is_windows()) {
        let archive = named(packages, &format!("{}.zip", facts.stem(system)))?;
        let mut packed = source(facts, system, &facts.version);
        packed["hash"] = archive.hash().into();
        current.insert(system.scoop().to_owned(), packed);
        newer.insert(system.scoop().to_owned(), source(facts, system, NEWER));
    }
    if facts.owner().is_none() || current.is_empty() {
        return Ok(None);
    }
    let more = json!({
        // Scoop separates the licences from which a user chooses by `|`.
        "licenses": facts.license.replace(" OR ", "|"),
        "architecture": current,
        "newer": newer,
        "sums": CHECKSUMS,
    });
    let manifest = facts.filled_json(MANIFEST, more)?;
    let text = format!("{manifest:#}\n");
    Ok(Some(Package::new(format!("{}.json", facts.name), text)))
}

/// The address of the archive of a version, and the folder in it.
fn source(facts: &Facts, system: &System, version: &str) -> Value {
    let stem = facts.stem_of(version, system);
    json!({"url": facts.download_of(version, &format!("{stem}.zip")), "extract_dir": stem})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::sample;

    #[test]
    fn the_manifest_has_the_archive_with_its_hash_and_how_to_find_the_next() {
        let facts = sample();
        let archive = Package::new("vault-gw-0.1.0-x86_64-pc-windows-gnu.zip", "x");
        let manifest = pack(&facts, &[archive]).unwrap().unwrap();
        assert_eq!(manifest.name, "vault-gw.json");
        let expected = r#"{
  "version": "0.1.0",
  "description": "Says \"yes\": or no.",
  "homepage": "https://github.com/owner/vault-gw",
  "license": "MIT|Apache-2.0",
  "architecture": {
    "64bit": {
      "url": "https://github.com/owner/vault-gw/releases/download/v0.1.0/vault-gw-0.1.0-x86_64-pc-windows-gnu.zip",
      "extract_dir": "vault-gw-0.1.0-x86_64-pc-windows-gnu",
      "hash": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    }
  },
  "bin": "vault-gw.exe",
  "checkver": {
    "github": "https://github.com/owner/vault-gw"
  },
  "autoupdate": {
    "architecture": {
      "64bit": {
        "url": "https://github.com/owner/vault-gw/releases/download/v$version/vault-gw-$version-x86_64-pc-windows-gnu.zip",
        "extract_dir": "vault-gw-$version-x86_64-pc-windows-gnu"
      }
    },
    "hash": {
      "url": "$baseurl/SHA256SUMS"
    }
  }
}
"#;
        assert_eq!(String::from_utf8(manifest.bytes).unwrap(), expected);
    }

    #[test]
    fn without_an_archive_for_windows_or_a_repository_on_github_there_is_no_manifest() {
        let mut facts = sample();
        assert!(pack(&facts, &[]).is_err(), "the archive was not made");
        facts.targets.retain(System::is_linux);
        assert!(pack(&facts, &[]).unwrap().is_none());
        let mut facts = sample();
        facts.repository = Some("https://example.com/owner/vault-gw".to_owned());
        let archive = Package::new("vault-gw-0.1.0-x86_64-pc-windows-gnu.zip", "x");
        assert!(pack(&facts, &[archive]).unwrap().is_none());
    }
}
