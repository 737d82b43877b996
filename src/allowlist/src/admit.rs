//! Admission: checks raw parameters against one command and types them, all or nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use vault_engine::shown::row;
use vault_engine::{Arg, Args, PathError};

use super::command::{Command, ParamKind};
use super::date_form::is_day;
use super::error::Error;
use super::nearest::nearest;
use super::raw_value::RawValue;
use super::typed_text::{EMPTY, TYPE};
use super::value::{self, ValueProblem};
use protocol::{Cause, Code, Failure, Message, Part, did_you_mean, either, for_program, message};

/// Maximum number of parameters and flags in one request.
pub const MAX_ARGUMENTS: usize = 64;
/// The fields of a request about the call rather than the command. Only tools that can change something have
/// them.
pub const ABOUT_THE_CALL: [&str; 3] = ["dryRun", "ifHash", "approval"];
/// The fields of a call by its command: the command, its parameters, and the options of the call.
pub const CALL_FIELDS: [&str; 8] = [
    "command", "params", "vault", "offset", "links", "dryRun", "ifHash", "approval",
];
/// Placeholder for an unknown path, in an example.
pub const NO_PATH: &str = "…";
/// Maximum length of a parameter or flag name, in bytes.
pub const MAX_NAME_BYTES: usize = 64;

/// Whether `name` can name a parameter or a flag: `[A-Za-z][A-Za-z0-9_-]*` (`threats.toml` B03).
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
    pub fn admit(&self, given: &BTreeMap<String, RawValue>) -> Result<Args, Failure> {
        if given.len() > MAX_ARGUMENTS {
            return Err(Error::TooMany(given.len()).into());
        }
        let (mut admitted, mistakes) = self.read(given);
        if let Some(all) = merged(mistakes) {
            return Err(all);
        }
        self.keep_json_types(given, &mut admitted);
        Ok(admitted)
    }

    /// Returns the valid parameters, each under the name that the caller meant, to look for further mistakes of a
    /// call that is not admitted.
    pub fn fitting(&self, given: &BTreeMap<String, RawValue>) -> Args {
        let named = given.iter().filter_map(|(name, value)| {
            let is_known = self.param(name).is_some() || self.flag(name).is_some();
            let name = if is_known {
                name
            } else {
                self.meant(name, given)?
            };
            Some((name.to_owned(), value.clone()))
        });
        self.read(&named.collect()).0
    }

    /// Checks the parameters. Returns the valid ones, and all mistakes in the others.
    fn read(&self, given: &BTreeMap<String, RawValue>) -> (Args, Vec<Failure>) {
        let mut admitted = Args::default();
        let mut unknown: Vec<&str> = Vec::new();
        let mut mistakes: Vec<Failure> = Vec::new();
        for (name, raw) in given {
            if let Some(param) = self.param(name) {
                match value::check(param, raw) {
                    Ok(value) => {
                        admitted.values.insert(name.clone(), value);
                    }
                    Err(problem) => mistakes.push(self.unfit(name, &problem, raw)),
                }
                if let Some(with) = param
                    .with
                    .as_ref()
                    .filter(|with| !given.contains_key(*with))
                {
                    let id = self.id.clone();
                    mistakes.push(Error::Alone(id, name.clone(), with.clone()).into());
                }
            } else if self.flag(name).is_some() {
                match raw.as_switch() {
                    // The app reads `flag=false` as `true` (`official-cli.md` §4), so a flag that
                    // is off must not be sent at all.
                    Some(false) => {}
                    Some(true) => {
                        admitted.flags.insert(name.clone());
                    }
                    None => {
                        let got = raw.type_name();
                        let problem = ValueProblem::NotABoolean { got };
                        mistakes.push(self.unfit(name, &problem, raw));
                    }
                }
            } else {
                unknown.push(name);
            }
        }
        if !unknown.is_empty() {
            mistakes.push(self.unknown_arguments(&unknown, given));
        }
        // An unknown parameter may be meant for a missing one.
        let missing = self.missing(given);
        if !missing.is_empty() {
            mistakes.push(self.lacking(&missing, mistakes.is_empty()));
        }
        mistakes.extend(self.excluding(&admitted));
        mistakes.extend(self.reversed(&admitted));
        mistakes.extend(self.mistyped(&admitted, given));
        mistakes.extend(self.mistagged(&admitted));
        (admitted, mistakes)
    }

    /// Returns the parameters of a request that are given: a null means that a parameter is not given (`contracts.md`
    /// D25), unless null is a valid value.
    pub fn given<'params>(
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
    fn keep_json_types(&self, given: &BTreeMap<String, RawValue>, admitted: &mut Args) {
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
            let wanted = admitted.values.get(TYPE).map(Arg::to_text);
            match (wanted.as_deref(), admitted.values.get_mut(&param.name)) {
                (None, _) if can_be(word) => {
                    let word = Arg::Text(word.to_owned());
                    admitted.values.insert(TYPE.to_owned(), word);
                }
                // As the one item of a list it keeps its type too.
                (Some("list"), Some(value)) => {
                    *value = Arg::Text(format!("[{}]", value.to_text()));
                }
                _ => {}
            }
        }
    }

    /// Returns the required parameters that are not given.
    fn missing(&self, given: &BTreeMap<String, RawValue>) -> Vec<&str> {
        let params = self.params.iter();
        let missing = params.filter(|param| param.required && !given.contains_key(&param.name));
        missing.map(|param| param.name.as_str()).collect()
    }

    /// Returns the failure for required parameters that are not given; with the usage if it is the only mistake.
    fn lacking(&self, missing: &[&str], is_only_mistake: bool) -> Failure {
        let missing = missing.iter().map(|name| (*name).to_owned()).collect();
        let usage = if is_only_mistake {
            Part::Usage(self.usage()).into()
        } else {
            Message::default()
        };
        Error::Missing(self.id.clone(), missing, usage).into()
    }

    /// Returns the failures for arguments of which only one is taken.
    fn excluding(&self, admitted: &Args) -> Vec<Failure> {
        let is_given =
            |name: &str| admitted.values.contains_key(name) || admitted.flags.contains(name);
        // The app would silently ignore `file`, and use another note than the caller may expect.
        if is_given("path") && is_given("file") {
            return vec![Error::PathAndFile(self.id.clone()).into()];
        }
        let sets = self.exclusive.iter().map(|set| {
            let given = set.iter().filter(|name| is_given(name)).cloned();
            given.collect::<Vec<_>>()
        });
        let keep = if self.change.is_some() {
            "Pass only one of them."
        } else {
            "Pass at most one of them."
        };
        sets.filter(|given| given.len() > 1)
            .map(|given| Error::Exclusive(self.id.clone(), given, keep).into())
            .collect()
    }

    /// Returns the failure for a span of days that ends before it begins, which contains no day.
    fn reversed(&self, admitted: &Args) -> Option<Failure> {
        const SPANS: [(&str, &str); 2] = [("since", "until"), ("due-after", "due-before")];
        let day = |name: &str| {
            let is_date = matches!(self.param(name)?.kind, ParamKind::Date(_));
            let text = admitted.values.get(name)?.to_text();
            (is_date && is_day(&text)).then_some(text)
        };
        SPANS.into_iter().find_map(|(start, end)| {
            let (from, to) = (day(start)?, day(end)?);
            (from > to).then(|| Error::EmptyRange(self.id.clone(), start, end, from, to).into())
        })
    }

    /// The argument that is meant by a name that the command does not have: one that is still needed, or else
    /// any that is not given.
    pub(super) fn meant(&self, name: &str, given: &BTreeMap<String, RawValue>) -> Option<&str> {
        let missing = self.missing(given);
        let open = self.not_given(given);
        // A parameter that accepts the value is more likely meant.
        let fits = |known: &&str| match (self.param(known), given.get(name)) {
            (Some(param), Some(raw)) => value::check(param, raw).is_ok(),
            (None, Some(raw)) => raw.as_switch().is_some(),
            (_, None) => false,
        };
        // A folder is not the path of a file.
        let is_folder = ["folder", "dir", "directory"].contains(&name);
        let takes_it = |known: &&str| {
            !is_folder
                || self
                    .param(known)
                    .is_none_or(|param| param.kind != ParamKind::Path)
        };
        let open = || open.iter().copied().filter(takes_it);
        vault_engine::meant(name, missing)
            .or_else(|| vault_engine::meant(name, open().filter(fits)))
            .or_else(|| vault_engine::meant(name, open()))
    }

    /// The arguments with a similar name that a request does not give.
    pub(super) fn near(&self, name: &str, given: &BTreeMap<String, RawValue>) -> Vec<String> {
        nearest(name, self.not_given(given))
    }

    /// The arguments that a request does not give.
    fn not_given(&self, given: &BTreeMap<String, RawValue>) -> Vec<&str> {
        let names = self.argument_names();
        names.filter(|name| !given.contains_key(*name)).collect()
    }

    /// Returns the failure for argument names that the command does not have.
    pub(super) fn unknown_arguments(
        &self,
        names: &[&str],
        given: &BTreeMap<String, RawValue>,
    ) -> Failure {
        let (instead, unknown): (Vec<&str>, Vec<&str>) = names
            .iter()
            .partition(|name| self.instead_of_name(name, given).is_some());
        let valid: Vec<&str> = self.argument_names().collect();
        let mut failure = Code::UsageError
            .failure(Message::default())
            .with("command", self.id.as_str());
        if !unknown.is_empty() {
            let listed: Vec<String> = unknown
                .iter()
                .map(|name| format!("`{}`", shown(name)))
                .collect();
            let which = format!(" has no parameter or flag {}.", listed.join(" or "));
            failure = failure.say(message!("{}{}", self.subject(), which));
        }
        let is_option = |name: &&str| CALL_FIELDS[2..].contains(name);
        let about_the_call = ABOUT_THE_CALL.iter().filter(|_| self.change.is_some());
        let mut near: Vec<(String, Vec<String>)> = Vec::new();
        for name in &unknown {
            if is_option(name) {
                let option = Part::OptionOfCall((*name).to_owned());
                // A person has no option for it.
                let hint = if *name == "approval" {
                    for_program(option)
                } else {
                    option
                };
                failure.add_hint(hint);
                continue;
            }
            let about = vault_engine::meant(name, about_the_call.clone().copied());
            let mut found = match self.meant(name, given).or(about) {
                Some(meant) => vec![meant.to_owned()],
                None => self.near(name, given),
            };
            // Two values do not go into one argument.
            found.retain(|known| near.iter().all(|(_, taken)| !taken.contains(known)));
            if !found.is_empty() {
                near.push((shown(name), found));
            }
        }
        match near.as_slice() {
            [(_, near)] if unknown.len() == 1 => failure.add_hint(did_you_mean(near)),
            near => {
                for (name, near) in near {
                    failure.add_hint(format!("Instead of `{name}`, pass {}.", either(near)));
                }
            }
        }
        let close: Vec<String> = near.into_iter().flat_map(|(_, near)| near).collect();
        if !unknown.iter().all(is_option) {
            let names = valid.iter().map(|name| (*name).to_owned()).collect();
            failure.add_hint(Part::Takes(names));
        }
        if let Some(first) = instead.first() {
            let (what, hint) = self.instead_of_name(first, given).unwrap_or_default();
            if unknown.is_empty() {
                failure = failure.say(what);
            } else {
                failure.add_hint(what);
            }
            failure.add_hint(hint);
            if self.is_about_one_note() {
                failure.add_hint(Self::as_part(&instead, given).unwrap_or_default());
            }
        }
        let first = names.first().map(|name| shown(name)).unwrap_or_default();
        let failure = failure.with("parameter", first);
        if unknown.is_empty() {
            return failure;
        }
        let failure = match unknown.first() {
            Some(name) if close.is_empty() => {
                failure.caused_by(Cause::UnknownArgument((*name).to_owned()))
            }
            _ => failure,
        };
        failure.with("nearest", close).with("valid", valid)
    }

    /// Returns the command as the subject of a sentence.
    pub(super) fn subject(&self) -> Part {
        Part::Subject(self.id.clone())
    }

    /// Returns the failure for an invalid value of the parameter or flag `name`.
    fn unfit(&self, name: &str, problem: &ValueProblem, raw: &RawValue) -> Failure {
        let param = self.param(name);
        let is_sensitive = param.is_some_and(|param| param.sensitive);
        let instead = self
            .instead_of_value(problem, raw)
            .filter(|_| !is_sensitive);
        let failure = self
            .misfit(name, problem.to_string())
            .hint(instead.unwrap_or_default());
        if let ValueProblem::Item(error) = problem
            && error.key.as_deref() == Some("frontmatter")
        {
            return failure.hint(message!("To set a property, use {property:set}."));
        }
        if matches!(
            (param.map(|param| &param.kind), raw),
            (Some(ParamKind::ScalarOrList), RawValue::Object(_))
        ) {
            return failure.hint(message!(
                "Pass a text or a list of texts. To add one item to a list, use {property:add}."
            ));
        }
        if let ValueProblem::TooLarge { bytes } = problem {
            return failure
                .with_code(Code::ArgumentTooLarge)
                .with("bytes", *bytes)
                .with("limit", value::MAX_VALUE_BYTES);
        }
        let escapes = match problem {
            ValueProblem::Absolute => true,
            ValueProblem::Path(reason) => *reason == PathError::Escape,
            ValueProblem::Item(error) => error.path == Some(PathError::Escape),
            _ => false,
        };
        if escapes {
            return failure.with_code(Code::PathEscape);
        }
        if let ValueProblem::NotAChoice { choices, nearest } = problem {
            return failure
                .hint(did_you_mean(nearest))
                .with("valid", choices.as_slice())
                .with("nearest", nearest.as_slice());
        }
        failure
    }

    /// Returns the failure for a value that breaks a rule.
    pub(super) fn misfit(&self, parameter: &str, rule: String) -> Failure {
        let cause = Cause::InvalidArgument(parameter.to_owned());
        Failure::from(Error::Unfit(self.id.clone(), parameter.to_owned(), rule)).caused_by(cause)
    }
}

/// Merges all mistakes of a call into one failure; `None` without mistakes. Its code is the code of the gravest
/// mistake.
fn merged(mut mistakes: Vec<Failure>) -> Option<Failure> {
    let gravest = |mistake: &Failure| match mistake.code {
        Code::PathEscape => 0,
        Code::ArgumentTooLarge => 1,
        _ => 2,
    };
    mistakes.sort_by_key(gravest);
    let mut mistakes = mistakes.into_iter();
    let mut all = mistakes.next()?;
    mistakes.for_each(|mistake| all.add(mistake));
    Some(all)
}

/// Makes text of the caller safe to quote in a message: truncated, and control characters escaped.
pub fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MAX_NAME_BYTES).collect();
    let ellipsis = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    format!("{}{ellipsis}", row(&start))
}
