//! Tests of the catalogue as a whole.

mod admission;
mod coverage;
mod effects;
mod files;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;

fn builtin() -> &'static Catalogue {
    Catalogue::builtin().unwrap_or_else(|error| panic!("{error}"))
}

fn command(id: &str) -> Arc<Command> {
    builtin().find(id).unwrap()
}

/// A call from a line of command-line words, without quotes.
fn call(line: &str) -> Call {
    let mut words = line.split_whitespace();
    let id = words.next().unwrap();
    let words: Vec<&str> = words.collect();
    builtin()
        .admit_words(id, &words)
        .unwrap_or_else(|failure| panic!("{line}: {failure}"))
}

/// Raw parameters from JSON text.
fn params(json: &str) -> BTreeMap<String, RawValue> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json).unwrap();
    object
        .into_iter()
        .map(|(key, value)| (key, value.into()))
        .collect()
}
