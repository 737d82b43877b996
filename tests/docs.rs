//! The documents tell the truth: tests they name exist, and what has a test is not called open.

use std::collections::BTreeSet;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of all functions in the repository's Rust files that begin with a fault id.
fn fault_tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![
        root().join("src"),
        root().join("tests"),
        root().join("crates"),
        root().join("fixtures"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs_err::read_to_string(path).unwrap();
                names.extend(source.split("fn ").skip(1).filter_map(|rest| {
                    let name = rest.split('(').next().unwrap_or_default();
                    is_fault_test(name).then(|| name.to_owned())
                }));
            }
        }
    }
    names
}

fn is_fault_test(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() > 4
        && (b'a'..=b'l').contains(&bytes[0])
        && bytes[1..3].iter().all(u8::is_ascii_digit)
        && bytes[3] == b'_'
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[test]
fn every_test_that_the_threat_table_names_exists() {
    let table = fs_err::read_to_string(root().join("docs/threats.md")).unwrap();
    let known = fault_tests();
    let named: BTreeSet<&str> = table
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| is_fault_test(word))
        .collect();
    assert!(named.len() > 100, "the table names {} tests", named.len());
    let gone: Vec<&&str> = named
        .iter()
        .filter(|name| !known.contains(**name))
        .collect();
    assert!(
        gone.is_empty(),
        "named in docs/threats.md but not there: {gone:?}"
    );
}

#[test]
fn no_row_of_the_threat_table_is_called_open_that_has_a_test() {
    let table = fs_err::read_to_string(root().join("docs/threats.md")).unwrap();
    let known = fault_tests();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let mut seen = 0;
    for (id, rest) in rows {
        let prefix = format!("{}_", id.to_lowercase());
        if !is_fault_test(&format!("{prefix}x")) {
            continue;
        }
        seen += 1;
        let open = rest.ends_with("| open |");
        // A test of two rows bears both ids: `b01_b04_words_stay_inside`.
        let second = |name: &String| name.get(4..).is_some_and(|rest| rest.starts_with(&prefix));
        let tested = known
            .iter()
            .any(|name| name.starts_with(&prefix) || second(name));
        assert_eq!(open, !tested, "row {id} of docs/threats.md");
    }
    assert_eq!(seen, 145, "rows of the attack list");
}

#[test]
fn the_readme_names_the_test_command_and_its_links_lead_somewhere() {
    let readme = fs_err::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("Test it:\n\n```sh\ncargo test --workspace\n```"));
    for page in [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/architecture.md",
    ] {
        let text = fs_err::read_to_string(root().join(page)).unwrap();
        let folder = root().join(page);
        let folder = folder.parent().unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if !link.contains("://") {
                assert!(folder.join(link).exists(), "{page} links to {link}");
            }
        }
    }
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
