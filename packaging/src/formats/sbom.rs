//! The list of what is linked into the program, as `CycloneDX` JSON 1.6.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cargo_metadata::{DependencyKind, NodeDep, Package as Crate, PackageId};
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
    needs: BTreeSet<String>,
}

/// How the list and other tools name a crate.
fn reference(name: &str, version: impl std::fmt::Display) -> String {
    format!("pkg:cargo/{name}@{version}")
}

impl Linked {
    fn new(package: &Crate, needs: BTreeSet<String>) -> Result<Self, Fault> {
        let folder = package.manifest_path.parent();
        let license = package.license.clone();
        Ok(Self {
            name: package.name.to_string(),
            version: package.version.to_string(),
            license: license.unwrap_or_else(|| "see its files".to_owned()),
            is_ours: package.source.is_none(),
            folder: folder.ok_or("a manifest without a folder")?.into(),
            description: package.description.clone(),
            needs,
        })
    }

    fn reference(&self) -> String {
        reference(&self.name, &self.version)
    }
}

/// What the program for a system is made of, the program first, the others by name.
pub(crate) fn linked(facts: &Facts, system: &System) -> Result<Vec<Linked>, Fault> {
    let metadata = facts.cargo_metadata(system)?;
    let nodes = metadata.resolve.iter().flat_map(|it| &it.nodes);
    let nodes: BTreeMap<&PackageId, &[NodeDep]> =
        nodes.map(|it| (&it.id, it.deps.as_slice())).collect();
    let packages = metadata.packages.iter().map(|it| (&it.id, it));
    let packages: BTreeMap<&PackageId, &Crate> = packages.collect();
    let mut crates = metadata.packages.iter();
    let root = crates.find(|it| it.source.is_none() && it.name == facts.name);
    let root = root.ok_or_else(|| format!("cargo metadata does not name {}", facts.name))?;
    let mut seen = BTreeSet::from([&root.id]);
    let mut waiting = vec![&root.id];
    let mut linked = Vec::new();
    while let Some(id) = waiting.pop() {
        let needs = *nodes.get(id).ok_or_else(|| format!("no node {id}"))?;
        let is_test = |it: &&NodeDep| {
            let mut kinds = it.dep_kinds.iter();
            kinds.all(|it| it.kind == DependencyKind::Development)
        };
        let needs: Vec<&PackageId> = needs
            .iter()
            .filter(|it| !is_test(it))
            .map(|it| &it.pkg)
            .collect();
        waiting.extend(needs.iter().filter(|it| seen.insert(**it)));
        let needs = needs.iter().filter_map(|id| packages.get(id));
        let needs = needs.map(|it| reference(&it.name, &it.version)).collect();
        let package = packages.get(id).ok_or_else(|| format!("no package {id}"))?;
        linked.push(Linked::new(package, needs)?);
    }
    linked[1..].sort_by_key(Linked::reference);
    Ok(linked)
}

/// Writes the list.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let lock: toml::Table = facts.text("Cargo.lock")?.parse()?;
    let locked = lock.get("package").and_then(toml::Value::as_array);
    let locked = locked.into_iter().flatten();
    let text = |it: &toml::Value, key: &str| Some(it.get(key)?.as_str()?.to_owned());
    let checksums: BTreeMap<String, String> = locked
        .filter_map(|it| {
            let name = reference(&text(it, "name")?, text(it, "version")?);
            Some((name, text(it, "checksum")?))
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
        if let Some(checksum) = checksums.get(&it.reference()) {
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
