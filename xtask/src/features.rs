//! Compares the features of the dependencies in the program with those in the build of the tests.
//!
//! Crates that only tests need turn on features of others. So the tests pass with a dependency that behaves in another way
//! in the program, as `regex` did without Unicode's letter cases.

use std::collections::{BTreeMap, BTreeSet};

use chores::{cargo, printed};

/// Packages that have more features in the build of the tests. These only add items, or a faster search.
const SAME_BEHAVIOUR: [&str; 8] = [
    "bstr",
    "nix",
    "num-traits",
    "percent-encoding",
    "regex-automata",
    "strum",
    "vault-files",
    "vault-index",
];

/// Returns the features of each package in a dependency tree.
fn features(options: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = cargo();
    cargo.args(["tree", "--locked", "--offline", "--prefix", "none"]);
    let tree = printed(cargo.args(["--format", "{p}|{f}"]).args(options)).unwrap();
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // Between the trees of two packages is an empty line.
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    for (package, features) in lines.filter_map(|line| line.split_once('|')) {
        // Its name and version; behind them is the folder of our own packages.
        let name: Vec<&str> = package.split(' ').take(2).collect();
        let features = features.split(',').filter(|name| !name.is_empty());
        packages
            .entry(name.join(" "))
            .or_default()
            .extend(features.map(str::to_owned));
    }
    packages
}

#[test]
fn dependencies_behave_in_the_program_as_in_its_tests() {
    let program = features(&["--package", "vault-gw", "--edges", "normal"]);
    let tests = features(&["--workspace", "--edges", "normal,build,dev"]);
    assert!(program.len() > 100, "{} packages", program.len());
    let differing = program.iter().filter(|(name, own)| {
        tests
            .get(*name)
            .is_some_and(|tested| !tested.is_subset(own))
    });
    let differing = differing.filter_map(|(name, _)| name.split(' ').next());
    let differing: Vec<&str> = differing
        .filter(|name| !SAME_BEHAVIOUR.contains(name))
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
}
