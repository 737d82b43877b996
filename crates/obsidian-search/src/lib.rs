//! Search with the app's query language (`vault-semantics.md` §4).
//!
//! Words and phrases are substrings, so an index of words does not help. A prefilter over the bytes
//! of each file comes first ([`Query::prefilter`]). Only files that may match are decoded, and
//! their structure is parsed only for a query with tags, blocks or properties.
//!
//! Our choices where the app's rule is not known:
//! - A word outside of an operator is also searched in the whole path, with its extension.
//! - `-` on its own is a word; `:` at the start of a word is part of it; `(` and `"` end a word.
//! - Terms within `line:`, `block:`, `section:` and `task:` are compared with that part as if it
//!   were the whole text: `line:/^a/` finds lines that begin with `a`.
//! - A list as a property's value matches if one of its elements matches the whole query for the
//!   value.
//! - If a regular expression matches only the empty text, as `/x*/` mostly does, the note matches
//!   without a hit.
//! - A part that matches without a hit within it, as with `task-todo:""`, is one hit at its
//!   beginning.

mod canvas_text;
mod certainty;
mod document;
mod error;
mod evaluate;
mod expression;
mod fold;
mod from_text;
mod hits;
mod lines;
mod literal;
mod masked;
mod parse;
mod path_pattern;
mod prefilter;
mod property;
mod query;
mod regex;
mod slices;
#[cfg(test)]
mod testing;
mod trigram_filter;

pub use canvas_text::cards;
pub use certainty::Certainty;
pub use document::{Document, NoteReader, SearchedProperties};
pub use error::{GaveUp, QueryError, RegexError};
pub use from_text::FromText;
pub use hits::Hits;
pub use lines::{HitLine, HitLines};
pub use path_pattern::ExclusionPattern;
pub use prefilter::KnownContent;
pub use query::Query;
pub use trigram_filter::{FilterBlock, TrigramFilter, TrigramFilters};
