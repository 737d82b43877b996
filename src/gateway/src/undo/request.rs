//! The request to undo or redo a run, and its parameters.

use vault_engine::VaultPath;

use super::Reversals;
use allowlist::{RawValue, nearest, shown};
use changes::kept::Kept;
use changes::request::Request;
use changes::request::{KEPT, PATH, RUN};
use protocol::code::Code;
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
        let wrong = |message: String| Code::UsageError.failure(message);
        if request.if_hash.is_some() {
            let what = message!("`{}` does not take {ifHash}.", request.command);
            return Err(Code::UsageError.failure(what).hint("Omit it."));
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
                    let prefix: RunPrefix = text.parse().map_err(|error| {
                        wrong(format!("`{RUN}`: {error}."))
                            .hint(format!("To undo the last run, omit `{RUN}`."))
                    })?;
                    question.run = Some(prefix);
                }
                (RUN, _) => {
                    return Err(wrong(format!(
                        "`{RUN}` must be the id of a run, as a string."
                    )));
                }
                (KEPT, RawValue::Text(text)) if is_for_kept => {
                    let mut all = Kept::ALL.into_iter();
                    question.kept = all.find(|kept| kept.name() == text);
                    if question.kept.is_none() {
                        return Err(wrong(format!(
                            "`{KEPT}` must be `show`, `beside` or `over`."
                        )));
                    }
                }
                (PATH, RawValue::Text(text)) if is_for_kept => {
                    let path = VaultPath::file(text)
                        .map_err(|error| wrong(format!("`{PATH}`: {error}.")))?;
                    question.path = Some(path);
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
                    let (command, name) = (&request.command, shown(name));
                    let what = format!("`{command}` has no parameter `{name}`.");
                    return Err(wrong(what).hint(hint).hint(format!(
                        "The command takes `{}`. `dryRun` lists the changes without making them; `approval` is the approval id that an earlier answer returned.",
                        fields.join("`, `")
                    )));
                }
            }
        }
        if question.path.is_some() && !matches!(question.kept, Some(Kept::Show | Kept::Beside)) {
            return Err(wrong(format!("Use `{PATH}` only with `show` or `beside`.")));
        }
        Ok(question)
    }
}
