//! Search results with their lines.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{AnswerItem, Source, names};

/// One file that matches, with its matching lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchContextItem {
    /// The file.
    pub path: String,
    /// Its matching lines, a line with two hits twice; none where only the file's name matches.
    pub matches: Vec<LineMatch>,
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineMatch {
    /// The line, from 1.
    pub line: usize,
    /// The line's text, without white space around it.
    pub text: String,
    /// Number of hits on the line. Only if they are given as one match.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub hits: Option<usize>,
}

impl LineMatch {
    /// One hit.
    pub const fn new(line: usize, text: String) -> Self {
        Self {
            line,
            text,
            hits: None,
        }
    }
}

impl AnswerItem for SearchContextItem {
    fn source(&self) -> Option<Source<'_>> {
        Some(if self.matches.is_empty() {
            Source::Name(&self.path)
        } else {
            Source::Text(&self.path)
        })
    }

    names!(path);
}
