//! The types that cross every wall: codes, messages, failures, warnings and callers.
//!
//! A fact travels as a type, and its sentence is made last, for one reader ([`Message`]). Nothing
//! here knows a command, a rule or a vault.

mod caller;
mod checked_text;
mod code;
mod deadline;
pub mod digest;
pub mod failure;
mod issue;
mod issue_code;
pub mod json;
mod message;
mod release;
mod shell;
mod status;

pub use caller::{Caller, is_named};
pub use checked_text::checked_text;
pub use code::{Code, Explanation, meaning_of_exit};
pub use deadline::Deadline;
pub use failure::{Cause, ClosingSetting, Failure, Fault, Opening, errors, explain};
pub use issue::Issue;
pub use issue_code::IssueCode;
pub use message::{
    ClientTools, FOR_PERSON, Message, Part, Reader, SHORT_ID, as_text, check_template,
    did_you_mean, did_you_mean_or, either, first_of, for_person, for_program, joined, message,
    question, takes, template_as_text,
};
pub use obsidian_note::words;
pub use release::Release;
pub use shell::{Shell, UnclosedQuote};
pub use status::{Answerer, Status};
