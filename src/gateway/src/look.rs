//! Checks the vault for the program itself, without a record: the size and times of files, for
//! callers that wait for changes (`design/agents.md`), and facts for questions to a person.

use std::collections::BTreeMap;
use std::time::Duration;

use vault_engine::{FileFacts, VaultPath};

use crate::core::Gateway;
use crate::scope;
use allowlist::{Catalogue, RawValue};
use changes::control::Control;
use changes::envelope::Envelope;
use changes::envelope_builder::EnvelopeBuilder;
use changes::request::{Params, Request};
use protocol::code::Code;
use protocol::failure::Failure;
use tiers::Decision;

/// The command that gives an agent the same facts. If it is closed, no file can be looked at.
const TELLS: &str = "file";

impl Gateway {
    /// Size and times of these files: `None` for each that is missing or that the caller may not
    /// read.
    ///
    /// This is not a call, and not in the audit log, because it happens every second. The caller
    /// records once which files it looks at, with the command `file`.
    pub fn look_at(&self, paths: &[String]) -> Vec<Option<FileFacts>> {
        let Ok((gateway, _)) = self.in_force(&Request::new(TELLS)) else {
            return vec![None; paths.len()];
        };
        let vault = gateway.vault_to_look_at();
        let Some(vault) =
            vault.and_then(|vault| vault.limited_to(gateway.caller.sight.as_ref()).ok())
        else {
            return vec![None; paths.len()];
        };
        let look = |path: &String| vault.engine.facts(&VaultPath::file(path).ok()?).ok();
        paths.iter().map(look).collect()
    }

    /// Counts the notes that link to the file at `path`, for the question to a person whose call
    /// removes it.
    ///
    /// This is not a call either: the person did not ask for it, and the log has the call itself.
    pub fn notes_linking_to(&self, path: String) -> usize {
        let request = Request {
            params: Params(BTreeMap::from([("path".to_owned(), RawValue::Text(path))])),
            ..Request::new("backlinks")
        };
        let list = self.looked_up(&request).data.list();
        list.map_or(0, |list| list.total)
    }

    /// Returns the failure of a change that would be refused with any text, for a person who is
    /// about to type the text.
    pub fn refusal_of(&self, request: &Request) -> Option<Failure> {
        let request = Request {
            dry_run: true,
            ..request.clone()
        };
        let error = self.looked_up(&request).error?;
        let is_of_the_text = matches!(error.code, Code::UsageError | Code::ValidationError);
        (!is_of_the_text).then_some(error)
    }

    /// Returns the answer to a read or a dry run of the program's own, without a record.
    fn looked_up(&self, request: &Request) -> Envelope {
        let control = Control::default();
        let mut trace = EnvelopeBuilder::new(request);
        let deadline = self.caller.deadline(&control);
        let result = self.pass(request, &control, deadline, &mut trace, false);
        let mut envelope = trace.finish(result, Duration::ZERO, self.caller.is_for_person());
        scope::hide_what_is_closed(&mut envelope, &self.caller.policy);
        envelope
    }

    fn vault_to_look_at(&self) -> Option<backend::PinnedVault> {
        let command = Catalogue::find_builtin(TELLS).ok()?;
        let is_open = self
            .caller
            .policy
            .check_command(&command, command.effects)
            .decision
            == Decision::Allowed;
        if !self.is_bridge_on() || !is_open {
            return None;
        }
        self.vaults().pinned(&Request::new(TELLS)).ok()
    }
}
