//! "Did you mean": files whose name or alias is like a text.
//!
//! Every name is filed under its letters and digits, and under each text that remains when one of
//! these is removed. Two names that differ by one letter share such an entry. So the cost of a
//! look-up depends on the length of the text, not on the number of files.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use obsidian_note::{Frontmatter, SimilarAnchor, VaultPath};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use vault_index::{Properties, Seen};

/// A file, or a heading or block of a note, that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The file.
    pub path: String,
    /// The heading, or the block with its `^`, as a link names it. Only for a link whose note exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The reason why it may be meant.
    pub why: Likeness,
}

impl Candidate {
    /// A file that has the name.
    pub(super) fn named(path: String) -> Self {
        Self {
            path,
            place: None,
            why: Likeness::Name,
        }
    }

    /// A heading or block of a note.
    pub(super) fn of_place(path: &VaultPath, near: &SimilarAnchor) -> Self {
        Self {
            path: path.to_string(),
            place: Some(near.place.clone()),
            why: if near.has_same_letters {
                Likeness::Name
            } else {
                Likeness::Similar
            },
        }
    }
}

impl fmt::Display for Candidate {
    /// The path, or the path with the place.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path)?;
        match &self.place {
            Some(place) => write!(formatter, "#{place}"),
            None => Ok(()),
        }
    }
}

/// The similarity of a name to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// The file's name, the heading or the block id has the same letters and digits.
    Name,
    /// An alias has.
    Alias,
    /// Name or alias differ by one letter, or two that are exchanged.
    Spelling,
    /// The heading or block id is one of the most similar ones of the note.
    Similar,
}

/// The maximum number of candidates for one text.
const MOST: usize = 5;
/// The maximum number of files that are examined under one entry.
const LOOKED_AT: usize = 64;
/// Names with more letters and digits match only without a misspelling.
const LONGEST: usize = 64;

/// The names of the listed files.
#[derive(Default)]
pub(super) struct Names<'files> {
    all: Vec<Name<'files>>,
    /// Files by the letters and digits of a name.
    whole: HashMap<String, Vec<usize>>,
    /// Files by the letters and digits of a name without one of them.
    shortened: HashMap<String, Vec<usize>>,
}

/// Returns the names and aliases of the listed files.
pub(super) fn names(seen: &Seen<Properties>) -> Names<'_> {
    let mut names = Names::default();
    for (_, path) in seen.listed_files() {
        names.add_file(path);
    }
    for (id, properties) in seen.column.iter() {
        if let Some(path) = seen.files.get(id).filter(|_| seen.lists(id)) {
            names.add_aliases(path, &properties.0);
        }
    }
    names
}

struct Name<'files> {
    key: String,
    path: &'files VaultPath,
    is_alias: bool,
}

impl<'files> Names<'files> {
    /// Adds a file by its name: a note without extension.
    fn add_file(&mut self, path: &'files VaultPath) {
        let name = if path.is_note() {
            path.basename()
        } else {
            path.name()
        };
        self.add(name, path, false);
    }

    /// Adds a file by the aliases in its properties, the JSON text of an object.
    fn add_aliases(&mut self, path: &'files VaultPath, properties: &str) {
        for alias in aliases(properties) {
            self.add(&alias, path, true);
        }
    }

    fn add(&mut self, name: &str, path: &'files VaultPath, is_alias: bool) {
        let key = key(name);
        if key.is_empty() {
            return;
        }
        let number = self.all.len();
        for shorter in shortened(&key) {
            self.shortened.entry(shorter).or_default().push(number);
        }
        self.whole.entry(key.clone()).or_default().push(number);
        self.all.push(Name {
            key,
            path,
            is_alias,
        });
    }

    /// Returns the files that a link with this text may mean, the likeliest first.
    pub(super) fn like(&self, linkpath: &str) -> Vec<Candidate> {
        let name = linkpath.rsplit('/').next().unwrap_or(linkpath);
        let wanted = key(name.strip_suffix(".md").unwrap_or(name));
        let mut found: BTreeMap<&VaultPath, Likeness> = BTreeMap::new();
        let mut add = |number: &usize| {
            let Some(name) = self.all.get(*number) else {
                return;
            };
            let why = match (name.key == wanted, name.is_alias) {
                (true, false) => Likeness::Name,
                (true, true) => Likeness::Alias,
                (false, _) if strsim::osa_distance(&name.key, &wanted) == 1 => Likeness::Spelling,
                (false, _) => return,
            };
            let known = found.entry(name.path).or_insert(why);
            *known = why.min(*known);
        };
        let mut look = |filed: Option<&Vec<usize>>| {
            filed
                .into_iter()
                .flatten()
                .take(LOOKED_AT)
                .for_each(&mut add);
        };
        look(self.whole.get(&wanted));
        look(self.shortened.get(&wanted));
        for shorter in shortened(&wanted) {
            look(self.whole.get(&shorter));
            look(self.shortened.get(&shorter));
        }
        let mut found: Vec<(Likeness, usize, &VaultPath)> = found
            .into_iter()
            .map(|(path, why)| (why, path.as_str().len(), path))
            .collect();
        found.sort_unstable();
        let text = found
            .into_iter()
            .take(MOST)
            .map(|(why, _, path)| Candidate {
                why,
                ..Candidate::named(path.to_string())
            });
        text.collect()
    }
}

/// Returns the aliases in properties, the JSON text of an object.
pub(super) fn aliases(properties: &str) -> Vec<String> {
    let properties: Value = serde_json::from_str(properties).unwrap_or_default();
    let Value::Object(properties) = properties else {
        return Vec::new();
    };
    Frontmatter { properties }.aliases()
}

/// Letters and digits in lower case.
fn key(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the texts that remain when one character is removed. Nothing for short texts, which would be like any other,
/// and for very long ones.
fn shortened(key: &str) -> impl Iterator<Item = String> {
    let length = key.chars().count();
    let worth = if (3..=LONGEST).contains(&length) {
        key
    } else {
        ""
    };
    worth.char_indices().map(move |(at, character)| {
        let (before, rest) = worth.split_at(at);
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        format!("{before}{after}")
    })
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    #[test]
    fn names_that_are_like_a_text() {
        let files = [
            "Garden plan.md",
            "People/Ada.md",
            "Old/garden-plan.md",
            "Reading/読書メモ.md",
            "mill.png",
            "Ab.md",
        ]
        .map(path);
        let mut names = Names::default();
        for file in &files {
            names.add_file(file);
        }
        names.add_aliases(&files[1], r#"{"aliases":["The Countess"]}"#);
        let like = |text: &str| -> String {
            let found = names.like(text).into_iter();
            let shown = found.map(|candidate| format!("{}:{:?}", candidate.path, candidate.why));
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            like("garden_plan"),
            "Garden plan.md:Name Old/garden-plan.md:Name"
        );
        assert_eq!(
            like("Gone/Garden Plan.md"),
            "Garden plan.md:Name Old/garden-plan.md:Name"
        );
        for spelling in ["gardn plan", "gardden plan", "gerden plan", "graden plan"] {
            assert_eq!(
                like(spelling),
                "Garden plan.md:Spelling Old/garden-plan.md:Spelling",
                "{spelling}"
            );
        }
        assert_eq!(like("gadren plna"), "", "two mistakes");
        assert_eq!(like("the countess"), "People/Ada.md:Alias");
        assert_eq!(like("the contess"), "People/Ada.md:Spelling");
        assert_eq!(like("読書メ"), "Reading/読書メモ.md:Spelling");
        assert_eq!(like("mill.png"), "mill.png:Name");
        assert_eq!(like("ab"), "Ab.md:Name");
        for none in ["", "ax", "///", "b"] {
            assert_eq!(like(none), "", "{none}");
        }
    }

    #[test]
    fn five_are_listed_and_many_similar_names_are_fast() {
        let files: Vec<VaultPath> = (0..3000)
            .map(|number| path(&format!("{number}/Index.md")))
            .collect();
        let mut names = Names::default();
        for file in &files {
            names.add_file(file);
        }
        for _ in 0..2000 {
            assert_eq!(names.like("Indx").len(), 5);
        }
    }
}
