//! The known facts of one note without its text: its links, tags, tasks and properties. The index keeps it.

mod canvas;

use std::borrow::Cow;

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::byte_order_mark;
use crate::frontmatter::{Frontmatter, FrontmatterError};
use crate::limits::MAX_WHOLE_BYTES;
use crate::note_parts::anchor;
use crate::path::VaultPath;
use crate::scan::{CodeText, Link, other_tags, scan_for_index, written};
use crate::warning::Warning;

/// Extracts the record of a note or canvas, and its problem if there is one.
pub fn record_of(path: &VaultPath, bytes: &[u8]) -> (NoteRecord, Option<NoteProblem>) {
    // Validating first is ten times faster than a lossy conversion, and nearly all notes are valid
    // UTF-8.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    let lossy = matches!(text, Cow::Owned(_));
    let text = byte_order_mark::strip(&text);
    let (record, problem) = if path.is_note() {
        NoteRecord::from_note(text)
    } else {
        NoteRecord::from_canvas(text)
    };
    (
        record,
        if lossy {
            Some(NoteProblem::NotUtf8)
        } else {
            problem
        },
    )
}

/// The facts about one note or canvas that commands about the whole vault need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NoteRecord {
    /// The targets of links and embeds in text and properties, in the order of their first use.
    pub links: Vec<LinkUse>,
    /// Those of these links that name a heading or block, in the order of their first use.
    pub anchors: Vec<AnchorUse>,
    /// Tags of the properties, then of the text, every occurrence (`vault-semantics.md` §3.1).
    pub tags: Vec<String>,
    /// Tasks in the order of the text.
    pub tasks: Vec<TaskRecord>,
    /// The texts of the bases in code blocks that may show pictures, also in the cards of a canvas.
    pub picture_bases: Vec<String>,
    /// The properties as JSON; `None` if the note has none.
    pub properties: Option<PropertiesText>,
}

/// The links of one note with one linkpath.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinkUse {
    /// The target before `#`, as written but trimmed; empty for the note itself.
    pub linkpath: String,
    /// The number of links with it.
    pub count: u32,
}

/// The links of one note to one heading or block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AnchorUse {
    /// The target before `#`, as in [`LinkUse`].
    pub linkpath: String,
    /// The rest of the target, from `#` on.
    pub subpath: String,
    /// The number of links with both.
    pub count: u32,
}

/// One task, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The character between the brackets.
    pub status: char,
    /// Its line in the file, from 1.
    pub line: u32,
    /// The whole line as written.
    pub text: String,
}

/// Properties as the JSON text of an object, keys in the order of the note.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PropertiesText(pub String);

/// The reason why a note is not indexed, or not completely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoteProblem {
    /// The system could not read the file, for this reason.
    Unreadable(String),
    /// It has more than [`MAX_WHOLE_BYTES`].
    TooLarge,
    /// Its text is not UTF-8.
    NotUtf8,
    /// Its properties are not valid YAML.
    Properties {
        /// The line of the note, counted from 1.
        line: usize,
        /// The message of the parser.
        reason: String,
    },
    /// The canvas is not valid JSON, for this reason.
    Canvas(String),
    /// Its blocks are nested too deep.
    TooDeep,
    /// It has text that the app does not list as tags, and that others take for tags: rules that close notes by their tags
    /// count it.
    OtherTags(Vec<String>),
}

impl NoteProblem {
    /// Whether the note may have tags or properties that its record does not contain.
    pub(crate) fn hides_facts(&self) -> bool {
        match self {
            // Text that is not UTF-8 is read with replacements, so a tag in it may end too early.
            Self::Unreadable(_)
            | Self::TooLarge
            | Self::NotUtf8
            | Self::Properties { .. }
            | Self::TooDeep => true,
            Self::Canvas(_) | Self::OtherTags(_) => false,
        }
    }

    /// Returns the text that only others take for tags.
    pub(crate) fn other_tags(&self) -> &[String] {
        match self {
            Self::OtherTags(tags) => tags,
            _ => &[],
        }
    }

    /// Returns the warning for one note; `None` if all of it is read.
    pub fn warning(&self, path: &VaultPath) -> Option<Warning> {
        let path = path.clone();
        Some(match self.clone() {
            Self::Unreadable(reason) => Warning::NoteUnreadable { path, reason },
            Self::TooLarge => Warning::NoteTooLarge {
                path,
                limit: MAX_WHOLE_BYTES,
            },
            Self::NotUtf8 => Warning::NotUtf8 { path },
            Self::Properties { line, reason } => Warning::InvalidFrontmatter { path, line, reason },
            Self::TooDeep => Warning::NestedTooDeep { path },
            Self::Canvas(reason) => Warning::InvalidCanvas { path, reason },
            Self::OtherTags(_) => return None,
        })
    }
}

impl NoteRecord {
    /// Extracts the record of a note's text, which must have no byte order mark.
    pub fn from_note(text: &str) -> (Self, Option<NoteProblem>) {
        let facts = scan_for_index(text);
        let (frontmatter, problem) = match Frontmatter::parse_unmarked(text) {
            Ok(frontmatter) => (
                frontmatter,
                facts.is_too_deep.then_some(NoteProblem::TooDeep),
            ),
            Err(FrontmatterError { line, fault }) => {
                let reason = fault.to_string();
                let problem = NoteProblem::Properties { line, reason };
                (Frontmatter::default(), Some(problem))
            }
        };
        let mut links = LinkUses::default();
        let mut tags = Vec::new();
        for link in frontmatter.links() {
            links.add(link.target);
        }
        tags.extend(frontmatter.tags());
        let properties = Some(&frontmatter.properties)
            .filter(|properties| !properties.is_empty())
            .and_then(|properties| serde_json::to_string(properties).ok())
            .map(PropertiesText);
        links.add_all(facts.links, facts.embeds);
        tags.extend(facts.tags.into_iter().map(|tag| tag.tag));
        let problem = problem.or_else(|| {
            let others = frontmatter.other_tags(text).into_iter();
            let mut others: Vec<String> = others.chain(other_tags(text)).collect();
            others.retain(|tag| !tags.contains(tag));
            (!others.is_empty()).then_some(NoteProblem::OtherTags(others))
        });
        let tasks = facts
            .list_items
            .iter()
            .filter_map(|item| {
                Some(TaskRecord {
                    status: item.task?,
                    line: item.span.start.line + 1,
                    text: line_at(text, item.span.start.byte).to_owned(),
                })
            })
            .collect();
        let record = Self {
            links: links.uses,
            anchors: links.anchors,
            tags,
            tasks,
            picture_bases: picture_bases(text).collect(),
            properties,
        };
        (record, problem)
    }

    /// Returns the links of a canvas: its file nodes, and the links in its text nodes; and the bases in these.
    pub(super) fn from_canvas(text: &str) -> (Self, Option<NoteProblem>) {
        let canvas = match canvas::parse(text) {
            Ok(canvas) => canvas,
            Err(error) => {
                return (
                    Self::default(),
                    Some(NoteProblem::Canvas(error.to_string())),
                );
            }
        };
        let (mut links, mut bases) = (LinkUses::default(), Vec::new());
        for node in &canvas {
            match node {
                canvas::CanvasNode::File { path, subpath } => {
                    links.add_anchor(path, subpath);
                    links.add(path.clone());
                }
                canvas::CanvasNode::Text(text) => {
                    let facts = scan_for_index(text);
                    links.add_all(facts.links, facts.embeds);
                    bases.extend(picture_bases(text));
                }
            }
        }
        let record = Self {
            links: links.uses,
            anchors: links.anchors,
            picture_bases: bases,
            ..Self::default()
        };
        (record, None)
    }
}

/// Returns the texts of the bases in the code blocks of a note, as any reader could read it, if it may show pictures.
fn picture_bases(text: &str) -> impl Iterator<Item = String> + use<> {
    // Most notes need no reading. In YAML, `"im\x61ge"` is the same key.
    let may_show_pictures = text.contains(BASE) && (text.contains("image") || text.contains('\\'));
    let code = if may_show_pictures {
        written(text).code
    } else {
        Vec::new()
    };
    let is_base = |code: &CodeText| {
        let info = code.info.as_deref().unwrap_or_default();
        info.trim().to_lowercase().starts_with(BASE)
    };
    code.into_iter().filter(is_base).map(|code| code.content)
}

/// The language of a code block that is a base.
const BASE: &str = "base";

/// The number of linkpaths from which a hash map is faster than a linear search.
const MANY: usize = 24;

/// Counts the links of a note by linkpath.
#[derive(Default)]
struct LinkUses {
    uses: Vec<LinkUse>,
    /// Positions in `uses` by linkpath; filled from [`MANY`] linkpaths on.
    places: HashMap<String, usize>,
    anchors: Vec<AnchorUse>,
    /// Positions in `anchors` by linkpath and subpath.
    anchor_places: HashMap<(String, String), usize>,
}

impl LinkUses {
    fn add_all(&mut self, links: Vec<Link>, embeds: Vec<Link>) {
        self.uses.reserve(links.len() + embeds.len());
        for link in links.into_iter().chain(embeds) {
            self.add(link.target);
        }
    }

    fn add(&mut self, mut target: String) {
        if let Some(hash) = memchr::memchr(b'#', target.as_bytes()) {
            let subpath = target.split_off(hash);
            self.add_anchor(target.trim(), &subpath);
        }
        let linkpath = target.trim();
        let place = if self.uses.len() < MANY {
            self.uses.iter().position(|link| link.linkpath == linkpath)
        } else {
            self.places.get(linkpath).copied()
        };
        if let Some(known) = place.and_then(|place| self.uses.get_mut(place)) {
            known.count = known.count.saturating_add(1);
            return;
        }
        let place = self.uses.len();
        if place + 1 == MANY {
            let all = self.uses.iter().map(|link| link.linkpath.clone());
            self.places.extend(all.zip(0..));
        }
        if place + 1 >= MANY {
            self.places.insert(linkpath.to_owned(), place);
        }
        self.uses.push(LinkUse {
            linkpath: if linkpath.len() == target.len() {
                target
            } else {
                linkpath.to_owned()
            },
            count: 1,
        });
    }
}

impl LinkUses {
    /// Adds a link to a heading or block; does nothing if the subpath names neither.
    fn add_anchor(&mut self, linkpath: &str, subpath: &str) {
        if anchor::kind_of(subpath).is_none() {
            return;
        }
        let key = (linkpath.to_owned(), subpath.to_owned());
        let place = *self.anchor_places.entry(key).or_insert(self.anchors.len());
        match self.anchors.get_mut(place) {
            Some(known) => known.count = known.count.saturating_add(1),
            None => self.anchors.push(AnchorUse {
                linkpath: linkpath.to_owned(),
                subpath: subpath.to_owned(),
                count: 1,
            }),
        }
    }
}

/// The line that contains the byte, without its end.
fn line_at(text: &str, byte: u32) -> &str {
    let at = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    let line = text.get(start..end).unwrap_or_default();
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_in_a_code_block_that_may_show_pictures_is_a_fact_of_a_note_and_of_a_canvas() {
        let block = "> a\n\n```base\nviews:\n  - type: cards\n    image: note.still\n```\n";
        let card = serde_json::json!({ "nodes": [{ "type": "text", "text": block }] });
        let canvas = NoteRecord::from_canvas(&card.to_string()).0;
        for record in [NoteRecord::from_note(block).0, canvas] {
            let first = record.picture_bases.first().unwrap();
            assert!(
                first.starts_with("views:") && !first.contains('`'),
                "{first}"
            );
        }
        let escaped = "```base\nviews:\n  - {type: cards, \"im\\x61ge\": note.still}\n```\n";
        assert!(!NoteRecord::from_note(escaped).0.picture_bases.is_empty());
        for text in [
            "`base` image",
            "```base\nviews: []\n```\n",
            "image\n\n```yaml\nbase: 1\n```\n",
        ] {
            let record = NoteRecord::from_note(text).0;
            assert_eq!(record.picture_bases, [""; 0], "{text}");
        }
    }
}
