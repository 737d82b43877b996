//! A request after admission: a known command with checked, typed arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use vault_engine::VaultPath;

use super::command::Command;
use super::effect::EffectSet;

/// A command with the arguments it was admitted with.
#[derive(Clone, Debug)]
pub struct Call {
    /// The catalogue entry.
    pub command: Arc<Command>,
    /// Its arguments.
    pub arguments: Arguments,
}

/// Typed arguments; keys are in byte order, and a flag is present or absent, never `false`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Values by key.
    pub values: BTreeMap<String, Value>,
    /// Switches that are on.
    pub flags: BTreeSet<String>,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A file or folder inside the vault.
    Path(VaultPath),
    /// Any text.
    Text(String),
    /// A whole number.
    Integer(i64),
}

impl Value {
    /// The text that is sent after `key=`. The root folder is `/`.
    pub fn to_text(&self) -> String {
        match self {
            Self::Path(path) => path.to_string(),
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
        }
    }
}

impl Call {
    /// What this call does: the union over the command, the parameters and the flags given.
    pub fn effects(&self) -> EffectSet {
        let params = self
            .arguments
            .values
            .keys()
            .filter_map(|key| self.command.param(key));
        let flags = self
            .arguments
            .flags
            .iter()
            .filter_map(|name| self.command.flag(name));
        params
            .map(|param| param.effects)
            .chain(flags.map(|flag| flag.effects))
            .fold(self.command.effects, EffectSet::union)
    }
}
