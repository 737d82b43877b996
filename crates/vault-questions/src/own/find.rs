//! `notes:find` (`contracts.md` C08, M26): finds the files that have a name.

use std::cmp::Reverse;

use obsidian_note::path::normal_spelling;
use obsidian_note::shown::rows;
use obsidian_note::{VaultPath, words};
use serde_json::Value;
use vault_files::Vault;
use vault_index::listed_files::in_order;
use vault_index::target::folder;
use vault_index::{IndexedVault, Properties, Seen};

use super::javascript::text_of;
use super::likeness::{Candidate, aliases, names};
use super::note::line_of;
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<FoundNotes>("notes:find", "found-notes", find).with_total();

/// The files that bear a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundNotes {
    /// The files; the one that a link with this text opens comes first.
    #[serde(flatten)]
    pub list: List<FoundNote>,
    /// Files with a name like it, where none bears it; at most 5.
    pub nearest: Vec<Candidate>,
}

/// One file that bears a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundNote {
    /// The file.
    pub path: String,
    /// The part of the file that has the name.
    pub found_by: FoundBy,
    /// Whether a link with this text opens it.
    pub opens: bool,
    /// The line of the heading or block that the text behind `#` names, from 1. Only where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

words! {
    /// The part of a file that has a name, ignoring case.
    #[derive(PartialOrd, Ord, JsonSchema)]
    pub enum FoundBy {
        /// Its path, with or without `.md`.
        Path = "path",
        /// The end of its path: its name, or its name with folders before it.
        Name = "name",
        /// One of its aliases.
        Alias = "alias",
        /// Its property `title`.
        Title = "title",
    }
}

impl AnswerData for FoundNotes {
    /// Lines of a path, a tab and what has the name; if nothing has it, the candidates.
    fn text(&self) -> String {
        let items = self.list.items.iter();
        let mut lines =
            rows(items.map(|item| [item.path.clone(), item.found_by.name().to_owned()]));
        for candidate in &self.nearest {
            lines += if lines.is_empty() { "" } else { "\n" };
            lines += &rows([[format!("Did you mean {}?", candidate.path)]]);
        }
        lines
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.list)
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        let found = self.list.items.iter_mut().map(|note| &mut note.path);
        found
            .chain(self.nearest.iter_mut().map(|near| &mut near.path))
            .for_each(visit);
    }
}

/// The number of files in an answer unless `limit` is given.
const LIMIT: usize = 20;

/// Returns the files whose path, name, alias or title is the given text, in any casing. The one that a link with this
/// text opens comes first. Without a match the nearest names are given.
pub(super) fn find(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let wanted = arguments
        .text("name")
        .ok_or_else(|| EngineError::argument("name", "a name"))?;
    let seen = Seen::<Properties>::read(vault)?;
    let folder = folder(arguments, "folder");
    let mut items = named(vault, &seen, wanted)?;
    // A name may contain `#`. The text after it is a heading or block only if no file has the whole
    // name.
    if items.is_empty()
        && let Some((name, place)) = wanted.split_once('#')
    {
        items = named(vault, &seen, name.trim())?;
        items.retain_mut(|item| {
            item.line = line_of(vault, &item.path, place);
            item.line.is_some()
        });
    }
    items.retain(|item| folder.is_above(&item.path));
    if arguments.flag("total") {
        return Ok(Reply::new(total(items.len()), seen.warnings));
    }
    let nearest = if items.is_empty() && folder.is_root() {
        names(&seen).like(wanted)
    } else {
        Vec::new()
    };
    let answer = FoundNotes {
        list: page_of(items, arguments, LIMIT),
        nearest,
    };
    Ok(Reply::new(answer, seen.warnings))
}

/// Returns the files with a name; the file that a link with this text opens comes first.
fn named(
    vault: &Vault,
    seen: &Seen<Properties>,
    requested: &str,
) -> Result<Vec<FoundNote>, EngineError> {
    let wanted = WantedName::from_text(requested);
    let (index, _) = IndexedVault(vault).link_index()?;
    let opened = index.resolve(requested, &VaultPath::root()).path();
    let mut items = found(seen, &wanted, opened.as_ref());
    items.sort_by(|left, right| {
        let key = |item: &FoundNote| (Reverse(item.opens), item.found_by, item.path.len());
        key(left)
            .cmp(&key(right))
            .then_with(|| left.path.cmp(&right.path))
    });
    Ok(items)
}

fn found(
    seen: &Seen<Properties>,
    wanted: &WantedName,
    opened: Option<&VaultPath>,
) -> Vec<FoundNote> {
    let mut properties_of = in_order(seen.column.iter());
    let items = seen.listed_files().filter_map(|(id, path)| {
        let found_by = wanted
            .in_path(path)
            .or_else(|| wanted.in_properties(&properties_of(id)?.0))?;
        Some(FoundNote {
            path: path.to_string(),
            found_by,
            opens: Some(path) == opened,
            line: None,
        })
    });
    items.collect()
}

/// The name to look for, in lower case.
struct WantedName {
    text: String,
    with_extension: String,
}

impl WantedName {
    fn from_text(wanted: &str) -> Self {
        let text = normal_spelling(wanted).trim().to_lowercase();
        let text = text.strip_prefix('/').unwrap_or(&text).to_owned();
        Self {
            with_extension: format!("{text}.md"),
            text,
        }
    }

    fn in_path(&self, path: &VaultPath) -> Option<FoundBy> {
        let path = path.as_str().to_lowercase();
        [&self.text, &self.with_extension]
            .into_iter()
            .find_map(|text| {
                let before = path.strip_suffix(text.as_str())?;
                if before.is_empty() {
                    // A text without folders that matches only with `.md` added is a name, not a
                    // path.
                    let is_path = text.contains('/') || *text == self.text;
                    Some(if is_path {
                        FoundBy::Path
                    } else {
                        FoundBy::Name
                    })
                } else {
                    before.ends_with('/').then_some(FoundBy::Name)
                }
            })
    }

    fn in_properties(&self, properties: &str) -> Option<FoundBy> {
        let is_it = |text: &str| normal_spelling(text).trim().to_lowercase() == self.text;
        if aliases(properties).iter().any(|alias| is_it(alias)) {
            return Some(FoundBy::Alias);
        }
        let properties: Value = serde_json::from_str(properties).ok()?;
        let title = properties.get("title").filter(|title| !title.is_null())?;
        is_it(&text_of(title)).then_some(FoundBy::Title)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::Vault;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("find_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    fn describe(vault: &Vault, name: &str) -> String {
        let found = ask(vault, &format!("notes:find name={name}"));
        let items = found["items"].as_array().unwrap().iter();
        let shown = items.map(|item| {
            let opens = if item["opens"] == true { "!" } else { "" };
            format!(
                "{}{opens}:{}",
                item["path"].as_str().unwrap(),
                item["foundBy"].as_str().unwrap()
            )
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn everything_with_the_name_is_listed() {
        let (_folder, vault) = vault(&NOTES);
        assert_eq!(
            describe(&vault, "GARDEN"),
            "Garden.md!:name Plants/garden.md:name hidden/Garden.md:name Plants/List.md:alias Projects/Plan.md:title"
        );
        assert_eq!(describe(&vault, "plants/garden"), "Plants/garden.md!:path");
        assert_eq!(
            describe(&vault, "Garden.md"),
            "Garden.md!:path Plants/garden.md:name hidden/Garden.md:name"
        );
        assert_eq!(describe(&vault, "the_beds"), "Plants/List.md:alias");
        assert_eq!(describe(&vault, "mill.png"), "mill.png!:path");
        assert_eq!(describe(&vault, "mill"), "");
        assert_eq!(
            ask(&vault, "notes:find name=garden total"),
            json!({"total": 5})
        );
        let page = ask(&vault, "notes:find name=garden limit=1 offset=4");
        assert_eq!(
            (&page["total"], &page["items"][0]["foundBy"]),
            (&json!(5), &json!("title"))
        );
        fails(&vault, "notes:find");
    }

    #[test]
    fn a_heading_or_block_of_a_file_is_found() {
        let (_folder, vault) = vault(&[
            ("a.md", "text ^b1\n\n# The Plan: now\n"),
            ("x/b.md", "# The plan now\n"),
            ("odd#name.md", ""),
        ]);
        let line = |name: &str| {
            ask(&vault, &format!("notes:find name={name}"))["items"][0]["line"].clone()
        };
        assert_eq!(line("a#the_plan_now"), 3);
        assert_eq!(line("a#^B1"), 1);
        assert_eq!(describe(&vault, "a#nothing"), "");
        assert_eq!(describe(&vault, "odd#name"), "odd#name.md!:name");
        assert_eq!(ask(&vault, "notes:find name=b folder=y")["total"], 0);
        assert_eq!(ask(&vault, "notes:find name=b folder=x")["total"], 1);
    }

    #[test]
    fn a_name_that_nobody_bears_has_neighbours() {
        let (_folder, vault) = vault(&NOTES);
        let found = ask(&vault, "notes:find name=gardn");
        assert_eq!(found["total"], 0);
        let near: Vec<&str> = found["nearest"]
            .as_array()
            .unwrap()
            .iter()
            .map(|near| near["path"].as_str().unwrap())
            .collect();
        assert_eq!(
            near,
            [
                "Garden.md",
                "Plants/List.md",
                "Plants/garden.md",
                "hidden/Garden.md"
            ]
        );
        assert_eq!(
            text(&vault, "notes:find name=the_bed"),
            "Did you mean Plants/List.md?\n"
        );
    }

    #[test]
    fn d13_what_may_not_be_seen_bears_no_name() {
        let (_folder, vault) = vault(&NOTES);
        let (found, _) = ask_without(&vault, "Garden", "notes:find name=garden");
        assert_eq!(found["total"], 4);
        // A link opens the next file that it could mean.
        assert_eq!(
            (&found["items"][0]["path"], &found["items"][0]["opens"]),
            (&json!("hidden/Garden.md"), &json!(true))
        );
        let (found, _) = ask_without(&vault, "", "notes:find name=gardn");
        assert_eq!(found["nearest"], json!([]));
    }
}
