//! Active content in HTML and SVG. Tags are read as browsers read them, which take more for a tag than Markdown does.
//!
//! References to characters in addresses and comments that end early count too. An SVG is read as XML: names with a
//! prefix, definitions, other encodings and `<?xml-stylesheet?>` are active.

use super::address::{Leads, decoded, leads};
use super::code;
use super::note::Hits;
use super::table::Table;

const ELEMENT: &str = "html-element";
const EVENT: &str = "html-event";
const STYLE: &str = "html-style";
const REMOTE: &str = "remote-html";

/// The parts of a style that load something, or hide that it does.
const STYLES: [&str; 6] = ["url(", "image(", "image-set(", "src(", "@import", "\\"];
/// The name of the element for code.
const CODE: &str = "code";
/// The maximum number of bytes of tags to read, as a multiple of the length of the text: text that only begins like
/// tags is read again for each beginning.
const MOST_PASSES: usize = 16;
/// As [`MOST_PASSES`], for elements `code`, which are read as notes.
const MOST_CODE_PASSES: usize = 4;
/// The length of the shortest name of an element that loads something by itself: `base`, `link` and `meta`.
const SHORTEST_NAME: usize = 4;
/// A longer declaration at the beginning of an SVG is not read.
const LONGEST_PROLOG: usize = 1000;

/// An opening tag of HTML.
struct HtmlTag<'t> {
    name: String,
    /// Names in lower case, and values without their quotes.
    attributes: Vec<(String, &'t str)>,
    /// Byte behind the end of the tag.
    end: usize,
}

/// Records the active tags in a text, and code between tags.
pub(super) fn find(text: &str, hits: &mut Hits<'_>) {
    find_tags(text, hits, |_| None, kind_of);
    let mut left = text.len().saturating_mul(MOST_CODE_PASSES);
    for (at, _) in text.match_indices('<') {
        let is_code = text.get(at + 1..at + 1 + CODE.len());
        let is_code = is_code.is_some_and(|name| name.eq_ignore_ascii_case(CODE));
        let tag = is_code.then(|| tag_at(text, at)).flatten();
        let Some(tag) = tag.filter(|tag| tag.name == CODE) else {
            continue;
        };
        // In the text code is not blank.
        let whole = hits
            .text
            .get(tag.end..)
            .filter(|_| hits.text.len() == text.len());
        let content = element_content(whole.or_else(|| text.get(tag.end..)).unwrap_or_default());
        let length = tag.end - at + content.len();
        if left < length {
            return hits.add(ELEMENT, at, text.get(at..).unwrap_or_default());
        }
        left -= length;
        let mut classes = tag.attributes.iter().filter(|(name, _)| name == "class");
        let class = classes.next().map_or("", |(_, class)| *class);
        code::element((at, class, content), hits);
    }
}

/// Returns the text up to the end of an element `code`, in which others can be.
fn element_content(rest: &str) -> &str {
    let mut depth = 0_usize;
    for (at, _) in rest.match_indices('<') {
        let name = rest.get(at + 1..).unwrap_or_default();
        let (is_end, name) = match name.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, name),
        };
        let name = name.get(..CODE.len()).unwrap_or_default();
        match (name.eq_ignore_ascii_case(CODE), is_end) {
            (true, true) if depth == 0 => return rest.get(..at).unwrap_or_default(),
            (true, true) => depth -= 1,
            (true, false) => depth += 1,
            _ => {}
        }
    }
    rest
}

/// Returns a text without tags and comments.
pub(super) fn without_tags(text: &str) -> String {
    let (mut plain, mut at) = (String::new(), 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + found;
        plain += text.get(at..start).unwrap_or_default();
        let rest = text.get(start..).unwrap_or_default();
        let end = |mark: &str| {
            rest.find(mark)
                .map_or(text.len(), |end| start + end + mark.len())
        };
        at = match tag_at(text, start) {
            Some(tag) => tag.end,
            None if rest.starts_with("<!--") => end("-->"),
            None if rest
                .get(1..)
                .is_some_and(|next| next.starts_with(['/', '!', '?'])) =>
            {
                end(">")
            }
            None => {
                plain.push('<');
                start + 1
            }
        };
    }
    plain + text.get(at..).unwrap_or_default()
}

/// Records what in an SVG file is not known to be harmless. It is XML: names may have prefixes, and a document
/// can define references, or an encoding in which other bytes are tags.
pub(super) fn find_in_svg(text: &str, hits: &mut Hits<'_>) {
    let kind_of_other = |rest: &str| {
        let is_harmless = rest.starts_with('/') || rest.starts_with("!--") || is_prolog(rest);
        (!is_harmless).then_some(ELEMENT)
    };
    find_tags(text, hits, kind_of_other, kind_in_svg);
    if text.contains('\0') {
        hits.add(ELEMENT, 0, text);
    }
}

/// Records the active tags, each by its kind, and what else begins with `<`, by the text behind that.
fn find_tags(
    text: &str,
    hits: &mut Hits<'_>,
    kind_of_other: impl Fn(&str) -> Option<&'static str>,
    kind_of_tag: impl Fn(&HtmlTag<'_>, &str, &Table) -> Option<&'static str>,
) {
    let mut left = text.len().saturating_mul(MOST_PASSES);
    for (at, _) in text.match_indices('<') {
        let Some(tag) = tag_at(text, at) else {
            if let Some(kind) = kind_of_other(text.get(at + 1..).unwrap_or_default()) {
                hits.add(kind, at, text.get(at..).unwrap_or_default());
                return;
            }
            continue;
        };
        let content = content_end(&tag, text, hits.table);
        let inside = text.get(tag.end..content).unwrap_or_default();
        // The end of content with markup in it was looked for in the whole text.
        let searched = if inside.contains('<') {
            text.len()
        } else {
            content
        };
        if left < searched - at {
            hits.add(ELEMENT, at, text.get(at..).unwrap_or_default());
            return;
        }
        left -= searched - at;
        // In the text code is not blank.
        let same = Some(hits.text).filter(|whole| whole.len() == text.len());
        let whole = |from| {
            let whole = same.and_then(|whole| whole.get(from..content));
            whole
                .or_else(|| text.get(from..content))
                .unwrap_or_default()
        };
        if let Some(kind) = kind_of_tag(&tag, whole(tag.end), hits.table) {
            hits.add(kind, at, whole(at));
        }
    }
}

/// Whether a text has a tag that is active content.
pub(super) fn acts(text: &str, table: &'static Table) -> bool {
    let mut hits = Hits::new(text, table);
    find_tags(text, &mut hits, |_| None, kind_of);
    !hits.found.is_empty()
}

fn kind_of(tag: &HtmlTag<'_>, content: &str, table: &Table) -> Option<&'static str> {
    let attributes = tag.attributes.iter();
    let mut of_attribute =
        attributes.filter_map(|(name, value)| kind_of_attribute(&tag.name, (name, value), table));
    // `<https://example.org/?a=b>` is a link for most readers.
    if tag.name.contains(':') {
        return of_attribute.find(|kind| [EVENT, STYLE].contains(kind));
    }
    let has_values = tag.attributes.iter().any(|(_, value)| !value.is_empty());
    // A shorter name, or one with other characters, is text such as `a <b`.
    let is_name = tag.name.len() >= SHORTEST_NAME
        && tag
            .name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '-');
    let is_harmless = !is_name || table.harmless.html_elements.has(&tag.name);
    if !is_harmless && has_values || tag.name == "script" {
        return Some(ELEMENT);
    }
    if is_loading_style(content) {
        return Some(STYLE);
    }
    of_attribute.next()
}

fn kind_of_attribute(
    tag: &str,
    (name, value): (&str, &str),
    table: &Table,
) -> Option<&'static str> {
    let is_event = name.len() > 2 && name.starts_with("on") && !value.is_empty();
    let sets_event =
        name == "attributename" && !table.harmless.svg_attributes.has(&value.to_lowercase());
    if is_event || sets_event || name == "srcdoc" {
        return Some(EVENT);
    }
    if name == "style" {
        return is_loading_style(value).then_some(STYLE);
    }
    if table.harmless.html_attributes.has(name)
        || name.starts_with("aria-")
        || name.starts_with("xmlns")
    {
        return None;
    }
    if table.harmless.svg_attributes.has(name) && is_loading_style(value) {
        return Some(STYLE);
    }
    let is_link = matches!(name, "href" | "xlink:href") && matches!(tag, "a" | "area");
    // Lists of addresses have descriptions between them.
    let parts = value.split([',', ';', ' ', '\n', '\t']);
    let mut addresses = [value]
        .into_iter()
        .chain(parts)
        .map(|part| leads(part, table));
    addresses.find_map(|address| match address {
        Leads::Web | Leads::Host if !is_link => Some(REMOTE),
        Leads::Picture => None,
        _ => address.kind_of_link(),
    })
}

/// Whether this is a declaration of XML in UTF-8, or a document type without definitions.
fn is_prolog(rest: &str) -> bool {
    let end = rest
        .bytes()
        .take(LONGEST_PROLOG)
        .position(|byte| byte == b'>');
    let inside = end
        .and_then(|end| rest.get(..end))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_utf8 = || {
        let encoding = inside.split_once("encoding").map(|(_, encoding)| encoding);
        let name = encoding.map(|encoding| encoding.trim_start_matches([' ', '=', '"', '\'']));
        name.is_none_or(|name| name.starts_with("utf-8"))
    };
    inside.starts_with("?xml ") && is_utf8()
        || inside.starts_with("!doctype svg") && !inside.contains('[')
}

fn kind_in_svg(tag: &HtmlTag<'_>, content: &str, table: &Table) -> Option<&'static str> {
    if !table.harmless.svg_elements.has(&tag.name) {
        return Some(ELEMENT);
    }
    if content.contains('<') || is_loading_style(content) {
        return Some(STYLE);
    }
    tag.attributes.iter().find_map(|(name, value)| {
        let is_known = table.harmless.svg_attributes.has(name)
            || ["data-", "aria-", "xmlns"]
                .iter()
                .any(|begin| name.starts_with(begin))
            || matches!(
                name.as_str(),
                "href" | "xlink:href" | "attributename" | "style"
            );
        if !is_known {
            return Some(EVENT);
        }
        kind_of_attribute(&tag.name, (name, value), table)
    })
}

/// Returns the end of the content of an element whose content runs or loads; the end of the tag for another. If there is
/// markup before the first end tag, that tag can be in a comment, so the content reaches to the last one.
fn content_end(tag: &HtmlTag<'_>, text: &str, table: &Table) -> usize {
    let local = tag.name.rsplit(':').next().unwrap_or_default();
    if !table.has_word(ELEMENT, local) {
        return tag.end;
    }
    let rest = text.get(tag.end..).unwrap_or_default();
    let closes = |at: &usize| {
        let name = rest.get(at + 2..at + 2 + tag.name.len());
        let next = rest.as_bytes().get(at + 2 + tag.name.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(&tag.name))
            && next.is_none_or(|next| next.is_ascii_whitespace() || b"/>".contains(next))
    };
    let mut ends = rest.match_indices("</").map(|(at, _)| at).filter(closes);
    let first = ends.next().unwrap_or(rest.len());
    let has_markup = rest.get(..first).is_some_and(|inside| inside.contains('<'));
    let last = ends.last().filter(|_| has_markup);
    tag.end + last.unwrap_or(first)
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

/// Returns the opening tag at a `<`, by the rules of browsers. A tag without an end reaches to the end of the text.
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
        next = end_of(bytes, next, |byte| {
            !(byte.is_ascii_whitespace() || *byte == b'/')
        });
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
    Some(HtmlTag {
        name: name.to_ascii_lowercase(),
        attributes,
        end: (next + 1).min(text.len()),
    })
}

/// Returns the position of the first byte from `from` on for which `is_wanted` is true, or the end of `bytes`.
fn end_of(bytes: &[u8], from: usize, is_wanted: impl Fn(&u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().position(is_wanted).unwrap_or(rest.len());
    from.min(bytes.len()) + length
}
