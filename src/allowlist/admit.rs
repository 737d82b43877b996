//! Admission: checks raw parameters against one command and types them, all or nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cli_output::Shape;
use vault_engine::PathError;

use super::call::{TypedArguments, Value};
use super::command::{Command, ParamKind};
use super::nearest::{nearest, question};
use super::raw_value::RawValue;
use super::value::{self, ValueProblem};
use crate::code::Code;
use crate::failure::Failure;

/// Maximum number of parameters and flags in one request.
pub const MAX_ARGUMENTS: usize = 64;
/// The parameter that says which type a text value has.
const TYPE: &str = "type";
/// The flag that says that there is no value.
const EMPTY: &str = "empty";
/// Maximum length of a parameter or flag name, in bytes.
pub const MAX_NAME_BYTES: usize = 64;

/// Whether `name` can name a parameter or a flag: `[A-Za-z][A-Za-z0-9_-]*` (`faults.md` B03).
pub(super) fn is_argument_name(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

impl Command {
    /// Checks the parameters of a structured request and converts them to typed arguments.
    ///
    /// Whether the call must name a note is a policy question and is not checked here.
    ///
    /// # Errors
    ///
    /// - `USAGE_ERROR`: an unknown parameter, a value of the wrong type, a missing required
    ///   parameter, or two arguments that exclude each other.
    /// - `PATH_ESCAPE`: a path that leaves the vault.
    /// - `ARGUMENT_TOO_LARGE`: a value over [`super::MAX_VALUE_BYTES`].
    pub fn admit(&self, given: &BTreeMap<String, RawValue>) -> Result<TypedArguments, Failure> {
        if given.len() > MAX_ARGUMENTS {
            return Err(too_many(given.len()));
        }
        let mut admitted = TypedArguments::default();
        let mut unknown: Vec<&str> = Vec::new();
        let mut mistakes: Vec<Failure> = Vec::new();
        for (name, raw) in given {
            if let Some(param) = self.param(name) {
                match value::check(param, raw) {
                    Ok(value) => {
                        admitted.values.insert(name.clone(), value);
                    }
                    Err(problem) => mistakes.push(self.unfit(name, &problem)),
                }
            } else if self.flag(name).is_some() {
                match raw {
                    // The app reads `flag=false` as `true` (`official-cli.md` §4), so a flag that
                    // is off must not be sent at all.
                    RawValue::Bool(false) => {}
                    RawValue::Bool(true) => {
                        admitted.flags.insert(name.clone());
                    }
                    RawValue::Text(_)
                    | RawValue::Number(_)
                    | RawValue::Null
                    | RawValue::List(_)
                    | RawValue::Object(_) => {
                        let got = raw.type_name();
                        mistakes.push(self.unfit(name, &ValueProblem::NotABoolean { got }));
                    }
                }
            } else {
                unknown.push(name);
            }
        }
        if !unknown.is_empty() {
            mistakes.push(self.unknown_arguments(&unknown));
        }
        // What is not known yet may be meant for it.
        let missing = self.missing(given);
        if !missing.is_empty() {
            mistakes.push(self.lacking(&missing, mistakes.is_empty()));
        }
        if let Some(all) = together(mistakes) {
            return Err(all);
        }
        self.keep_json_types(given, &mut admitted);
        self.check_exclusive(&admitted)?;
        Ok(admitted)
    }

    /// The parameters of a request that are given: a null says that one is not (`contracts.md` D25), except
    /// where it is a value.
    pub(crate) fn given<'params>(
        &self,
        params: &'params BTreeMap<String, RawValue>,
    ) -> Cow<'params, BTreeMap<String, RawValue>> {
        let is_given =
            |name: &str, value: &RawValue| *value != RawValue::Null || self.takes_null(name);
        if params.iter().all(|(name, value)| is_given(name, value)) {
            return Cow::Borrowed(params);
        }
        let given = params.iter().filter(|(name, value)| is_given(name, value));
        Cow::Owned(
            given
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Whether a null is a value of this parameter.
    fn takes_null(&self, name: &str) -> bool {
        let param = self.param(name);
        param.is_some_and(|param| param.kind == ParamKind::ScalarOrList)
            && self.flag(EMPTY).is_some()
    }

    /// Says with `type` and `empty` what type a value has in JSON, unless the caller says it: the backends
    /// take texts, and would make a text of it.
    fn keep_json_types(&self, given: &BTreeMap<String, RawValue>, admitted: &mut TypedArguments) {
        let is_scalar =
            |kind: &ParamKind| matches!(kind, ParamKind::Scalar | ParamKind::ScalarOrList);
        let can_be = |word: &str| {
            let kind = self.param(TYPE).map(|param| &param.kind);
            matches!(kind, Some(ParamKind::Choice(words)) if words.iter().any(|known| known == word))
        };
        for param in self.params.iter().filter(|param| is_scalar(&param.kind)) {
            let word = match given.get(&param.name) {
                Some(RawValue::Number(_)) => "number",
                Some(RawValue::Bool(_)) => "checkbox",
                Some(RawValue::Null) if self.takes_null(&param.name) => {
                    admitted.flags.insert(EMPTY.to_owned());
                    continue;
                }
                _ => continue,
            };
            let asked = admitted.values.get(TYPE).map(Value::to_text);
            match (asked.as_deref(), admitted.values.get_mut(&param.name)) {
                (None, _) if can_be(word) => {
                    let word = Value::Text(word.to_owned());
                    admitted.values.insert(TYPE.to_owned(), word);
                }
                // As the one item of a list it keeps its type too.
                (Some("list"), Some(value)) => {
                    *value = Value::Text(format!("[{}]", value.to_text()));
                }
                _ => {}
            }
        }
    }

    /// The required parameters that are not given.
    fn missing(&self, given: &BTreeMap<String, RawValue>) -> Vec<&str> {
        let params = self.params.iter();
        let missing = params.filter(|param| param.required && !given.contains_key(&param.name));
        missing.map(|param| param.name.as_str()).collect()
    }

    /// The failure for required parameters that are not given; with the usage where it is the only mistake.
    fn lacking(&self, missing: &[&str], is_only_mistake: bool) -> Failure {
        let usage = if is_only_mistake {
            format!(" Usage: {}", self.usage())
        } else {
            String::new()
        };
        self.usage_failure(format!("`{}` needs {}.{usage}", self.id, quoted(missing)))
            .with("missing", missing)
    }

    fn check_exclusive(&self, admitted: &TypedArguments) -> Result<(), Failure> {
        // The app would silently ignore `file`, and act on another note than the caller may expect.
        if admitted.values.contains_key("path") && admitted.values.contains_key("file") {
            return Err(self
                .usage_failure(format!(
                    "`{}` was given both `path` and `file`. Keep `path`, which is exact.",
                    self.id
                ))
                .with("exclusive", vec!["file", "path"]));
        }
        for set in &self.exclusive {
            let given: Vec<&str> = set
                .iter()
                .filter(|name| {
                    admitted.values.contains_key(*name) || admitted.flags.contains(*name)
                })
                .map(String::as_str)
                .collect();
            if given.len() > 1 {
                return Err(self
                    .usage_failure(format!(
                        "`{}` was given {}, which exclude each other. Keep one.",
                        self.id,
                        quoted(&given)
                    ))
                    .with("exclusive", given));
            }
        }
        Ok(())
    }

    /// The failure for an argument name that the command does not have.
    pub(super) fn unknown_argument(&self, name: &str) -> Failure {
        self.unknown_arguments(&[name])
    }

    /// The failure for argument names that the command does not have.
    fn unknown_arguments(&self, names: &[&str]) -> Failure {
        if let Some((name, message)) = names
            .iter()
            .find_map(|name| Some((*name, self.instead_of(name)?)))
        {
            return self.usage_failure(message).with("parameter", name);
        }
        let valid: Vec<&str> = self.argument_names().collect();
        let takes = if valid.is_empty() {
            "It takes none.".to_owned()
        } else {
            format!("It takes {}.", quoted(&valid))
        };
        let mut close: Vec<String> = Vec::new();
        let mut advice: Vec<String> = Vec::new();
        for name in names {
            if *name == "vault" {
                let option = "Give the vault as an option, not as a parameter of the command.";
                advice.push(option.to_owned());
                continue;
            }
            let near = nearest(name, valid.iter().copied());
            advice.extend(question(&near));
            close.extend(near);
        }
        if names != ["vault"] {
            advice.push(takes);
        }
        let told: Vec<String> = names
            .iter()
            .map(|name| format!("`{}`", shown(name)))
            .collect();
        let first = names.first().map(|name| shown(name)).unwrap_or_default();
        self.usage_failure(format!(
            "`{}` has no parameter or flag {}. {}",
            self.id,
            told.join(" or "),
            advice.join(" ")
        ))
        .with("parameter", first)
        .with("nearest", close)
        .with("valid", valid)
    }

    /// What to do instead of a word that Obsidian's own skill teaches for every command or list
    /// (`official-cli.md` §4), and that this one does not take.
    pub(crate) fn instead_of(&self, name: &str) -> Option<String> {
        match name.trim_start_matches('-') {
            "copy" => Some(
                "Leave out `--copy`: the answer is printed, and vault-gw writes to no clipboard."
                    .to_owned(),
            ),
            "total" if self.change.is_none() => Some(format!(
                "`{}` prints no count: leave out `total`, and count the items of its answer.",
                self.id
            )),
            "heading" | "section" | "block" | "lines" if self.output == Shape::NoteText => {
                Some(format!(
                    "`{}` tells the whole note. A part of it is told by `notes:read`, with `path` and `heading`, `block` or `lines` of each note.",
                    self.id
                ))
            }
            _ => None,
        }
    }

    /// The failure for an invalid value of the parameter or flag `name`.
    fn unfit(&self, name: &str, problem: &ValueProblem) -> Failure {
        let failure = self
            .usage_failure(format!("`{name}` of `{}`: {problem}.", self.id))
            .with("parameter", name);
        if let ValueProblem::TooLarge { bytes } = problem {
            return Failure {
                code: Code::ArgumentTooLarge,
                ..failure
                    .with("bytes", *bytes)
                    .with("limit", value::MAX_VALUE_BYTES)
            };
        }
        let escapes = match problem {
            ValueProblem::Absolute => true,
            ValueProblem::Path(reason) => *reason == PathError::Escape,
            ValueProblem::Item(error) => error.path == Some(PathError::Escape),
            _ => false,
        };
        if escapes {
            return Failure {
                code: Code::PathEscape,
                ..failure
            };
        }
        if let ValueProblem::NotAChoice { choices, nearest } = problem {
            let message = match question(nearest) {
                Some(question) => format!("{} {question}", failure.message),
                None => failure.message.clone(),
            };
            return Failure { message, ..failure }
                .with("valid", choices.as_slice())
                .with("nearest", nearest.as_slice());
        }
        failure
    }

    /// A `USAGE_ERROR` that names this command.
    pub(super) fn usage_failure(&self, message: String) -> Failure {
        Failure::new(Code::UsageError, message).with("command", self.id.as_str())
    }
}

/// One failure for all mistakes of a call; none without any. Its code is that of the gravest one, and what each
/// says comes in their order.
fn together(mut mistakes: Vec<Failure>) -> Option<Failure> {
    let gravest = |mistake: &Failure| match mistake.code {
        Code::PathEscape => 0,
        Code::ArgumentTooLarge => 1,
        _ => 2,
    };
    mistakes.sort_by_key(gravest);
    let mut mistakes = mistakes.into_iter();
    let mut all = mistakes.next()?;
    for Failure {
        message, details, ..
    } in mistakes
    {
        all.message += " ";
        all.message += &message;
        for (key, value) in details {
            all.details.entry(key).or_insert(value);
        }
    }
    Some(all)
}

/// The failure for a request with more than [`MAX_ARGUMENTS`] arguments.
pub(super) fn too_many(count: usize) -> Failure {
    Failure::new(
        Code::UsageError,
        format!("The request has {count} parameters; the limit is {MAX_ARGUMENTS}."),
    )
    .with("count", count)
    .with("limit", MAX_ARGUMENTS)
}

/// Makes text of the caller safe to quote in a message: truncated, control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MAX_NAME_BYTES).collect();
    let ellipsis = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    format!("{}{ellipsis}", start.escape_debug())
}

/// Formats words as a list, each in backticks.
fn quoted(words: &[&str]) -> String {
    format!("`{}`", words.join("`, `"))
}
