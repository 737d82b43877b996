//! Parses command-line words in the official CLI's syntax into raw parameters.

use std::collections::BTreeMap;

use vault_engine::Args;

use super::admit::{MAX_ARGUMENTS, MAX_NAME_BYTES, shown};
use super::change_rules::Placement;
use super::command::{Command, ParamKind, Target};
use super::error::Error;
use super::nearest::nearest;
use super::raw_value::RawValue;
use protocol::{Cause, Failure, Shell, did_you_mean, message};

/// The parameter whose values may be written without its name: `json` for `format=json`
/// (`official-cli.md` §4).
pub(super) const SHORTHAND: &str = "format";

impl Command {
    /// Parses the words after the command: `key=value` (split at the first `=`), `flag`,
    /// `flag=true`, `flag=false`, a bare value of `format`, or other words, which are the values of the parameters that
    /// the catalogue names (`bare`).
    ///
    /// Values are taken byte for byte. Unlike in the app, a typed `\n` stays two characters.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for a word that is none of these, for too many words, and for an argument
    /// given twice: the app would silently keep the last one. And for a new note without any word: the app would
    /// create `Untitled`, but the person who typed only the command wants to know what it takes.
    pub fn read_words<W: AsRef<str>>(
        &self,
        words: &[W],
    ) -> Result<BTreeMap<String, RawValue>, Failure> {
        if words.len() > MAX_ARGUMENTS {
            return Err(Error::TooMany(words.len()).into());
        }
        if words.is_empty() && self.placement() == Some(Placement::AsNamed) {
            let usage = self.bare_usage().unwrap_or_else(|| self.usage());
            return Err(Error::NoName(self.id.clone(), usage).into());
        }
        let mut given = BTreeMap::new();
        let mut bare = Vec::new();
        let mut flags = Vec::new();
        for word in words {
            let word = word.as_ref();
            let Some((name, value)) = self.read_word(word)? else {
                bare.push(word);
                continue;
            };
            if !word.contains('=') {
                flags.push((bare.len(), word));
            }
            if given.insert(name.to_owned(), value).is_some() {
                return Err(Error::Twice(self.id.clone(), name.to_owned()).into());
            }
        }
        let open = self.open_bare(&given);
        for (at, flag) in flags {
            if let Some(name) = open.get(at).filter(|name| self.wants_value(name)) {
                let value = Shell::native().argument(name, flag);
                return Err(Error::FlagOrValue(
                    self.id.clone(),
                    flag.to_owned(),
                    name.to_string(),
                    value,
                )
                .into());
            }
        }
        let wrong = bare.iter().enumerate().position(|(at, word)| {
            // The command cannot do without this value, so no mistyped flag is meant.
            let param = open.get(at).and_then(|name| self.param(name));
            let is_value = if param.is_some_and(|param| param.required) {
                self.may_be_value(word)
            } else {
                self.takes_bare(word)
            };
            !is_value
        });
        let beyond = (bare.len() > open.len()).then_some(open.len());
        if let Some((at, word)) = beyond.or(wrong).and_then(|at| Some((at, bare.get(at)?))) {
            let meant = self.meant_by(words, &bare, &given);
            return Err(self.nameless(word, meant, (at, &open)));
        }
        let is_new = self.placement() == Some(Placement::AsNamed) && !given.contains_key("path");
        let values = open.into_iter().zip(bare).map(|(name, word)| {
            let is_path = is_new && name == "name" && word.contains('/');
            let name = if is_path { "path" } else { name };
            (name.to_owned(), RawValue::Text(word.to_owned()))
        });
        let values: Vec<_> = values.collect();
        given.extend(values);
        Ok(given)
    }

    /// Returns the parameters that words without a name are the values of: those in the catalogue, or the note if they
    /// are given or excluded (`property:set Inbox name=status value=done`).
    fn open_bare(&self, given: &BTreeMap<String, RawValue>) -> Vec<&str> {
        let is_excluded = |name: &str| {
            let mut sets = self.exclusive.iter();
            sets.any(|set| {
                set.iter().any(|one| one == name) && set.iter().any(|one| given.contains_key(one))
            })
        };
        let is_open = |name: &&str| {
            !given.contains_key(*name) && !is_excluded(name) && !self.is_named_by_path(name, given)
        };
        let takes_note = matches!(self.target, Target::Note | Target::NoteOrVault);
        let mut bare = self.bare.iter().map(String::as_str);
        let Some(first) = bare.next() else {
            return Vec::new();
        };
        if is_open(&first) {
            // A later word counts only after the first one: `create path=a.md permanent` is a mistyped flag.
            return std::iter::once(first).chain(bare.filter(is_open)).collect();
        }
        let note = ["file"].into_iter().filter(|_| takes_note);
        note.filter(|name| self.param(name).is_some() && is_open(name))
            .collect()
    }

    /// Whether the note is named by its path, so that this parameter would name it again.
    fn is_named_by_path(&self, name: &str, given: &BTreeMap<String, RawValue>) -> bool {
        let names_note = match self.target {
            Target::Note | Target::NoteOrVault => name == "file",
            Target::NewFile => name == "name",
            _ => false,
        };
        names_note && given.contains_key("path")
    }

    /// Returns the complete command line that words without names may mean: the first word is the bare parameter, the
    /// others are the parameters that are still required; the words of a text are one value. `None` if it is unclear.
    fn meant_by<W: AsRef<str>>(
        &self,
        words: &[W],
        bare: &[&str],
        given: &BTreeMap<String, RawValue>,
    ) -> Option<String> {
        if !bare.iter().all(|word| self.takes_bare(word)) {
            return None;
        }
        let open = self.open_bare(given).first().copied();
        let needed = self.params.iter().filter(|param| {
            param.required && !given.contains_key(&param.name) && Some(&*param.name) != open
        });
        let needed: Vec<_> = needed.collect();
        let mut left = bare.iter().copied().peekable();
        let mut values: Vec<(Option<&str>, String)> = Vec::new();
        // There are more words than required parameters: the first is the note, as in
        // `property:set Home status done`.
        let takes_note = matches!(self.target, Target::Note | Target::NoteOrVault)
            && open.is_some_and(|name| name != "file")
            && self.param("file").is_some()
            && !["file", "path", "paths"]
                .iter()
                .any(|name| given.contains_key(*name));
        let mut open = open;
        if takes_note && bare.len() == needed.len() + 2 {
            values.push((Some("file"), left.next()?.to_owned()));
            let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
            if self.param("line").is_some() && left.peek().is_some_and(is_number) {
                values.push((Some("line"), left.next()?.to_owned()));
                open = None;
            }
        }
        // A word with spaces was quoted and is complete; the words after it are the text.
        let is_quoted = bare.iter().any(|word| word.contains(' '));
        let text = self.params.iter().find(|param| {
            param.kind == ParamKind::Text && !given.contains_key(&param.name) && !param.required
        });
        let text = text.filter(|_| needed.is_empty() && is_quoted && bare.len() == 2);
        if let Some(param) = open.and_then(|name| self.param(name)) {
            // Words that no parameter takes are one value whose quotes were forgotten.
            let takes_words = matches!(
                param.kind,
                ParamKind::Text | ParamKind::Line | ParamKind::NoteName | ParamKind::Name
            );
            let value = if needed.is_empty() && takes_words && text.is_none() {
                left.by_ref().collect::<Vec<_>>().join(" ")
            } else {
                left.next()?.to_owned()
            };
            values.push((None, value));
        }
        let mut needed = needed.into_iter().chain(text).peekable();
        while let Some(word) = left.next() {
            let param = needed.next()?;
            let mut value = word.to_owned();
            let is_last_name = param.kind == ParamKind::Name && needed.peek().is_none();
            if matches!(param.kind, ParamKind::Text | ParamKind::Line) || is_last_name {
                for more in left.by_ref() {
                    value = format!("{value} {more}");
                }
            }
            values.push((Some(&param.name), value));
        }
        let shell = Shell::native();
        let is_path = |name: &str| {
            let kind = self.param(name).map(|param| &param.kind);
            matches!(kind, Some(ParamKind::Path))
        };
        let mut line = format!("vault-gw {}", self.id);
        // A value that could not be copied from a message is left out, for the person to fill in.
        let shown = |value: &str| {
            let is_shown = value.len() <= MAX_NAME_BYTES && !value.contains(char::is_control);
            if is_shown { value } else { "…" }.to_owned()
        };
        let mut values = values.into_iter().map(|(name, value)| match name {
            // A name does not reveal the path.
            Some(name) if is_path(name) && !value.contains('.') => format!("{name}=<path>"),
            Some(name) => shell.argument(name, &shown(&value)),
            None => shell.quoted(&shown(&value)).into_owned(),
        });
        for word in words {
            let word = word.as_ref();
            let next = if bare.contains(&word) {
                values.next()
            } else {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                Some(if word.contains('=') {
                    shell.argument(name, &shown(value))
                } else {
                    shell.quoted(&shown(word)).into_owned()
                })
            };
            line.extend(next.into_iter().flat_map(|word| [" ".to_owned(), word]));
        }
        line.extend(needed.map(|param| format!(" {}", param.usage())));
        Some(line)
    }

    /// Whether a person who leaves out the value of this parameter more likely means a flag's name as the value than
    /// the flag: the command needs the value, or the value is a text, which would be lost.
    fn wants_value(&self, name: &str) -> bool {
        self.placement() == Some(Placement::AsNamed)
            || self
                .param(name)
                .is_some_and(|param| param.required || param.kind == ParamKind::Text)
    }

    /// Whether a word without a name may be a value. It may not if it looks like an option, or is a word of
    /// Obsidian's own skill that this command does not take.
    fn may_be_value(&self, word: &str) -> bool {
        let looks_like_option = word.strip_prefix('-').is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(|next: char| next == '-' || next.is_alphabetic())
        });
        !word.is_empty() && !looks_like_option && self.instead_of(word).is_none()
    }

    /// Whether the word may be a value that the command can do without: it is not a mistyped flag or value of
    /// `format` either, which have no spaces.
    fn takes_bare(&self, word: &str) -> bool {
        let flags = self.flags.iter().map(|flag| flag.name.as_str());
        let formats = self.formats().iter().map(String::as_str);
        self.may_be_value(word)
            && (word.contains(' ') || nearest(word, flags.chain(formats)).is_empty())
    }

    /// [`Self::read_words`], then [`Self::admit`].
    ///
    /// # Errors
    ///
    /// As both functions.
    pub fn admit_words<W: AsRef<str>>(&self, words: &[W]) -> Result<Args, Failure> {
        self.admit(&self.read_words(words)?)
    }

    /// Returns the name and the value of a word; `None` for a word without a name.
    fn read_word<'w>(&self, word: &'w str) -> Result<Option<(&'w str, RawValue)>, Failure> {
        // A web address or a sentence with `=` is a value.
        let is_name = |(name, _): &(&str, &str)| {
            name.chars()
                .all(|one| one.is_alphanumeric() || "_-".contains(one))
        };
        if let Some((name, value)) = word.split_once('=').filter(is_name) {
            if self.flag(name).is_none() {
                return Ok(Some((name, RawValue::Text(value.to_owned()))));
            }
            return match value {
                "true" => Ok(Some((name, RawValue::Bool(true)))),
                "false" => Ok(Some((name, RawValue::Bool(false)))),
                _ => Err(Error::FlagValue(self.id.clone(), name.to_owned()).into()),
            };
        }
        if self.flag(word).is_some() {
            return Ok(Some((word, RawValue::Bool(true))));
        }
        if self.is_shorthand(word) {
            return Ok(Some((SHORTHAND, RawValue::Text(word.to_owned()))));
        }
        if let Some(param) = self.param(word) {
            return Err(Error::NoValue(self.id.clone(), word.to_owned(), param.usage()).into());
        }
        Ok(None)
    }

    /// Returns the failure for a word without a name that the command does not take; `meant` is the line that may be
    /// meant.
    fn nameless(&self, word: &str, meant: Option<String>, (at, open): (usize, &[&str])) -> Failure {
        let mut failure = self.unknown_arguments(&[word], &BTreeMap::new());
        // A similar parameter name is more likely meant than a value; a synonym is not.
        let params = self.params.iter().map(|param| param.name.as_str());
        let is_value = meant.is_some() && nearest(word, params).is_empty();
        if is_value || matches!(failure.cause(), Some(Cause::UnknownArgument(_))) {
            let word = shown(word);
            failure = match meant {
                Some(meant) if !open.is_empty() => {
                    let sentence = if open.len() == 1 {
                        message!(
                            "{} takes only one value without a parameter name, but `{}` is a second value.",
                            self.subject(),
                            word
                        )
                    } else {
                        message!(
                            "{} takes only two values without a parameter name, but `{}` is a third value.",
                            self.subject(),
                            word
                        )
                    };
                    let failure = failure.without_hints().say(sentence);
                    failure.hint(did_you_mean(&[meant]))
                }
                Some(meant) => failure
                    .without_hints()
                    .say(message!(
                        "{} does not take the value `{}` without a parameter name.",
                        self.subject(),
                        word
                    ))
                    .hint(did_you_mean(&[meant])),
                None => failure
                    .hint("Write each value as `name=value`. Put values with spaces in quotes."),
            };
        } else if let Some(name) = open
            .get(at)
            .copied()
            .or(self.bare.first().map(String::as_str))
        {
            let named = Shell::native().argument(name, &shown(word));
            failure.add_hint(format!("To pass the word as a value, write `{named}`."));
        }
        failure
    }

    /// Returns a suggestion for a value written without its name: the first required parameter, or else the note.
    pub fn bare_word_meant(&self, word: &str) -> Option<String> {
        let name = self
            .params
            .iter()
            .find(|param| param.required)
            .map(|param| param.name.as_str())
            .or_else(|| {
                let is_path = word.contains('/') || word.contains('.');
                let wanted = match self.target {
                    Target::Note | Target::NoteOrVault if is_path => "path",
                    Target::Note => "file",
                    _ => return None,
                };
                self.param(wanted).map(|param| param.name.as_str())
            })?;
        Some(Shell::native().argument(name, &shown(word)))
    }

    /// Whether a bare word is a value of `format`.
    pub(super) fn is_shorthand(&self, word: &str) -> bool {
        self.formats().iter().any(|choice| choice == word)
    }

    /// Returns the values of `format`.
    fn formats(&self) -> &[String] {
        match self.param(SHORTHAND).map(|param| &param.kind) {
            Some(ParamKind::Choice(choices)) => choices,
            _ => &[],
        }
    }
}
