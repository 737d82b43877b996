//! Moves in random small vaults keep the graph and every byte outside of links.

use obsidian_note::scan::scan;
use obsidian_note::{Frontmatter, LinkIndex, Resolution, VaultPath};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use vault_files::Vault;
use vault_files::vault::testing::vault;

use super::testing::{Edges, Files, applied, files, graph, plan};
use crate::Edit;

#[derive(Clone, Debug)]
struct RandomReference {
    /// The file that is linked to; one past the last means no file.
    file: Index,
    /// The number of components of its path that are written.
    reach: u8,
    extension: bool,
    form: u8,
    subpath: &'static str,
    shown: u8,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    paths: Vec<String>,
    links: Vec<Vec<RandomReference>>,
    pub(super) moved: Index,
    folder: Index,
    name: Option<&'static str>,
    format: &'static str,
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    let folder = select(vec!["", "x/", "y/", "x/y/", "x y/"]);
    let stem = select(vec!["a", "b", "A b", "c.d", "é%20(1"]);
    let extension = select(vec!["md", "md", "md", "md", "png", "canvas"]);
    let path =
        (folder, stem, extension).prop_map(|(folder, stem, ext)| format!("{folder}{stem}.{ext}"));
    let reference = (
        any::<Index>(),
        0_u8..7,
        any::<bool>(),
        0_u8..8,
        select(vec!["", "", "#H", "#a b#^c"]),
        0_u8..4,
    )
        .prop_map(
            |(file, reach, extension, form, subpath, shown)| RandomReference {
                file,
                reach,
                extension,
                form,
                subpath,
                shown,
            },
        );
    let name = select(vec![
        None,
        Some("a"),
        Some("b"),
        Some("New"),
        Some("c.d.md"),
        Some("x 50%25'.md"),
        Some("é[1]).md"),
    ]);
    (
        prop::collection::btree_set(path, 2..8),
        prop::collection::vec(prop::collection::vec(reference, 0..7), 8),
        any::<Index>(),
        any::<Index>(),
        name,
        select(vec!["shortest", "relative", "absolute"]),
    )
        .prop_map(|(paths, links, moved, folder, name, format)| Case {
            paths: paths.into_iter().collect(),
            links,
            moved,
            folder,
            name,
            format,
        })
}

impl Case {
    /// The linkpath of a link in `source`.
    fn linkpath(&self, reference: &RandomReference, source: &str) -> String {
        let place = reference.file.index(self.paths.len() + 1);
        let path = self.paths.get(place).map_or("no/none.md", String::as_str);
        let path = if reference.extension {
            path
        } else {
            path.strip_suffix(".md").unwrap_or(path)
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        let up = "../".repeat(source.matches('/').count());
        match reference.reach {
            0 | 1 => name.to_owned(),
            2 => path.to_owned(),
            3 if up.is_empty() => format!("./{path}"),
            3 => format!("{up}{path}"),
            4 => format!("/{path}"),
            5 => name.to_uppercase(),
            _ => format!("./{name}"),
        }
    }

    fn link(&self, reference: &RandomReference, source: &str) -> String {
        let target = self.linkpath(reference, source);
        let name = target.rsplit('/').next().unwrap_or_default();
        let shown = match reference.shown {
            0 => "",
            1 => "shown",
            2 => name.strip_suffix(".md").unwrap_or(name),
            _ => target.strip_suffix(".md").unwrap_or(&target),
        };
        let subpath = reference.subpath;
        let encoded = target
            .replace('%', "%25")
            .replace(' ', "%20")
            .replace('(', "%28");
        let plain = subpath.replace(' ', "%20");
        let alias = if shown.is_empty() {
            String::new()
        } else {
            format!("|{shown}")
        };
        match reference.form {
            0 | 1 => format!("[[{target}{subpath}{alias}]]"),
            2 => format!("![[{target}{subpath}{alias}]]"),
            3 => format!("[{shown}]({encoded}{plain} \"title\")"),
            4 => format!("![{shown}](<{}{subpath}>)", target.replace('%', "%25")),
            5 => format!("`[[{target}]]`"),
            6 => format!("$[[{target}]]$"),
            _ => format!(
                "\n\n|[[{target}{subpath}{}]]|\n|-|\n\n",
                alias.replace('|', "\\|")
            ),
        }
    }

    fn text(&self, place: usize) -> String {
        let source = &self.paths[place];
        let links: Vec<String> = self.links[place]
            .iter()
            .map(|reference| self.link(reference, source))
            .collect();
        if source.ends_with(".canvas") {
            let mut cards: Vec<serde_json::Value> = links
                .iter()
                .map(|link| serde_json::json!({"type": "text", "text": format!("é \"{link}\n")}))
                .collect();
            cards.extend(self.links[place].iter().map(|reference| {
                let path = &self.paths[reference.file.index(self.paths.len())];
                serde_json::json!({"type": "file", "file": path})
            }));
            return serde_json::to_string_pretty(&serde_json::json!({ "nodes": cards })).unwrap();
        }
        let is_property = |link: &&String| link.starts_with('[');
        let mut text = String::from("---\r\nlist:\r\n");
        for link in links.iter().filter(is_property) {
            text.push_str(&format!("- '{}' # [[a]]\r\n", link.replace('\'', "''")));
            let escaped = link.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("-  \"{escaped}\"\r\n"));
        }
        text.push_str("---\r\n");
        text + &links.join(" é \\[[ ")
    }

    fn files(&self) -> Vec<(String, String)> {
        (0..self.paths.len())
            .map(|place| (self.paths[place].clone(), self.text(place)))
            .collect()
    }

    /// The file that is moved, and its new path.
    fn journey(&self) -> (String, String) {
        let from = &self.paths[self.moved.index(self.paths.len())];
        let other = &self.paths[self.folder.index(self.paths.len())];
        let folder = other.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (stem, extension) = from.rsplit_once('.').unwrap();
        let stem = stem.rsplit('/').next().unwrap();
        let name = match self.name {
            None => format!("{stem}.{extension}"),
            Some(name) => format!("{}.{extension}", name.strip_suffix(".md").unwrap_or(name)),
        };
        let to = [folder, &name].join("/");
        (from.clone(), to.trim_start_matches('/').to_owned())
    }
}

/// The text of a file without the links of its body and its properties.
fn without_links(path: &VaultPath, bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap();
    if !path.is_note() {
        let canvas: serde_json::Value = serde_json::from_str(text).unwrap();
        let nodes = canvas["nodes"].as_array().unwrap().iter().map(|node| {
            let card = node["text"].as_str().unwrap_or_default();
            without_links(&VaultPath::file("a.md").unwrap(), card.as_bytes())
        });
        // All lines but the lines of the two keys must be unchanged.
        let is_changed = |line: &&str| {
            let line = line.trim_start();
            line.starts_with("\"file\"") || line.starts_with("\"text\"")
        };
        let others = text.lines().filter(|line| !is_changed(line));
        return nodes.chain(others.map(str::to_owned)).collect();
    }
    let facts = scan(text);
    let mut spans: Vec<(usize, usize)> = facts
        .links
        .iter()
        .chain(&facts.embeds)
        .map(|link| (link.span.start.byte as usize, link.span.end.byte as usize))
        .collect();
    spans.sort_unstable();
    let mut rest = String::new();
    let mut at = 0;
    for (start, end) in spans {
        if start >= at {
            rest.push_str(&text[at..start]);
            rest.push('\u{1}');
        }
        at = at.max(end);
    }
    rest.push_str(&text[at..]);
    for link in Frontmatter::parse_note(text).unwrap().links() {
        let double = link.original.replace('\\', "\\\\").replace('"', "\\\"");
        let single = link.original.replace('\'', "''");
        rest = rest.replace(&format!("'{single}'"), "\u{1}");
        rest = rest.replace(&format!("\"{double}\""), "\u{1}");
    }
    rest
}

/// The links of a body, each as its target and its whole text.
fn originals(bytes: &[u8]) -> Vec<(String, String)> {
    let facts = scan(std::str::from_utf8(bytes).unwrap());
    let links = facts.links.into_iter().chain(facts.embeds);
    links
        .map(|link| {
            let linkpath = link.target.split('#').next().unwrap_or_default();
            (linkpath.trim().to_owned(), link.original)
        })
        .collect()
}

fn target(index: &LinkIndex, linkpath: &str, source: &VaultPath) -> Option<VaultPath> {
    match index.resolve(linkpath, source) {
        Resolution::Found(found) => Some(found.path),
        Resolution::Missing => None,
    }
}

/// The files after the plan, with each link of a body back to its old text if it still leads to the
/// same file.
fn kept(
    before: &Files,
    edit: &Edit,
    place: impl Fn(&VaultPath) -> VaultPath,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(&edit.warnings, &[]);
    let after = applied(before, &edit.changes);
    let (edges, missing) = graph(before);
    let (edges_after, missing_after) = graph(&after);
    let mut expected: Edges = edges
        .into_iter()
        .map(|((source, destination), count)| ((place(&source), place(&destination)), count))
        .collect();
    // An unresolved link may lead to a new path; apart from that no link appears or disappears.
    let index = LinkIndex::new(after.keys().cloned());
    let mut still_missing = missing.clone();
    still_missing.clear();
    for ((source, linkpath), count) in missing {
        let source = place(&source);
        match target(&index, &linkpath, &source) {
            Some(reached) => *expected.entry((source, reached)).or_default() += count,
            None => *still_missing.entry((source, linkpath)).or_default() += count,
        }
    }
    prop_assert_eq!(edges_after, expected);
    prop_assert_eq!(missing_after, still_missing);

    let old_index = LinkIndex::new(before.keys().cloned());
    for (path, bytes) in before {
        let new: &Vec<u8> = &after[&place(path)];
        if !path.is_indexed() {
            prop_assert_eq!(new, bytes);
            continue;
        }
        prop_assert_eq!(without_links(path, new), without_links(path, bytes));
        if !path.is_note() {
            continue;
        }
        for ((linkpath, old), (_, new)) in originals(bytes).into_iter().zip(originals(new)) {
            let wanted = target(&old_index, &linkpath, path).as_ref().map(&place);
            let still_leads = target(&index, &linkpath, &place(path)) == wanted;
            prop_assert_eq!(
                old == new,
                still_leads || wanted.is_none(),
                "{} {}",
                old,
                new
            );
        }
    }
    prop_assert_eq!(before.len(), after.len());
    Ok(())
}

impl Case {
    pub(super) fn vault(&self) -> (tempfile::TempDir, Vault) {
        let written = self.files();
        let mut notes: Vec<(&str, &str)> = written
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let app = format!("{{\"newLinkFormat\":\"{}\"}}", self.format);
        notes.push((".obsidian/app.json", &app));
        vault(&notes)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_move_keeps_the_graph_and_every_other_byte(case in case()) {
        let (_folder, vault) = case.vault();
        let before = files(vault.root());
        let (from, to) = case.journey();
        let Ok(edit) = plan(&vault, "move", &[("path", &from), ("to", &to)]) else {
            prop_assert!(before.keys().any(|path| path.as_str().to_lowercase() == to.to_lowercase()));
            return Ok(());
        };
        let (from, to) = (VaultPath::file(&from).unwrap(), VaultPath::file(&to).unwrap());
        kept(&before, &edit, |path| if *path == from { to.clone() } else { path.clone() })?;
    }

    #[test]
    fn a_moved_folder_keeps_the_graph_and_every_other_byte(
        case in case(),
        to in select(vec!["z", "b", "X", "x 2", "y/x", "y/y", "new/x", "x y/x"]),
    ) {
        let (_folder, vault) = case.vault();
        let before = files(vault.root());
        let Ok(edit) = plan(&vault, "folder:move", &[("path", "x"), ("to", to)]) else {
            let is_missing = !before.keys().any(|path| path.as_str().starts_with("x/"));
            let is_taken = before.keys().any(|path| path.as_str().starts_with(&format!("{to}/")));
            prop_assert!(is_missing || is_taken);
            return Ok(());
        };
        kept(&before, &edit, |path| match path.as_str().strip_prefix("x/") {
            Some(rest) => VaultPath::file(&format!("{to}/{rest}")).unwrap(),
            None => path.clone(),
        })?;
    }
}
