//! `links:list` (`design/tasks.md`): the single links of one note or of all.

use std::collections::HashMap;
use std::sync::Arc;

use obsidian_note::frontmatter::split_unmarked;
use obsidian_note::scan::scan;
use obsidian_note::{Frontmatter, Heading, Link, LinkIndex, VaultPath, byte_order_mark};
use vault_files::{Args, Refusal, Vault};
use vault_index::target::{folder, is_about_one};
use vault_index::{IndexedVault, Properties, Seen, Target};

use super::graph::Graph;
use super::note::{called, text_now};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<ListedLink>>("links:list", "link-list", list).with_total();

/// One link with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedLink {
    /// The note that contains it.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its first character in the line, from 1.
    pub column: usize,
    /// The form of the link.
    pub kind: LinkKind,
    /// The link as written.
    pub markup: String,
    /// The target as written, with its `#heading` or `#^block`.
    pub target: String,
    /// The file that this is. Not for a link that leads nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
    /// The nearest heading above it. Only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The line that contains it, cut to 200 characters.
    pub line_text: String,
    /// The title of the note that contains it. Only with `titles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The title of the file to which it leads. Only with `titles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_title: Option<String>,
}

/// The form of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// `[[Note]]`.
    Wikilink,
    /// `[text](Note.md)`.
    Markdown,
    /// `![[Note]]`.
    Embed,
    /// `![text](picture.png)`.
    MarkdownEmbed,
    /// In the properties.
    Property,
}

impl AnswerItem for ListedLink {
    /// Path with line and column, the link, and its target.
    fn cells(&self) -> Vec<String> {
        let leads_to = self.resolved.clone();
        vec![
            format!("{}:{}:{}", self.path, self.line, self.column),
            self.markup.clone(),
            leads_to.unwrap_or_else(|| "(unresolved)".to_owned()),
        ]
    }

    names!(path, resolved, title, resolved_title);
}

/// The number of links in an answer unless `limit` is given.
const LIMIT: usize = 100;
/// The maximum number of characters of a line.
const LONGEST_LINE: usize = 200;

/// Returns the links of one note, or of all notes, in the order of paths and places.
pub(super) fn list(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let (files, left_out) = IndexedVault(vault).link_index()?;
    let filter = LinkFilter {
        to: match arguments.text("to") {
            Some(to) => Some(file_of(&files, to)?),
            None => None,
        },
        is_unresolved: arguments.flag("unresolved"),
    };
    if !is_about_one(arguments) {
        return of_all(vault, arguments, &files, &filter);
    }
    let mut target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let below = folder(arguments, "folder");
    // A note outside of the folder has no links below it.
    let text = if target.path.is_below(&below) {
        target.indexed_bytes(vault)?
    } else {
        target.must_exist(vault)?;
        None
    };
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let links = links_of(&target.path, &text.unwrap_or_default(), &files, &filter);
    let mut warnings = target.warnings;
    warnings.extend(left_out);
    if arguments.flag("total") {
        return Ok(Reply::new(total(links.len()), warnings));
    }
    let mut page = page_of(links, arguments, LIMIT);
    if arguments.flag("titles") {
        add_titles(vault, &mut page.items);
    }
    Ok(Reply::new(page, warnings))
}

/// Adds the titles of the files at both ends: a property, a heading or the name.
fn add_titles(vault: &Vault, links: &mut [ListedLink]) {
    let mut known: HashMap<String, String> = HashMap::new();
    let mut title = |path: &str| {
        let shown = known.entry(path.to_owned()).or_insert_with(|| {
            let Ok(path) = VaultPath::file(path) else {
                return path.to_owned();
            };
            let text = path.is_note().then(|| text_now(vault, &path));
            called(&path, &text.flatten().unwrap_or_default())
        });
        Some(shown.clone())
    };
    for link in links {
        link.title = title(&link.path);
        link.resolved_title = link.resolved.as_deref().and_then(&mut title);
    }
}

/// The conditions that a listed link fulfils.
struct LinkFilter {
    /// Only links to this file.
    to: Option<VaultPath>,
    /// Only links that lead to no file.
    is_unresolved: bool,
}

/// Returns a file by its path, or by a name as in a link.
fn file_of(files: &LinkIndex, wanted: &str) -> Result<VaultPath, EngineError> {
    let found = files.resolve(wanted, &VaultPath::root()).path();
    found.ok_or_else(|| EngineError::file_not_found(wanted))
}

/// Returns one page of the links of all notes. The index has the number of links of each note, so only the notes of the
/// page are read.
fn of_all(
    vault: &Vault,
    arguments: &Args,
    files: &Arc<LinkIndex>,
    filter: &LinkFilter,
) -> Result<Reply, EngineError> {
    let below = folder(arguments, "folder");
    let (graph, seen) = Graph::read::<Properties>(vault)?;
    let counts = counts(&graph, &seen, filter);
    let notes = seen.notes().filter(|(id, path)| {
        path.is_below(&below) && counts.get(*id).is_some_and(|count| *count > 0)
    });
    let notes: Vec<(usize, &VaultPath)> = notes
        .map(|(id, path)| (counts.get(id).copied().unwrap_or_default(), path))
        .collect();
    let all = notes.iter().map(|(count, _)| count).sum();
    if arguments.flag("total") {
        return Ok(Reply::new(total(all), seen.warnings));
    }
    let offset = arguments.number("offset").unwrap_or(0);
    let limit = arguments.number("limit").unwrap_or(LIMIT);
    let mut passed = 0;
    let mut items = Vec::new();
    for (count, path) in notes {
        if items.len() >= limit {
            break;
        }
        passed += count;
        if passed <= offset {
            continue;
        }
        vault.disk().cancellation().check()?;
        // A note that was changed or removed since may have other links, or none.
        let text = text_now(vault, path).unwrap_or_default();
        let skipped = offset.saturating_sub(passed - count);
        let links = links_of(path, &text, files, filter);
        items.extend(links.into_iter().skip(skipped).take(limit - items.len()));
    }
    if arguments.flag("titles") {
        add_titles(vault, &mut items);
    }
    Ok(Reply::new(List::part(items, offset, all), seen.warnings))
}

/// Returns, for each file, the number of links that pass the filter.
fn counts(graph: &Graph, seen: &Seen<Properties>, filter: &LinkFilter) -> Vec<usize> {
    let mut counts = vec![0; seen.files.len()];
    let mut add = |source: usize, count: usize| {
        if let Some(sum) = counts.get_mut(source) {
            *sum += count;
        }
    };
    if !filter.is_unresolved {
        for edge in &graph.edges {
            let leads_there = |to: &VaultPath| seen.files.get(edge.destination) == Some(to);
            if filter.to.as_ref().is_none_or(leads_there) {
                add(edge.source, edge.count);
            }
        }
    }
    if filter.to.is_none() {
        for (source, count) in graph.nowhere.iter().flat_map(|link| &link.uses) {
            add(*source, *count);
        }
    }
    counts
}

/// Returns the links of one note that pass the filter.
fn links_of(
    path: &VaultPath,
    text: &str,
    files: &LinkIndex,
    filter: &LinkFilter,
) -> Vec<ListedLink> {
    let note = LinkText {
        path,
        text: byte_order_mark::strip(text),
        files,
    };
    let mut links = note.in_properties();
    links.extend(note.in_text());
    links.retain(|link| {
        let leads_there = |to: &VaultPath| link.resolved.as_deref() == Some(to.as_str());
        filter.to.as_ref().is_none_or(leads_there)
            && (!filter.is_unresolved || link.resolved.is_none())
    });
    links
}

struct LinkText<'note> {
    path: &'note VaultPath,
    /// The text without its byte order mark.
    text: &'note str,
    files: &'note LinkIndex,
}

impl LinkText<'_> {
    fn in_text(&self) -> Vec<ListedLink> {
        let facts = scan(self.text);
        let mut links: Vec<Link> = facts.links;
        links.extend(facts.embeds);
        links.sort_by_key(|link| link.span.start.byte);
        let mut headings = facts.headings.iter().peekable();
        let mut heading: Option<&Heading> = None;
        let shown = links.into_iter().map(|link| {
            let at = link.span.start.byte;
            while let Some(next) = headings.next_if(|next| next.span.start.byte <= at) {
                heading = Some(next);
            }
            let kind = match link.original.strip_prefix('!') {
                Some(markup) if markup.starts_with("[[") => LinkKind::Embed,
                Some(_) => LinkKind::MarkdownEmbed,
                None if link.original.starts_with("[[") => LinkKind::Wikilink,
                None => LinkKind::Markdown,
            };
            ListedLink {
                heading: heading.map(|heading| heading.text.clone()),
                ..self.listed(at as usize, kind, link.original, link.target)
            }
        });
        shown.collect()
    }

    /// The parsed properties have no positions. So each value is searched for after the end of the value before it; a
    /// value that YAML writes differently gets the place of its key.
    fn in_properties(&self) -> Vec<ListedLink> {
        let Some(block) = split_unmarked(self.text) else {
            return Vec::new();
        };
        let links = Frontmatter::parse_unmarked(self.text).map(|found| found.links());
        let yaml = block.yaml.clone();
        let mut from = yaml.start;
        let shown = links.unwrap_or_default().into_iter().map(|link| {
            let rest = self.text.get(from..yaml.end).unwrap_or_default();
            let at = match rest.find(&link.original) {
                Some(at) => {
                    let at = from + at;
                    from = at + link.original.len();
                    at
                }
                None => self.key_at(yaml.start, &link.key),
            };
            self.listed(at, LinkKind::Property, link.original, link.target)
        });
        shown.collect()
    }

    /// Returns the byte offset of the line that begins with a property; the start of the properties if no line does.
    fn key_at(&self, start: usize, key: &str) -> usize {
        let name = key.split('.').next().unwrap_or(key);
        let rest = self.text.get(start..).unwrap_or_default();
        let mut at = start;
        for line in rest.split_inclusive('\n') {
            if line
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(':'))
            {
                return at;
            }
            at += line.len();
        }
        start
    }

    fn listed(&self, at: usize, kind: LinkKind, markup: String, target: String) -> ListedLink {
        let bytes = self.text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |more| at + more);
        let line = self.text.get(start..end).unwrap_or_default();
        let column = self.text.get(start..at).unwrap_or_default();
        let linkpath = target.split('#').next().unwrap_or_default().trim();
        let resolved = self.files.resolve(linkpath, self.path).path();
        ListedLink {
            path: self.path.to_string(),
            line: memchr::memchr_iter(b'\n', &bytes[..start]).count() + 1,
            column: column.chars().count() + 1,
            kind,
            markup,
            target,
            resolved: resolved.map(|path| path.to_string()),
            heading: None,
            title: None,
            resolved_title: None,
            line_text: line
                .trim_end_matches('\r')
                .chars()
                .take(LONGEST_LINE)
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("links_list_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    #[test]
    fn both_ends_are_called_by_property_heading_or_name() {
        let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
            CASES,
            "both ends are called by property heading",
        ));
        let found = ask(&vault, "links:list path=a.md titles");
        let titles = found["items"].as_array().unwrap().iter().map(|link| {
            let title = |key: &str| link[key].as_str().unwrap().to_owned();
            (title("title"), title("resolvedTitle"))
        });
        let expected = ["Head", "c", "pic"].map(|end| ("By property".to_owned(), end.to_owned()));
        assert_eq!(titles.collect::<Vec<_>>(), expected);
    }

    fn brief(found: &Value) -> Vec<String> {
        let items = found["items"].as_array().unwrap().iter();
        let shown = items.map(|link| {
            format!(
                "{}:{}:{} {} {}",
                link["path"].as_str().unwrap(),
                link["line"],
                link["column"],
                link["kind"].as_str().unwrap(),
                link["resolved"].as_str().unwrap_or("-"),
            )
        });
        shown.collect()
    }

    #[test]
    fn every_link_is_listed_with_its_place() {
        let (_folder, vault) = vault(&NOTES);
        let of_a = [
            "a.md:2:6 property b.md",
            "a.md:4:6 property -",
            "a.md:6:1 wikilink b.md",
            "a.md:6:15 markdown b.md",
            "a.md:9:1 embed pic.png",
            "a.md:9:25 wikilink a.md",
        ];
        let found = ask(&vault, "links:list path=a.md");
        assert_eq!(brief(&found), of_a);
        assert_eq!(
            found["items"][2],
            json!({
                "path": "a.md", "line": 6, "column": 1, "kind": "wikilink", "markup": "[[b#One|é]]",
                "target": "b#One", "resolved": "b.md", "lineText": "[[b#One|é]] ü [b](b.md)",
            })
        );
        assert_eq!(found["items"][5]["heading"], "Head");
        let all = brief(&ask(&vault, "links:list"));
        assert_eq!(all[..6], of_a);
        assert_eq!(
            all[6..],
            [
                "b.md:1:1 markdown-embed pic.png",
                "b.md:1:15 wikilink sub/Secret.md",
                "b.md:3:3 wikilink a.md",
                "b.md:3:13 wikilink -",
                "sub/Secret.md:1:1 wikilink a.md",
            ]
        );
        for offset in 0..12 {
            for limit in 1..5 {
                let line = format!("links:list offset={offset} limit={limit}");
                let page = ask(&vault, &line);
                let end = (offset + limit).min(11);
                assert_eq!(
                    brief(&page),
                    all[offset.min(11)..end.max(offset.min(11))],
                    "{line}"
                );
                assert_eq!(page["total"], 11, "{line}");
            }
        }
        assert_eq!(
            text(&vault, "links:list path=b.md limit=1"),
            "b.md:1:1\t![p](pic.png)\tpic.png\n"
        );
    }

    #[test]
    fn links_are_filtered() {
        let (_folder, vault) = vault(&NOTES);
        for (wanted, expected) in tables::typed::<(&str, usize)>(CASES, "links are filtered") {
            let line = format!("links:list {wanted}");
            let found = ask(&vault, &line);
            assert_eq!(found["total"], expected, "{line}");
            assert_eq!(brief(&found).len(), expected, "{line}");
            assert_eq!(ask(&vault, &format!("{line} total"))["total"], expected);
        }
        fails(&vault, "links:list to=Nobody");
        fails(&vault, "links:list path=pic.png");
    }

    #[test]
    fn d13_a_link_to_what_may_not_be_seen_leads_nowhere() {
        let (_folder, vault) = vault(&NOTES);
        let (found, _) = ask_without(&vault, "sub", "links:list");
        let shown = brief(&found);
        assert_eq!(shown.len(), 10, "{shown:?}");
        assert_eq!(shown[7], "b.md:1:15 wikilink -");
        let (found, _) = ask_without(&vault, "sub", "links:list unresolved total");
        assert_eq!(found["total"], 3);
    }
}
