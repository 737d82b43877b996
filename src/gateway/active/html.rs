//! What acts in HTML. Tags are read as browsers read them, which take more for a tag than markdown does.

use super::address::{Leads, decoded, leads};
use super::note::Hits;
use super::table::Table;

const ELEMENT: &str = "html-element";
const EVENT: &str = "html-event";
const STYLE: &str = "html-style";
const REMOTE: &str = "remote-html";

/// The attributes with an address that is loaded.
const LOADING: [&str; 15] = [
    "action",
    "archive",
    "background",
    "classid",
    "code",
    "codebase",
    "data",
    "dynsrc",
    "formaction",
    "imagesrcset",
    "lowsrc",
    "manifest",
    "poster",
    "src",
    "srcset",
];
/// The attributes of SVG with a new value for another one.
const ANIMATED: [&str; 4] = ["by", "from", "to", "values"];
/// What in a style loads something, or hides that it does.
const STYLES: [&str; 6] = ["url(", "image(", "image-set(", "src(", "@import", "\\"];
/// How many times the length of a text its tags may be read: text that only begins like tags is read again
/// for each beginning.
const MOST_PASSES: usize = 16;

/// An opening tag.
struct HtmlTag<'t> {
    name: String,
    /// Names in lower case, and values without their quotes.
    attributes: Vec<(String, &'t str)>,
    /// Its end in bytes.
    end: usize,
}

/// Records the tags in a text that act.
pub(super) fn find(text: &str, hits: &mut Hits<'_>) {
    let mut left = text.len().saturating_mul(MOST_PASSES);
    for (at, _) in text.match_indices('<') {
        let Some(tag) = tag_at(text, at) else {
            continue;
        };
        let length = tag.end - at + style_text(&tag, text).len();
        if left < length {
            hits.add(ELEMENT, at, text.get(at..).unwrap_or_default());
            return;
        }
        left -= length;
        if let Some(kind) = kind_of(&tag, text, hits.table) {
            hits.add(kind, at, text.get(at..tag.end).unwrap_or_default());
        }
    }
}

/// Whether a text has a tag that acts.
pub(super) fn acts(text: &str, table: &'static Table) -> bool {
    let mut hits = Hits::new(text, table);
    find(text, &mut hits);
    !hits.found.is_empty()
}

fn kind_of(tag: &HtmlTag<'_>, text: &str, table: &Table) -> Option<&'static str> {
    let has_attributes = !tag.attributes.is_empty();
    if table.has_word(ELEMENT, &tag.name) && (has_attributes || tag.name == "script") {
        return Some(ELEMENT);
    }
    if is_loading_style(style_text(tag, text)) {
        return Some(STYLE);
    }
    let mut attributes = tag.attributes.iter();
    attributes.find_map(|(name, value)| kind_of_attribute(&tag.name, (name, value), table))
}

fn kind_of_attribute(
    tag: &str,
    (name, value): (&str, &str),
    table: &Table,
) -> Option<&'static str> {
    let is_event = name.len() > 2 && name.starts_with("on") && !value.is_empty();
    if is_event || name == "srcdoc" {
        return Some(EVENT);
    }
    if name == "style" && is_loading_style(value) {
        return Some(STYLE);
    }
    let is_link = matches!(name, "href" | "xlink:href");
    let loads = LOADING.contains(&name) || is_link && !matches!(tag, "a" | "area");
    if !(loads || is_link || ANIMATED.contains(&name)) {
        return None;
    }
    // Lists of addresses have descriptions between them.
    let parts = value.split([',', ';', ' ', '\n', '\t']);
    let mut addresses = [value].into_iter().chain(parts).map(|part| leads(part, table));
    addresses.find_map(|address| match address {
        Leads::To(kind) => Some(kind),
        Leads::Outside if loads => Some(REMOTE),
        _ => None,
    })
}

/// The text of a `style` element; empty for another.
fn style_text<'t>(tag: &HtmlTag<'_>, text: &'t str) -> &'t str {
    let rest = text.get(tag.end..).filter(|_| tag.name == "style");
    let rest = rest.unwrap_or_default();
    let closes = |at: &usize| {
        let name = rest.get(at + 2..at + 2 + "style".len());
        name.is_some_and(|name| name.eq_ignore_ascii_case("style"))
    };
    let mut ends = rest.match_indices("</").map(|(at, _)| at);
    let end = ends.find(closes).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Whether a style loads something.
pub(super) fn is_loading_style(style: &str) -> bool {
    let style = decoded(style).to_lowercase();
    let mut parts = style.split("/*");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.split_once("*/").map_or("", |(_, behind)| behind);
    }
    // A part of the same document.
    for own in ["url(#", "url('#", "url(\"#"] {
        plain = plain.replace(own, "");
    }
    STYLES.iter().any(|loading| plain.contains(loading))
}

/// The opening tag at a `<`, by the rules of browsers. One that never ends goes on to the end of the text.
fn tag_at(text: &str, at: usize) -> Option<HtmlTag<'_>> {
    let bytes = text.as_bytes();
    let ends_name = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    if !bytes.get(at + 1)?.is_ascii_alphabetic() {
        return None;
    }
    let name_end = end_of(bytes, at + 1, ends_name);
    let name = text.get(at + 1..name_end)?;
    let mut attributes = Vec::new();
    let mut next = name_end;
    loop {
        next = end_of(bytes, next, |byte| !(byte.is_ascii_whitespace() || *byte == b'/'));
        if matches!(bytes.get(next), None | Some(b'>')) {
            break;
        }
        let name_end = end_of(bytes, next + 1, |byte| ends_name(byte) || *byte == b'=');
        let name = text.get(next..name_end)?.to_ascii_lowercase();
        let behind = end_of(bytes, name_end, |byte| !byte.is_ascii_whitespace());
        if bytes.get(behind) != Some(&b'=') {
            attributes.push((name, ""));
            next = name_end;
            continue;
        }
        let start = end_of(bytes, behind + 1, |byte| !byte.is_ascii_whitespace());
        let quote = bytes.get(start).filter(|byte| matches!(byte, b'"' | b'\''));
        let (start, end, after) = if let Some(quote) = quote {
            let end = end_of(bytes, start + 1, |byte| byte == quote);
            (start + 1, end, end + 1)
        } else {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
            let end = end_of(bytes, start, ends);
            (start, end, end)
        };
        attributes.push((name, text.get(start..end).unwrap_or_default()));
        next = after;
    }
    Some(HtmlTag { name: name.to_ascii_lowercase(), attributes, end: (next + 1).min(text.len()) })
}

/// The first byte from `from` on that is wanted, or the end.
fn end_of(bytes: &[u8], from: usize, is_wanted: impl Fn(&u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().position(is_wanted).unwrap_or(rest.len());
    from.min(bytes.len()) + length
}
