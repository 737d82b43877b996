//! The list of what is linked into the program, as `CycloneDX` JSON 1.6.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Fault;
use crate::facts::Facts;
use crate::pack::Package;
use crate::system::System;

/// A crate that is linked into the program, or builds it.
pub(crate) struct Linked {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its licence, as it says.
    pub(crate) license: String,
    /// Whether it is one of this repository.
    pub(crate) is_ours: bool,
    /// Where its sources are.
    pub(crate) folder: PathBuf,
    description: Option<String>,
    /// What it needs, by the references of the list.
    needs: Vec<String>,
}

impl Linked {
    /// How the list and other tools name it.
    fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct MetadataPackage {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    description: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Need>,
}

#[derive(Deserialize)]
struct Need {
    pkg: String,
    dep_kinds: Vec<NeedKind>,
}

#[derive(Deserialize)]
struct NeedKind {
    /// `None` for what is linked, `build` for what builds, `dev` for tests.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// What the program for a system is made of, the program first, the others by name.
pub(crate) fn linked(facts: &Facts, system: &System) -> Result<Vec<Linked>, Fault> {
    let metadata: Metadata = serde_json::from_value(facts.cargo_metadata(system)?)?;
    let packages: BTreeMap<&str, &MetadataPackage> = metadata
        .packages
        .iter()
        .map(|it| (it.id.as_str(), it))
        .collect();
    let nodes: BTreeMap<&str, &Node> = metadata
        .resolve
        .nodes
        .iter()
        .map(|it| (it.id.as_str(), it))
        .collect();
    let root = metadata.packages.iter();
    let root = root
        .filter(|it| it.source.is_none())
        .find(|it| it.name == facts.name);
    let root = root.ok_or_else(|| format!("cargo metadata does not name {}", facts.name))?;
    let mut seen = BTreeSet::from([root.id.as_str()]);
    let mut waiting = vec![root.id.as_str()];
    let mut linked = Vec::new();
    while let Some(id) = waiting.pop() {
        let package = packages.get(id).ok_or_else(|| format!("no package {id}"))?;
        let node = nodes.get(id).ok_or_else(|| format!("no node {id}"))?;
        let is_test = |need: &&Need| {
            need.dep_kinds
                .iter()
                .all(|it| it.kind.as_deref() == Some("dev"))
        };
        let needs: Vec<&str> = node
            .deps
            .iter()
            .filter(|it| !is_test(it))
            .map(|it| it.pkg.as_str())
            .collect();
        waiting.extend(needs.iter().filter(|it| seen.insert(**it)));
        let references = needs.iter().filter_map(|id| packages.get(id));
        let mut references: Vec<String> = references
            .map(|it| format!("pkg:cargo/{}@{}", it.name, it.version))
            .collect();
        references.sort_unstable();
        references.dedup();
        let folder = package.manifest_path.parent();
        linked.push(Linked {
            name: package.name.clone(),
            version: package.version.clone(),
            license: package
                .license
                .clone()
                .unwrap_or_else(|| "see its files".to_owned()),
            is_ours: package.source.is_none(),
            folder: folder.ok_or("a manifest without a folder")?.to_owned(),
            description: package.description.clone(),
            needs: references,
        });
    }
    linked[1..].sort_by_key(Linked::reference);
    Ok(linked)
}

/// Writes the list.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let lock: Lock = toml::from_str(&facts.text("Cargo.lock")?)?;
    let checksums: BTreeMap<(&str, &str), &str> = lock
        .package
        .iter()
        .filter_map(|it| {
            Some((
                (it.name.as_str(), it.version.as_str()),
                it.checksum.as_deref()?,
            ))
        })
        .collect();
    let linked = linked(facts, system)?;
    let component = |it: &Linked| {
        let mut component = json!({
            "type": if it.name == facts.name { "application" } else { "library" },
            "bom-ref": it.reference(),
            "name": it.name,
            "version": it.version,
            "licenses": [{"expression": it.license.replace('/', " OR ")}],
            "purl": it.reference(),
        });
        if let Some(description) = &it.description {
            component["description"] =
                json!(description.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if let Some(checksum) = checksums.get(&(it.name.as_str(), it.version.as_str())) {
            component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
        }
        component
    };
    let needs = |it: &Linked| json!({"ref": it.reference(), "dependsOn": it.needs});
    let list = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": facts.time()?.timestamp().to_string(),
            "component": component(&linked[0]),
            "properties": [{"name": "cargo:target", "value": system.triple}],
        },
        "components": linked[1..].iter().map(component).collect::<Vec<Value>>(),
        "dependencies": linked.iter().map(needs).collect::<Vec<Value>>(),
    });
    let name = format!("{}.cdx.json", facts.stem(system));
    Ok(Package::new(name, format!("{list:#}\n")))
}
