//! The examples of the official documentation, each with the value that it names. Numbers stand in
//! parentheses before a function, and no object is written out: the app was seen to refuse both.

use crate::language::all;

const CASES: &str = include_str!("documentation_cases.txt");

#[test]
fn every_example_gives_what_the_documentation_says() {
    all(tables::text(CASES, "every example gives"));
}
