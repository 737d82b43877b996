//! `docs/threats.toml`: every test that it names exists, and a row without a test says why.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::specification::is_row_id;
use super::{root, sources};

#[derive(Deserialize)]
struct Threats {
    /// The titles of the groups, by the letter that their ids begin with.
    groups: BTreeMap<String, String>,
    #[serde(flatten)]
    rows: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    fault: String,
    rule: String,
    note: Option<String>,
    level: Option<String>,
    open: Option<String>,
    #[serde(default)]
    tests: Vec<String>,
}

fn threats() -> Threats {
    toml::from_str(&fs_err::read_to_string(root().join("docs/threats.toml")).unwrap()).unwrap()
}

/// The names of the functions in the repository's Rust files.
fn functions() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, text) in sources(&["src", "tests", "crates", "fixtures"]) {
        let found = text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
        names.extend(found.map(str::to_owned));
    }
    names
}

/// The ids of the rows that a test proves: `b01_b04_words_stay_inside` is of two rows.
fn rows_of(test: &str) -> impl Iterator<Item = String> {
    test.split('_').map(str::to_uppercase).take_while(|word| is_row_id(word))
}

#[test]
fn every_row_has_an_id_of_a_group_and_is_described() {
    let threats = threats();
    for (id, row) in &threats.rows {
        assert!(is_row_id(id) && threats.groups.contains_key(&id[..1]), "{id}");
        let texts = [&row.fault, &row.rule].into_iter().chain(&row.note).chain(&row.open);
        assert!(texts.into_iter().all(|text| !text.trim().is_empty()), "{id}");
        assert!(row.level.as_deref().is_none_or(|level| level == "S"), "{id}: {:?}", row.level);
    }
}

#[test]
fn every_named_test_exists() {
    let functions = functions();
    let mut named = 0;
    for (id, row) in threats().rows {
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
    for (id, row) in threats().rows {
        assert_eq!(row.open.is_none(), !row.tests.is_empty(), "{id}");
        assert_eq!(row.open.is_none(), tested.contains(&id), "{id}");
    }
}
