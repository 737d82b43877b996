//! A request after admission: a known command with checked, typed arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Map;
use vault_engine::VaultPath;

use super::command::{BackendName, Command, ParamKind, Target};
use super::effect::EffectSet;
use super::list_kind::ListKind;
use super::value::split_task_ref;

/// Placeholder for sensitive values in envelopes and logs.
pub const REDACTED: &str = "<redacted>";

/// A command with its checked arguments.
#[derive(Clone, Debug)]
pub struct Call {
    /// The command's entry in the catalogue.
    pub command: Arc<Command>,
    /// The arguments of the call, checked by [`Command::admit`].
    pub arguments: TypedArguments,
}

/// Typed arguments. Keys are in byte order. A flag is either present or absent, never `false`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedArguments {
    /// The values of parameters, by key.
    pub values: BTreeMap<String, Value>,
    /// Flags that are set.
    pub flags: BTreeSet<String>,
}

/// A checked value. `Debug` prints lengths instead of text, which may be note text (`faults.md`
/// F12).
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// A file or folder inside the vault.
    Path(VaultPath),
    /// A text, possibly with line breaks.
    Text(String),
    /// A whole number within the parameter's bounds.
    Integer(i64),
    /// The items of a JSON array, checked as a [`ListKind`].
    List(Vec<serde_json::Value>),
}

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(formatter, "Path({path})"),
            Self::Text(text) => write!(formatter, "Text({} bytes)", text.len()),
            Self::Integer(number) => write!(formatter, "Integer({number})"),
            Self::List(items) => write!(formatter, "List({} items)", items.len()),
        }
    }
}

impl Value {
    /// Returns the text to send after `key=`. The vault's root folder is `/`; a list is JSON.
    pub fn to_text(&self) -> String {
        match self {
            Self::Path(path) => path.to_string(),
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::List(items) => serde_json::Value::from(items.as_slice()).to_string(),
        }
    }
}

impl Call {
    /// Returns the effects of this call: the union of the effects of the command and of each argument given.
    pub fn effects(&self) -> EffectSet {
        let params = self.arguments.values.keys().filter_map(|key| self.command.param(key));
        let flags = self.arguments.flags.iter().filter_map(|name| self.command.flag(name));
        params
            .map(|param| param.effects)
            .chain(flags.map(|flag| flag.effects))
            .fold(self.command.effects, EffectSet::union)
    }

    /// Returns the target of this call, given its arguments. Never returns [`Target::NoteOrVault`].
    ///
    /// [`Target::Note`] becomes [`Target::Vault`] if an argument lists notes, and
    /// [`Target::ActiveFile`] if no argument names a note. [`Target::NoteOrVault`] becomes
    /// [`Target::Vault`]. A flag with its own target (`daily`, `active`) takes precedence.
    pub fn acts_on(&self) -> Target {
        let said_by_flag =
            self.arguments.flags.iter().find_map(|name| self.command.flag(name)?.target);
        if let Some(target) = said_by_flag {
            return target;
        }
        let named = self.arguments.values.keys().any(|key| {
            matches!(key.as_str(), "path" | "file")
                || self.command.param(key).is_some_and(|param| param.kind == ParamKind::TaskRef)
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
        let mut keys = self.arguments.values.keys();
        keys.any(|key| {
            let kind = self.command.param(key).map(|param| &param.kind);
            kind == Some(&ParamKind::List(wanted))
        })
    }

    /// Returns the value of a parameter as text; `None` if it is not given.
    pub fn text(&self, name: &str) -> Option<String> {
        self.arguments.values.get(name).map(Value::to_text)
    }

    /// The backends that can answer this call: the backends of the command, except any that would
    /// silently ignore one of the parameters given.
    pub fn backends(&self) -> Vec<BackendName> {
        let arguments = &self.arguments;
        let params = arguments.values.keys();
        let params = params.filter_map(|key| self.command.param(key)?.backend);
        let flags = arguments.flags.iter();
        let flags = flags.filter_map(|name| self.command.flag(name)?.backend);
        let demanded: Vec<BackendName> = params.chain(flags).collect();
        let honours_all = |backend: &BackendName| demanded.iter().all(|only| only == backend);
        self.command.backends.iter().copied().filter(honours_all).collect()
    }

    /// Returns every exact vault path in the arguments, with its key. Includes the paths of task references
    /// (`faults.md` D12) but not names (`file=`), which are not resolved yet.
    pub fn paths(&self) -> Vec<(&str, VaultPath)> {
        let path_in = |key: &str, value: &Value| match value {
            Value::Path(path) => Some(path.clone()),
            Value::Text(text) if self.command.param(key)?.kind == ParamKind::TaskRef => {
                split_task_ref(text).ok().map(|(path, _)| path)
            }
            Value::Text(_) | Value::Integer(_) | Value::List(_) => None,
        };
        let listed = self.arguments.values.iter().flat_map(|(key, value)| {
            let kind = self.command.param(key).map(|param| &param.kind);
            let paths = match (kind, value) {
                (Some(ParamKind::List(kind)), Value::List(items)) => kind.paths(items),
                _ => Vec::new(),
            };
            paths.into_iter().map(move |path| (key.as_str(), path))
        });
        self.arguments
            .values
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), path_in(key, value)?)))
            .chain(listed)
            .collect()
    }

    /// Returns the arguments as JSON for the envelope: keys in byte order, flags as `true`, sensitive values replaced
    /// by [`REDACTED`].
    pub fn params_json(&self) -> Map<String, serde_json::Value> {
        let shown = |key: &str, value: &Value| {
            let sensitive = self.command.param(key).is_none_or(|param| param.sensitive);
            match value {
                _ if sensitive => REDACTED.into(),
                Value::Path(path) => path.to_string().into(),
                Value::Text(text) => text.clone().into(),
                Value::Integer(number) => (*number).into(),
                Value::List(items) => items.clone().into(),
            }
        };
        let values =
            self.arguments.values.iter().map(|(key, value)| (key.clone(), shown(key, value)));
        let flags = self.arguments.flags.iter().map(|name| (name.clone(), true.into()));
        let sorted: BTreeMap<String, serde_json::Value> = values.chain(flags).collect();
        sorted.into_iter().collect()
    }

    /// Returns the arguments as text, for running the command and for rendering or parsing its output. Leaves out flags
    /// of the gateway itself, which the official CLI does not know.
    pub fn as_cli_arguments(&self) -> cli_output::Arguments {
        let is_official =
            |name: &&String| !self.command.flag(name).is_some_and(|flag| flag.is_ours);
        cli_output::Arguments {
            params: self
                .arguments
                .values
                .iter()
                .map(|(key, value)| (key.clone(), value.to_text()))
                .collect(),
            flags: self.arguments.flags.iter().filter(is_official).cloned().collect(),
        }
    }
}
