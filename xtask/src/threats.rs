//! The page of `docs/threats.toml`. Only the site has it; the repository has the data.

use std::collections::BTreeMap;
use std::path::Path;

use chores::Fault;
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
    #[serde(default)]
    tests: Vec<String>,
}

/// Renders the page from the data of the repository.
pub(crate) fn page(root: &Path) -> Result<String, Fault> {
    Ok(render(&toml::from_str(&fs_err::read_to_string(
        root.join(SOURCE),
    )?)?))
}

fn render(threats: &Threats) -> String {
    let mut page = "# Threats and faults\n\n\
        Known attacks and faults, what prevents each, and tests that prove it. The names of all tests of a row begin with its \
        id; a row names some of them. Rows marked S are not needed for 1.0. *Open* says why no test proves a row yet.\n"
        .to_owned();
    for (letter, title) in &threats.groups {
        page += &format!(
            "\n## {letter}. {title}\n\n| id | fault or attack | rule | tests |\n|---|---|---|---|\n"
        );
        for (id, row) in threats.rows.iter().filter(|(id, _)| id.starts_with(letter)) {
            let level = row.level.iter().map(|level| format!(" {level}"));
            let note = row.note.iter().map(|note| format!(" {note}"));
            let rule: String = std::iter::once(row.rule.clone()).chain(note).collect();
            let tests: Vec<String> = row.tests.iter().map(|test| format!("`{test}`")).collect();
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
                    tests = [\"a01_x\", \"a01_y\"]\n[A02]\nlevel = \"S\"\nfault = \"c\"\nrule = \"d\"\nopen = \"later\"\n";
        let page = render(&toml::from_str(data).unwrap());
        let (_, table) = page.split_once("## A. Paths\n\n").unwrap();
        assert_eq!(
            table,
            "| id | fault or attack | rule | tests |\n|---|---|---|---|\n\
             | A01 | a\\|b | No. Yes. | `a01_x`, `a01_y` |\n| A02 S | c | d | *Open*: later |\n"
        );
    }
}
