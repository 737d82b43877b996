//! Vaults at random: few names in few folders, so that names collide and links lead anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use seeded_random::Random;
use serde_json::{Value, json};
use std::sync::LazyLock;
use vault_engine::VaultPath;
use vault_gw::tiers::Policy;

const CASES: &str = include_str!("../data/path_rules_vaults.txt");

/// Folders with their slash.
pub(crate) static FOLDERS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "folders"));
/// Names without extension.
pub(crate) static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "names"));
const EXTENSIONS: &[&str] = &["md", "md", "md", "md", "md", "canvas", "base", "png", "txt"];
/// Rules, as what follows `[paths]`.
static PATTERNS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "patterns"));

/// Tags and properties that notes have, and that close them.
const TAGS: &[&str] = &["plan", "Secret", "a", "a/b", "diary"];
const PROPERTIES: &[&str] = &["status", "Up", "confidential", "aliases"];

/// What closes a note by what is in it.
#[derive(Clone, Default)]
struct Marks {
    tags: Vec<&'static str>,
    properties: Vec<&'static str>,
}

impl Marks {
    /// Whether they close a note of the forms that are made here. Not as the engine does it: word by
    /// word and line by line.
    fn close(&self, path: &str, bytes: &[u8]) -> bool {
        if path.rsplit('.').next() != Some("md")
            || self.tags.is_empty() && self.properties.is_empty()
        {
            return false;
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return true;
        };
        let frontmatter = text
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("---\n"));
        let lines = || frontmatter.into_iter().flat_map(|(lines, _)| lines.lines());
        let words = text
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('#'));
        let listed = lines().filter_map(|line| line.strip_prefix("tags: "));
        let listed = listed.flat_map(|list| list.trim_matches(['[', ']']).split(", "));
        let is_closing = |tag: &str| {
            let tag = tag.to_lowercase();
            self.tags.iter().any(|closing| {
                let closing = closing.to_lowercase();
                tag == closing || tag.starts_with(&format!("{closing}/"))
            })
        };
        let has_property = |line: &str| {
            self.properties.iter().any(|closing| {
                let named = format!("{}:", closing.to_lowercase());
                let value = line.to_lowercase();
                value
                    .strip_prefix(&named)
                    .is_some_and(|value| value.trim() != "false")
            })
        };
        lines().any(|line| line == "a: [")
            || words.chain(listed).any(is_closing)
            || lines().any(has_property)
    }
}

/// Makes some notes and canvases second names of others, on systems that count names.
fn links(files: &mut BTreeMap<String, Vec<u8>>, random: &mut Random) -> BTreeMap<String, String> {
    let mut links: BTreeMap<String, String> = BTreeMap::new();
    let paths: Vec<String> = files.keys().cloned().collect();
    let extension = |path: &str| path.rsplit('.').next().map(str::to_owned);
    for path in &paths {
        let is_indexed = matches!(extension(path).as_deref(), Some("md" | "canvas"));
        let is_first = links.values().any(|first| first == path);
        if !cfg!(unix) || !is_indexed || is_first || !random.once_in(6) {
            continue;
        }
        let firsts = paths.iter().filter(|first| {
            extension(first) == extension(path) && *first != path && !links.contains_key(*first)
        });
        let firsts: Vec<&String> = firsts.collect();
        if let Some(first) = firsts.get(random.below(firsts.len())) {
            files.insert(path.clone(), files[*first].clone());
            links.insert(path.clone(), (*first).clone());
        }
    }
    links
}

/// A made-up vault and rules for it.
#[derive(Clone)]
pub(crate) struct Made {
    files: BTreeMap<String, Vec<u8>>,
    folders: BTreeSet<String>,
    /// Names that are hard links, each with the name of the file whose second name it is.
    links: BTreeMap<String, String>,
    pub(crate) rules: String,
    marks: Marks,
}

impl Made {
    pub(crate) fn at_random(random: &mut Random) -> Self {
        let mut files = BTreeMap::new();
        let mut paths = Vec::new();
        for _ in 0..random.below(30) + 4 {
            let (folder, name) = (random.pick(&FOLDERS), random.pick(&NAMES));
            paths.push(format!("{folder}{name}.{}", random.pick(EXTENSIONS)));
        }
        paths.sort_unstable();
        paths.dedup();
        for path in &paths {
            let bytes = match path.rsplit('.').next() {
                Some("md") => note(&paths, random),
                Some("canvas") => canvas(&paths, random),
                Some("base") => b"views:\n  - type: table\n    name: All\n".to_vec(),
                _ => vec![0x89; random.below(50)],
            };
            files.insert(path.clone(), bytes);
        }
        let mut folders: BTreeSet<String> = BTreeSet::from(["Empty".to_owned(), "A".to_owned()]);
        for path in &paths {
            let above = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
            folders.extend(above);
        }
        let links = if random.once_in(3) {
            links(&mut files, random)
        } else {
            BTreeMap::new()
        };
        files.extend(settings(&paths, random));
        let (rules, marks) = rules(random);
        Self {
            files,
            folders,
            links,
            rules,
            marks,
        }
    }

    /// Whether there are files with several names.
    pub(crate) fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// Whether this is a name of a file with several names.
    fn has_other_names(&self, path: &str) -> bool {
        self.links.contains_key(path) || self.links.values().any(|first| first == path)
    }

    /// Whether notes are closed by what is in them.
    pub(crate) fn closes_notes(&self) -> bool {
        !self.marks.tags.is_empty() || !self.marks.properties.is_empty()
    }

    /// The same vault after some of its notes were written anew.
    pub(crate) fn with_other_notes(mut self, random: &mut Random) -> Self {
        let paths = self.paths();
        for path in paths
            .iter()
            .filter(|path| path.rsplit('.').next() == Some("md"))
        {
            if random.once_in(4) && !self.has_other_names(path) {
                self.files.insert(path.clone(), note(&paths, random));
            }
        }
        self
    }

    /// Whether a file of this vault is open, or would be if there was one.
    pub(crate) fn is_open(&self, path: &str, policy: &Policy) -> bool {
        let first = self.links.get(path).map_or(path, String::as_str);
        let others = self.links.iter().filter(|(_, of)| *of == first);
        let mut names = others.map(|(name, _)| name.as_str()).chain([first, path]);
        names.all(|name| self.is_open_by_itself(name, policy))
    }

    /// The same, whatever other names the file has.
    fn is_open_by_itself(&self, path: &str, policy: &Policy) -> bool {
        let closed = self.files.get(path);
        let closed = closed.is_some_and(|bytes| self.marks.close(path, bytes));
        !closed && VaultPath::file(path).is_ok_and(|path| policy.may_read(&path))
    }

    /// What stands in the vault when the closed files are removed: the folders that may be listed
    /// stay, and the app's lists of files lose what was removed.
    pub(crate) fn without_closed(&self, policy: &Policy) -> Self {
        let is_open = |path: &str| self.is_open(path, policy);
        let kept = self
            .files
            .iter()
            .filter(|(path, _)| path.starts_with('.') || is_open(path));
        let mut files: BTreeMap<String, Vec<u8>> = kept
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect();
        let listed = |files: &mut BTreeMap<String, Vec<u8>>,
                      name: &str,
                      pointer: &str,
                      path: fn(&Value) -> Option<&str>| {
            let mut config: Value = serde_json::from_slice(&files[name]).unwrap();
            if let Some(items) = config.pointer_mut(pointer).and_then(Value::as_array_mut) {
                items.retain(|item| path(item).is_none_or(is_open));
            }
            files.insert(name.to_owned(), config.to_string().into_bytes());
        };
        listed(&mut files, ".obsidian/bookmarks.json", "/items", |item| {
            item["path"].as_str()
        });
        listed(
            &mut files,
            ".obsidian/workspace.json",
            "/lastOpenFiles",
            Value::as_str,
        );
        let folders = self.folders.iter().filter(|folder| {
            VaultPath::folder(folder).is_ok_and(|folder| policy.may_list(&folder))
        });
        let links = self.links.iter().filter(|(name, _)| is_open(name));
        Self {
            links: links
                .map(|(name, first)| (name.clone(), first.clone()))
                .collect(),
            files,
            folders: folders.cloned().collect(),
            rules: self.rules.clone(),
            marks: self.marks.clone(),
        }
    }

    /// Removes from the folder what `rest` is without; all else keeps its times.
    pub(crate) fn remove_closed(&self, root: &Path, rest: &Self) {
        for (path, bytes) in &self.files {
            match rest.files.get(path) {
                None => fs_err::remove_file(root.join(path)).unwrap(),
                Some(kept) if kept != bytes => fs_err::write(root.join(path), kept).unwrap(),
                Some(_) => {}
            }
        }
        let closed: Vec<&String> = self.folders.difference(&rest.folders).collect();
        for folder in closed.iter().rev() {
            // An open file in it would be a mistake of the rules.
            fs_err::remove_dir(root.join(folder)).unwrap();
        }
    }

    /// Makes the folder hold this vault, where it held `rest`; what is the same keeps its times.
    pub(crate) fn write_over(&self, root: &Path, rest: &Self) {
        for folder in &self.folders {
            fs_err::create_dir_all(root.join(folder)).unwrap();
        }
        for (path, bytes) in &self.files {
            if rest.files.get(path) != Some(bytes) && !self.links.contains_key(path) {
                fs_err::write(root.join(path), bytes).unwrap();
            }
        }
        for (path, first) in &self.links {
            if !rest.files.contains_key(path) {
                fs_err::hard_link(root.join(first), root.join(path)).unwrap();
            }
        }
    }

    /// Makes the folder hold this vault and nothing else.
    pub(crate) fn write(&self, root: &Path) {
        for entry in fs_err::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs_err::remove_dir_all(path).unwrap();
            } else {
                fs_err::remove_file(path).unwrap();
            }
        }
        fs_err::create_dir_all(root.join(".obsidian")).unwrap();
        for folder in &self.folders {
            fs_err::create_dir_all(root.join(folder)).unwrap();
        }
        for (path, bytes) in &self.files {
            if !self.links.contains_key(path) {
                fs_err::write(root.join(path), bytes).unwrap();
            }
        }
        for (path, first) in &self.links {
            fs_err::hard_link(root.join(first), root.join(path)).unwrap();
        }
    }

    /// The paths of its files, without the app's own.
    pub(crate) fn paths(&self) -> Vec<String> {
        let paths = self.files.keys().filter(|path| !path.starts_with('.'));
        paths.cloned().collect()
    }

    /// All of it, to be read by a person.
    pub(crate) fn listing(&self) -> String {
        let mut listing = String::new();
        for (path, bytes) in &self.files {
            let text = String::from_utf8_lossy(bytes);
            writeln!(listing, "== {path}\n{text}").unwrap();
        }
        listing
    }
}

/// What the caller can find in the folder: files with their content that are open or were not in
/// `made`, and open folders.
pub(crate) fn picture(root: &Path, policy: &Policy, made: &Made) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![String::new()];
    while let Some(folder) = pending.pop() {
        for entry in fs_err::read_dir(root.join(&folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            let place = root.join(&path);
            let Ok(known) = VaultPath::file(&path) else {
                continue;
            };
            if place.is_dir() {
                if policy.may_list(&known) {
                    found.insert(format!("{path}/"), Vec::new());
                }
                pending.push(path);
            } else if made.is_open(&path, policy) {
                found.insert(path, fs_err::read(place).unwrap());
            }
        }
    }
    found
}

fn link(paths: &[String], random: &mut Random) -> String {
    let path = &paths[random.below(paths.len())];
    let name = path.rsplit('/').next().unwrap_or(path);
    let bare = name.trim_end_matches(".md");
    match random.below(6) {
        0 => format!("[[{path}]]"),
        1 => format!("![[{name}]]"),
        2 => format!("[[{bare}#Heading|shown]]"),
        3 => format!("[shown]({})", path.replace(' ', "%20")),
        4 => format!(
            "[[{}]]",
            *random.pick(&["Nowhere", "Secret", "Plan", "A/Note"])
        ),
        _ => format!("[[{bare}]]"),
    }
}

fn note(paths: &[String], random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    match random.below(5) {
        0 => {
            let up = link(paths, random);
            let alias = random.pick(&["Start", "Secret alias", "Plan"]);
            text += &format!(
                "---\naliases: [{alias}]\ntags: [plan, secret]\nstatus: open\nup: \"{up}\"\n---\n"
            );
        }
        1 => {
            let marks = [
                "status: 3",
                "confidential: true",
                "confidential: false",
                "Confidential:",
                "tags: diary",
                "tags: [x, A/b]",
            ];
            text += &format!("---\n{}\n---\n", random.pick(&marks));
        }
        2 if random.once_in(3) => text += "---\na: [\n---\n",
        _ => {}
    }
    for _ in 0..random.below(7) {
        let line = match random.below(9) {
            0 => "# Heading\n".to_owned(),
            1 => "- [ ] water the garden\n".to_owned(),
            2 => "- [x] secret word done\n".to_owned(),
            3 => "#plan #a/b garden\n".to_owned(),
            4 => "secret word kumquat #secret\n".to_owned(),
            5 => format!(
                "#{}\n",
                random.pick(&["Plan", "a", "A/B/c", "diary/day", "planned"])
            ),
            _ => format!("see {} and {}\n", link(paths, random), link(paths, random)),
        };
        text += &line;
    }
    let mut bytes = text.into_bytes();
    if random.once_in(25) {
        bytes.push(0xff);
    }
    bytes
}

fn canvas(paths: &[String], random: &mut Random) -> Vec<u8> {
    if random.once_in(6) {
        return b"{".to_vec();
    }
    let file = &paths[random.below(paths.len())];
    let text = link(paths, random);
    let nodes = json!({"nodes": [
        {"id": "1", "type": "file", "file": file, "x": 0, "y": 0, "width": 1, "height": 1},
        {"id": "2", "type": "text", "text": text, "x": 0, "y": 0, "width": 1, "height": 1},
    ], "edges": []});
    nodes.to_string().into_bytes()
}

/// The app's own files.
fn settings(paths: &[String], random: &mut Random) -> Vec<(String, Vec<u8>)> {
    let template = random.pick(&["T/Day", "Day", "Private/Secret", "Nowhere", ""]);
    let excluded: &[&str] = if random.once_in(4) { &["C/"] } else { &[] };
    let format = random.pick(&["shortest", "relative", "absolute"]);
    let bookmark = |path: &String| json!({"type": "file", "ctime": 1, "path": path});
    let mut bookmarks: Vec<Value> = paths
        .iter()
        .filter(|_| random.once_in(3))
        .map(bookmark)
        .collect();
    bookmarks.push(json!({"type": "search", "ctime": 2, "query": "garden"}));
    let recent: Vec<&String> = paths.iter().filter(|_| random.once_in(3)).collect();
    let text = |value: Value| value.to_string().into_bytes();
    vec![
        (
            ".obsidian/app.json".to_owned(),
            text(json!({
                "userIgnoreFilters": excluded, "newLinkFormat": format,
                "alwaysUpdateLinks": !random.once_in(5), "trashOption": "local",
            })),
        ),
        (
            ".obsidian/daily-notes.json".to_owned(),
            text(json!({"folder": "D", "template": template})),
        ),
        (
            ".obsidian/templates.json".to_owned(),
            text(json!({"folder": "T"})),
        ),
        (
            ".obsidian/zk-prefixer.json".to_owned(),
            text(json!({"folder": "C", "template": template})),
        ),
        (
            ".obsidian/bookmarks.json".to_owned(),
            text(json!({"items": bookmarks})),
        ),
        (
            ".obsidian/workspace.json".to_owned(),
            text(json!({"lastOpenFiles": recent})),
        ),
    ]
}

fn rules(random: &mut Random) -> (String, Marks) {
    let mut some = |most: usize| -> Vec<&str> {
        (0..=random.below(most))
            .map(|_| *random.pick(&PATTERNS))
            .collect()
    };
    let (deny, read, write) = (some(3), some(5), some(5));
    let mut rules = "[paths]\n".to_owned();
    let kind = random.below(3);
    if kind != 1 {
        rules += &format!("deny = {deny:?}\n");
    }
    if kind != 0 {
        rules += &format!("read = {read:?}\n");
    }
    if random.once_in(4) {
        rules += &format!("write = {write:?}\n");
    }
    let mut marks = Marks::default();
    if random.once_in(2) {
        // Mostly nothing else is closed, so that much is left to ask about.
        if !random.once_in(3) {
            "[paths]\n".clone_into(&mut rules);
        }
        let mut some = |names: &[&'static str], one: bool| -> Vec<&'static str> {
            let count = random.below(3) + usize::from(one);
            (0..count).map(|_| *random.pick(names)).collect()
        };
        let tags = some(TAGS, false);
        marks = Marks {
            properties: some(PROPERTIES, tags.is_empty()),
            tags,
        };
        rules += &format!("deny_tags = {:?}\n", marks.tags);
        rules += &format!("deny_properties = {:?}\n", marks.properties);
    }
    (rules, marks)
}
