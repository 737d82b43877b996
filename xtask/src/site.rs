//! `cargo xtask site`: the documentation as a site, by mdBook.
//!
//! The pages are written to be read in the repository. On the site the repository's root is the folder of the pages, so
//! each link is rewritten, and linked files outside `docs/` are copied too. In place of `docs/threats.toml`, the site has the
//! page made of it, and the page of codes is made from the types. The output of mdBook is checked: every link inside the site leads to a page, and to a heading of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use chores::{Fault, below, command, copy, ensure, remove, repository, succeeds, write};
use pulldown_cmark::{Event, Parser, Tag};

use crate::generate::pages;
use crate::threats;

/// The folder of the pages in the repository.
const DOCS: &str = "docs";

/// The list of pages, which are rendered; every other file is copied.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The page of codes and exit statuses, which the repository does not have.
const CODES: &str = "docs/codes.md";

/// Builds the site into `target/site`.
pub(crate) fn run() -> Result<String, Fault> {
    let root = repository();
    let staged = root.join("target/site-sources");
    remove(&staged)?;
    let pages = stage(root, &staged.join(DOCS))?;
    copy(&root.join("book.toml"), &staged.join("book.toml"))?;
    let site = root.join("target/site");
    let mut mdbook = command("mdbook");
    mdbook
        .arg("build")
        .arg(&staged)
        .arg("--dest-dir")
        .arg(&site);
    let is_built = succeeds(&mut mdbook);
    ensure(
        is_built.map_err(|error| format!("{error} (cargo install mdbook)"))?,
        "mdbook fails",
    )?;
    let links = check(&site)?;
    let index = site.join("index.html");
    Ok(format!(
        "{pages} pages, {links} links that lead somewhere: {}",
        index.display()
    ))
}

/// Checks that each link inside the site leads to a file of it, and to the element that it names, if any. Counts the
/// links.
fn check(site: &Path) -> Result<usize, Fault> {
    let mut texts = BTreeMap::new();
    for file in below(site, true)? {
        if file.extension() == Some("html".as_ref()) {
            let text = fs_err::read_to_string(site.join(&file))?;
            texts.insert(site.join(file), text);
        }
    }
    let mut count = 0;
    let mut dead = Vec::new();
    // It is served for any address, and so names its links from the root.
    for (page, text) in texts.iter().filter(|(page, _)| !page.ends_with("404.html")) {
        let links = [" href=\"", " src=\""]
            .iter()
            .flat_map(|start| text.split(start).skip(1));
        let links = links.filter_map(|link| link.split('"').next());
        for link in links.filter(|link| !link.contains(':') && !link.is_empty()) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = page.parent().unwrap_or(site);
            let file = if path.is_empty() {
                page.clone()
            } else {
                normal(&folder.join(path))
            };
            let element = format!("id=\"{anchor}\"");
            let is_element =
                anchor.is_empty() || texts.get(&file).is_some_and(|text| text.contains(&element));
            if !file.is_file() || !is_element {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    ensure(
        dead.is_empty(),
        &format!("these links lead nowhere:\n{}", dead.join("\n")),
    )?;
    Ok(count)
}

/// Copies the pages and what they link to, and counts the pages.
fn stage(root: &Path, staged: &Path) -> Result<usize, Fault> {
    let mut waiting = vec![PathBuf::from(SUMMARY)];
    let mut seen = BTreeSet::from([PathBuf::from(SUMMARY)]);
    let mut pages = BTreeSet::new();
    while let Some(file) = waiting.pop() {
        let target = staged.join(place(&file));
        if file != Path::new(SUMMARY) && !pages.contains(&file) {
            copy(&root.join(&file), &target)?;
            continue;
        }
        let text = if file == Path::new(threats::SOURCE) {
            threats::page(root)?
        } else if file == Path::new(CODES) {
            pages::codes()
        } else {
            fs_err::read_to_string(root.join(&file))?
        };
        let (text, linked) = rewritten(&text, &file);
        if file == Path::new(SUMMARY) {
            pages.extend(linked.iter().cloned());
        }
        write(&target, &text)?;
        waiting.extend(linked.into_iter().filter(|file| seen.insert(file.clone())));
    }
    Ok(pages.len())
}

/// The place of a repository's file among the sources of the site.
fn place(file: &Path) -> &Path {
    if file == Path::new(threats::SOURCE) {
        return Path::new(threats::PAGE);
    }
    file.strip_prefix(DOCS).unwrap_or(file)
}

/// The text of a page with its links as they are on the site, and the files that it links to.
fn rewritten(text: &str, page: &Path) -> (String, BTreeSet<PathBuf>) {
    let mut changes = Vec::new();
    let mut linked = BTreeSet::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
            continue;
        };
        let (path, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
        if path.is_empty() || path.contains("://") {
            continue;
        }
        let folder = page.parent().unwrap_or(Path::new(""));
        let file = normal(&folder.join(path));
        let hash = if anchor.is_empty() { "" } else { "#" };
        let link = format!("{}{hash}{anchor}", relative(place(page), place(&file)));
        // The target is the last match: the text of a link may contain it too.
        if let Some(start) = text[range.clone()].rfind(&*dest_url) {
            let start = range.start + start;
            changes.push((start..start + dest_url.len(), link));
        }
        linked.insert(file);
    }
    let mut text = text.to_owned();
    changes.sort_by_key(|(range, _)| range.start);
    for (range, link) in changes.into_iter().rev() {
        text.replace_range(range, &link);
    }
    (text, linked)
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

/// The link from one file to another: up to the root, and down.
fn relative(from: &Path, to: &Path) -> String {
    let up = "../".repeat(from.components().count() - 1);
    format!("{up}{}", to.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_same_file_on_the_site() {
        let page = Path::new("docs/reference/contracts.md");
        let text =
            "[a](../threats.toml#b), `[c](d)`, [e](https://e), [f](#f), [g](../../schemas/g.json)";
        let (text, linked) = rewritten(text, page);
        assert_eq!(
            text,
            "[a](../threats.md#b), `[c](d)`, [e](https://e), [f](#f), [g](../schemas/g.json)"
        );
        let linked: Vec<_> = linked
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        assert_eq!(linked, ["docs/threats.toml", "schemas/g.json"]);
    }

    #[test]
    fn a_file_of_the_root_links_to_the_pages_beside_it() {
        let (text, _) = rewritten("[docs/a.md](docs/a.md)", Path::new("SECURITY.md"));
        assert_eq!(text, "[docs/a.md](a.md)");
    }
}
