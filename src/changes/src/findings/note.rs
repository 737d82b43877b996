//! Finds active content in a note.
//!
//! Literal text is literal only if every reader agrees (`scan::written`): the engine's scan, which follows the app,
//! and `CommonMark` with and without the properties, with a lone carriage return as the end of a line and without. It
//! is not known what a reader takes first, so the text is also read with comments, formulas and footnotes before code,
//! and without its comments: within paragraphs or across them, code known before or not. Active is what one reading
//! has. Blocks between `%%` are the app's alone. In literal text only what plugins run is found: Templater's commands
//! anywhere, code blocks and inline queries. The text is also read with placeholders such as `{{date:…}}` filled in.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;
use vault_engine::byte_order_mark;
use vault_engine::frontmatter::{Frontmatter, is_space, split_unmarked};
use vault_engine::scan::{CodeText, Written, scan, written};

use super::address::{APP_LINK, Leads, kind_of_value, leads};
use super::code::{self, RUN_BLOCK};
use super::formula;
use super::html;
use super::table::Table;
use tiers::folded;

pub(super) const REMOTE_IMAGE: &str = "remote-image";
pub(super) const PUBLISHED_EMBED: &str = "published-embed";
const URL_PROPERTY: &str = "url-property";
const PUBLISH: &str = "publish-property";
pub(super) const RUN_PROPERTY: &str = "run-property";
const TEMPLATE: &str = "template-command";
/// The line around properties.
const FENCE: &str = "---";
/// The languages of properties that are read as YAML, and one in which only the keys are looked for.
const PROPERTY_LANGUAGES: [&str; 5] = ["", "json", "toml", "yaml", "yml"];

/// Maximum number of places of properties that are looked for.
const MOST_PLACES: usize = 100;
/// Length above which the text in brackets is not a link label (`CommonMark` §4.7).
const LONGEST_LABEL: usize = 1000;

/// An address up to the character that ends it in a text.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"'`|()\[\]{},;]*"#));
/// An address in angle brackets behind characters that browsers leave out.
static MARKED_ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| pattern("<[\\x00-\\x1f]+([A-Za-z][A-Za-z0-9+.-]*:[^\\s<>]*)>"));
/// A placeholder of the app's templates with a format, in which text between brackets stays as it is.
static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\{\{\s*(?:date|time)\s*:(.*?)\}\}"));
/// A command of a template. In `<%>` the two marks share a character.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| pattern("(?s)<%(?:>|.*?%>)"));
/// The beginning and the end of code in a comment that a plugin runs.
static RUN_COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)%%\s*run\s+(?:(start)|end)"));

#[expect(
    clippy::expect_used,
    reason = "only for constants, which tests compile"
)]
pub(super) fn pattern(constant: &str) -> Regex {
    Regex::new(constant).expect("the pattern is valid")
}

/// One place with active content in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub kind: &'static str,
    /// The text of the place, all of it that runs or loads, with each run of white space as one space or line break: a
    /// line break ends a comment of code.
    pub text: String,
    /// The line of the place, counted from 1; 0 is the name of the file.
    pub line: usize,
    /// Whether it is between `%%` in a paragraph, where the app does not show it.
    pub is_hidden: bool,
    /// The property, in lower case, if it is active only where a base shows the property as a picture.
    pub property: Option<String>,
}

/// The findings in a text.
pub(super) struct Hits<'t> {
    pub table: &'static Table,
    pub found: Vec<Hit>,
    /// The first byte of each line.
    lines: Vec<usize>,
    pub text: &'t str,
    /// The comments within paragraphs.
    hidden: Vec<Range<usize>>,
    /// The line of all that is found, if this text is a part of another, and how many texts are around it.
    pub inside: Option<(usize, usize)>,
    /// The property of all that is found, as in [`Hit::property`].
    property: Option<String>,
    /// The code blocks that were read as notes, by their line: each reading of a text has them.
    blocks: BTreeSet<(usize, String)>,
    /// The findings by kind and place: several readers find the same content.
    known: BTreeSet<(&'static str, usize, String)>,
}

impl<'t> Hits<'t> {
    pub(super) fn new(text: &'t str, table: &'static Table) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            table,
            found: Vec::new(),
            lines: [0].into_iter().chain(breaks).collect(),
            text,
            hidden: comments(text, true, false),
            inside: None,
            property: None,
            blocks: BTreeSet::new(),
            known: BTreeSet::new(),
        }
    }

    /// Finds active content in a text that begins at a byte of this one.
    pub(super) fn find_inside(
        &mut self,
        at: usize,
        text: &str,
        find: impl Fn(&str, &mut Hits<'_>),
    ) {
        let depth = self.inside.map_or(1, |(_, depth)| depth + 1);
        let mut inner = Hits {
            inside: Some((self.line(at), depth)),
            blocks: std::mem::take(&mut self.blocks),
            ..Hits::new(text, self.table)
        };
        find(text, &mut inner);
        self.blocks = inner.blocks;
        for hit in inner.found {
            self.add(hit.kind, at, &hit.text);
        }
    }

    /// Finds active content in this text as another reader takes it, with the same lines.
    fn find_in_reading(&mut self, text: &str, find: impl Fn(&str, &mut Hits<'_>)) {
        let mut inner = Hits {
            inside: self.inside,
            blocks: std::mem::take(&mut self.blocks),
            ..Hits::new(text, self.table)
        };
        find(text, &mut inner);
        self.blocks = inner.blocks;
        let key = |hit: &Hit| (hit.kind, hit.line, hit.text.clone());
        let known: BTreeSet<_> = self.found.iter().map(key).collect();
        let found = inner.found.into_iter();
        self.found
            .extend(found.filter(|hit| !known.contains(&key(hit))));
    }

    /// Finds active content in a code block that a plugin shows like a note.
    pub(super) fn find_in_block(&mut self, at: usize, content: &str) {
        if self.blocks.insert((self.line(at), content.to_owned())) {
            self.find_inside(at, content, find);
        }
    }

    fn line(&self, at: usize) -> usize {
        self.inside.map_or_else(
            || self.lines.partition_point(|start| *start <= at),
            |(line, _)| line,
        )
    }

    /// Records what was found at a byte of the text.
    pub(super) fn add(&mut self, kind: &'static str, at: usize, text: &str) {
        let lines = text
            .split(['\n', '\r', '\u{2028}', '\u{2029}'])
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words.join(" ")
            });
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let text = lines.join("\n");
        if !self.known.insert((kind, at, text.clone())) {
            return;
        }
        let comment = self.hidden.partition_point(|comment| comment.end <= at);
        let comment = self.hidden.get(comment);
        let is_hidden = comment.is_some_and(|comment| comment.contains(&at));
        self.found.push(Hit {
            is_hidden,
            property: self.property.clone(),
            kind,
            text,
            line: self.line(at),
        });
    }

    /// Records what was found in a property, at the first place of the first line of `text` or at the key.
    pub(super) fn add_value(&mut self, kind: &'static str, key: &str, text: &str) {
        // The search costs time, and nobody reads so many lines.
        let has_room = self.found.len() < MOST_PLACES;
        let find = |text| has_room.then(|| self.text.find(text)).flatten();
        let place = find(text.lines().next().unwrap_or_default()).or_else(|| find(key));
        self.add(kind, place.unwrap_or(0), &format!("{key}: {text}"));
    }
}

/// Returns the comments between `%%`, as far as they end, for a reader to whom a blank line ends a paragraph or not, and
/// who knows code before comments or not.
fn comments(text: &str, in_paragraphs: bool, after_code: bool) -> Vec<Range<usize>> {
    let (mut found, mut open, mut fence, mut start) = (Vec::new(), None, None, 0);
    for line in text.split_inclusive('\n') {
        if in_paragraphs && line.trim().is_empty() {
            open = None;
        }
        let from = start;
        start += line.len();
        if after_code && open.is_none() {
            let content = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
            let is_fence = content.starts_with("```") || content.starts_with("~~~");
            let mark = content.split_at(if is_fence { run(content) } else { 0 }).0;
            if let Some(opened) = fence {
                fence = Some(opened).filter(|opened| !is_fence || !mark.starts_with(opened));
                continue;
            }
            if is_fence && !content.split_at(mark.len()).1.contains('`') {
                fence = Some(mark);
                continue;
            }
        }
        let mut at = 0;
        while let Some(next) = line.get(at..).and_then(|rest| rest.find(['%', '`'])) {
            at += next;
            let rest = line.get(at..).unwrap_or_default();
            if rest.starts_with("%%") {
                at += 2;
                match open.take() {
                    None => open = Some(from + at - 2),
                    Some(opened) => found.push(opened..from + at),
                }
                continue;
            }
            let mark = run(rest);
            let code = rest.starts_with('`') && after_code && open.is_none();
            at += mark + code.then(|| code_length(rest, mark)).flatten().unwrap_or(0);
        }
    }
    found
}

/// Returns the number of characters with which a text begins and which are the same.
fn run(text: &str) -> usize {
    let first = text.bytes().next();
    text.bytes().take_while(|byte| Some(*byte) == first).count()
}

/// Returns the length of code and of the marks behind it, in a line that begins with `mark` backticks.
fn code_length(line: &str, mark: usize) -> Option<usize> {
    let mut at = mark;
    loop {
        at += line.get(at..)?.find('`')?;
        let end = run(line.get(at..)?);
        at += end;
        if end == mark {
            return Some(at - mark);
        }
    }
}

/// Returns a text without its comments, as readers take it that leave them out first. The lines stay.
fn without_comments(text: &str) -> BTreeSet<String> {
    let body = split_unmarked(text).map_or(0, |properties| properties.body);
    let (head, body) = text.split_at(body);
    let mut readings = BTreeSet::new();
    if !body.contains("%%") {
        return readings;
    }
    for (in_paragraphs, after_code) in [(true, true), (true, false), (false, true), (false, false)]
    {
        let found = comments(body, in_paragraphs, after_code);
        // Without a comment the marks around it can join.
        for between in ["", "\u{1}"] {
            let (mut reading, mut from) = (head.to_owned(), 0);
            for comment in &found {
                reading += body.get(from..comment.start).unwrap_or_default();
                let inside = body.get(comment.clone()).unwrap_or_default();
                reading.extend(inside.matches('\n'));
                reading += between;
                from = comment.end;
            }
            reading += body.get(from..).unwrap_or_default();
            readings.insert(reading);
        }
    }
    readings.remove(text);
    readings
}

/// Returns the text of a placeholder, with a digit in place of each letter of its format.
fn filled_in(placeholder: &Captures<'_>) -> String {
    let mut text = String::new();
    let mut is_literal = false;
    let mut format = placeholder
        .get(1)
        .map_or("", |format| format.as_str())
        .chars();
    while let Some(next) = format.next() {
        match next {
            '[' if !is_literal => is_literal = true,
            ']' if is_literal => is_literal = false,
            '\\' => text.extend(format.next()),
            _ if next.is_ascii_alphabetic() && !is_literal => text.push('0'),
            _ => text.push(next),
        }
    }
    text
}

/// Finds active content in a note.
pub(super) fn find(text: &str, hits: &mut Hits<'_>) {
    find_in_note(text, hits);
    // The note may become a template.
    if let Cow::Owned(filled) = PLACEHOLDER.replace_all(text, filled_in) {
        hits.find_in_reading(&filled, find_in_note);
    }
}

fn find_in_note(text: &str, hits: &mut Hits<'_>) {
    find_markup(text, hits);
    templates(text, hits);
    if properties(text, hits) {
        embeds(text, hits);
    }
}

/// Finds active content in Markdown, with its comments and without them: it is not known what readers leave out first.
fn find_markup(text: &str, hits: &mut Hits<'_>) {
    find_in_markup(text, hits);
    for reading in without_comments(text) {
        hits.find_in_reading(&reading, find_in_markup);
    }
}

fn find_in_markup(text: &str, hits: &mut Hits<'_>) {
    let markup = written(text);
    for CodeText { at, info, content } in &markup.code {
        code::find((*at, info.as_deref(), content), hits);
    }
    links(&markup, hits);
    html::find(&markup.live, hits);
    bare_addresses(&markup.live, hits);
    let body = split_unmarked(text).map_or(0, |properties| properties.yaml.end);
    formula::find((body, markup.live.get(body..).unwrap_or_default()), hits);
}

/// Links with a scheme that is not harmless, and images from outside the vault.
fn links(markup: &Written, hits: &mut Hits<'_>) {
    let mut definitions: BTreeMap<String, &str> = BTreeMap::new();
    for definition in &markup.definitions {
        let found = leads(&definition.destination, hits.table);
        let label = label(&definition.label);
        if let Some(kind) = found.kind_of_link() {
            hits.add(
                kind,
                definition.at,
                &format!("[{label}]: {}", definition.destination),
            );
        }
        if found.is_outside() {
            definitions.entry(label).or_insert(&definition.destination);
        }
    }
    for link in &markup.links {
        address(link.is_image, (link.at, &link.target), hits);
    }
    images(&markup.live, &definitions, hits);
}

/// Returns a label as readers compare it: some fold its case, some make it lower case and then upper case.
fn label(written: &str) -> String {
    let words: Vec<&str> = written
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    folded(&words.join(" ").to_lowercase().to_uppercase())
}

/// Records the destination of a link or an image if it is active.
fn address(is_image: bool, (at, written): (usize, &str), hits: &mut Hits<'_>) {
    let found = leads(written, hits.table);
    let kind = match found {
        Leads::To(APP_LINK) => Some(APP_LINK),
        _ if is_image => found.is_outside().then_some(REMOTE_IMAGE),
        _ => found.kind_of_link(),
    };
    if let Some(kind) = kind {
        hits.add(kind, at, written);
    }
}

/// Finds images by their brackets alone, also where the parser sees none, such as in a block of HTML, in indented code
/// or in a property.
fn images(live: &str, definitions: &BTreeMap<String, &str>, hits: &mut Hits<'_>) {
    for (at, _) in live.match_indices("![") {
        let before = live.get(..at).unwrap_or_default();
        if before
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count()
            % 2
            == 1
        {
            continue;
        }
        let rest = live.get(at + 2..).unwrap_or_default();
        if let Some(target) = rest.strip_prefix('[') {
            // `![[address]]`
            let target = target.split(['[', ']', '|', '\n']).next();
            let target = target.unwrap_or_default();
            if leads(target, hits.table).is_outside() {
                hits.add(REMOTE_IMAGE, at + 3, target);
            }
        }
        let Some(length) = text_length(rest) else {
            continue;
        };
        let (text, behind) = rest.split_at(length);
        let behind = behind.get(1..).unwrap_or_default();
        // Another image begins another address.
        if let Some(behind) = behind
            .strip_prefix('(')
            .and_then(|behind| behind.split("![").next())
        {
            let target = behind.trim_start().trim_start_matches('<');
            let start = at + 2 + length + 2 + behind.len() - target.len();
            let ends =
                |character: char| character.is_whitespace() || matches!(character, ')' | '>');
            address(
                true,
                (start, target.split(ends).next().unwrap_or_default()),
                hits,
            );
        }
        let named = behind
            .strip_prefix('[')
            .and_then(|rest| rest.get(..text_length(rest)?));
        // A label has no brackets in it.
        let labels = [Some(text), named].into_iter().flatten();
        for name in labels.filter(|name| !name.contains('[')) {
            if let Some(target) = definitions.get(&label(name)) {
                address(true, (at, target), hits);
            }
        }
    }
}

/// Length in bytes of a text in brackets up to the closing bracket, if it is short.
fn text_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().take(LONGEST_LABEL).position(|byte| {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 0 => return true,
            b']' => depth -= 1,
            _ => {}
        }
        false
    })
}

/// Returns the active content that a name is in the text of a note, or in a link: others write it there.
pub(super) fn in_name(name: &str, table: &'static Table) -> Vec<Hit> {
    let texts = [
        name.to_owned(),
        format!("[{name}](<{name}>)"),
        format!("[[{name}]]"),
        format!("![[{name}]]"),
        format!("![{name}]({name})"),
    ];
    let hits = texts.iter().flat_map(|text| {
        let mut hits = Hits::new(text, table);
        find(text, &mut hits);
        hits.found
    });
    hits.map(|hit| Hit { line: 0, ..hit }).collect()
}

/// Addresses in the text with a scheme that is not harmless, which the app makes links of.
fn bare_addresses(live: &str, hits: &mut Hits<'_>) {
    for address in ADDRESS.find_iter(live) {
        if let Some(kind) = leads(address.as_str(), hits.table).kind_of_link() {
            hits.add(kind, address.start(), address.as_str());
        }
    }
    for address in MARKED_ADDRESS.captures_iter(live) {
        let (_, [target]) = address.extract();
        let at = address.get(0).map_or(0, |address| address.start());
        self::address(false, (at, target), hits);
    }
}

/// Commands of templates, which no code block stops, and other code of the whole note.
fn templates(text: &str, hits: &mut Hits<'_>) {
    for command in COMMAND.find_iter(text) {
        hits.add(TEMPLATE, command.start(), command.as_str());
    }
    let mut marks = RUN_COMMENT.captures_iter(text).peekable();
    while let Some(mark) = marks.next() {
        let (Some(mark), Some(_)) = (mark.get(0), mark.get(1)) else {
            continue;
        };
        // To the last end before the next beginning, or to that.
        let mut end = None;
        while let Some(next) = marks.next_if(|next| next.get(1).is_none()) {
            end = next.get(0).map(|next| next.end());
        }
        let next = marks.peek().and_then(|next| next.get(0));
        let end = end.or_else(|| next.map(|next| next.start()));
        let code = text.get(mark.start()..end.unwrap_or(text.len()));
        hits.add(RUN_BLOCK, mark.start(), code.unwrap_or_default());
    }
    if let Some((language, code, _)) = front_matter(text) {
        let mark = format!("{FENCE}{}", language.to_lowercase());
        if hits.table.has_word(RUN_BLOCK, &mark) {
            hits.add(RUN_BLOCK, 0, &format!("{mark}\n{code}"));
        }
    }
}

/// Returns the language of the properties, the properties, and whether they end, as `gray-matter` finds them, with which
/// many programs read notes: the first line can have a language or blanks behind its `---`.
fn front_matter(text: &str) -> Option<(&str, &str, bool)> {
    let rest = text.strip_prefix(FENCE)?;
    let (language, _) = rest
        .split_once('\n')
        .filter(|(language, _)| !language.starts_with('-'))?;
    let rest = rest.get(language.len()..)?;
    let end = rest.find("\n---");
    let properties = rest.get(..end.unwrap_or(rest.len()))?;
    Some((language.trim(), properties, end.is_some()))
}

/// Records properties with active values, and properties that publish the note. Returns whether the note is published.
fn properties(text: &str, hits: &mut Hits<'_>) -> bool {
    let block = split_unmarked(text).and_then(|block| text.get(block.yaml));
    let others = || {
        let (language, yaml, is_closed) = front_matter(text)?;
        let is_read = PROPERTY_LANGUAGES.contains(&language.to_lowercase().as_str());
        is_read.then_some((yaml, is_closed))
    };
    let Some((yaml, is_closed)) = block.map(|yaml| (yaml, true)).or_else(others) else {
        return false;
    };
    let Ok(parsed) = Frontmatter::parse(yaml) else {
        // Text below a line across the page is not properties.
        return is_closed && unreadable(yaml, hits);
    };
    let mut is_published = false;
    for (key, value) in &parsed.properties {
        let lower = key.to_lowercase();
        if hits.table.has_word(PUBLISH, &lower) && is_set(value) {
            is_published = true;
            hits.add_value(PUBLISH, key, "true");
        }
        if hits.table.has_word(RUN_PROPERTY, &lower) {
            hits.add_value(RUN_PROPERTY, key, &value.to_string());
        }
        for (number, value) in texts(value).into_iter().enumerate() {
            if leads(value, hits.table).is_outside() || links_outside(value, hits.table) {
                hits.property = Some(lower.clone()).filter(|_| !is_picture(key, hits.table));
                hits.add_value(URL_PROPERTY, key, value);
                hits.property = None;
            }
            // A tag is not an address: `area:garden`.
            let kind =
                kind_of_value(value, hits.table).filter(|_| lower.trim_end_matches('s') != "tag");
            if let Some(kind) = kind {
                hits.add_value(kind, key, value);
            }
            // A value that is written in another way than it is read, or has comments; the search costs time.
            if number >= MOST_PLACES || value.contains("%%") || !yaml.contains(value) {
                let at = yaml.find(key.as_str()).unwrap_or(0);
                hits.find_inside(at, value, find_markup);
            }
        }
    }
    is_published
}

/// Whether a value has a link to the web in it: `[[address]]`, `[text](address)` or `<address>`.
fn links_outside(value: &str, table: &Table) -> bool {
    let mut parts = value.split(|next| "[]()<>|\"'".contains(next)).skip(1);
    parts.any(|part| matches!(leads(part, table), Leads::Web | Leads::Host))
}

/// Reads properties that are not valid YAML: a key that publishes or runs, and one for a picture next to any address.
/// Returns whether the note may be published.
fn unreadable(yaml: &str, hits: &mut Hits<'_>) -> bool {
    let has_address = yaml.contains("//");
    let mut found = BTreeSet::new();
    let parts: Vec<&str> = yaml.split([':', '=']).collect();
    let before_colons = parts.split_last().map_or(&[][..], |(_, keys)| keys);
    for part in before_colons {
        let part = part.trim_end();
        let key = part.trim_end_matches(['"', '\'']);
        let is_end = |next: char| "\n\r,{}[]?\"'".contains(next);
        let written = key.rsplit(is_end).next().unwrap_or_default();
        let words = written.trim_start_matches(['-', ' ', '\t']);
        // A tag or an anchor can precede the key.
        let is_marked = words.starts_with(['!', '&']);
        let key = words
            .rsplit(' ')
            .next()
            .filter(|_| is_marked)
            .unwrap_or(words);
        let is_escaped = part.ends_with('"') && key.contains('\\');
        for kind in [PUBLISH, RUN_PROPERTY] {
            if is_escaped || hits.table.has_word(kind, &key.to_lowercase()) {
                found.insert((kind, key));
            }
        }
        if has_address && is_picture(key, hits.table) {
            found.insert((URL_PROPERTY, key));
        }
    }
    let mut kinds = BTreeSet::new();
    for (kind, key) in found {
        if kinds.insert(kind) {
            hits.add(kind, hits.text.find(key).unwrap_or(0), yaml);
        }
    }
    kinds.contains(PUBLISH)
}

/// Whether the value of a property that publishes is set, as the programs read it: `yes`, a number or a list is.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(number) => number.as_f64().is_none_or(|number| number.abs() > 0.0),
        Value::String(text) => !text.is_empty() && text != "false",
        Value::Array(_) | Value::Object(_) => true,
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

/// Returns all texts in a value, also those in nested lists and maps.
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

/// Records embeds of other notes.
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

/// Returns the text as the app reads it.
pub fn unmarked(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    byte_order_mark::strip(&text).to_owned()
}
