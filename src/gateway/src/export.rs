//! `vault:export`: copies notes to the export folder, the only folder outside the vault that the owner has configured.
//!
//! The caller chooses the notes and at most one subfolder. An export never replaces a file, so it needs
//! no undo: a person can delete the copies.

use vault_answers::List;
use vault_engine::{Edit, Editor, EngineError, ExportedNote, Vault};

use crate::aimed::OpenedVault;
use crate::error::Error;
use crate::pass::Pipeline;
use crate::vault::OutsideFolder;
use allowlist::Call;
use backend::{PinnedVault, Produced, embedded, engine_failure, engine_issue};
use changes::{ChangePlan, EnvelopeBuilder, change};
use protocol::Failure;
use store::audit;
use store::running_export::RunningExport;

impl Pipeline<'_> {
    /// Copies notes out of the vault; a dry run only reports the copies.
    pub(super) fn export(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let (resolved, vault) = (&aimed.resolved, &aimed.seen);
        let (request, choice, limits) = (opened.request, &opened.choice, &opened.limits);
        let target = self.export_folder(vault)?;
        let arguments = &resolved.call.arguments;
        let edit = match vault_engine::plan_export(&vault.engine, &target, arguments) {
            Ok(edit) => edit,
            // The app's error text, for example for a missing note, is an answer and not a failure of
            // the gateway.
            Err(error @ EngineError::Refused(_)) if !request.dry_run => {
                trace.chosen(choice);
                return embedded::changed(Err(error), resolved, limits);
            }
            Err(error) => return Err(engine_failure(error)),
        };
        let plan = ChangePlan::from_export(&edit, &resolved.call, target.root());
        if request.dry_run {
            let mut resolved = resolved.clone();
            resolved
                .warnings
                .extend(edit.warnings.iter().map(engine_issue));
            let needed = self.caller.approvals().needed(&resolved, &plan);
            return change::describe(
                &resolved,
                plan,
                (choice, needed, false),
                self.caller.is_person(),
                limits,
            );
        }
        self.use_approval(&aimed, &plan, vault, trace)?;
        // Write-ahead: first the record by which the next export removes the temporary files of a
        // killed one, then the audit record. Only then is the first file written.
        let run = trace.envelope.run_id.to_string();
        let (state, failpoints) = (self.caller.state_folder()?, self.caller.failpoints.clone());
        let running = RunningExport::begin(state, failpoints, &target, &run, &edit.changes)?;
        trace.subject.exported = copies(&edit);
        self.records.record_intent(request, trace, &[])?;
        match Editor(&target).apply(&edit.changes, &run) {
            Ok(_) => {
                running.end();
                embedded::changed(Ok(edit), resolved, limits)
            }
            Err(error @ EngineError::HalfDone { .. }) => Ok(Produced {
                outcome: Err(Error::HalfExported(error.to_string()).into()),
                may_have_happened: true,
                ..Produced::default()
            }),
            Err(error) => {
                trace.subject.exported.clear();
                Err(engine_failure(error))
            }
        }
    }

    /// Opens the export folder of the settings. Copies are readable by the owner only, because the
    /// notes may be private.
    fn export_folder(&self, vault: &PinnedVault) -> Result<Vault, Failure> {
        let mut target = self.vaults.open_outside(OutsideFolder::Export, vault)?;
        target.umask = self.caller.environment.umask | 0o077;
        Ok(match &self.caller.failpoints {
            Some(failpoints) => target.with_failpoints(std::sync::Arc::clone(failpoints)),
            None => target,
        })
    }
}

/// Returns the exported notes with the hashes of their copies, for the audit log.
fn copies(edit: &Edit) -> Vec<audit::LoggedFile> {
    let list = edit.answer.downcast_ref::<List<ExportedNote>>().into_iter();
    let items = list.flat_map(|list| &list.items);
    let made = items.filter(|copy| copy.left_out.is_none());
    let copies = made.map(|copy| audit::LoggedFile {
        path: copy.path.clone(),
        before_sha256: None,
        after_sha256: Some(copy.sha256.clone()),
    });
    copies.collect()
}
