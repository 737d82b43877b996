//! What exists: the catalogue of official commands, loaded from `config/*.toml`.

mod call;
mod command;
mod effect;
mod tier;

pub use call::{Arguments, Call, Value};
pub use command::{BackendName, Command, Flag, Param, ParamKind, RefusedCommand, Target};
pub use effect::{Effect, EffectSet};
pub use tier::Tier;
