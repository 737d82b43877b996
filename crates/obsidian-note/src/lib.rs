//! The text of a note as Obsidian reads it: properties, links, headings, tags, tasks, and the paths and names that may be
//! written in it.
//!
//! Works on texts alone. It opens no file and knows of no folder.

pub mod byte_order_mark;
mod cancellation;
pub mod commonmark;
mod edit_miss;
pub mod frontmatter;
pub mod javascript;
mod limits;
pub mod name;
pub mod note_parts;
pub mod note_record;
mod note_rules;
pub mod path;
pub mod path_error;
pub mod plural;
pub mod resolve;
pub mod scan;
pub mod sha256;
pub mod shown;
pub mod slug;
pub mod uri;
mod warning;
pub mod word_counter;
mod words;

pub use cancellation::{CancellationToken, WorkCancelled};
pub use edit_miss::{EditCandidate, EditDifference, EditMiss, MissKind};
pub use frontmatter::{Frontmatter, FrontmatterError, FrontmatterLink, PropertiesBlock, YamlFault};
pub use limits::MAX_WHOLE_BYTES;
pub use note_parts::anchor::{Anchor, AnchorKind, Anchors, SimilarAnchor};
pub use note_parts::{Excerpt, NearPlace, Patch, Sheet};
pub use note_record::{AnchorUse, LinkUse, NoteProblem, NoteRecord, PropertiesText, TaskRecord};
pub use note_rules::NoteRules;
pub use path::{MAX_DEPTH, MAX_PATH_BYTES, VaultPath};
pub use resolve::{FromEverywhere, LinkIndex, Resolution, ResolvedFile};
pub use scan::{
    Block, CodeText, Heading, Link, LinkDefinition, ListItem, NoteFacts, Position, Section,
    SectionKind, Span, Tag, Written, WrittenLink,
};
pub use warning::Warning;
pub use word_counter::WordCounter;
pub use words::words;
