//! Checks one raw value against one parameter. Values are never trimmed or guessed.

use std::borrow::Cow;

use serde_json::{Number, Value as Json, json};
use vault_engine::{Arg, PathError, VaultPath, forbidden_in_new_name};

pub use self::path::{bad_characters, name_instead, percent_decoded};
use self::path::{escape, file, folder, new_name, split_task_ref};
pub(super) use self::problem::ValueProblem;

use super::command::{Param, ParamKind};
use super::date_form::{days_meant, impossible_day};
use super::effect::Effect;
use super::list_kind::ListKind;
use super::nearest::meant_or_nearest;
use super::raw_value::RawValue;

mod path;
mod problem;

/// Maximum size of a value: 16 MiB. Far larger than any note, and small enough to keep in memory.
pub const MAX_VALUE_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of bytes of a value in an example.
const LONGEST_EXAMPLE: usize = 200;
/// Largest integer that JavaScript, and so the app, represents exactly: 2^53 - 1.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// Checks a raw value and converts it to its type.
pub(super) fn check(param: &Param, raw: &RawValue) -> Result<Arg, ValueProblem> {
    if let ParamKind::List(kind) = param.kind {
        return list(kind, raw);
    }
    let text = text_of(&param.kind, raw)?;
    if text.len() > MAX_VALUE_BYTES {
        return Err(ValueProblem::TooLarge { bytes: text.len() });
    }
    if text.is_empty() {
        let required = param.required;
        return if param.may_be_empty {
            Ok(Arg::Text(String::new()))
        } else {
            Err(ValueProblem::Empty { required })
        };
    }
    if param.effects.contains(Effect::Import) && text.contains("://") {
        return Err(ValueProblem::Address);
    }
    typed(&param.kind, text)
}

/// Returns a list: an array, or its JSON as text.
fn list(kind: ListKind, raw: &RawValue) -> Result<Arg, ValueProblem> {
    let not_a_list = || ValueProblem::NotAList {
        example: match raw {
            RawValue::Text(text) => kind.meant(text),
            // One item that is not a list.
            RawValue::Object(keys) => {
                let one = json!([keys]).to_string();
                let is_valid = kind.check(&[Json::Object(keys.clone())]).is_ok();
                (is_valid && one.len() <= LONGEST_EXAMPLE).then_some(one)
            }
            _ => None,
        }
        .unwrap_or_else(|| kind.example().to_owned()),
    };
    let items = match raw {
        RawValue::List(items) => items.clone(),
        RawValue::Text(text) if text.len() > MAX_VALUE_BYTES => {
            return Err(ValueProblem::TooLarge { bytes: text.len() });
        }
        RawValue::Text(text) => kind.parse(text).ok_or_else(not_a_list)?,
        _ => return Err(not_a_list()),
    };
    kind.check(&items).map_err(ValueProblem::Item)?;
    let value = Arg::List(items);
    match value.to_text().len() {
        bytes if bytes > MAX_VALUE_BYTES => Err(ValueProblem::TooLarge { bytes }),
        _ => Ok(value),
    }
}

/// Returns the value as text, if the parameter accepts its JSON type.
fn text_of<'a>(kind: &ParamKind, raw: &'a RawValue) -> Result<Cow<'a, str>, ValueProblem> {
    let expected = match (kind, raw) {
        (_, RawValue::Text(text)) => return Ok(Cow::Borrowed(text)),
        (ParamKind::Scalar | ParamKind::ScalarOrList, RawValue::Bool(on)) => {
            return Ok(Cow::Owned(on.to_string()));
        }
        (ParamKind::Scalar | ParamKind::ScalarOrList, RawValue::Number(number)) => {
            return number_text(number).map(Cow::Owned);
        }
        // The flag `empty` says that it is not a text.
        (ParamKind::ScalarOrList, RawValue::Null) => return Ok(Cow::Borrowed("")),
        (ParamKind::ScalarOrList, RawValue::List(items)) => {
            return Ok(Cow::Owned(json!(items).to_string()));
        }
        (ParamKind::Object, RawValue::Object(keys)) => {
            return Ok(Cow::Owned(json!(keys).to_string()));
        }
        (&ParamKind::Integer { min, max }, RawValue::Number(number)) => {
            return if number.is_i64() || number.is_u64() {
                Ok(Cow::Owned(number.to_string()))
            } else {
                let meant = None;
                Err(ValueProblem::NotAnInteger { min, max, meant })
            };
        }
        (ParamKind::Scalar, _) => "a text, a number or a boolean",
        (ParamKind::ScalarOrList, _) => "a text, a number, a boolean or an array",
        (ParamKind::Object, _) => "an object",
        (ParamKind::Integer { .. }, _) => "a whole number",
        _ => "a text",
    };
    Err(ValueProblem::WrongType {
        expected,
        got: raw.type_name(),
    })
}

/// Returns the canonical text of a JSON number. `5.0` becomes `5`, as in JavaScript.
fn number_text(number: &Number) -> Result<String, ValueProblem> {
    let size = number
        .as_u64()
        .or_else(|| number.as_i64().map(i64::unsigned_abs));
    if size.is_some_and(|size| size > MAX_EXACT) {
        return Err(ValueProblem::InexactNumber);
    }
    let text = number.to_string();
    let text = text.strip_suffix(".0").unwrap_or(&text);
    // The app would receive `0`, which is another value.
    if text == "-0" {
        return Err(ValueProblem::InexactNumber);
    }
    Ok(text.to_owned())
}

/// Converts a non-empty text to a value of this type.
fn typed(kind: &ParamKind, text: Cow<'_, str>) -> Result<Arg, ValueProblem> {
    match kind {
        ParamKind::Path => match file(&text) {
            Err(ValueProblem::Path(PathError::EmptyComponent))
                if VaultPath::folder(&text).is_ok() =>
            {
                Err(ValueProblem::Folder)
            }
            read => read.map(Arg::Path),
        },
        // A dot anywhere makes the app read the text as a file path (`official-cli.md` §5.1), so a
        // trailing slash after a dot would be misread.
        ParamKind::Destination if text.contains('.') => file(&text).map(Arg::Path),
        ParamKind::Folder | ParamKind::Destination => folder(&text).map(Arg::Path),
        // These are texts to look files up by, and the app may receive them as they are. So a form
        // that the app could read as an absolute path must be refused here.
        ParamKind::NoteName | ParamKind::Template => {
            if file(&text)?.is_absolute_elsewhere() {
                return Err(escape(&text));
            }
            Ok(Arg::Text(text.into_owned()))
        }
        ParamKind::Name => new_name(text),
        ParamKind::TaskRef => {
            let (path, line) = split_task_ref(&text)?;
            Ok(Arg::Line { path, line })
        }
        ParamKind::Tag | ParamKind::Property | ParamKind::Identifier => {
            without(text, forbidden_in_new_name)
        }
        &ParamKind::Date(form) if form.holds(&text) => Ok(Arg::Text(text.into_owned())),
        &ParamKind::Date(form) => Err(match impossible_day(&text) {
            Some(why) => ValueProblem::NoSuchDay { why },
            None => ValueProblem::NotADate {
                form,
                meant: days_meant(&text),
            },
        }),
        ParamKind::Url => url(text),
        ParamKind::Text | ParamKind::Scalar | ParamKind::ScalarOrList | ParamKind::Object => {
            without(text, |text| text.contains('\0').then_some('\0'))
        }
        ParamKind::Line => without(text, |text| {
            text.chars().find(|character| {
                character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
            })
        }),
        &ParamKind::Integer { min, max } => integer(&text, min, max).map(Arg::Integer),
        ParamKind::Character => {
            let mut characters = text.chars();
            if characters.next().is_none() || characters.next().is_some() {
                return Err(ValueProblem::NotOneCharacter);
            }
            without(text, forbidden_in_new_name)
        }
        // `check` has read it as a list.
        ParamKind::List(kind) => Err(ValueProblem::NotAList {
            example: kind.example().to_owned(),
        }),
        ParamKind::Choice(words) => {
            if words.iter().any(|word| *word == *text) {
                return Ok(Arg::Text(text.into_owned()));
            }
            let choices = words.iter().map(String::as_str);
            let nearest = meant_or_nearest(&text, choices);
            let choices = words.clone();
            Err(ValueProblem::NotAChoice { choices, nearest })
        }
    }
}

/// Accepts the text unless `forbidden` finds a character in it.
fn without(
    text: Cow<'_, str>,
    forbidden: impl Fn(&str) -> Option<char>,
) -> Result<Arg, ValueProblem> {
    match forbidden(&text) {
        Some(character) => Err(ValueProblem::Character(character)),
        None => Ok(Arg::Text(text.into_owned())),
    }
}

/// Parses an integer in its canonical form only: no leading zeros, no `+`.
fn integer(text: &str, min: i64, max: i64) -> Result<i64, ValueProblem> {
    let number = text.parse::<i64>().ok();
    let is_canonical = |number: &i64| number.to_string() == text && (min..=max).contains(number);
    number.filter(is_canonical).ok_or_else(|| {
        let plain = text.trim().trim_start_matches('+').trim_end_matches(".0");
        let meant = plain.parse().ok().filter(|_| !plain.starts_with('-'));
        let meant = meant.filter(|meant| (min..=max).contains(meant));
        ValueProblem::NotAnInteger { min, max, meant }
    })
}

fn url(text: Cow<'_, str>) -> Result<Arg, ValueProblem> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !text.contains(char::is_whitespace) => {
            without(text, forbidden_in_new_name)
        }
        _ => Err(ValueProblem::NotAUrl),
    }
}

#[cfg(test)]
mod tests;
