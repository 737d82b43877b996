//! Active content in a canvas or a base.
//!
//! An option of a view that is an address, or names a formula that can be one, is active; so is every option for map
//! tiles. A web address in a property is active if the name is one for pictures, or if a base of the vault names the
//! property in `image`, also a base in a code block or in a card of a canvas.

use serde_json::Value;
use vault_engine::frontmatter::Frontmatter;

use super::address::{Leads, kind_of_value, leads};
use super::note::{self, Hits, REMOTE_IMAGE, is_picture, texts};
use super::table::Table;

/// The kind of a file that the app may be able to read, and that this program cannot.
pub const UNREADABLE: &str = "unreadable";
const PAGE: &str = "canvas-page";
const FORMULA: &str = "base-formula";
/// A longer formula is not read.
const LONGEST_FORMULA: usize = 4096;
/// A base with more formulas is not read: each can name all others.
const MOST_FORMULAS: usize = 100;
/// A part of the names of options of a view that load an address.
const LOADING: &str = "tile";
/// The options of a view that only name properties and formulas, or compare them.
const SHOWN: [&str; 7] = [
    "columnSize",
    "filters",
    "groupBy",
    "name",
    "order",
    "sort",
    "summaries",
];
/// The `image()` arguments in a formula that show the file itself.
const FILES: [&str; 4] = ["file", "file.file", "file.name", "file.path"];

/// Finds active content in a canvas.
pub(super) fn canvas(text: &str, hits: &mut Hits<'_>) {
    if text.trim().is_empty() {
        return;
    }
    let Ok(parsed) = serde_json::from_str::<Value>(text) else {
        hits.add(UNREADABLE, 0, text);
        return;
    };
    let nodes = parsed.get("nodes").and_then(Value::as_array);
    for node in nodes.into_iter().flatten() {
        let field = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default();
        let place = || text.find(&format!("\"{}\"", field("id"))).unwrap_or(0);
        match field("type") {
            "link" => hits.add(PAGE, place(), field("url")),
            "text" => {
                let card = field("text");
                let mut inner = Hits::new(card, hits.table);
                note::find(card, &mut inner);
                for hit in inner.found {
                    hits.add(hit.kind, place(), &hit.text);
                }
            }
            "group" => {
                let background = field("background");
                if leads(background, hits.table).is_outside() {
                    hits.add(REMOTE_IMAGE, place(), background);
                }
            }
            "file" => {}
            _ => hits.add(PAGE, place(), &node.to_string()),
        }
        if field("type") != "text" {
            addresses(node, hits);
        }
    }
    parsed
        .get("edges")
        .into_iter()
        .for_each(|edges| addresses(edges, hits));
}

/// Records the values that are addresses as a whole and not harmless.
fn addresses(value: &Value, hits: &mut Hits<'_>) {
    for text in texts(value) {
        if let Some(kind) = kind_of_value(text, hits.table) {
            hits.add_value(kind, "address", text);
        }
    }
}

/// Finds active content in a base.
pub(super) fn base(text: &str, hits: &mut Hits<'_>) {
    let Ok(parsed) = Frontmatter::parse(text) else {
        hits.add(UNREADABLE, 0, text);
        return;
    };
    let formulas = formulas(&parsed);
    if formulas.len() > MOST_FORMULAS {
        hits.add(UNREADABLE, 0, text);
        return;
    }
    for (key, value) in &parsed.properties {
        for formula in texts(value) {
            let whole = with_named(formula, &formulas);
            if builds_address(&whole, hits.table) {
                hits.add_value(FORMULA, "formula", &whole.join("\n"));
            }
            let shown = literals(formula).filter(|_| key == "formulas");
            for kind in shown.filter_map(|text| kind_of_value(text, hits.table)) {
                hits.add_value(kind, "formula", formula);
            }
        }
    }
    let views = parsed.properties.get("views").and_then(Value::as_array);
    let options = views.into_iter().flatten().filter_map(Value::as_object);
    for (key, value) in options.flatten() {
        for text in texts(value) {
            let name = text.strip_prefix("formula.").unwrap_or(text).trim();
            let named = formulas.iter().find(|(known, _)| *known == name);
            let mut whole = named.map_or_else(Vec::new, |(_, text)| with_named(text, &formulas));
            let is_active = match key.as_str() {
                "image" => !is_picture_of_note(text, hits.table),
                key => loads(key, text, &whole, hits.table),
            };
            if is_active {
                whole.insert(0, text);
                hits.add_value(FORMULA, key, &whole.join("\n"));
            }
        }
    }
}

/// Returns what a base may show as pictures, in lower case: the `image` of its views, and its formulas if they or a view
/// show one.
pub(super) fn pictures(base: &str) -> Vec<String> {
    let parsed = Frontmatter::parse(base).unwrap_or_default();
    let views = parsed.properties.get("views").and_then(Value::as_array);
    let views = views.into_iter().flatten();
    let images = views.filter_map(|view| view.get("image")).flat_map(texts);
    let mut shown: Vec<String> = images.map(str::to_lowercase).collect();
    let formulas = parsed.properties.get("formulas").map(texts);
    let formulas = formulas.unwrap_or_default().join("\n").to_lowercase();
    if formulas.contains("image") || shown.iter().any(|image| image.starts_with("formula")) {
        shown.push(formulas);
    }
    shown
}

/// Returns the formulas of a base by their names.
fn formulas(base: &Frontmatter) -> Vec<(&str, &str)> {
    let all = base.properties.get("formulas").and_then(Value::as_object);
    let all = all.into_iter().flatten();
    all.filter_map(|(name, text)| Some((name.as_str(), text.as_str()?)))
        .collect()
}

/// Returns a formula with the formulas that it may name, and those that they may name.
fn with_named<'f>(formula: &'f str, formulas: &[(&'f str, &'f str)]) -> Vec<&'f str> {
    let (mut whole, mut at) = (vec![formula], 0);
    while let Some(text) = whole.get(at).copied() {
        at += 1;
        if !text.contains("formula") {
            continue;
        }
        // A name in brackets can be put together.
        let is_any = text
            .split("formula")
            .any(|rest| rest.trim_start().starts_with('['));
        let named = formulas
            .iter()
            .filter(|(name, _)| is_any || text.contains(name));
        for (_, named) in named {
            if !whole.contains(named) {
                whole.push(named);
            }
        }
    }
    whole
}

/// Whether a view loads the value of an option: an address, or a formula that can be one, with those that it names.
fn loads(key: &str, text: &str, formulas: &[&str], table: &Table) -> bool {
    let is_address = matches!(leads(text, table), Leads::Web | Leads::Host);
    if is_address || kind_of_value(text, table).is_some() || key.to_lowercase().contains(LOADING) {
        return true;
    }
    let builds = |formula: &&str| literals(formula).any(|text| text.contains([':', '/', '\\']));
    !SHOWN.contains(&key) && (text.contains("//") || formulas.iter().any(builds))
}

/// Whether a formula, with those that it names, builds an address or HTML.
fn builds_address(whole: &[&str], table: &Table) -> bool {
    let Some((formula, named)) = whole.split_first() else {
        return false;
    };
    if formula.len() > LONGEST_FORMULA {
        return true;
    }
    let joins = |text: &str| text.contains('(') || text.contains('+') && !text.starts_with("file.");
    let is_address = |text: &str| text.contains([':', '\\']) || text.contains("//");
    table.words(FORMULA).iter().any(|function| {
        arguments(formula, function).any(|argument| match function.as_str() {
            "image" => !is_picture_of_note(argument, table),
            "link" => {
                let in_list = argument.contains("value") && formula.contains('+');
                in_list
                    || joins(argument)
                    || named.iter().any(|named| joins(named))
                    || whole.iter().any(|text| literals(text).any(is_address))
            }
            _ => true,
        })
    })
}

/// Returns the arguments of each call of a function, to the bracket that closes it.
fn arguments<'f>(formula: &'f str, function: &'f str) -> impl Iterator<Item = &'f str> {
    formula.match_indices(function).filter_map(move |(at, _)| {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        if formula.get(..at)?.ends_with(is_part) {
            return None;
        }
        let rest = formula.get(at + function.len()..)?.trim_start();
        let inside = rest.strip_prefix('(')?;
        let mut depth = 0_usize;
        let end = inside.find(|character| {
            match character {
                '(' => depth += 1,
                ')' if depth == 0 => return true,
                ')' => depth -= 1,
                _ => {}
            }
            false
        });
        Some(inside.get(..end.unwrap_or(inside.len()))?.trim())
    })
}

/// Returns the texts in quotes of a formula.
fn literals(formula: &str) -> impl Iterator<Item = &str> {
    let mut rest = formula;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = rest.get(start..=start)?;
        let behind = rest.get(start + 1..)?;
        let end = behind.find(quote).unwrap_or(behind.len());
        rest = behind.get(end + 1..).unwrap_or_default();
        behind.get(..end)
    })
}

/// Whether an expression is a file, a picture of the vault, or a property for pictures. The addresses of these are
/// found where the notes contain them.
fn is_picture_of_note(expression: &str, table: &Table) -> bool {
    let expression = expression.trim();
    if expression.is_empty() || FILES.contains(&expression) {
        return true;
    }
    let quoted = |text: &str| {
        let quote = text.chars().next().filter(|quote| "\"'".contains(*quote))?;
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains(quote)).then(|| inside.to_owned())
    };
    if let Some(path) = quoted(expression) {
        return leads(&path, table) == Leads::Inside;
    }
    let in_brackets = expression
        .strip_prefix("note[")
        .and_then(|rest| quoted(rest.strip_suffix(']')?));
    let name = in_brackets.unwrap_or_else(|| {
        let name = expression.strip_prefix("note.").unwrap_or(expression);
        name.to_owned()
    });
    let is_name = |character: char| character.is_alphanumeric() || "_- ".contains(character);
    name.chars().all(is_name) && is_picture(&name, table)
}
