//! The names that most commands of our own use.

pub(super) use schemars::JsonSchema;
pub(super) use serde::Serialize;
pub(super) use vault_answers::{AnswerData, AnswerItem, Items, List, NameVisitor, Source, names};
pub(super) use vault_files::page::{page, page_of};
pub(super) use vault_files::{Call, EngineError};

pub(super) use super::command::OwnCommand;
pub(super) use crate::reply::{Reply, total};
