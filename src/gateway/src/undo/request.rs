//! The request to undo or redo a run, and its parameters.

use vault_engine::VaultPath;

use super::Reversals;
use crate::error::Error;
use allowlist::{RawValue, nearest};
use changes::kept::Kept;
use changes::request::Request;
use changes::request::{KEPT, PATH, RUN};
use protocol::failure::Failure;
use protocol::message::{did_you_mean_or, message};
use store::journal::{Direction, RunPrefix};

/// The parsed parameters of an undo or a redo.
pub(super) struct UndoRequest {
    pub(super) run: Option<RunPrefix>,
    pub(super) kept: Option<Kept>,
    pub(super) path: Option<VaultPath>,
}

impl Reversals<'_> {
    /// Parses the parameters of the request.
    pub(super) fn parse_request(
        &self,
        direction: Direction,
        request: &Request,
    ) -> Result<UndoRequest, Failure> {
        if request.if_hash.is_some() {
            return Err(Error::NoHashOfUndo(request.command.clone()).into());
        }
        // Only people can use the contents of the journal; agents can only undo their own changes.
        let is_for_kept = self.caller.is_person() && direction == Direction::Undo;
        let mut question = UndoRequest {
            run: None,
            kept: None,
            path: None,
        };
        for (name, value) in request.params.given() {
            match (name.as_str(), value) {
                (RUN, RawValue::Text(text)) => {
                    let prefix = text.parse().map_err(Error::RunId)?;
                    question.run = Some(prefix);
                }
                (RUN, _) => return Err(Error::RunNotText.into()),
                (KEPT, RawValue::Text(text)) if is_for_kept => {
                    let mut all = Kept::ALL.into_iter();
                    question.kept = all.find(|kept| kept.name() == text);
                    if question.kept.is_none() {
                        return Err(Error::KeptWord(KEPT).into());
                    }
                }
                (PATH, RawValue::Text(text)) if is_for_kept => {
                    question.path = Some(VaultPath::file(text).map_err(Error::UndonePath)?);
                }
                _ => {
                    let fields = [RUN, "dryRun", "approval"];
                    let near = match vault_engine::meant(name, fields) {
                        Some(meant) => vec![meant.to_owned()],
                        None => nearest(name, fields),
                    };
                    let hint = did_you_mean_or(&near, || {
                        message!(
                            "Each call undoes or redoes one run: the last run, or the run with the id in `{}`.",
                            RUN
                        )
                    });
                    let command = request.command.clone();
                    let fields = fields.join("`, `");
                    return Err(Error::NotOfUndo(command, name.clone(), hint, fields).into());
                }
            }
        }
        if question.path.is_some() && !matches!(question.kept, Some(Kept::Show | Kept::Beside)) {
            return Err(Error::PathOfUndo.into());
        }
        Ok(question)
    }
}
