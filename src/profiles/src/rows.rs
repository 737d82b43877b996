//! Rows of lists that several profiles share: links, findings and the items of any list.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};
use vault_answers::{BacklinkItem, Items, LineMatch, List};
use vault_engine::{AuditReport, LinkKind, ListedLink, is_known_extension};

use changes::{Envelope, Part};

/// Returns the items of the answer as they are; `None` if it is not a list. The files of a tag are one level deeper.
pub(super) fn items(envelope: &Envelope) -> Option<&Vec<Value>> {
    let data = envelope.data.as_map();
    let files = data.get("files").and_then(Value::as_object);
    files.unwrap_or(data).get("items")?.as_array()
}

/// Returns a row for each item of a list.
pub(super) fn each<T>(list: &List<T>, row: impl FnMut(&T) -> Value) -> Vec<Value> {
    list.items.iter().map(row).collect()
}

/// Returns the keys that mark a payload as a part of an answer (`threats.toml` F15), with the `--offset` of the next
/// part. Empty if the answer is complete.
pub(super) fn mark_of_part(envelope: &Envelope) -> Map<String, Value> {
    let part = match envelope.data.own::<AuditReport>() {
        Some(audit) => Part::from(&audit.findings as &dyn Items),
        None => envelope.data.part(),
    };
    let mut mark = Map::new();
    if !part.truncated {
        return mark;
    }
    mark.insert("truncated".to_owned(), true.into());
    if let Some(next) = part.next_offset {
        mark.insert("next_offset".to_owned(), next.into());
    }
    mark
}

/// Returns the key and value for warnings; `None` if there are none. Readers of these objects
/// accept unknown keys.
pub(super) fn warnings(envelope: &Envelope) -> Option<(String, Value)> {
    let warnings = &envelope.warnings;
    (!warnings.is_empty()).then(|| ("warnings".to_owned(), json!(warnings)))
}

/// The command whose findings are the violations and the advice of its envelope.
pub(super) const AUDIT: &str = "vault:audit";

/// Returns the findings of an audit, violations first; empty if the audit failed, because the
/// advice is then about the failure.
pub(super) fn findings(envelope: &Envelope) -> Vec<Value> {
    if envelope.error.is_some() {
        return Vec::new();
    }
    let found = envelope.violations.iter().chain(&envelope.advice);
    found.map(|issue| json!(issue)).collect()
}

/// A link from or to a note, in the form that the profiles share.
#[derive(Default, Serialize)]
pub(super) struct Link<'answer> {
    /// The note at the other end, or the text of a link that leads nowhere.
    pub(super) path: &'answer str,
    pub(super) title: Option<&'answer str>,
    links: Option<usize>,
    pub(super) embed: bool,
    pub(super) alias: Option<&'answer str>,
    pub(super) heading: Option<&'answer str>,
    pub(super) block: Option<&'answer str>,
    /// Only of a single link.
    #[serde(flatten)]
    pub(super) written: Option<Written<'answer>>,
}

/// The text of a link, and its place.
#[derive(Serialize)]
pub(super) struct Written<'answer> {
    target: &'answer str,
    status: &'static str,
    source: &'answer str,
    line: usize,
}

impl<'answer> Link<'answer> {
    /// A link of an official command, which has less than the form needs: a count only on request, and nothing about a
    /// single link. The title is then the name of the file; `embed` is false, because consumers expect a boolean; the
    /// rest is null.
    pub(super) fn new(path: &'answer str, links: Option<usize>) -> Self {
        Self {
            path,
            title: title(path),
            links,
            ..Self::default()
        }
    }

    /// As [`Self::new`], for a link that leads to no file.
    pub(super) fn unresolved(target: &'answer str, links: Option<usize>) -> Self {
        Self {
            path: target,
            title: written_title(target),
            links,
            ..Self::default()
        }
    }

    /// Returns a link of `links:list`, with the note that contains it, or else the note that it links to.
    fn from_listed(item: &'answer ListedLink, is_incoming: bool) -> Self {
        let (path, shown) = if is_incoming {
            (&item.path, &item.title)
        } else {
            let leads_to = item.resolved.as_ref().unwrap_or(&item.target);
            (leads_to, &item.resolved_title)
        };
        let place = item.target.split_once('#').map(|(_, place)| place);
        let block = place.and_then(|place| place.strip_prefix('^'));
        let status = item.resolved.as_ref().map_or("unresolved", |_| "resolved");
        Self {
            path,
            title: shown
                .as_deref()
                .or_else(|| match (is_incoming, &item.resolved) {
                    (false, None) => written_title(path),
                    _ => title(path),
                }),
            links: Some(1),
            embed: matches!(item.kind, LinkKind::Embed | LinkKind::MarkdownEmbed),
            alias: alias(&item.markup),
            heading: place.filter(|_| block.is_none()),
            block,
            written: Some(Written {
                target: &item.target,
                status,
                source: &item.path,
                line: item.line,
            }),
        }
    }
}

/// Returns the links of `backlinks` and of `links:list`.
pub(super) fn links(envelope: &Envelope) -> Option<Vec<Link<'_>>> {
    if let Some(list) = envelope.data.own::<List<BacklinkItem>>() {
        let links = list.items.iter();
        return Some(
            links
                .map(|item| Link::new(&item.path, item.count))
                .collect(),
        );
    }
    let listed: &List<ListedLink> = envelope.data.own()?;
    let is_incoming = envelope.params.contains_key("to");
    let link = |item| Link::from_listed(item, is_incoming);
    Some(listed.items.iter().map(link).collect())
}

/// Returns the text that a link shows, if it has an alias.
fn alias(markup: &str) -> Option<&str> {
    let markup = markup.strip_prefix('!').unwrap_or(markup);
    if let Some(inner) = markup.strip_prefix("[[") {
        let inner = inner.strip_suffix("]]").unwrap_or(inner);
        return inner.split_once('|').map(|(_, alias)| alias);
    }
    let (shown, _) = markup.strip_prefix('[')?.split_once("](")?;
    Some(shown).filter(|shown| !shown.is_empty())
}

/// Returns the title of a note: the name of its file without extension.
pub(super) fn title(path: &str) -> Option<&str> {
    Path::new(path).file_stem()?.to_str()
}

/// Returns the title of the note that a link to no file means: the name without the part that the link names. A dot in
/// it does not begin an extension, unless that is the extension of a file of the app.
fn written_title(target: &str) -> Option<&str> {
    let name = target.split('#').next()?.rsplit('/').next()?;
    match name.rsplit_once('.') {
        Some((title, extension)) if is_known_extension(extension) => Some(title),
        _ => Some(name),
    }
}

/// Returns the matching lines of a file.
pub(super) fn joined(lines: &[LineMatch]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    lines.join("\n")
}

/// Returns the target note of the call, as the caller named it.
pub(super) fn subject(params: &Map<String, Value>) -> Option<&Value> {
    params.get("path").or_else(|| params.get("file"))
}
