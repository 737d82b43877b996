//! All that is wrong with a call that cannot be admitted: besides its form the notes and folders that it names
//! and that are not there, so that one answer is enough to correct it. Looked up as far as the caller may see, and
//! only for a call that is open to it (`faults.md` D13).

use std::collections::BTreeMap;

use serde_json::Value as Json;
use vault_engine::VaultPath;

use super::request::Request;
use super::{Gateway, nearby, target};
use crate::allowlist::{Call, Catalogue, Command, ListKind, NO_PATH, ParamKind, RawValue, Value};
use crate::backend::{PinnedVault, engine_failure};
use crate::code::Code;
use crate::failure::Failure;

/// The most items of a list that are looked up.
const MOST_ITEMS: usize = 5;

impl Gateway {
    /// The failure of a request whose form is wrong, with what else is wrong with it.
    pub(super) fn with_other_faults(&self, failure: Failure, request: &Request) -> Failure {
        let is_form = matches!(failure.code, Code::UsageError | Code::PathEscape);
        let Ok(command) = Catalogue::find_builtin(&request.command) else {
            return failure;
        };
        if !is_form {
            return failure;
        }
        let given = command.given(&request.params.0).into_owned();
        let admission = command.admit(&given).err();
        let admission = admission.filter(|other| *other != failure);
        let mistakes = std::iter::once(failure.clone()).chain(admission).collect();
        let mut all = command.together(mistakes).unwrap_or(failure);
        let call = Call {
            arguments: command.fitting(&given),
            command,
        };
        // What is closed is not looked for.
        let Ok(vault) = self.pinned_vault(request) else {
            return all;
        };
        if self.gate(request, &call).is_err() {
            return all;
        }
        let seen = vault.limited_to(self.sight.as_ref());
        let (told, note) = self.faults_of_vault(call, &given, &seen);
        if let Some(note) = note {
            let unknown = format!("\"path\":\"{NO_PATH}\"");
            let known = format!("\"path\":{}", Json::from(note.as_str()));
            all.message = all.message.replace(&unknown, &known);
        }
        for told in told {
            if !all.message.contains(&told) {
                all.message += &format!(" {told}");
            }
        }
        all
    }

    /// What a call names and the vault does not have, a sentence for each; and the note that it names.
    fn faults_of_vault(
        &self,
        call: Call,
        given: &BTreeMap<String, RawValue>,
        seen: &PinnedVault,
    ) -> (Vec<String>, Option<VaultPath>) {
        let now = self.now();
        let asked = call.clone();
        let mut told = Vec::new();
        let named = target::aim(call, seen, &self.policy, &now).and_then(|aimed| {
            let note = aimed.note.as_ref();
            let look = note.map_or(Ok(()), |note| seen.engine.facts(note).map(drop));
            look.map_err(engine_failure).map(|()| aimed.note)
        });
        if let Err(failure) = named.clone() {
            let failure = nearby::suggest(failure, &asked, seen, (&now, self.options.caller));
            told.push(failure.message);
        }
        let values = asked.arguments.values.iter();
        for (name, value) in values {
            let kind = asked.command.param(name).map(|param| &param.kind);
            let (Some(kind @ ParamKind::Folder), Value::Path(path)) = (kind, value) else {
                continue;
            };
            let missing = nearby::missing(name, kind, path.as_str(), seen, &now);
            told.extend(missing.map(|issue| issue.message));
        }
        let base = named.as_ref().ok().and_then(Option::as_ref);
        told.extend(base.and_then(|base| nearby::no_such_view(&asked, base, seen, &now)));
        let notes = items_of(&asked.command, given).into_iter();
        let paths = notes.filter_map(|note| VaultPath::file(&note).ok());
        for path in paths.take(MOST_ITEMS) {
            if seen.engine.facts(&path).is_err() {
                told.push(nearby::no_such_note(path.as_str(), seen, &now));
            }
        }
        (told, named.ok().flatten())
    }
}

/// The notes that the items of a list name, whatever they call the path.
fn items_of(command: &Command, given: &BTreeMap<String, RawValue>) -> Vec<String> {
    let is_list = |name: &str| {
        let kind = command.param(name).map(|param| &param.kind);
        matches!(
            kind,
            Some(ParamKind::List(ListKind::Notes | ListKind::Paths))
        )
    };
    let items = given.iter().filter_map(|(name, value)| match value {
        RawValue::List(items) if is_list(name) => Some(items),
        _ => None,
    });
    let path = |item: &Json| match item {
        Json::String(path) => Some(path.clone()),
        Json::Object(keys) => keys.iter().find_map(|(key, value)| {
            let is_path = vault_engine::meant(key, ["path"]).is_some();
            value.as_str().filter(|_| is_path).map(str::to_owned)
        }),
        _ => None,
    };
    items.flatten().filter_map(path).collect()
}
