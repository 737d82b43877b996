//! Every citation of the specification names a part that exists.
//!
//! A citation is the file name of a document of the specification, followed by the parts that are
//! meant. The known forms, which may follow each other after `, `, ` and `, ` to ` or `; `:
//!
//! | form | names |
//! |---|---|
//! | `§5.1`, `section 4`, `sections 4 and 5` | sections |
//! | `§9, point 4`; `steps 4 and 5` | numbered list items of a section |
//! | `§3, "result text"`; `§5.1` and words as code, with or without a comma | words of a section |
//! | `§8, appendix` | the appendix of a section |
//! | `D13`, `E10, E16`, `K20 to K22` | rows of tables |
//! | `group F`, `groups C, E and F` | groups of rows |
//!
//! A document may also be named as a whole, and a page of the design (`design/drafts.md`) always is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use super::root;
use super::specification::{Document, is_row_id};
use crate::support::texts_of;

const CASES: &str = include_str!("../data/docs_citations.txt");

/// The documents, by the name that citations use.
const DOCUMENTS: [(&str, &str); 4] = [
    ("contracts.md", "docs/reference/contracts.md"),
    ("official-cli.md", "docs/reference/official-cli.md"),
    ("threats.toml", "docs/threats.toml"),
    ("vault-semantics.md", "docs/reference/vault-semantics.md"),
];

/// What stands before a section number that is of another document.
const FOREIGN: [&str; 2] = ["`CommonMark` ", "document 003 "];

/// What separates two parts of one citation.
const SEPARATORS: [&str; 5] = [", ", " and ", " to ", "; ", " "];

/// Words, in the singular, that begin a form or would begin one if it were known.
static FORMS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "forms"));

type Documents = BTreeMap<&'static str, Document>;

#[test]
fn every_citation_names_a_part_of_the_specification() {
    let documents = DOCUMENTS.map(|(name, path)| (name, Document::open(path)));
    let documents = Documents::from(documents);
    let mut seen = 0;
    let mut errors = Vec::new();
    for (path, text) in sources() {
        // Without a document's name a document means itself; the contracts cite what is not here.
        let own = DOCUMENTS.iter().find(|(_, own)| *own == path);
        let own = own.map(|(name, _)| *name);
        let is_code = Path::new(&path).extension() == Some("rs".as_ref());
        let found = Text::from_source(&text).citations(&documents, own, is_code);
        seen += found.count;
        let found = found.errors.into_iter();
        errors.extend(found.map(|error| format!("{path}:{error}")));
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert!(seen > 500, "{seen} citations");
}

#[test]
fn every_cited_page_of_the_design_exists() {
    let mut seen = 0;
    let mut missing = Vec::new();
    for (path, text) in sources() {
        for after in text.split("design/").skip(1) {
            let end = after.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-');
            let (name, rest) = after.split_at(end.unwrap_or(after.len()));
            if !name.is_empty() && rest.starts_with(".md") {
                seen += 1;
                if !root().join(format!("docs/design/{name}.md")).is_file() {
                    missing.push(format!("{path}: design/{name}.md"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 150, "{seen} citations");
}

/// The files that cite, each with its path below the repository: all but this one and its cases, whose
/// examples are wrong on purpose.
fn sources() -> Vec<(String, String)> {
    const FOLDERS: [&str; 9] = [
        "benches", "config", "crates", "docs", "fixtures", "lab", "src", "tests", "xtask",
    ];
    const EXTENSIONS: [&str; 5] = ["md", "rs", "toml", "tsv", "txt"];
    let mut sources = texts_of(&FOLDERS, &EXTENSIONS);
    for entry in fs_err::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            sources.push((name, fs_err::read_to_string(path).unwrap()));
        }
    }
    let own = ["tests/docs/citations.rs", "tests/data/docs_citations.txt"];
    sources.retain(|(path, _)| !own.contains(&path.as_str()));
    sources
}

/// A text as one line, since a citation may go on in the next line of a comment.
struct Text {
    joined: String,
    /// Where each line begins in it.
    lines: Vec<usize>,
}

#[derive(Default)]
struct Found {
    count: usize,
    /// `LINE: what is wrong`.
    errors: Vec<String>,
}

impl Text {
    /// Joins the lines, without the marks of comments.
    fn from_source(text: &str) -> Self {
        let mut joined = String::new();
        let mut lines = Vec::new();
        for line in text.lines() {
            lines.push(joined.len());
            joined.push_str(line.trim_start().trim_start_matches(['/', '!', '#']).trim());
            joined.push(' ');
        }
        Self { joined, lines }
    }

    /// The number of the line, from 1, that holds this place.
    fn line(&self, place: usize) -> usize {
        self.lines.partition_point(|start| *start <= place)
    }

    /// Checks every citation. `own` is the document that the text is; `is_code` says that a section
    /// number without a document is an error.
    fn citations(&self, documents: &Documents, own: Option<&str>, is_code: bool) -> Found {
        let mut found = Found::default();
        let mut place = 0;
        while let Some((name, after)) = self.next_name(documents, place) {
            self.check_lone_sections(place..after, documents, own, is_code, &mut found);
            let mut parts = Parts::new(&documents[name], &self.joined[after..]);
            match parts.read() {
                Ok(()) => found.count += 1,
                Err(error) => {
                    let line = self.line(after);
                    found.errors.push(format!("{line}: {name}: {error}"));
                    parts.skip_word();
                }
            }
            place = self.joined.len() - parts.rest.len();
        }
        self.check_lone_sections(
            place..self.joined.len(),
            documents,
            own,
            is_code,
            &mut found,
        );
        found
    }

    /// The first name of a document behind a place, and where its parts begin.
    fn next_name<'a>(&self, documents: &'a Documents, from: usize) -> Option<(&'a str, usize)> {
        let names = documents.keys().filter_map(|name| {
            let places = self.joined[from..].match_indices(name);
            let place = places.map(|(place, _)| from + place).find(|place| {
                // `official-contracts.md` is another file.
                let before = self.joined[..*place].chars().next_back();
                !before.is_some_and(|letter| letter.is_alphanumeric() || "_-".contains(letter))
            })?;
            Some((place, *name))
        });
        let (place, name) = names.min()?;
        let rest = &self.joined[place + name.len()..];
        let code = rest.strip_prefix('`').unwrap_or(rest);
        let is_link = code.starts_with("](");
        let end = code
            .find(')')
            .filter(|end| is_link || rest.starts_with(')') && *end == 0);
        let rest = end.map_or(code, |end| &code[end + 1..]);
        Some((name, self.joined.len() - rest.len()))
    }

    /// Checks section numbers without a document: a document of the specification means itself, and
    /// code must say which one it means.
    fn check_lone_sections(
        &self,
        range: std::ops::Range<usize>,
        documents: &Documents,
        own: Option<&str>,
        is_code: bool,
        found: &mut Found,
    ) {
        let is_contracts = own == Some("contracts.md");
        for (at, _) in self.joined[range.clone()].match_indices('§') {
            let place = range.start + at;
            let before = &self.joined[..place];
            let is_foreign = FOREIGN.iter().any(|foreign| before.ends_with(foreign));
            let number = number(&self.joined[place + '§'.len_utf8()..]).map_or("", |(it, _)| it);
            let is_known = match own {
                Some(own) => documents[own].has_section(number),
                None => !is_code,
            };
            let is_citation = starts_section(&self.joined[place..]);
            if is_citation && !is_foreign && !is_contracts && !is_known {
                let line = self.line(place);
                found
                    .errors
                    .push(format!("{line}: §{number} is of no document"));
            }
        }
    }
}

/// Reads the parts that follow a document's name.
struct Parts<'a> {
    document: &'a Document,
    /// The section that was named last, if nothing but parts of it followed.
    section: Option<&'a str>,
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn new(document: &'a Document, rest: &'a str) -> Self {
        Self {
            document,
            section: None,
            rest,
        }
    }

    /// Reads all of them; an error says which of them does not exist or has no known form.
    fn read(&mut self) -> Result<(), String> {
        while let Some((separator, next)) = SEPARATORS
            .iter()
            .find_map(|separator| Some((*separator, self.rest.strip_prefix(separator)?)))
        {
            if self.part(next, [", ", " "].contains(&separator))? {
                continue;
            }
            if is_like_a_part(next) {
                self.rest = next;
                let start: String = next.chars().take(20).collect();
                return Err(format!("`{start}` is a part in no known form"));
            }
            break;
        }
        Ok(())
    }

    /// Reads one part, and says whether there is one. Words of a section follow a comma or
    /// a space.
    fn part(&mut self, text: &'a str, may_be_words: bool) -> Result<bool, String> {
        if let Some((number, after)) = text.strip_prefix('§').and_then(number) {
            (self.section, self.rest) = (Some(number), after);
            check(self.document.has_section(number), || {
                format!("section {number}")
            })?;
        } else if let Some((id, after)) = row(text) {
            (self.section, self.rest) = (None, after);
            check(self.document.has_row(id), || format!("row {id}"))?;
        } else if let Some(section) = self.section
            && let Some((words, after)) = quoted(text)
            && may_be_words
        {
            self.rest = after;
            let is_there = self.document.has_words(section, words);
            check(is_there, || format!("`{words}` in §{section}"))?;
        } else {
            return self.listed(text);
        }
        Ok(true)
    }

    /// Reads a word that says what is meant, and the numbers or letters behind it.
    fn listed(&mut self, text: &'a str) -> Result<bool, String> {
        let document = self.document;
        let word = first_word(text);
        let kind = singular(word);
        let after = &text[word.len()..];
        let (item, is_there): (Item, &dyn Fn(&str) -> bool) = match (kind, self.section) {
            ("appendix", Some(section)) => {
                self.rest = after;
                let is_there = document.has_words(section, "# Appendix");
                check(is_there, || format!("appendix in §{section}"))?;
                return Ok(true);
            }
            ("section", _) => (number, &|it| document.has_section(it)),
            ("group", _) => (letter, &|it| document.has_group(it)),
            ("point" | "step", Some(section)) => {
                (number, &move |it| document.has_item(section, it))
            }
            _ => return Ok(false),
        };
        let mut rest = after;
        let mut separators = &[" "][..];
        while let Some((found, after)) = separators
            .iter()
            .find_map(|separator| item(rest.strip_prefix(separator)?))
        {
            (self.rest, rest) = (after, after);
            check(is_there(found), || format!("{kind} {found}"))?;
            separators = &[", ", " and "];
        }
        // No item: something else follows, which is not a known form.
        Ok(rest.len() < after.len())
    }

    /// Leaves out what could not be read.
    fn skip_word(&mut self) {
        let end = self.rest.find(' ').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }
}

/// Reads a number or letter, and returns what follows it too.
type Item = fn(&str) -> Option<(&str, &str)>;

fn check(is_there: bool, part: impl Fn() -> String) -> Result<(), String> {
    if is_there {
        return Ok(());
    }
    Err(format!("there is no {}", part()))
}

/// A number such as `5` or `5.1`, and what follows it.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = text[..end.unwrap_or(text.len())].trim_end_matches('.');
    (!number.is_empty()).then(|| text.split_at(number.len()))
}

/// A capital letter alone, and what follows it.
fn letter(text: &str) -> Option<(&str, &str)> {
    let word = first_word(text);
    let is_letter = word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase();
    is_letter.then(|| text.split_at(1))
}

/// The id of a row, and what follows it.
fn row(text: &str) -> Option<(&str, &str)> {
    let word = first_word(text);
    is_row_id(word).then(|| text.split_at(word.len()))
}

/// Words in quotation marks or code, but for the name of a document, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|mark| "\"`".contains(*mark))?;
    let (words, rest) = text[1..].split_once(mark)?;
    let is_document =
        words.starts_with("design/") || DOCUMENTS.iter().any(|(name, _)| *name == words);
    (!is_document).then_some((words, rest))
}

/// The letters and digits that a text begins with.
fn first_word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric());
    &text[..end.unwrap_or(text.len())]
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// Whether a text begins with a section sign that something is to follow: `"§"` alone is a text.
fn starts_section(text: &str) -> bool {
    let name = text.strip_prefix('§');
    name.is_some_and(|name| name.starts_with(char::is_alphanumeric))
}

/// Whether a text begins like something that a citation could mean.
fn is_like_a_part(text: &str) -> bool {
    let word = first_word(text);
    let mut letters = word.chars();
    let is_like_a_row = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_uppercase())
        && letters.next().is_some_and(|letter| letter.is_ascii_digit());
    let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
    starts_section(text) || is_like_a_row || is_number || FORMS.contains(&singular(word))
}

/// A document with a section 1 of two items, a section 2 with a list, and a group with two rows.
fn sample() -> Documents {
    let text = "## 1. First\n1. one\n2. two\n## 2. Rules\n### 2.1 Some\n3. third `word` here\n\
                ### Appendix: all\n## 3. Rows\n### A. Group\n| A01 | x |\n| A02 | y |\n";
    Documents::from([("official-cli.md", Document::parse(text).unwrap())])
}

fn errors(text: &str) -> Vec<String> {
    Text::from_source(text)
        .citations(&sample(), None, true)
        .errors
}

#[test]
fn citations_in_the_known_forms_are_read() {
    for text in tables::lines(CASES, "citations in the known forms are read") {
        let lone = text.starts_with("another");
        assert_eq!(
            errors(text).len(),
            usize::from(lone),
            "{text}: {:?}",
            errors(text)
        );
    }
}

#[test]
fn citations_of_what_is_not_there_and_in_other_forms_are_found_with_their_line() {
    for [text, error] in tables::section(CASES, "citations of what is not there") {
        let errors = errors(&format!("first line\n    /// {text}"));
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(
            errors[0].starts_with("2: ") && errors[0].contains(error),
            "{errors:?}"
        );
    }
}
