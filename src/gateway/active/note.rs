//! What acts in a note.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;
use vault_engine::byte_order_mark;
use vault_engine::frontmatter::{Frontmatter, split_unmarked};
use vault_engine::scan::{LiteralKind, LiteralPart, Written, scan, written};

use super::address::{APP_LINK, Leads, SCRIPT_LINK, leads};
use super::html;
use super::sheet;
use super::table::Table;

pub(super) const REMOTE_IMAGE: &str = "remote-image";
pub(super) const PUBLISHED_EMBED: &str = "published-embed";
const URL_PROPERTY: &str = "url-property";
const PUBLISH: &str = "publish-property";
const RUN_BLOCK: &str = "run-block";
const LOAD_BLOCK: &str = "load-block";
const INLINE_SCRIPT: &str = "inline-script";
const TEMPLATE: &str = "template-command";
const STYLE: &str = "html-style";

/// The character that replaces text that is not rendered. It is part of no markup.
const BLANK: u8 = 1;
/// How many places of properties are looked for.
const MOST_PLACES: usize = 100;
/// A longer label is none (`CommonMark` §4.7).
const LONGEST_LABEL: usize = 1000;
/// What the names of code blocks begin with whose content a plugin shows like a note.
const RENDERED: &str = "ad-";
/// What in a rendered query can load something.
const LOADING: [&str; 9] =
    ["//", "![", "](", "http", "javascript:", "obsidian:", "file:", "url(", "by function"];

/// Something that acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: &'static str,
    /// Its text, with white space as single spaces.
    pub(super) text: String,
    /// Its line, counted from 1.
    pub(super) line: usize,
    /// Whether it is between `%%` in a paragraph, where the app does not show it.
    pub(super) is_hidden: bool,
}

/// What was found in a text.
pub(super) struct Hits<'t> {
    pub(super) table: &'static Table,
    pub(super) found: Vec<Hit>,
    /// The first byte of each line.
    lines: Vec<usize>,
    text: &'t str,
    /// The comments within paragraphs.
    hidden: Vec<Range<usize>>,
    /// The line of all that is found, if this text is a part of another.
    fixed: Option<usize>,
}

impl<'t> Hits<'t> {
    pub(super) fn new(text: &'t str, table: &'static Table) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            table,
            found: Vec::new(),
            lines: [0].into_iter().chain(breaks).collect(),
            text,
            hidden: comments(text),
            fixed: None,
        }
    }

    /// Like [`Self::new`], for a text that begins at this line of the file.
    pub(super) fn in_line(text: &'t str, table: &'static Table, line: usize) -> Self {
        Self { fixed: Some(line), ..Self::new(text, table) }
    }

    /// Records what was found at a byte of the text.
    pub(super) fn add(&mut self, kind: &'static str, at: usize, text: &str) {
        let line = self.lines.partition_point(|start| *start <= at);
        let words: Vec<&str> = text.split_whitespace().collect();
        let comment = self.hidden.partition_point(|comment| comment.end <= at);
        let comment = self.hidden.get(comment);
        self.found.push(Hit {
            is_hidden: comment.is_some_and(|comment| comment.contains(&at)),
            kind,
            text: words.join(" "),
            line: self.fixed.unwrap_or(line),
        });
    }

    /// Records what was found in a property, at the first place of `text` or at the key.
    pub(super) fn add_value(&mut self, kind: &'static str, key: &str, text: &str) {
        // The search costs time, and nobody reads so many lines.
        let is_told = self.found.len() < MOST_PLACES;
        let find = |text| is_told.then(|| self.text.find(text)).flatten();
        let place = find(text).or_else(|| find(key));
        self.add(kind, place.unwrap_or(0), &format!("{key}: {text}"));
    }
}

/// The comments between `%%` within paragraphs, as far as they end.
fn comments(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut open, mut start) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            open = None;
        }
        for (at, mark) in line.match_indices("%%") {
            match open.take() {
                None => open = Some(start + at),
                Some(from) => found.push(from..start + at + mark.len()),
            }
        }
        start += line.len();
    }
    found
}

/// Finds what acts in a note.
pub(super) fn find(text: &str, hits: &mut Hits<'_>) {
    let markup = written(text);
    let live = without_literals(text, &markup.literals);
    for part in &markup.literals {
        literal(text, part, hits);
    }
    links(&live, &markup, hits);
    images(&live, &markup, hits);
    html::find(&live, hits);
    bare_addresses(&live, hits);
    formulas(&live, hits);
    templates(text, hits);
    if properties(text, hits) {
        embeds(text, hits);
    }
}

/// The text with its literal parts made blank, so that every place stays.
fn without_literals(text: &str, literals: &[LiteralPart]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for part in literals {
        for byte in bytes.get_mut(part.range.clone()).into_iter().flatten() {
            if *byte != b'\n' {
                *byte = BLANK;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Code blocks that are run or rendered, and code that is a query.
fn literal(text: &str, part: &LiteralPart, hits: &mut Hits<'_>) {
    let table = hits.table;
    let whole = text.get(part.range.clone()).unwrap_or_default();
    let at = part.range.start;
    match part.kind {
        LiteralKind::Comment => {}
        LiteralKind::Code => {
            let query = whole.trim_matches('`').trim_start();
            if query.starts_with("$=") {
                hits.add(INLINE_SCRIPT, at, whole);
            } else if query.starts_with('=') && loads(query, table) {
                hits.add(LOAD_BLOCK, at, whole);
            }
        }
        LiteralKind::Fence => {
            let (head, content) = whole.split_once('\n').unwrap_or((whole, ""));
            let language = head.trim_start_matches(['`', '~', ' ', '\t', '{', '.']);
            let ends = |character: char| character.is_whitespace() || "}{:,".contains(character);
            let language = language.split(ends).next().unwrap_or_default();
            let language = language.to_lowercase();
            let is = |kind| table.has_word(kind, &language);
            let line = hits.lines.partition_point(|start| *start <= at);
            if language.starts_with(RENDERED) && hits.fixed.is_none() {
                let mut inner = Hits::in_line(content, table, line);
                find(content, &mut inner);
                hits.found.extend(inner.found);
            } else if is(RUN_BLOCK) {
                hits.add(RUN_BLOCK, at, whole);
            } else if (is(LOAD_BLOCK) || language.starts_with(RENDERED)) && loads(content, table) {
                hits.add(LOAD_BLOCK, at, whole);
            } else if language == "base" {
                let mut inner = Hits::in_line(content, table, line);
                sheet::block_of_base(content, &mut inner);
                hits.found.extend(inner.found);
            }
        }
    }
}

/// Whether what a plugin renders can load something.
fn loads(text: &str, table: &'static Table) -> bool {
    let lower = text.to_lowercase();
    LOADING.iter().any(|loading| lower.contains(loading)) || html::acts(text, table)
}

/// Links with a scheme that acts, and images that the engine's scan finds.
fn links(live: &str, markup: &Written, hits: &mut Hits<'_>) {
    // The text of a comment is blank.
    let at = |range: &Range<usize>| live.get(range.clone()).unwrap_or_default();
    let mut definitions: BTreeMap<String, &str> = BTreeMap::new();
    for range in &markup.definitions {
        let Some((label, target)) = definition(at(range)) else {
            continue;
        };
        let found = leads(target, hits.table);
        if let Leads::To(kind) = found {
            hits.add(kind, range.start, &format!("[{label}]: {target}"));
        }
        if matches!(found, Leads::To(_) | Leads::Outside) {
            definitions.entry(label).or_insert(target);
        }
    }
    for link in &markup.links {
        let written = at(&link.target);
        let start = link.target.start;
        if !link.is_label {
            address(link.is_image, (start, written), hits);
            continue;
        }
        if written.len() > LONGEST_LABEL {
            continue;
        }
        if let Some(target) = definitions.get(&folded(written)) {
            address(true, (start, target), hits);
        }
    }
}

/// The label and the destination of a definition.
fn definition(text: &str) -> Option<(String, &str)> {
    let (label, rest) = text.trim_start().strip_prefix('[')?.split_once("]:")?;
    let target = rest.trim_start();
    let target = match target.strip_prefix('<') {
        Some(inside) => inside.split(['>', '\n']).next(),
        None => target.split_whitespace().next(),
    };
    Some((folded(label), target?))
}

/// A label as it is compared.
fn folded(label: &str) -> String {
    let words: Vec<String> = label.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

/// Records the destination of a link or an image if it acts.
fn address(is_image: bool, (at, written): (usize, &str), hits: &mut Hits<'_>) {
    match leads(written, hits.table) {
        Leads::To(kind) if !is_image || kind == APP_LINK => hits.add(kind, at, written),
        Leads::To(_) | Leads::Outside if is_image => hits.add(REMOTE_IMAGE, at, written),
        Leads::Picture if !is_image => hits.add(SCRIPT_LINK, at, written),
        _ => {}
    }
}

/// Images that are simple enough to be one for any reader, also where the engine's scan sees none, such as
/// in a block of HTML, in indented code or in a property.
fn images(live: &str, markup: &Written, hits: &mut Hits<'_>) {
    let known: BTreeSet<usize> = markup.links.iter().map(|link| link.target.start).collect();
    for (at, _) in live.match_indices("![") {
        let before = live.get(..at).unwrap_or_default();
        let escapes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
        let rest = live.get(at + 2..).unwrap_or_default();
        if let Some(target) = rest.strip_prefix('[') {
            // `![[address]]`
            let target = target.split(['[', ']', '|', '\n']).next();
            let target = target.unwrap_or_default();
            if leads(target, hits.table) == Leads::Outside && escapes % 2 == 0 {
                hits.add(REMOTE_IMAGE, at + 3, target);
            }
            continue;
        }
        let Some(length) = rest.find(['[', ']']) else {
            return;
        };
        let behind = rest.get(length..).and_then(|rest| rest.strip_prefix("]("));
        // Another image begins another address.
        let Some(behind) = behind.and_then(|behind| behind.split("![").next()) else {
            continue;
        };
        let target = behind.trim_start().trim_start_matches('<');
        let start = at + 2 + length + 2 + behind.len() - target.len();
        let ends = |character: char| character.is_whitespace() || matches!(character, ')' | '>');
        let target = target.split(ends).next().unwrap_or_default();
        if escapes % 2 == 0 && !known.contains(&start) {
            address(true, (start, target), hits);
        }
    }
}

/// Addresses for the app or of files that stand in the text, which the app makes links of; of each word the
/// first.
fn bare_addresses(live: &str, hits: &mut Hits<'_>) {
    let mut at = 0;
    for word in live.split_inclusive(char::is_whitespace) {
        let lower = word.to_ascii_lowercase();
        for (scheme, kind) in [("obsidian://", APP_LINK), ("file://", SCRIPT_LINK)] {
            let Some(start) = lower.find(scheme) else {
                continue;
            };
            let before = lower.get(..start).unwrap_or_default();
            let goes_on = before.ends_with(|before: char| before.is_alphanumeric());
            // In a link it was found already.
            if !goes_on && !before.ends_with("](") && !before.ends_with("](<") {
                hits.add(kind, at + start, word.get(start..).unwrap_or_default());
            }
        }
        at += word.len();
    }
}

/// Commands of formulas that make links and styles.
fn formulas(live: &str, hits: &mut Hits<'_>) {
    for command in ["\\style", "\\href"] {
        for (at, _) in live.match_indices(command) {
            let rest = live.get(at + command.len()..).unwrap_or_default();
            // It ends before the next command, so that no text is read twice.
            let argument = rest.split(['}', '\\']).next().unwrap_or_default();
            let argument = argument.trim_start().trim_start_matches('{');
            match leads(argument, hits.table) {
                Leads::To(kind) if command == "\\href" => hits.add(kind, at, argument),
                _ if command == "\\style" && html::is_loading_style(argument) => {
                    hits.add(STYLE, at, argument);
                }
                _ => {}
            }
        }
    }
}

/// Commands of templates, which no code block stops.
fn templates(text: &str, hits: &mut Hits<'_>) {
    let mut from = 0;
    while let Some((at, length)) = next_template(text, from) {
        hits.add(TEMPLATE, at, text.get(at..at + length).unwrap_or_default());
        from = at + length;
    }
}

fn next_template(text: &str, from: usize) -> Option<(usize, usize)> {
    let at = from + text.get(from..)?.find("<%")?;
    let length = text.get(at..)?.find("%>")? + 2;
    Some((at, length))
}

/// Properties that load a picture, or publish the note. Returns whether it is published.
fn properties(text: &str, hits: &mut Hits<'_>) -> bool {
    let Some(block) = split_unmarked(text) else {
        return false;
    };
    let yaml = text.get(block.yaml).unwrap_or_default();
    let Ok(parsed) = Frontmatter::parse(yaml) else {
        unreadable(yaml, hits);
        return false;
    };
    let mut is_published = false;
    for (key, value) in &parsed.properties {
        if hits.table.has_word(PUBLISH, &key.to_lowercase()) && is_true(value) {
            is_published = true;
            hits.add_value(PUBLISH, key, "true");
        }
        if is_picture(key, hits.table) {
            for address in texts(value) {
                if leads(address, hits.table) == Leads::Outside {
                    hits.add_value(URL_PROPERTY, key, address);
                }
            }
        }
    }
    is_published
}

/// Properties that are no YAML for us: a property for a picture beside any address.
fn unreadable(yaml: &str, hits: &mut Hits<'_>) {
    let mut keys = yaml.lines().filter_map(|line| line.split_once(':'));
    let key = keys.find(|(key, _)| is_picture(key.trim(), hits.table));
    if let Some((key, _)) = key.filter(|_| yaml.contains("//")) {
        let at = hits.text.find(key).unwrap_or(0);
        hits.add(URL_PROPERTY, at, yaml);
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is_true) => *is_true,
        Value::String(text) => text.trim().eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Whether a property is one for a picture: a word of its name begins like one of the table.
pub(super) fn is_picture(key: &str, table: &Table) -> bool {
    let mut words = vec![String::new()];
    for character in key.chars() {
        if character.is_uppercase() || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.push(key.to_lowercase());
    let known = table.words(URL_PROPERTY);
    let begins = |word: &String| known.iter().any(|known| word.starts_with(known));
    words.iter().any(begins)
}

/// All texts in a value.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), vec![value]);
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => rest.extend(fields.values()),
            _ => {}
        }
    }
    found
}

/// Embeds of other notes.
fn embeds(text: &str, hits: &mut Hits<'_>) {
    for embed in scan(text).embeds {
        let path = embed.target.split('#').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let is_note = extension.is_none_or(|extension| {
            let known = vault_engine::is_known_extension(extension);
            !known || ["md", "canvas", "base"].contains(&extension.to_lowercase().as_str())
        });
        if is_note && !path.is_empty() {
            let at = usize::try_from(embed.span.start.byte).unwrap_or(0);
            hits.add(PUBLISHED_EMBED, at, &embed.target);
        }
    }
}

/// The text as the app reads it.
pub(super) fn unmarked(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    byte_order_mark::strip(&text).to_owned()
}
