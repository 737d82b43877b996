//! `docs/threats.toml`: every test that it names exists, and a row without a test says why.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::specification::is_row_id;
use super::{root, sources};

/// The proofs of the rows, by their ids. The rest of the data is checked where the page is made from it.
type Threats = BTreeMap<String, Row>;

#[derive(Deserialize)]
struct Row {
    open: Option<String>,
    #[serde(default)]
    tests: Vec<String>,
}

fn threats() -> Threats {
    let data = fs_err::read_to_string(root().join("docs/threats.toml")).unwrap();
    let mut data: toml::Table = toml::from_str(&data).unwrap();
    data.remove("groups").unwrap();
    data.try_into().unwrap()
}

/// The names of the functions in the repository's Rust files.
fn functions() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, text) in sources(&["src", "tests", "crates", "fixtures"]) {
        let found = text
            .split("fn ")
            .skip(1)
            .filter_map(|rest| rest.split('(').next());
        names.extend(found.map(str::to_owned));
    }
    names
}

/// The ids of the rows that a test proves: `b01_b04_words_stay_inside` is of two rows.
fn rows_of(test: &str) -> impl Iterator<Item = String> {
    test.split('_')
        .map(str::to_uppercase)
        .take_while(|word| is_row_id(word))
}

#[test]
fn every_named_test_exists() {
    let functions = functions();
    let mut named = 0;
    for (id, row) in threats() {
        for test in row.tests {
            named += 1;
            assert!(functions.contains(&test), "{id}: there is no test {test}");
        }
    }
    assert!(named > 500, "{named} tests");
}

#[test]
fn a_row_is_open_exactly_if_it_has_no_test() {
    let tested: BTreeSet<String> = functions().iter().flat_map(|test| rows_of(test)).collect();
    for (id, row) in threats() {
        assert!(is_row_id(&id), "{id}");
        assert_eq!(row.open.is_none(), !row.tests.is_empty(), "{id}");
        assert_eq!(row.open.is_none(), tested.contains(&id), "{id}");
    }
}
