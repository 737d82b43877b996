//! The list of what is linked into the program, as `CycloneDX` JSON 1.6.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use cargo_metadata::{DependencyKind, NodeDep, Package as Crate, PackageId};
use serde_json::{Value, json};

use crate::Fault;
use crate::facts::Facts;
use crate::pack::Package;
use crate::system::System;

/// A crate that is linked into the program, or builds it, and what it needs, by the references of the list.
pub(crate) type Linked = (Crate, BTreeSet<String>);

/// How the list and other tools name a crate.
fn reference(name: &str, version: impl Display) -> String {
    format!("pkg:cargo/{name}@{version}")
}

fn reference_of(package: &Crate) -> String {
    reference(&package.name, &package.version)
}

/// The licence of a crate, as it says.
pub(crate) fn license(package: &Crate) -> &str {
    package.license.as_deref().unwrap_or("see its files")
}

/// What the program for a system is made of, the program first, the others by name.
pub(crate) fn linked(facts: &Facts, system: &System) -> Result<Vec<Linked>, Fault> {
    let metadata = facts.cargo_metadata(system)?;
    let nodes = metadata.resolve.iter().flat_map(|it| &it.nodes);
    let nodes: BTreeMap<&PackageId, &[NodeDep]> =
        nodes.map(|it| (&it.id, it.deps.as_slice())).collect();
    let mut crates = metadata.packages.iter();
    let root = crates.find(|it| it.source.is_none() && it.name == facts.name);
    let root = root.ok_or_else(|| format!("cargo metadata does not name {}", facts.name))?;
    let mut seen = BTreeSet::from([&root.id]);
    let mut waiting = vec![&root.id];
    let mut linked = Vec::new();
    while let Some(id) = waiting.pop() {
        let needs = *nodes.get(id).ok_or_else(|| format!("no node {id}"))?;
        let is_linked = |it: &&NodeDep| {
            let mut kinds = it.dep_kinds.iter();
            kinds.any(|it| it.kind != DependencyKind::Development)
        };
        let needs = needs.iter().filter(is_linked).map(|it| &it.pkg);
        waiting.extend(needs.clone().filter(|it| seen.insert(*it)));
        let needs = needs.map(|id| reference_of(&metadata[id])).collect();
        linked.push((metadata[id].clone(), needs));
    }
    linked[1..].sort_by_key(|(package, _)| reference_of(package));
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
    let component = |(it, _): &Linked| {
        let mut component = json!({
            "type": if it.name == facts.name { "application" } else { "library" },
            "bom-ref": reference_of(it),
            "name": it.name,
            "version": it.version,
            "licenses": [{"expression": license(it).replace('/', " OR ")}],
            "purl": reference_of(it),
        });
        if let Some(description) = &it.description {
            component["description"] =
                json!(description.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if let Some(checksum) = checksums.get(&reference_of(it)) {
            component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
        }
        component
    };
    let needs = |(it, needs): &Linked| json!({"ref": reference_of(it), "dependsOn": needs});
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
