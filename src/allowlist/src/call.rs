//! A request after admission: a known command with checked, typed arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use vault_engine::{Arg, Args, VaultPath};

use super::catalogue::Catalogue;
use super::command::{BackendName, Command, Param, ParamKind, Target};
use super::effect::EffectSet;
use super::list_kind::ListKind;

/// Placeholder for sensitive values in envelopes and logs.
pub const REDACTED: &str = "<redacted>";

/// A command with its checked arguments.
#[derive(Clone, Debug)]
pub struct Call {
    /// The command's entry in the catalogue.
    pub command: Arc<Command>,
    /// The arguments of the call, checked by [`Command::admit`].
    pub arguments: Args,
}

impl Call {
    /// Returns the effects of this call: the union of the effects of the command, of each argument given, and of each
    /// step as far as it changes files. A step with other effects is refused when it is planned.
    pub fn effects(&self) -> EffectSet {
        let Args { values, flags } = &self.arguments;
        let given = values.keys().chain(flags).map(String::as_str);
        let of_steps = self.steps().flat_map(|(_, effects)| effects.iter());
        let of_steps = of_steps.filter(|effect| effect.changes_notes()).collect();
        self.command.effects_with(given).union(of_steps)
    }

    /// Returns the command of each step, with the effects of the step. A step that names no command is left out, and
    /// refused when it is planned.
    pub fn steps(&self) -> impl Iterator<Item = (Arc<Command>, EffectSet)> {
        let lists = self.given().filter_map(|(param, value)| match value {
            Arg::List(items) if param.kind == ParamKind::List(ListKind::Changes) => Some(items),
            _ => None,
        });
        lists.flatten().filter_map(|step| {
            let id = step.get("command").and_then(Value::as_str)?;
            let command = Catalogue::find_builtin(id).ok()?;
            let params = step.get("params").and_then(Value::as_object);
            let set = params.into_iter().flatten().filter(|(name, value)| {
                let is_off = command.flag(name).is_some() && *value == "false";
                !matches!(value, Value::Null | Value::Bool(false)) && !is_off
            });
            let effects = command.effects_with(set.map(|(name, _)| name.as_str()));
            Some((command, effects))
        })
    }

    /// Returns the target of this call, given its arguments. Never returns [`Target::NoteOrVault`].
    ///
    /// [`Target::Note`] becomes [`Target::Vault`] if an argument lists notes, and
    /// [`Target::ActiveFile`] if no argument names a note. [`Target::NoteOrVault`] becomes
    /// [`Target::Vault`]. A flag with its own target (`daily`, `active`) takes precedence.
    pub fn acts_on(&self) -> Target {
        let said_by_flag = self
            .arguments
            .flags
            .iter()
            .find_map(|name| self.command.flag(name)?.target);
        if let Some(target) = said_by_flag {
            return target;
        }
        let named = self.given().any(|(param, _)| {
            matches!(param.name.as_str(), "path" | "file") || param.kind == ParamKind::TaskRef
        });
        match self.command.target {
            Target::Note | Target::NoteOrVault if named => Target::Note,
            Target::Note if self.lists_notes() => Target::Vault,
            Target::Note => Target::ActiveFile,
            Target::NoteOrVault => Target::Vault,
            other @ (Target::DailyNote
            | Target::NewFile
            | Target::Folder
            | Target::Vault
            | Target::ActiveFile
            | Target::App
            | Target::None) => other,
        }
    }

    /// Whether an argument lists the notes to use, so that the call does not use the whole vault.
    pub fn lists_notes(&self) -> bool {
        self.has_list(ListKind::Paths) || self.has_steps()
    }

    /// Whether it changes what the calls in its list change.
    pub fn has_steps(&self) -> bool {
        self.has_list(ListKind::Changes)
    }

    fn has_list(&self, wanted: ListKind) -> bool {
        self.given()
            .any(|(param, _)| param.kind == ParamKind::List(wanted))
    }

    /// Returns the parameters that are given, with their values.
    pub fn given(&self) -> impl Iterator<Item = (&Param, &Arg)> {
        let values = self.arguments.values.iter();
        values.filter_map(|(key, value)| Some((self.command.param(key)?, value)))
    }

    /// The backends that can answer this call: the backends of the command, except any that would
    /// silently ignore one of the parameters given.
    pub fn backends(&self) -> Vec<BackendName> {
        let params = self.given().filter_map(|(param, _)| param.backend);
        let flags = self.arguments.flags.iter();
        let flags = flags.filter_map(|name| self.command.flag(name)?.backend);
        let demanded: Vec<BackendName> = params.chain(flags).collect();
        let honours_all = |backend: &BackendName| demanded.iter().all(|only| only == backend);
        self.command
            .backends
            .iter()
            .copied()
            .filter(honours_all)
            .collect()
    }

    /// Returns every exact vault path in the arguments, with its key. Includes the paths of task references
    /// (`threats.toml` D12) but not names (`file=`), which are not resolved yet.
    pub fn paths(&self) -> Vec<(&str, VaultPath)> {
        let paths_of = |param: &Param, value: &Arg| match (&param.kind, value) {
            (_, Arg::Path(path) | Arg::Line { path, .. }) => vec![path.clone()],
            (ParamKind::List(kind), Arg::List(items)) => kind.paths(items),
            _ => Vec::new(),
        };
        let paths = self.given().flat_map(|(param, value)| {
            let paths = paths_of(param, value).into_iter();
            paths.map(|path| (param.name.as_str(), path))
        });
        paths.collect()
    }

    /// Returns the arguments as JSON for the envelope: keys in byte order, flags as `true`, sensitive values replaced
    /// by [`REDACTED`].
    pub fn params_json(&self) -> Map<String, Value> {
        let shown = |key: &str, value: &Arg| {
            let sensitive = self.command.param(key).is_none_or(|param| param.sensitive);
            match value {
                _ if sensitive => REDACTED.into(),
                Arg::Integer(number) => (*number).into(),
                Arg::List(items) => items.clone().into(),
                other => other.to_text().into(),
            }
        };
        let values = self
            .arguments
            .values
            .iter()
            .map(|(key, value)| (key.clone(), shown(key, value)));
        let flags = self
            .arguments
            .flags
            .iter()
            .map(|name| (name.clone(), true.into()));
        let sorted: BTreeMap<String, Value> = values.chain(flags).collect();
        sorted.into_iter().collect()
    }

    /// Returns the arguments without the flags of the gateway itself, which the official CLI does not know.
    pub fn official_arguments(&self) -> Args {
        let mut arguments = self.arguments.clone();
        arguments
            .flags
            .retain(|name| !self.command.flag(name).is_some_and(|flag| flag.is_ours));
        arguments
    }
}
