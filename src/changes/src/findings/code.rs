//! Code blocks and code within lines that plugins run or render.
//!
//! The info string counts as written, and with its references and escapes replaced. A block in a listed language is
//! literal. A block that a plugin shows like a note (`ad-…`, `tabs`, `columns`) is read as a note, four blocks deep;
//! deeper ones are active. A query is active with an address, markup, a `+` between anything but dates and durations,
//! or an unlisted function; any other block with an address, markup or a call.

use std::sync::LazyLock;

use regex::Regex;
use vault_engine::frontmatter::is_space;

use super::address::{decoded, kind_of_value};
use super::html;
use super::note::{Hits, pattern};
use super::sheet;
use super::table::Table;

pub(super) const RUN_BLOCK: &str = "run-block";
const LOAD_BLOCK: &str = "load-block";
const INLINE_SCRIPT: &str = "inline-script";
/// The language of a block that is a base.
const BASE: &str = "base";
/// The beginning of the languages of blocks that a plugin shows like notes.
const ADMONITION: &str = "ad-";
/// The beginning of the languages of blocks that a plugin runs.
const RUN: &str = "run-";
/// Blocks within blocks are read to this depth.
const DEEPEST: usize = 4;
/// Words in a rendered block that can load something, or that can build such a word.
const LOADING: &str =
    "!import !include ![ // \\special ]( function http rendermarkdown themecss url(";
/// The beginning of the class of code in a language.
const LANGUAGE_CLASS: &str = "language-";
/// The end of a link with its destination.
static LINK_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"\]\([^)]*\)"));
/// Length in bytes above which a query is not read.
const LONGEST_QUERY: usize = 4096;

/// Records a code block (by its info string) or inline code if it is active content.
pub(super) fn find((at, info, content): (usize, Option<&str>, &str), hits: &mut Hits<'_>) {
    let Some(info) = info else {
        return inline(at, content, hits);
    };
    let plain = decoded(&info.replace('\\', ""));
    block((at, info, content), hits);
    if plain != info {
        block((at, &plain, content), hits);
    }
}

fn block((at, info, content): (usize, &str, &str), hits: &mut Hits<'_>) {
    let lower = info.to_lowercase();
    let name = lower.trim_start_matches(|next| is_space(next) || "{.".contains(next));
    let mut parts = name.split(|next| is_space(next) || "{},".contains(next));
    let name = parts.next().unwrap_or_default();
    // The app ends the language before the first other character.
    let is_other = |next: char| !(next.is_ascii_alphanumeric() || "_/+#-".contains(next));
    let language = name.split(is_other).next();
    in_language(name, (at, info, content), hits);
    if let Some(language) = language.filter(|language| *language != name) {
        in_language(language, (at, info, content), hits);
    }
}

/// Records a code block in a language if it is active content.
fn in_language(language: &str, (at, info, content): (usize, &str, &str), hits: &mut Hits<'_>) {
    let table = hits.table;
    if language.is_empty() || table.harmless.languages.has(language) {
        return;
    }
    let is = |kind| table.has_word(kind, language.split(':').next().unwrap_or_default());
    if is(RUN_BLOCK) || language.starts_with(RUN) {
        return hits.add(RUN_BLOCK, at, &format!("{info} {content}"));
    }
    if language == BASE {
        return hits.find_inside(at, content, sheet::base);
    }
    let is_note = table.harmless.note_languages.has(language) || language.starts_with(ADMONITION);
    let is_too_deep = hits.inside.is_some_and(|(_, depth)| depth >= DEEPEST);
    let is_active = match language {
        "dataview" => is_active_query(content, table),
        _ if is_note => is_too_deep,
        "mermaid" => {
            loads(content, table)
                || html::is_loading_style(&content.replace("\\n", ""))
                || content
                    .split(['\n', ';'])
                    .any(|line| line.trim_start().starts_with("click "))
        }
        _ if is(LOAD_BLOCK) => loads(content, table) || content.contains("{{") || is_too_deep,
        _ => {
            let builds = content.contains("{{")
                || calls(content).next().is_some()
                || content.contains("VIEW[") && shows_picture(content);
            builds || loads(content, table) || is_too_deep
        }
    };
    if is_active {
        hits.add(LOAD_BLOCK, at, &format!("{info} {content}"));
    } else {
        hits.find_in_block(at, content);
    }
}

/// Code within a line, which some plugins take for a query.
fn inline(at: usize, content: &str, hits: &mut Hits<'_>) {
    let table = hits.table;
    let query = content.trim_start_matches(is_space);
    let is_query = query
        .strip_prefix('=')
        .is_some_and(|rest| !rest.starts_with(['=', '>', '~']));
    if query.starts_with("$=") || query.starts_with("BUTTON[") {
        hits.add(INLINE_SCRIPT, at, content);
    } else if is_query && is_active_query(query, table)
        || query.starts_with("VIEW[") && (is_active_query(query, table) || shows_picture(query))
        || query.starts_with("INPUT[") && (loads(query, table) || shows_picture(query))
    {
        hits.add(LOAD_BLOCK, at, content);
    }
}

/// Records an element `code` of HTML, with its classes and its content. Plugins read the text that the app shows.
pub(super) fn element((at, class, content): (usize, &str, &str), hits: &mut Hits<'_>) {
    let shown = decoded(&html::without_tags(content));
    for class in decoded(class).to_lowercase().split(is_space) {
        if let Some(language) = class.strip_prefix(LANGUAGE_CLASS) {
            find((at, Some(language), &shown), hits);
        }
    }
    inline(at, &shown, hits);
    // The content can have emphasis, code and links in it, whose brackets are not known.
    let plain = LINK_END.replace_all(&shown, "").replace("==", "");
    for marks in ["*_~\\`", "*_~\\`[]"] {
        let is_text = |next: &char| !(next.is_control() || marks.contains(*next));
        let plain: String = plain.chars().filter(is_text).collect();
        let plain = plain.trim_start_matches('[');
        if plain != shown {
            inline(at, plain, hits);
        }
    }
}

/// Whether a field of Meta Bind shows a property as a picture.
fn shows_picture(query: &str) -> bool {
    query.to_lowercase().contains("[image")
}

/// Whether a query of Dataview, or one like it, can show more than what is in the notes: it has an address or
/// markup, or puts a text together.
fn is_active_query(query: &str, table: &'static Table) -> bool {
    query.len() > LONGEST_QUERY
        || loads(query, table)
        || joins(query)
        || calls(query).any(|name| !table.harmless.query_functions.has(&name.to_lowercase()))
}

/// Whether a query adds anything but dates and durations.
fn joins(query: &str) -> bool {
    query.match_indices('+').any(|(at, _)| {
        let (before, behind) = query.split_at(at);
        let before = before
            .trim_end()
            .strip_suffix(')')
            .and_then(|call| call.rsplit_once('('));
        let is_time = |text: &str| text.ends_with("date") || text.ends_with("dur");
        let behind = behind.trim_start_matches('+').trim_start().split_once('(');
        !(before.is_some_and(|(name, _)| is_time(name))
            && behind.is_some_and(|(name, _)| matches!(name, "date" | "dur")))
    })
}

/// Returns the names of the functions that a text calls.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let before = text.get(..at)?;
        let is_part = |character: char| character.is_alphanumeric() || "_$".contains(character);
        let name = before.rsplit(|character| !is_part(character)).next()?;
        (!name.is_empty()).then_some(name)
    })
}

/// Whether what a plugin renders can load something.
fn loads(text: &str, table: &'static Table) -> bool {
    // The diagrams of Mermaid write references with `#`.
    let references = decoded(&text.replace('#', "&#")).replace("&#", "&");
    let plain = decoded(&references);
    let lower = format!("{text}\n{plain}").to_lowercase();
    LOADING.split(' ').any(|loading| lower.contains(loading))
        || html::acts(text, table)
        || html::acts(&plain, table)
        || text.lines().any(|line| has_address(line, table))
}

/// Whether a line, a text in quotes in it, or the value behind its colon is an address that is not harmless.
fn has_address(line: &str, table: &Table) -> bool {
    let value = line.split_once(": ").map(|(_, value)| value);
    let mut parts = line.split(['"', '\'', '`']).chain(value);
    parts.any(|part| kind_of_value(part.trim(), table).is_some())
}
