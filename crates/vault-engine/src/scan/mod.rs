//! One pass over a note: links, embeds, tags, headings, list items, sections, block ids.

mod facts;

pub use facts::{
    Block, Heading, Link, ListItem, NoteFacts, Position, Section, SectionKind, Span, Tag,
};
