//! `docs/threats.toml`: a row without a test says why.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::root;
use super::specification::is_row_id;
use crate::support::sources;

/// The rows, by their ids. The rest of the data is checked where the page is made from it.
type Threats = BTreeMap<String, Row>;

#[derive(Deserialize)]
struct Row {
    open: Option<String>,
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
fn a_row_is_open_exactly_if_it_has_no_test() {
    let functions = functions();
    let proofs: Vec<String> = functions.iter().flat_map(|test| rows_of(test)).collect();
    assert!(proofs.len() > 1000, "{} proofs", proofs.len());
    for (id, row) in threats() {
        assert!(is_row_id(&id), "{id}");
        assert_eq!(row.open.is_none(), proofs.contains(&id), "{id}");
    }
}
