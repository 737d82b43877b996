//! The types of properties (`vault-semantics.md` §3.3).

use std::collections::{BTreeMap, HashMap};

use obsidian_note::{Warning, words};
use serde::Deserialize;
use serde_json::Value;

use crate::config_file::ConfigFile;
use crate::error::EngineError;
use crate::vault::Vault;

words! {
    /// The type of a property's values.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum PropertyType {
        /// One text.
        Text = "text",
        /// A list of texts.
        Multitext = "multitext",
        /// A number.
        Number = "number",
        /// The values `true` and `false`.
        Checkbox = "checkbox",
        /// A date such as `2024-01-02`.
        Date = "date",
        /// A date with a time: `2024-01-02T03:04` or `2024-01-02T03:04:05`.
        Datetime = "datetime",
        /// The tags of a note.
        Tags = "tags",
        /// The other names of a note.
        Aliases = "aliases",
        /// A value for which the app has no input field.
        Unknown = "unknown",
    }
}

impl PropertyType {
    /// Returns the type that a value looks like; `None` for null.
    pub fn from_value(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Null => return None,
            Value::Bool(_) => Self::Checkbox,
            Value::Number(_) => Self::Number,
            Value::String(text) => {
                let shape = text.replace(|letter: char| letter.is_ascii_digit(), "0");
                match shape.as_str() {
                    "0000-00-00" => Self::Date,
                    "0000-00-00T00:00" | "0000-00-00T00:00:00" => Self::Datetime,
                    _ => Self::Text,
                }
            }
            Value::Array(items) if items.iter().all(Value::is_string) => Self::Multitext,
            Value::Array(_) | Value::Object(_) => Self::Unknown,
        })
    }
}

/// The properties whose types are fixed in the app.
pub const BUILT_IN: [(&str, PropertyType); 3] = [
    ("aliases", PropertyType::Aliases),
    ("cssclasses", PropertyType::Multitext),
    ("tags", PropertyType::Tags),
];

/// The name of the file in the configuration folder.
pub(crate) const FILE: &str = "types.json";

/// The file as it is written.
#[derive(Default, Deserialize)]
struct TypesFile {
    #[serde(default)]
    types: BTreeMap<String, Value>,
}

/// The types assigned to properties: those in `types.json` and the built-in ones.
pub struct PropertyTypes {
    /// The types by property names in lower case.
    assigned: HashMap<String, PropertyType>,
    /// Warnings about entries that could not be used.
    pub warnings: Vec<Warning>,
}

impl PropertyTypes {
    /// Reads `types.json`. An unknown type counts as none, with a warning.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn read(vault: &Vault) -> Result<Self, EngineError> {
        Ok(Self::of(vault, ConfigFile::read(vault, FILE)?))
    }

    /// As [`Self::read`], for a change that depends on a type. An unknown type of one property is never an error.
    ///
    /// # Errors
    ///
    /// As [`ConfigFile::read_for_change`].
    pub fn read_for_change(vault: &Vault) -> Result<Self, EngineError> {
        Ok(Self::of(vault, ConfigFile::read_for_change(vault, FILE)?))
    }

    fn of(vault: &Vault, mut file: ConfigFile<TypesFile>) -> Self {
        let mut assigned = HashMap::new();
        let mut strange = Vec::new();
        for (name, kind) in std::mem::take(&mut file.value.types) {
            match serde_json::from_value(kind) {
                Ok(kind) => {
                    assigned.insert(name.to_lowercase(), kind);
                }
                Err(_) => strange.push(format!("`{name}`")),
            }
        }
        if !strange.is_empty() {
            // A name may be of a closed note (`threats.toml` D13).
            let names = if vault.is_limited() {
                "a property".into()
            } else {
                strange.join(", ")
            };
            file.ignore(format!("the type of {names} is unknown"));
        }
        assigned.extend(BUILT_IN.map(|(name, kind)| (name.to_owned(), kind)));
        Self {
            assigned,
            warnings: file.warnings,
        }
    }

    /// Returns the type assigned to a property; names are compared case-insensitively.
    pub fn assigned(&self, name: &str) -> Option<PropertyType> {
        self.assigned.get(&name.to_lowercase()).copied()
    }
}

/// Counts the types that a property's values have in all notes.
///
/// The app's choice between notes is unknown. Here the most frequent type wins, and the first one after a tie. Nulls do
/// not count; a property with only nulls is text.
#[derive(Clone, Debug, Default)]
pub struct TypeTally(Vec<(PropertyType, usize)>);

impl TypeTally {
    /// Counts one more value.
    pub fn add(&mut self, value: &Value) {
        let Some(kind) = PropertyType::from_value(value) else {
            return;
        };
        match self.0.iter_mut().find(|(seen, _)| *seen == kind) {
            Some((_, count)) => *count += 1,
            None => self.0.push((kind, 1)),
        }
    }

    /// Returns the most frequent type.
    pub fn kind(&self) -> PropertyType {
        let mut best = (PropertyType::Text, 0);
        for &(kind, count) in &self.0 {
            if count > best.1 {
                best = (kind, count);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CASES: &str = include_str!("property_types_cases.txt");

    #[test]
    fn values_look_like_their_types() {
        for (value, expected) in [
            (json!(null), None),
            (json!(true), Some(PropertyType::Checkbox)),
            (json!(1.5), Some(PropertyType::Number)),
            (json!("x"), Some(PropertyType::Text)),
            (json!(""), Some(PropertyType::Text)),
            (json!("2024-01-02"), Some(PropertyType::Date)),
            (json!("2024-1-02"), Some(PropertyType::Text)),
            (json!("2024-01-02 "), Some(PropertyType::Text)),
            (json!("2024-01-02T03:04"), Some(PropertyType::Datetime)),
            (json!("2024-01-02T03:04:05"), Some(PropertyType::Datetime)),
            (json!("2024-01-02 03:04"), Some(PropertyType::Text)),
            (json!(["a", "b"]), Some(PropertyType::Multitext)),
            (json!([]), Some(PropertyType::Multitext)),
            (json!(["a", 1]), Some(PropertyType::Unknown)),
            (json!({"a": 1}), Some(PropertyType::Unknown)),
        ] {
            assert_eq!(PropertyType::from_value(&value), expected, "{value}");
        }
    }

    #[test]
    fn what_most_values_look_like_decides() {
        let kind = |values: &[Value]| {
            let mut looks = TypeTally::default();
            for value in values {
                looks.add(value);
            }
            looks.kind()
        };
        assert_eq!(kind(&[]), PropertyType::Text);
        assert_eq!(kind(&[json!(null)]), PropertyType::Text);
        assert_eq!(kind(&[json!(null), json!(1)]), PropertyType::Number);
        assert_eq!(
            kind(&[json!("x"), json!(1), json!(2)]),
            PropertyType::Number
        );
        assert_eq!(kind(&[json!(true), json!(1)]), PropertyType::Checkbox);
    }

    #[test]
    fn names_in_the_file_are_those_of_the_app() {
        for kind in tables::lines(CASES, "names in the file are those of the app") {
            let read: PropertyType = serde_json::from_value(json!(kind)).unwrap();
            assert_eq!(read.name(), kind);
        }
    }

    #[test]
    fn the_file_the_built_in_types_and_what_is_strange() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join(".obsidian")).unwrap();
        let types = r#"{"types":{"Due":"date","tags":"text","odd":"rating","worse":7}}"#;
        fs_err::write(folder.path().join(".obsidian/types.json"), types).unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        let types = PropertyTypes::read(&vault).unwrap();
        assert_eq!(types.assigned("due"), Some(PropertyType::Date));
        assert_eq!(types.assigned("DUE"), Some(PropertyType::Date));
        assert_eq!(types.assigned("tags"), Some(PropertyType::Tags));
        assert_eq!(types.assigned("Aliases"), Some(PropertyType::Aliases));
        assert_eq!(types.assigned("odd"), None);
        let texts: Vec<_> = types.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "settings in `.obsidian/types.json` are ignored: the type of `odd`, `worse` is unknown"
            ]
        );
    }
}
