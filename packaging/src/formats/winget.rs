//! The three manifests by which winget installs the archive for Windows, in the folder where the repository
//! `microsoft/winget-pkgs` has them.

use serde_json::json;
use yaml_events::scalar::double_quoted;

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, zip};
use crate::pack::{Package, named};
use crate::system::System;

/// The version of the manifests' schema (<https://github.com/microsoft/winget-cli/tree/master/schemas/JSON/manifests>):
/// the newest that `winget-pkgs` accepted in September 2026. The schema 1.28.0 was published, and refused there.
const SCHEMA: &str = "1.12.0";

// The manifests, with places to be filled. A text of people is quoted, because it may have `: ` or `#`.
const VERSION: &str = include_str!("winget_version.yaml");
const INSTALLER: &str = include_str!("winget_installer.yaml");
const LOCALE: &str = include_str!("winget_locale.yaml");

/// Packs the manifests for the archives among the packages, if there is one for Windows and the repository, whose owner
/// is part of the package's name, is on GitHub.
pub(crate) fn pack(facts: &Facts, packages: &[Package]) -> Result<Option<Package>, Fault> {
    let systems = facts.targets.iter().filter(|it| it.is_windows());
    let installers = systems.map(|it| installer(facts, it, packages));
    let installers = installers.collect::<Result<String, Fault>>()?;
    let Some(owner) = facts.owner().filter(|_| !installers.is_empty()) else {
        return Ok(None);
    };
    let name = &facts.name;
    let identifier = format!("{owner}.{name}");
    let letter = owner.chars().take(1).collect::<String>().to_lowercase();
    let folder = format!("manifests/{letter}/{owner}/{name}/{}", facts.version);
    let publisher = facts.maintainer.split(" <").next().unwrap_or_default();
    let more = json!({
        "form": SCHEMA,
        "identifier": identifier,
        "publisher": double_quoted(publisher),
        "short": double_quoted(&facts.description),
        "long": double_quoted(&facts.about),
        "installers": installers,
    });
    let manifest = |ending: &str, text: &str| {
        let path = format!("{folder}/{identifier}{ending}.yaml");
        Ok::<_, Fault>(Entry::file(path, facts.filled(text, more.clone())?))
    };
    let entries = [
        manifest("", VERSION)?,
        manifest(".installer", INSTALLER)?,
        manifest(".locale.en-US", LOCALE)?,
    ];
    let file = format!("{name}-{}-winget.zip", facts.version);
    Ok(Some(Package::new(file, zip(facts, &entries)?)))
}

/// The entry of the archive for one system.
fn installer(facts: &Facts, system: &System, packages: &[Package]) -> Result<String, Fault> {
    let stem = facts.stem(system);
    let archive = named(packages, &format!("{stem}.zip"))?;
    let url = facts.download(&archive.name);
    let url = url.ok_or("the manifests need a repository")?;
    let (processor, name) = (system.cpu(), &facts.name);
    let program = facts.program_name(system);
    let hash = archive.hash().to_uppercase();
    Ok(format!(
        "- Architecture: {processor}\n  NestedInstallerFiles:\n  - RelativeFilePath: {stem}\\{program}\n    \
         PortableCommandAlias: {name}\n  InstallerUrl: {url}\n  InstallerSha256: {hash}\n"
    ))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use serde_json::{Map, Value};
    use yaml_events::{Content, Limits, Node};

    use super::*;
    use crate::facts::sample;

    /// A document as JSON.
    fn parsed(text: &str) -> Value {
        let limits = Limits {
            depth: 8,
            values: 100,
            text: 10_000,
        };
        let key = |node: &Node| match &node.content {
            Content::Scalar(scalar) => Some(scalar.text.clone()),
            _ => None,
        };
        value(
            yaml_events::document(text, 1, limits, key)
                .unwrap()
                .unwrap(),
        )
    }

    fn value(node: Node) -> Value {
        match node.content {
            Content::Scalar(scalar) => scalar.into_value(),
            Content::List(items) => items.into_iter().map(value).collect(),
            Content::Mapping(entries) => {
                let entries = entries.into_iter().map(|it| (it.key, value(it.value)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    #[test]
    fn the_manifests_are_those_of_the_schema_with_the_archive_and_its_hash() {
        let archive = Package::new("vault-gw-0.1.0-x86_64-pc-windows-gnu.zip", "x");
        let package = pack(&sample(), &[archive]).unwrap().unwrap();
        assert_eq!(package.name, "vault-gw-0.1.0-winget.zip");
        let mut archive = zip::ZipArchive::new(Cursor::new(package.bytes)).unwrap();
        let mut manifests = Map::new();
        for index in 0..archive.len() {
            let mut file = archive.by_index(index).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            manifests.insert(file.name().unwrap().into_owned(), parsed(&text));
        }
        let folder = "manifests/o/owner/vault-gw/0.1.0/owner.vault-gw";
        let url = "https://github.com/owner/vault-gw";
        let expected = json!({
            format!("{folder}.yaml"): {
                "PackageIdentifier": "owner.vault-gw",
                "PackageVersion": "0.1.0",
                "DefaultLocale": "en-US",
                "ManifestType": "version",
                "ManifestVersion": "1.12.0",
            },
            format!("{folder}.installer.yaml"): {
                "PackageIdentifier": "owner.vault-gw",
                "PackageVersion": "0.1.0",
                "InstallerType": "zip",
                "NestedInstallerType": "portable",
                "Installers": [{
                    "Architecture": "x64",
                    "NestedInstallerFiles": [{
                        "RelativeFilePath": "vault-gw-0.1.0-x86_64-pc-windows-gnu\\vault-gw.exe",
                        "PortableCommandAlias": "vault-gw",
                    }],
                    "InstallerUrl":
                        format!("{url}/releases/download/v0.1.0/vault-gw-0.1.0-x86_64-pc-windows-gnu.zip"),
                    "InstallerSha256": "2D711642B726B04401627CA9FBAC32F5C8530FB1903CC4DB02258717921A4881",
                }],
                "ManifestType": "installer",
                "ManifestVersion": "1.12.0",
            },
            format!("{folder}.locale.en-US.yaml"): {
                "PackageIdentifier": "owner.vault-gw",
                "PackageVersion": "0.1.0",
                "PackageLocale": "en-US",
                "Publisher": "The authors",
                "PackageName": "vault-gw",
                "PackageUrl": url,
                "License": "MIT OR Apache-2.0",
                "ShortDescription": "Says \"yes\": or no.",
                "Description": "One paragraph: with a colon # and a hash.",
                "Moniker": "vault-gw",
                "Tags": ["obsidian", "cli"],
                "ReleaseNotesUrl": format!("{url}/releases/tag/v0.1.0"),
                "ManifestType": "defaultLocale",
                "ManifestVersion": "1.12.0",
            },
        });
        assert_eq!(Value::Object(manifests), expected);
    }

    #[test]
    fn without_an_archive_for_windows_or_an_owner_there_are_no_manifests() {
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
