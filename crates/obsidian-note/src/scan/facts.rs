//! The facts about one note, found in one pass over its text (`vault-semantics.md` §3.9).

use serde::{Deserialize, Serialize};

/// The levels of lists, quotes and footnotes beyond which their contents are read as running text.
pub const DEEPEST: u8 = 64;

/// A position in a note's text.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Position {
    /// Bytes from the start of the text.
    pub byte: u32,
    /// UTF-16 code units from the start of the text, as the app counts.
    pub utf16: u32,
    /// Line, counted from 0.
    pub line: u32,
    /// UTF-16 code units from the start of the line.
    pub column: u32,
}

/// A range of a note's text; the end is exclusive.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// The position of its first character.
    pub start: Position,
    /// The position after its last character.
    pub end: Position,
}

/// Everything found in one note. All lists are in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteFacts {
    /// The properties block with its `---` lines; `None` if it is missing, not closed or empty
    /// (`vault-semantics.md` §3.2). An empty block is still a section.
    pub frontmatter: Option<Span>,
    /// Links in the text: wikilinks and markdown links into the vault.
    pub links: Vec<Link>,
    /// Embeds: `![[…]]` and `![…](…)`.
    pub embeds: Vec<Link>,
    /// Tags in the text, not in the properties.
    pub tags: Vec<Tag>,
    /// The headings outside of quotes and lists.
    pub headings: Vec<Heading>,
    /// List items, tasks among them.
    pub list_items: Vec<ListItem>,
    /// Sections: the blocks of the text at its outermost level.
    pub sections: Vec<Section>,
    /// Block ids, with the blocks that they name.
    pub blocks: Vec<Block>,
    /// Whether lists, quotes and footnotes are nested deeper than [`DEEPEST`] levels. Deeper
    /// content was read as running text.
    pub is_too_deep: bool,
}

/// A link or an embed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The target with its `#subpath`, as the app keeps it: trimmed, percent-decoded once in
    /// markdown links.
    pub target: String,
    /// The markup as written.
    pub original: String,
    /// The display text; `None` if the app keeps none.
    pub display: Option<String>,
    /// The place of its markup.
    pub span: Span,
}

/// A tag in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The tag with its `#`, as written.
    pub tag: String,
    /// The place of the tag with its `#`.
    pub span: Span,
}

/// A heading, with `#` marks or an underline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Its text with all markup.
    pub text: String,
    /// The level, 1 to 6.
    pub level: u8,
    /// The place of its lines.
    pub span: Span,
}

/// A list item, which may be a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListItem {
    /// The line of the item that contains this one, or minus the line of the list's first item (-1 if that is line 0);
    /// lines are counted from 0.
    pub parent: i64,
    /// The character between the brackets of a task.
    pub task: Option<char>,
    /// The id of its block; `None` without one.
    pub id: Option<String>,
    /// The place of the item.
    pub span: Span,
}

/// A block at the outermost level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The kind of the block.
    pub kind: SectionKind,
    /// The id of the block; `None` without one.
    pub id: Option<String>,
    /// The place of the block.
    pub span: Span,
}

/// The kind of a section's block (`vault-semantics.md` §3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SectionKind {
    Yaml,
    Heading,
    Paragraph,
    List,
    Code,
    Callout,
    Blockquote,
    Html,
    Comment,
    Table,
    ThematicBreak,
    FootnoteDefinition,
    Definition,
    Math,
}

/// A block id, `^id`, and the block that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The id without its `^`.
    pub id: String,
    /// The block it names.
    pub span: Span,
}
