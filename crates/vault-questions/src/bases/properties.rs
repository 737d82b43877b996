//! The properties of notes for the views of bases: one property of all notes, or all properties of
//! one.

use std::sync::Arc;

use bases::{FileNumber, FilterInputs};
use memchr::memmem::Finder;
use obsidian_note::PropertiesText;
use rayon::prelude::*;
use serde::Deserialize as _;
use serde_json::{Map, Value};
use vault_index::Properties;

/// The properties of all notes, each note's as a JSON text.
pub(super) struct NoteProperties {
    texts: Arc<Properties>,
    /// The index of the text of each file, plus one; 0 for files without a text.
    places: Vec<u32>,
    found: Vec<FoundProperty>,
    /// Whether `found` covers all that the filter reads of a file.
    found_all: bool,
}

/// The values of one property in all notes, looked up in advance.
struct FoundProperty {
    name: String,
    /// The index of the value of each text, plus one; 0 for texts without a value.
    places: Vec<u32>,
    values: Vec<Value>,
}

/// The number of texts that a thread searches at once.
const TEXTS_PER_THREAD: usize = 1_024;
/// The number of properties that are looked up in advance. Most bases read fewer; each takes four bytes per note.
const MOST_FOUND: usize = 8;

impl NoteProperties {
    /// Looks up the properties that the filter reads of every file.
    pub(super) fn new(texts: Arc<Properties>, files: usize, wanted: &FilterInputs) -> Self {
        let mut places = vec![0; files];
        for (place, (id, _)) in texts.iter().enumerate() {
            if let Some(slot) = places.get_mut(id) {
                *slot = one_based(place);
            }
        }
        let names = wanted.properties.iter().take(MOST_FOUND);
        let found: Vec<FoundProperty> = names
            .map(|name| FoundProperty::find(name, &texts))
            .collect();
        Self {
            found_all: wanted.are_all && found.len() == wanted.properties.len(),
            texts,
            places,
            found,
        }
    }

    /// Whether the filter reads only properties that were looked up in advance, and the file has
    /// none of them.
    pub(super) fn has_no_looked_up_property(&self, file: FileNumber) -> bool {
        let has = |place| self.found.iter().any(|found| found.get(place).is_some());
        self.found_all && !self.place(file).is_some_and(has)
    }

    /// Returns one property of a file.
    pub(super) fn get(&self, file: FileNumber, name: &str) -> Option<Value> {
        let place = self.place(file)?;
        if let Some(found) = self.found.iter().find(|found| found.name == name) {
            return found.get(place).cloned();
        }
        PropertyKey::for_name(name)?.value_in(self.text_at(place)?)
    }

    /// Returns all properties of a file.
    pub(super) fn all(&self, file: FileNumber) -> Map<String, Value> {
        let text = self.place(file).and_then(|place| self.text_at(place));
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    /// Returns the length of a file's properties as JSON, in bytes; 0 without properties.
    pub(super) fn weight(&self, file: FileNumber) -> usize {
        let text = self.place(file).and_then(|place| self.text_at(place));
        text.map_or(0, str::len)
    }

    fn place(&self, file: FileNumber) -> Option<usize> {
        zero_based(*self.places.get(file.0)?)
    }

    fn text_at(&self, place: usize) -> Option<&str> {
        self.texts.get(place).map(|text| text.0.as_str())
    }
}

impl FoundProperty {
    fn find(name: &str, texts: &Properties) -> Self {
        let mut found = Self {
            name: name.to_owned(),
            places: Vec::new(),
            values: Vec::new(),
        };
        let Some(key) = PropertyKey::for_name(name) else {
            return found;
        };
        let read: Vec<Vec<(usize, Value)>> = texts
            .as_slice()
            .par_chunks(TEXTS_PER_THREAD)
            .enumerate()
            .map(|(chunk, texts)| {
                let value = |(at, (_, text)): (usize, &(u32, PropertiesText))| {
                    let place = chunk * TEXTS_PER_THREAD + at;
                    Some((place, key.value_in(&text.0)?))
                };
                texts.iter().enumerate().filter_map(value).collect()
            })
            .collect();
        found.places = vec![0; texts.as_slice().len()];
        for (place, value) in read.into_iter().flatten() {
            found.values.push(value);
            if let Some(slot) = found.places.get_mut(place) {
                *slot = u32::try_from(found.values.len()).unwrap_or(0);
            }
        }
        found
    }

    fn get(&self, place: usize) -> Option<&Value> {
        self.values.get(zero_based(*self.places.get(place)?)?)
    }
}

fn one_based(place: usize) -> u32 {
    u32::try_from(place + 1).unwrap_or(0)
}

fn zero_based(place: u32) -> Option<usize> {
    usize::try_from(place.checked_sub(1)?).ok()
}

/// The name of a property as it appears in the JSON texts.
struct PropertyKey<'name> {
    name: &'name str,
    /// Searches for the quoted name followed by a colon.
    finder: Finder<'static>,
}

impl<'name> PropertyKey<'name> {
    fn for_name(name: &'name str) -> Option<Self> {
        let written = format!("{}:", serde_json::to_string(name).ok()?);
        let finder = Finder::new(written.as_bytes()).into_owned();
        Some(Self { name, finder })
    }

    /// Returns the value of this property in the JSON text of a note's properties.
    ///
    /// The texts have no white space between tokens, so a key with its colon can be found as bytes. In a text without
    /// further objects, a match after `{` or `,` is the key: a quote within a string has a backslash before it, and the
    /// quote that ends a string is followed by a character with which no name begins.
    fn value_in(&self, text: &str) -> Option<Value> {
        let bytes = text.as_bytes();
        let at = self.finder.find(bytes)?;
        let is_key = matches!(bytes.get(at.checked_sub(1)?)?, b'{' | b',')
            && !self.name.starts_with([',', ':', '}', ']']);
        if !is_key || memchr::memchr(b'{', bytes.get(1..)?).is_some() {
            let mut all: Map<String, Value> = serde_json::from_str(text).ok()?;
            return all.remove(self.name);
        }
        let value = text.get(at + self.finder.needle().len()..)?;
        Value::deserialize(&mut serde_json::Deserializer::from_str(value)).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const CASES: &str = include_str!("properties_cases.txt");

    fn of(text: &str, name: &str) -> Option<Value> {
        PropertyKey::for_name(name).unwrap().value_in(text)
    }

    #[test]
    fn keys_are_distinguished_from_similar_text() {
        for [properties, name, expected] in
            tables::section(CASES, "keys are distinguished from similar text")
        {
            let found = of(properties, name).map(|value| value.to_string());
            assert_eq!(found.unwrap_or_default(), expected, "{properties}");
        }
    }

    /// Values from a small alphabet, so that keys, quotes and braces often collide.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof!["[ab\",:{}\\\\]{0,5}".prop_map(Value::from), Just(json!(1))];
        leaf.prop_recursive(2, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::hash_map("[ab\",:]{0,2}", inner, 0..3)
                    .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_the_object_holds(
            entries in prop::collection::hash_map("[ab\",:]{0,2}", value(), 0..4),
            name in "[ab\",:]{0,2}",
        ) {
            let properties: Map<String, Value> = entries.into_iter().collect();
            let text = serde_json::to_string(&properties).unwrap();
            prop_assert_eq!(of(&text, &name), properties.get(&name).cloned(), "{}", text);
        }
    }
}
