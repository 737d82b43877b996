//! Raw values of a catalogue file, before any check.

use cli_output::Shape;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::command::{BackendName, ParamKind, Target};
use super::effect::EffectSet;

/// Parses a name, or a list of names.
pub(super) fn one_or_more<'text, D: Deserializer<'text>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        More(Vec<String>),
    }
    Ok(match Names::deserialize(deserializer)? {
        Names::One(name) => vec![name],
        Names::More(names) => names,
    })
}

/// Returns every shape that a command's `output` may name: the shapes of the app, then the shapes of own commands.
pub fn shapes() -> impl Iterator<Item = Shape> {
    let app = Shape::APP.iter().copied();
    app.chain(vault_engine::own_forms().map(Shape::Own))
}

/// Parses the name of a shape: a shape of the app, or of a command of the gateway itself.
pub(super) fn shape<'text, D: Deserializer<'text>>(deserializer: D) -> Result<Shape, D::Error> {
    one_of(deserializer, shapes(), |shape| shape.name())
}

/// Parses the name of a shape, for a key that may be absent.
pub(super) fn optional_shape<'text, D: Deserializer<'text>>(
    deserializer: D,
) -> Result<Option<Shape>, D::Error> {
    shape(deserializer).map(Some)
}

/// Parses the name of a type.
fn kind<'text, D: Deserializer<'text>>(deserializer: D) -> Result<ParamKind, D::Error> {
    one_of(deserializer, ParamKind::all(), ParamKind::name)
}

/// Parses the name of one of these.
fn one_of<'text, D: Deserializer<'text>, T>(
    deserializer: D,
    mut known: impl Iterator<Item = T>,
    name_of: impl Fn(&T) -> &'static str,
) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?;
    let mut names: Vec<String> = Vec::new();
    let found = known.find(|item| {
        // Several commands may have the same form.
        let known = format!("`{}`", name_of(item));
        if !names.contains(&known) {
            names.push(known);
        }
        name_of(item) == name
    });
    // Worded like serde's errors, so that the nearest name is suggested as for every other key.
    found.ok_or_else(|| {
        let names = names.join(", ");
        D::Error::custom(format!("unknown variant `{name}`, expected one of {names}"))
    })
}

/// Values of the key `origin`. Without the key, a command is official.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OriginName {
    /// It belongs to the gateway.
    Gateway,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParamEntry {
    pub(super) name: String,
    #[serde(rename = "type", deserialize_with = "kind")]
    pub(super) kind: ParamKind,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) effects: EffectSet,
    #[serde(default)]
    pub(super) escapes: bool,
    #[serde(default)]
    pub(super) sensitive: bool,
    /// Whether an empty value is valid.
    #[serde(default)]
    pub(super) empty: bool,
    /// The only backend that supports it.
    pub(super) only: Option<BackendName>,
    /// Accepted words of a `choice`.
    pub(super) choices: Option<Vec<String>>,
    /// Inclusive bounds of an `integer`.
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
    /// Another parameter that this one needs to have an effect.
    pub(super) with: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlagEntry {
    pub(super) name: String,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) effects: EffectSet,
    pub(super) target: Option<Target>,
    /// The only backend that supports it.
    pub(super) only: Option<BackendName>,
    /// Set for flags that do not belong to the official CLI.
    pub(super) origin: Option<OriginName>,
}
