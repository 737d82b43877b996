//! The documents of the specification, cut into the parts that a citation can name.

use std::collections::{BTreeMap, BTreeSet};

use super::root;

/// One document: its numbered sections, and its rows with an id.
#[derive(Default)]
pub(super) struct Document {
    /// The text of each section, with its subsections, by number: `5`, `5.1`.
    sections: BTreeMap<String, String>,
    /// The ids of its rows: `D13`.
    rows: BTreeSet<String>,
}

impl Document {
    /// Reads one document of this repository.
    pub(super) fn open(path: &str) -> Self {
        let text = fs_err::read_to_string(root().join(path)).unwrap();
        Self::parse(&text)
            .map_err(|error| format!("{path}: {error}"))
            .unwrap()
    }

    /// Cuts the text into its parts; an error if two of them have the same number or id.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut document = Self::default();
        let mut open: Vec<String> = Vec::new();
        let mut is_code = false;
        for line in text.lines() {
            is_code ^= line.starts_with("```");
            let level = line.bytes().take_while(|byte| *byte == b'#').count();
            if level > 0 && !is_code {
                document.begin(level, line[level..].trim(), &mut open)?;
            }
            for number in &open {
                let section = document.sections.get_mut(number).unwrap();
                section.push_str(line);
                section.push('\n');
            }
            if let Some(id) = row_id(line)
                && !document.rows.insert(id.into())
            {
                return Err(format!("there are two rows {id}"));
            }
        }
        Ok(document)
    }

    /// Closes the sections that a heading of this level ends, and opens the one that it names.
    fn begin(&mut self, level: usize, title: &str, open: &mut Vec<String>) -> Result<(), String> {
        let first = title.split(' ').next().unwrap_or_default();
        let word = first.trim_end_matches('.');
        // A title without a number, such as an appendix, belongs to the section around it.
        let is_number = word.split('.').all(|part| part.parse::<u8>().is_ok());
        if is_number || level <= 2 {
            open.truncate(level.saturating_sub(2));
        }
        if !is_number {
            return Ok(());
        }
        open.push(word.into());
        match self.sections.insert(word.into(), String::new()) {
            None => Ok(()),
            Some(_) => Err(format!("there are two sections {word}")),
        }
    }

    pub(super) fn has_section(&self, number: &str) -> bool {
        self.sections.contains_key(number)
    }

    /// Whether the ids of some rows begin with this letter.
    pub(super) fn has_group(&self, letter: &str) -> bool {
        self.rows.iter().any(|id| id.starts_with(letter))
    }

    pub(super) fn has_row(&self, id: &str) -> bool {
        self.rows.contains(id)
    }

    /// Whether the section has a list item, at the beginning of a line, with this number.
    pub(super) fn has_item(&self, section: &str, number: &str) -> bool {
        let start = format!("{number}. ");
        let text = self.sections.get(section);
        text.is_some_and(|text| text.lines().any(|line| line.starts_with(&start)))
    }

    /// Whether these words occur in the section.
    pub(super) fn has_words(&self, section: &str, words: &str) -> bool {
        let text = self.sections.get(section);
        text.is_some_and(|text| text.contains(words))
    }
}

/// The id of a row that has one: `D13` of `| D13 | Any command … |`, or of the table `[D13]` of a TOML file.
fn row_id(line: &str) -> Option<&str> {
    let cell = line
        .strip_prefix("| ")
        .and_then(|rest| rest.split_once(" |"));
    let table = || line.strip_prefix('[')?.strip_suffix(']');
    cell.map(|(cell, _)| cell)
        .or_else(table)
        .filter(|id| is_row_id(id))
}

/// Whether this is a letter and two digits.
pub(super) fn is_row_id(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() == 3 && bytes[0].is_ascii_uppercase() && bytes[1..].iter().all(u8::is_ascii_digit)
}

#[test]
fn sections_groups_rows_and_items_are_found_and_nothing_is_numbered_twice() {
    let text = "# Title\n## 1. First\n2. item\n### 1.1 Inner\nwords\n### Appendix: more\nlast\n\
                ```\n## 7. Code\n```\n## Other\nloose\n## 2. Second\n### A. Group\n| A01 | x |\n";
    let document = Document::parse(text).unwrap();
    assert!(document.has_section("1") && document.has_section("1.1") && document.has_section("2"));
    assert!(!document.has_section("7") && !document.has_section("1.2"));
    assert!(document.has_item("1", "2") && !document.has_item("1", "1"));
    assert!(document.has_words("1", "last") && document.has_words("1.1", "last"));
    assert!(!document.has_words("1", "loose") && !document.has_words("2", "loose"));
    assert!(document.has_group("A") && !document.has_group("B"));
    assert!(document.has_row("A01") && !document.has_row("A02"));
    assert!(Document::parse("## 1. One\n## 1. Again\n").is_err());
    assert!(Document::parse("| A01 | x |\n| A01 | y |\n").is_err());
    let toml = Document::parse("[B01]\nrule = \"x\"\n[groups]\n").unwrap();
    assert!(toml.has_row("B01") && toml.has_group("B") && !toml.has_group("A"));
}
