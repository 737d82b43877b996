//! Translates the words of one command of a profile.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Change, Gives, Line, Spoken};
use crate::Surroundings;
use allowlist::Catalogue;
use protocol::{Code, Failure, Message};

/// The slot of a note: a path if the word looks like one, otherwise a name.
const NOTE: &str = "note";

/// The prefix of a slot for a property of a new note.
const PROPERTY: &str = "property ";

/// Our option to plan without changing anything.
const PLAN: &str = "--dry-run";

/// The state while a command line is translated.
pub(super) struct Reading {
    line: &'static Line,
    /// The name of the command that the caller used.
    name: &'static str,
    command: &'static str,
    /// Our options, which may be anywhere.
    head: Vec<String>,
    /// Our parameters and flags.
    tail: Vec<String>,
    slots: std::slice::Iter<'static, String>,
    input: Option<String>,
    surroundings: Surroundings,
    note_as: Option<&'static str>,
    /// The parameter that the given properties are for.
    properties_of: Option<&'static str>,
    /// Whether words with `=` are properties.
    takes_properties: bool,
    /// Default values, for parameters that are not given.
    otherwise: Vec<&'static (String, String)>,
    /// Whether the switch was given without which the command only plans.
    does: bool,
}

impl Reading {
    /// Starts with a command of the profile, after the words `head`.
    pub(super) fn new((line, name): (&'static Line, &'static String), head: &[String]) -> Self {
        Self {
            line,
            name,
            command: &line.command,
            head: head.to_vec(),
            tail: Vec::new(),
            slots: line.words.iter(),
            input: None,
            surroundings: Surroundings {
                requested: Some(name.clone()),
                ..Surroundings::default()
            },
            note_as: None,
            properties_of: None,
            takes_properties: false,
            otherwise: Vec::new(),
            does: false,
        }
    }

    /// Translates the words after the command.
    pub(super) fn read(
        mut self,
        words: &[String],
        takes_value: &dyn Fn(&str) -> Option<bool>,
    ) -> Spoken {
        let mut rest = words.iter();
        let mut only_values = false;
        while let Some(word) = rest.next() {
            if only_values || !word.starts_with('-') {
                if !self.takes_properties || !self.property(word) {
                    self.value(word, only_values);
                }
                continue;
            }
            if word == "--" {
                only_values = true;
                continue;
            }
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            if self.line.does_with.as_ref() == Some(word) {
                self.does = true;
                continue;
            }
            let known = self.line.options.iter().find(|(name, _)| name == option);
            if let Some((_, gives)) = known {
                if let Err(failure) = self.option(option, gives, value, &mut rest) {
                    return self.failed(failure);
                }
                continue;
            }
            self.head.push(word.clone());
            if value.is_none() && takes_value(word) == Some(true) {
                self.head.extend(rest.next().cloned());
            }
        }
        self.finished()
    }

    /// Translates a positional word: our own syntax stays, otherwise it fills the next free slot of
    /// the command.
    fn value(&mut self, word: &str, only_values: bool) {
        if !only_values && self.is_ours(word) {
            self.tail.push(word.to_owned());
            return;
        }
        let slot = self.next_slot();
        if let Some(property) = slot.and_then(|slot| slot.strip_prefix(PROPERTY)) {
            self.new_property(property, word);
            return;
        }
        match (slot, &self.line.with_word) {
            (Some(NOTE), _) => {
                self.surroundings.note = Some(word.to_owned());
                let ends = Path::new(word).extension();
                let is_path = word.contains('/') || ends.is_some_and(|end| end == "md");
                let parameter = if is_path { "path" } else { "file" };
                self.tail.push(format!("{parameter}={word}"));
            }
            (Some(parameter), _) => {
                if parameter == "path" {
                    self.surroundings.note = Some(word.to_owned());
                }
                self.tail.push(format!("{parameter}={word}"));
            }
            (None, Some((command, parameter)))
                if (self.command == self.line.command || self.command == *command)
                    && !self.is_given(parameter) =>
            {
                self.command = command;
                self.tail.push(format!("{parameter}={word}"));
            }
            (None, _) => self.tail.push(word.to_owned()),
        }
    }

    /// Returns the positional parameters that are still free.
    fn free_slots(&self) -> impl Iterator<Item = &'static str> {
        let left = self.slots.clone().map(String::as_str);
        left.filter(|slot| !self.is_given(slot))
    }

    fn next_slot(&mut self) -> Option<&'static str> {
        let slot = self.free_slots().next()?;
        self.slots.by_ref().find(|name| *name == slot);
        Some(slot)
    }

    fn option(
        &mut self,
        option: &str,
        gives: &'static Gives,
        value: Option<String>,
        rest: &mut std::slice::Iter<'_, String>,
    ) -> Result<(), Failure> {
        let is_switch = matches!(
            gives,
            Gives::Means(_) | Gives::Input(_) | Gives::Strict | Gives::Nothing(_)
        );
        if is_switch && value.is_some() {
            return Err(usage(format!("`{option}` does not take a value.")));
        }
        let value = if is_switch {
            None
        } else {
            value.or_else(|| rest.next().cloned())
        };
        match (gives, value) {
            (Gives::Value(parameter), Some(value)) => {
                self.tail.push(format!("{parameter}={value}"));
            }
            (Gives::UpTo(parameter, most), Some(value)) => {
                match value.parse::<u64>().ok().filter(|number| number <= most) {
                    Some(0) => self.surroundings.shows_none = true,
                    Some(number) => self.tail.push(format!("{parameter}={number}")),
                    None => {
                        let name = self.name;
                        let rule = format!("{name}: {option} must be between 0 and {most}.");
                        return Err(usage(rule));
                    }
                }
            }
            (Gives::Property(property), Some(value)) => self.new_property(property, &value),
            (Gives::Choice(choices), Some(value)) => {
                let chosen = choices.iter().find(|(choice, _)| *choice == value);
                let Some((_, change)) = chosen else {
                    let known: Vec<&str> =
                        choices.iter().map(|(choice, _)| choice.as_str()).collect();
                    return Err(usage(format!(
                        "`{option}` must be one of {}.",
                        known.join(", ")
                    )));
                };
                self.change(change);
            }
            (Gives::Properties(parameter), first) => {
                self.properties_of = Some(parameter);
                self.takes_properties = true;
                if let Some(first) = first
                    && !self.property(&first)
                {
                    return Err(usage(format!(
                        "`{option}` must be followed by properties of the form `name=value`."
                    )));
                }
            }
            (Gives::Nothing(why), _) => {
                return Err(Code::ValidationError.failure(why.as_str()));
            }
            (Gives::Strict, _) => self.surroundings.is_strict = true,
            (Gives::Value(_) | Gives::UpTo(..) | Gives::Property(_) | Gives::Choice(_), None) => {
                return Err(usage(format!("`{option}` needs a value.")));
            }
            (Gives::Means(change), _) => self.change(change),
            (Gives::Input(parameter), _) => self.input = Some(parameter.clone()),
        }
        Ok(())
    }

    /// Parses `name=value`. Numbers and booleans keep their type, everything else is a text.
    fn property(&mut self, word: &str) -> bool {
        let Some((name, written)) = word.split_once('=') else {
            return false;
        };
        let typed = serde_json::from_str(written).ok();
        let typed = typed.filter(|typed: &Value| typed.is_number() || typed.is_boolean());
        let value = typed.unwrap_or_else(|| written.into());
        self.surroundings.properties.insert(name.to_owned(), value);
        true
    }

    fn change(&mut self, change: &'static Change) {
        self.note_as = change.note_as.as_deref().or(self.note_as);
        self.command = change.command.as_deref().unwrap_or(self.command);
        self.tail.extend_from_slice(&change.words);
        self.otherwise.extend(&change.otherwise);
    }

    /// Adds a property of a new note.
    fn new_property(&mut self, name: &str, value: &str) {
        self.properties_of = Some("properties");
        self.surroundings
            .properties
            .insert(name.to_owned(), value.into());
    }

    /// Whether our command has a parameter or flag with this name.
    fn has(&self, name: &str) -> bool {
        Catalogue::find_builtin(self.command)
            .is_ok_and(|command| command.param(name).is_some() || command.flag(name).is_some())
    }

    /// Whether the word is a parameter or a flag in our own syntax. A bare flag counts only if no
    /// positional slot is free: the word may be text to search for, such as `total`.
    fn is_ours(&self, word: &str) -> bool {
        let Ok(command) = Catalogue::find_builtin(self.command) else {
            return false;
        };
        match word.split_once('=') {
            Some((name, _)) => command.param(name).is_some() || command.flag(name).is_some(),
            None => self.free_slots().next().is_none() && command.flag(word).is_some(),
        }
    }

    fn is_given(&self, name: &str) -> bool {
        if let Some(property) = name.strip_prefix(PROPERTY) {
            return self.surroundings.properties.contains_key(property);
        }
        let given = |word: &String| {
            let (key, _) = word.split_once('=')?;
            let is_note = name == NOTE && matches!(key, "path" | "file");
            Some(key == name || is_note)
        };
        self.tail.iter().filter_map(given).any(|given| given)
    }

    /// Whether the parameter is given with only white space.
    fn is_blank(&self, name: &str) -> bool {
        let value = |word: &String| {
            let (key, value) = word.split_once('=')?;
            (key == name).then(|| value.trim().is_empty())
        };
        self.tail.iter().find_map(value) == Some(true)
    }

    fn finished(mut self) -> Spoken {
        self.place_notes();
        if let (Some(missing), Some(first)) = (&self.line.missing, self.line.words.first())
            && (!self.is_given(first) || self.is_blank(first))
        {
            return self.failed(usage(missing.as_str()));
        }
        let is_count = |word: &String| word == "total";
        if self.surroundings.shows_none && !self.tail.iter().any(is_count) {
            self.tail.push("total".to_owned());
        }
        // A count is of all items, so a default limit must not apply to it.
        let is_count = self.tail.iter().any(is_count);
        let defaults = self.line.defaults.iter().filter(|_| !is_count);
        for (name, value) in std::mem::take(&mut self.otherwise)
            .into_iter()
            .chain(defaults)
        {
            if !self.is_given(name) && self.has(name) {
                self.tail.push(format!("{name}={value}"));
            }
        }
        let is_plan = self.line.does_with.is_some() && !self.does;
        if is_plan && !self.head.iter().any(|word| word == PLAN) {
            self.head.push(PLAN.to_owned());
        }
        let words = self.head.into_iter().chain([self.command.to_owned()]);
        Spoken {
            words: words.chain(self.tail).collect(),
            input: self.input,
            surroundings: self.surroundings,
            failure: None,
        }
    }

    /// Puts the note and the properties into their parameters.
    fn place_notes(&mut self) {
        let second = self.line.words.get(1).map(String::as_str);
        let no_note = self
            .line
            .no_note_with
            .iter()
            .any(|name| self.is_given(name));
        let parameter = match second.filter(|_| no_note) {
            Some(second) if self.is_given(second) => None,
            Some(second) => Some(second),
            None => self.note_as.filter(|parameter| self.has(parameter)),
        };
        if let Some(parameter) = parameter {
            let note = self.tail.iter_mut().find_map(|word| {
                let (key, value) = word.split_once('=')?;
                let value = matches!(key, "path" | "file").then(|| value.to_owned())?;
                Some((word, value))
            });
            if let Some((word, value)) = note {
                *word = format!("{parameter}={value}");
            }
        }
        if no_note {
            self.surroundings.note = None;
        }
        if let Some(parameter) = self.properties_of {
            let properties = Value::Object(self.surroundings.properties.clone());
            self.tail.push(format!("{parameter}={properties}"));
        }
    }

    fn failed(self, failure: Failure) -> Spoken {
        Spoken {
            surroundings: Surroundings {
                shows_none: false,
                properties: Map::new(),
                ..self.surroundings
            },
            failure: Some(failure),
            ..Spoken::default()
        }
    }
}

fn usage(what: impl Into<Message>) -> Failure {
    Code::UsageError.failure(what)
}
