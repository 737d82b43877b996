//! The official CLI's stdout shapes: typed value <-> text (`official-cli.md` §5).
//!
//! [`render`], [`parse`] and [`as_printed`] agree: for every answer `a` of a shape, `parse(shape, arguments,
//! &render(&a, shape, arguments)) == Ok(as_printed(a, shape, arguments))`, and `as_printed` of an answer that already
//! has only the values of its text changes nothing.
//!
//! # What a text cannot represent
//!
//! The app escapes nothing in its line-based forms. So they cannot represent names with a line
//! break (or with a carriage return at a line's end), and some names are parsed differently: a
//! single item that is itself a sentence (`No … found.`); an empty alias or template; a source or
//! alias path with `, ` in it; a link target or workspace that ends like the app's own suffix
//! (` (unresolved)`, ` (active)`); a searched path with `:7: ` in it; a tab's title with a tab, if
//! ids are shown; a property that is the text `(empty)`, or whose last lines are empty; a value
//! that ends with a newline, in the sentence that confirms it. The JSON forms can represent all of
//! these except the sources, which are joined there too. No form shows whether a note ends with a
//! newline (`official-cli.md` §3).
//!
//! For readers there is [`render_shown`]: the same text, except that each name stays in one row
//! ([`obsidian_note::shown`]). [`parse`] does not reverse that, because the app prints no such text.
//!
//! [`AppError`] has the app's errors, and [`startup_noise::strip`] removes its start-up lines.
//! `docs/commands.md` lists the texts that are not recorded.
//!
//! # The gateway's own commands
//!
//! Their answers ([`vault_answers::AnswerData::text`]) are rendered here too, but no program prints them: [`parse`] refuses
//! their shapes ([`Reason::NotPrinted`]) and [`as_printed`] changes nothing.

mod app_error;
mod app_form;
mod schema;
mod shape;
pub mod startup_noise;
mod text;

#[cfg(test)]
mod tests;

pub use app_error::{AppError, CommandHint};
pub use shape::{PageUnit, Shape};
pub use text::{
    ParseError, Reason, as_printed, has_odd_names, parse, prints_rows_of_files, render,
    render_shown,
};
