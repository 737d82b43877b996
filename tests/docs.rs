//! The documents tell the truth: tests they name exist, what has a test is not called open, and what
//! is known of a command is in the catalogue.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::{sources, texts_of};

#[cfg(unix)]
mod blocks;
mod citations;
mod command_ids;
mod links;
mod plugin_authors;
mod specification;
mod threats;
mod workflows;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_readme_names_the_test_command() {
    let readme = fs_err::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("Test it:\n\n```sh\ncargo test --workspace\n```"));
}

#[test]
fn every_dependency_is_declared_with_its_reason_and_no_other_is_named() {
    let manifest: toml::Table =
        toml::from_str(&fs_err::read_to_string(root().join("Cargo.toml")).unwrap()).unwrap();
    let declared: BTreeSet<String> = manifest["workspace"]["dependencies"]
        .as_table()
        .unwrap()
        .iter()
        .filter(|(_, source)| source.get("path").is_none())
        .map(|(name, _)| name.clone())
        .collect();
    let page = fs_err::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let (taken, _) = page.split_once("Not taken:").unwrap();
    let (table, tests) = taken.split_once("Only in tests and fixtures:").unwrap();
    let first_cells = table.lines().filter_map(|line| line.split('|').nth(1));
    let named: BTreeSet<String> = first_cells
        .chain([tests])
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    assert_eq!(declared, named);
}

#[test]
fn every_package_uses_what_it_declares() {
    let manifest = fs_err::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap().iter();
    let members = members.map(|member| member.as_str().unwrap());
    for package in members.chain(["lab"]) {
        let is_of_another = |path: &str| package == "." && path.matches("src/").count() > 1;
        let folders = match package {
            "." => &["src", "tests", "benches"][..],
            "xtask" => &["xtask/src"],
            package => &[package],
        };
        let manifest = fs_err::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let systems = manifest.get("target").and_then(toml::Value::as_table);
        let tables = systems
            .into_iter()
            .flat_map(|systems| systems.values().filter_map(toml::Value::as_table))
            .chain([&manifest]);
        let mut sources = sources(folders);
        sources.retain(|(path, _)| !is_of_another(path));
        for name in tables.flat_map(declared) {
            let path = format!("{}::", name.replace('-', "_"));
            assert!(
                sources.iter().any(|(_, text)| text.contains(&path)),
                "{package} declares {name} and does not use it"
            );
        }
    }
}

/// The crates of the program, each with those that it depends on.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let read = |folder: &str| -> toml::Table {
        let manifest = fs_err::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        toml::from_str(&manifest).unwrap()
    };
    let workspace = read(".");
    let members = workspace["workspace"]["members"].as_array().unwrap().iter();
    let ours = members
        .map(|member| member.as_str().unwrap())
        .filter(|member| {
            *member == "."
                || ["src/", "crates/"]
                    .iter()
                    .any(|folder| member.starts_with(folder))
        });
    let mut crates: BTreeMap<String, BTreeSet<String>> = ours
        .map(|member| {
            let manifest = read(member);
            let name = manifest["package"]["name"].as_str().unwrap().to_owned();
            let systems = manifest.get("target").and_then(toml::Value::as_table);
            let systems = systems.into_iter().flat_map(toml::Table::values);
            let tables = systems.filter_map(toml::Value::as_table).chain([&manifest]);
            let used = tables.filter_map(|table| table.get("dependencies")?.as_table());
            let used = used.flat_map(toml::Table::keys);
            // The one crate whose name here is not that of its package.
            let used = used.map(|name| {
                if name == "bases" {
                    "obsidian-bases"
                } else {
                    name
                }
            });
            (name, used.map(str::to_owned).collect())
        })
        .collect();
    let names: BTreeSet<String> = crates.keys().cloned().collect();
    for used in crates.values_mut() {
        used.retain(|name| names.contains(name));
    }
    crates
}

#[test]
fn the_picture_of_the_crates_is_that_of_the_manifests() {
    fn reaches(crates: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
        let mut used = crates[from].iter();
        used.any(|name| name == to || reaches(crates, name, to))
    }
    let crates = crates();
    let mut arrows = BTreeSet::new();
    for (name, used) in &crates {
        let is_direct = |other: &&String| !used.iter().any(|way| reaches(&crates, way, other));
        let direct = used.iter().filter(is_direct);
        arrows.extend(direct.map(|other| format!("{name} --> {other}")));
    }
    let page = fs_err::read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, picture) = page.split_once("```mermaid\ngraph TD\n").unwrap();
    let (picture, _) = picture.split_once("```").unwrap();
    let drawn: BTreeSet<String> = picture.lines().map(|line| line.trim().to_owned()).collect();
    assert_eq!(drawn, arrows);
}

#[test]
fn every_example_in_the_documentation_is_run() {
    for (manifest, text) in texts_of(&["crates", "src"], &["toml"]) {
        let Some(package) = manifest.strip_suffix("/Cargo.toml") else {
            continue;
        };
        if text.contains("doctest = false") {
            for (path, text) in sources(&[package]) {
                assert!(
                    !text.contains("/// ```") && !text.contains("//! ```"),
                    "{path}"
                );
            }
        }
    }
}

#[test]
fn every_library_has_the_licences_of_the_project() {
    let manifests = texts_of(&["crates"], &["toml"]).into_iter();
    let published = manifests.filter(|(_, manifest)| !manifest.contains("\npublish"));
    let libraries =
        published.filter_map(|(path, _)| path.strip_suffix("/Cargo.toml").map(str::to_owned));
    let libraries: BTreeSet<String> = libraries.collect();
    assert!(libraries.contains("crates/obsidian-vault"));
    for library in libraries {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = fs_err::read(root().join(&library).join(licence)).unwrap();
            assert_eq!(
                own,
                fs_err::read(root().join(licence)).unwrap(),
                "{library}: {licence}"
            );
        }
    }
}

/// The packages that a manifest, or its part for one system, depends on.
fn declared(table: &toml::Table) -> impl Iterator<Item = &String> {
    ["dependencies", "dev-dependencies"]
        .into_iter()
        .filter_map(|kind| table.get(kind)?.as_table())
        .flat_map(toml::Table::keys)
}

#[test]
fn every_page_of_the_design_is_short() {
    for (file, text) in texts_of(&["docs/design"], &["md"]) {
        assert!(text.len() <= 6 << 10, "{file} has {} bytes", text.len());
    }
}

#[test]
fn no_document_has_marks_of_an_unfinished_merge() {
    for (file, text) in texts_of(&["docs", "config"], &["md", "toml"]) {
        let mut lines = text.lines();
        let mark = lines.find(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "));
        assert_eq!(mark, None, "{file}");
    }
}

/// What git ignores.
const IGNORED: [&str; 3] = ["target", "node_modules", "proptest-regressions"];

#[test]
fn the_map_of_the_architecture_names_every_folder() {
    let page = fs_err::read_to_string(root().join("docs/architecture.md")).unwrap();
    let map = page.split("```").nth(1).unwrap();
    for parent in ["", "src", "crates"] {
        for entry in fs_err::read_dir(root().join(parent)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
            let name = name.replace('\\', "/");
            let is_ours = !name.starts_with('.') && !IGNORED.contains(&&*name);
            if path.is_dir() && is_ours {
                assert!(
                    map.contains(&format!("{name}/")),
                    "{name}/ is not on the map"
                );
            }
        }
    }
}

#[test]
fn what_the_architecture_page_says_to_open_exists() {
    let page = fs_err::read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, table) = page.split_once("| to change | open | its tests |").unwrap();
    let rows: Vec<_> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert!(rows.len() >= 25, "{} rows", rows.len());
    for row in rows {
        let paths = row.split('`').skip(1).step_by(2).filter(|word| {
            let folder = word.split('/').next().unwrap_or_default();
            word.contains('/') && root().join(folder).is_dir()
        });
        for path in paths {
            assert!(root().join(path).exists(), "{path} of {row}");
        }
    }
}
