//! Search with the app's query language (`vault-semantics.md` §4).
//!
//! Words and phrases are substrings, so an index of words does not help. A prefilter over each
//! file's bytes comes first ([`Query::prefilter`]): only what may match is decoded, and a note is
//! scanned only for a query that asks for tags, blocks or properties.
//!
//! Our choices where the app's rule is not known:
//! - A word that is not in an operator is also looked for in the whole path, extension included.
//! - `-` on its own is a word; `:` at the start of a word is part of it; `(` and `"` end a word.
//! - Terms inside `line:`, `block:`, `section:` and `task:` see that part of the text as if it
//!   were the whole, so `line:/^a/` is about beginnings of lines.
//! - A list as a property's value matches where one element matches the whole value query.
//! - Of a regular expression that matches nothing, as `/x*/` does everywhere, the note matches and
//!   no place of it is a hit.
//! - A part that matches for what it lacks, `task-todo:""`, counts as one hit at its beginning.

mod canvas_text;
mod certainty;
mod document;
mod error;
mod evaluate;
mod expression;
mod files;
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

pub use certainty::Certainty;
pub use document::{Document, NoteReader, SearchedProperties};
pub use error::{GaveUp, QueryError, RegexError};
pub(crate) use files::{Match, Matches, Search, SearchCandidate};
pub use from_text::FromText;
pub use hits::Hits;
pub(crate) use lines::HitLine;
pub(crate) use path_pattern::ExclusionPattern;
pub use query::Query;
pub(crate) use trigram_filter::TrigramFilter;
