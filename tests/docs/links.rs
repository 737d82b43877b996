//! Every link of the documents leads somewhere: to a file of the repository, and to a heading of it
//! where the link names one. Every page is on the site (`docs/SUMMARY.md`), and so are the pages
//! that the site makes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::root;
use crate::support::texts_of;

/// The pages in the root of the repository.
const ROOT_PAGES: [&str; 4] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
];

/// The page that the site has and the repository does not (`xtask/src/site.rs`). Only the table of contents names it.
const CODES: &str = "docs/codes.md";

#[test]
fn every_link_leads_to_a_file_and_to_a_heading_of_it() {
    let pages = pages();
    let anchors: BTreeMap<&Path, BTreeSet<String>> = pages
        .iter()
        .map(|(path, text)| (path.as_path(), anchors(text)))
        .collect();
    let mut seen = 0;
    let mut dead = Vec::new();
    for (page, text) in &pages {
        for link in links(text) {
            seen += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = page.parent().unwrap();
            let file = if path.is_empty() {
                page.clone()
            } else {
                normal(&folder.join(path))
            };
            let is_there = root().join(&file).is_file()
                || (file == Path::new(CODES) && page.ends_with("SUMMARY.md"));
            let is_heading = anchor.is_empty()
                || anchors
                    .get(file.as_path())
                    .is_some_and(|known| known.contains(anchor));
            if !is_there || !is_heading {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(seen > 80, "{seen} links");
}

#[test]
fn every_page_is_on_the_site_once() {
    let summary = fs_err::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<PathBuf> = links(&summary)
        .iter()
        .map(|link| normal(&Path::new("docs").join(link)))
        .collect();
    listed.sort_unstable();
    let mut pages: Vec<PathBuf> = pages().into_iter().map(|(path, _)| path).collect();
    // The site makes these pages; the front page of the repository is not on it.
    pages.extend(["docs/threats.toml", CODES].map(PathBuf::from));
    pages.retain(|path| path != Path::new("README.md") && path != Path::new("docs/SUMMARY.md"));
    pages.sort_unstable();
    assert_eq!(listed, pages);
}

/// The pages with their texts, by their paths below the repository.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = texts_of(&["docs"], &["md"]).into_iter();
    let root_pages = ROOT_PAGES.map(|page| {
        let text = fs_err::read_to_string(root().join(page)).unwrap();
        (page.to_owned(), text)
    });
    docs.chain(root_pages)
        .map(|(path, text)| (PathBuf::from(path), text))
        .collect()
}

/// The targets of the links and pictures of a page that are not on the net.
fn links(text: &str) -> Vec<String> {
    let targets = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    });
    targets.filter(|target| !target.contains("://")).collect()
}

/// The names by which links name the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    let letters = text.chars().filter_map(|letter| match letter {
                        ' ' => Some('-'),
                        '-' | '_' => Some(letter),
                        _ => letter
                            .is_alphanumeric()
                            .then(|| letter.to_ascii_lowercase()),
                    });
                    heading.extend(letters);
                }
            }
            _ => {}
        }
    }
    anchors
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts
}
