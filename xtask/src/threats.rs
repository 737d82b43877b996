//! The page of `docs/threats.toml`. Only the site has it; the repository has the data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chores::{Fault, below};
use serde::Deserialize;

/// The data, which links name.
pub(crate) const SOURCE: &str = "docs/threats.toml";

/// The page, below the folder of the pages.
pub(crate) const PAGE: &str = "threats.md";

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
}

/// Renders the page from the data and the tests of the repository.
pub(crate) fn page(root: &Path) -> Result<String, Fault> {
    let data = fs_err::read_to_string(root.join(SOURCE))?;
    Ok(render(&toml::from_str(&data)?, &functions(root)?))
}

/// The names of the functions in the folders that have tests.
fn functions(root: &Path) -> Result<BTreeSet<String>, Fault> {
    let mut names = BTreeSet::new();
    for folder in ["src", "tests", "crates", "fixtures"].map(|folder| root.join(folder)) {
        for file in below(&folder, false)? {
            if file.extension() == Some("rs".as_ref()) {
                let text = fs_err::read_to_string(folder.join(file))?;
                let found = text.split("fn ").skip(1);
                let found = found.filter_map(|rest| rest.split('(').next());
                names.extend(found.map(str::to_owned));
            }
        }
    }
    Ok(names)
}

/// Whether the name of a test begins with the id of a row: `b01_b04_words_stay_inside` is of two rows.
fn proves(test: &str, id: &str) -> bool {
    let mut words = test.split('_').take_while(|word| {
        let digits = word.strip_prefix(|letter: char| letter.is_ascii_lowercase());
        digits.is_some_and(|digits| digits.len() == 2 && digits.parse::<u8>().is_ok())
    });
    words.any(|word| word.eq_ignore_ascii_case(id))
}

fn render(threats: &Threats, functions: &BTreeSet<String>) -> String {
    let mut page = "# Threats and faults\n\n\
        Known attacks and faults, what prevents each, and the tests that prove it, whose names begin with the id of the \
        row. Rows marked S are not needed for 1.0. *Open* says why no test proves a row yet.\n"
        .to_owned();
    for (letter, title) in &threats.groups {
        page += &format!(
            "\n## {letter}. {title}\n\n| id | fault or attack | rule | tests |\n|---|---|---|---|\n"
        );
        for (id, row) in threats.rows.iter().filter(|(id, _)| id.starts_with(letter)) {
            let level = row.level.iter().map(|level| format!(" {level}"));
            let note = row.note.iter().map(|note| format!(" {note}"));
            let rule: String = std::iter::once(row.rule.clone()).chain(note).collect();
            let tests = functions.iter().filter(|test| proves(test, id));
            let tests = tests.map(|test| format!("`{test}`"));
            let open = row.open.iter().map(|reason| format!("*Open*: {reason}"));
            let tests: Vec<String> = open.chain(tests).collect();
            let id: String = std::iter::once(id.clone()).chain(level).collect();
            let cells = [id, row.fault.clone(), rule, tests.join(", ")];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            page += &format!("| {} |\n", cells.join(" | "));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_repository_has_a_group_and_is_described() {
        let data = fs_err::read_to_string(chores::repository().join(SOURCE)).unwrap();
        let threats: Threats = toml::from_str(&data).unwrap();
        for (id, row) in &threats.rows {
            assert!(threats.groups.contains_key(&id[..1]), "{id}");
            let texts = [&row.fault, &row.rule]
                .into_iter()
                .chain(&row.note)
                .chain(&row.open);
            assert!(
                texts.into_iter().all(|text| !text.trim().is_empty()),
                "{id}"
            );
            assert!(
                row.level.as_deref().is_none_or(|level| level == "S"),
                "{id}: {:?}",
                row.level
            );
        }
    }

    #[test]
    fn a_row_has_its_note_and_its_tests_or_why_it_is_open() {
        let data = "[groups]\nA = \"Paths\"\n[A01]\nfault = \"a|b\"\nrule = \"No.\"\nnote = \"Yes.\"\n\
                    [A02]\nlevel = \"S\"\nfault = \"c\"\nrule = \"d\"\nopen = \"later\"\n";
        let tests = ["a01_x", "a03_a01_y", "a03_x_a01", "a011_z"].map(str::to_owned);
        let page = render(&toml::from_str(data).unwrap(), &tests.into());
        let (_, table) = page.split_once("## A. Paths\n\n").unwrap();
        assert_eq!(
            table,
            "| id | fault or attack | rule | tests |\n|---|---|---|---|\n\
             | A01 | a\\|b | No. Yes. | `a01_x`, `a03_a01_y` |\n| A02 S | c | d | *Open*: later |\n"
        );
    }
}
