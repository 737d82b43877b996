//! Checks one raw value against one parameter. Values are never trimmed or guessed.

use std::borrow::Cow;

use serde_json::{Number, json};
use vault_engine::{ListError, PathError, VaultPath, check_new_name, forbidden_in_new_name};

use super::call::Value;
use super::command::{Param, ParamKind};
use super::date_form::{DateForm, days_meant, impossible_day};
use super::list_kind::ListKind;
use super::nearest::{either, nearest};
use super::raw_value::RawValue;

/// Maximum size of a value: 16 MiB. Far larger than any note, and small enough to hold in memory.
pub const MAX_VALUE_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of a value in an example.
const LONGEST_EXAMPLE: usize = 200;
/// Largest integer that JavaScript, and so the app, represents exactly: 2^53 - 1.
const MAX_EXACT: u64 = (1 << 53) - 1;
/// Largest 1-based line number in a task reference.
const MAX_LINE: i64 = 2_147_483_647;

/// Why a value is invalid. Never contains the value itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ValueProblem {
    #[error("expected {expected}, got {got}")]
    WrongType {
        expected: &'static str,
        got: &'static str,
    },
    #[error("a flag is `true` or `false` without quotes, got {got}")]
    NotABoolean { got: &'static str },
    #[error("the value is empty{}", if *required { "" } else { "; leave the parameter out instead" })]
    Empty { required: bool },
    #[error("the value has {bytes} bytes; the limit is {MAX_VALUE_BYTES}")]
    TooLarge { bytes: usize },
    #[error("the value contains the character U+{:04X}, which is not allowed here", u32::from(*.0))]
    Character(char),
    #[error(
        "a path starts at the vault's root; leave out the `/` or drive before it, as in `Projects/Boat.md`"
    )]
    Absolute,
    #[error(
        "it ends with `/` and so names a folder, where a file is meant; `notes:list` with `folder` lists its notes"
    )]
    Folder,
    #[error("{0}; give a path relative to the vault's root, with `/` between folders")]
    Path(PathError),
    #[error("it is a link that opens the app; send the path in it, `{path}`")]
    AppLink { path: String },
    #[error(
        "a file name cannot contain {}; write for example `{instead}`",
        either(bad)
    )]
    InName { bad: Vec<String>, instead: String },
    #[error("a name cannot contain {}", either(bad))]
    Slash {
        /// The slash, and what else no name can hold.
        bad: Vec<String>,
    },
    #[error("expected a whole number {}{}", from_to(*min, *max), written(*meant))]
    NotAnInteger {
        min: i64,
        max: i64,
        /// The number in range that the text is in another spelling.
        meant: Option<i64>,
    },
    #[error("expected {}{}", form.rule(), if meant.is_empty() { String::new() } else { format!("; write {}", either(meant)) })]
    NotADate {
        form: DateForm,
        /// The days that it may mean.
        meant: Vec<String>,
    },
    #[error("{why}")]
    NoSuchDay { why: String },
    #[error("the number cannot be sent exactly; send it as a text")]
    InexactNumber,
    #[error("expected exactly one character")]
    NotOneCharacter,
    #[error("expected `path:line`, with the line counted from 1")]
    NotATaskRef,
    #[error("expected an address that starts with `https://` or `http://` and contains no space")]
    NotAUrl,
    #[error("expected an array, such as `{example}`")]
    NotAList { example: String },
    #[error("{0}")]
    Item(ListError),
    #[error("expected one of `{}`", choices.join("`, `"))]
    NotAChoice {
        choices: Vec<String>,
        nearest: Vec<String>,
    },
}

/// Checks a raw value and converts it to its type.
pub(super) fn check(param: &Param, raw: &RawValue) -> Result<Value, ValueProblem> {
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
            Ok(Value::Text(String::new()))
        } else {
            Err(ValueProblem::Empty { required })
        };
    }
    typed(&param.kind, text)
}

/// A list: an array, or its JSON as text.
fn list(kind: ListKind, raw: &RawValue) -> Result<Value, ValueProblem> {
    let not_a_list = || ValueProblem::NotAList {
        example: match raw {
            RawValue::Text(text) => kind.meant(text),
            // One item that is no list.
            RawValue::Object(keys) => {
                let one = json!([keys]).to_string();
                (one.len() <= LONGEST_EXAMPLE).then_some(one)
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
    let value = Value::List(items);
    match value.to_text().len() {
        bytes if bytes > MAX_VALUE_BYTES => Err(ValueProblem::TooLarge { bytes }),
        _ => Ok(value),
    }
}

/// The value as text, if the parameter accepts its JSON type.
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

/// The canonical text of a JSON number. `5.0` becomes `5`, as in JavaScript.
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
fn typed(kind: &ParamKind, text: Cow<'_, str>) -> Result<Value, ValueProblem> {
    match kind {
        ParamKind::Path => match file(&text) {
            Err(ValueProblem::Path(PathError::EmptyComponent))
                if VaultPath::folder(&text).is_ok() =>
            {
                Err(ValueProblem::Folder)
            }
            read => read.map(Value::Path),
        },
        // A dot anywhere makes the app read the text as a file path (`official-cli.md` §5.1), so a
        // trailing slash after a dot would be misread.
        ParamKind::Destination if text.contains('.') => file(&text).map(Value::Path),
        ParamKind::Folder | ParamKind::Destination => folder(&text).map(Value::Path),
        // These are texts to look files up by, and the app may receive them as they are. So a form
        // that the app could read as an absolute path must be refused here.
        ParamKind::NoteName | ParamKind::Template => {
            if file(&text)?.is_absolute_elsewhere() {
                return Err(escape(&text));
            }
            Ok(Value::Text(text.into_owned()))
        }
        ParamKind::Name => new_name(text),
        ParamKind::TaskRef => {
            let (path, line) = split_task_ref(&text)?;
            Ok(Value::Text(format!("{path}:{line}")))
        }
        ParamKind::Tag | ParamKind::Property | ParamKind::Identifier => {
            without(text, forbidden_in_new_name)
        }
        &ParamKind::Date(form) if form.holds(&text) => Ok(Value::Text(text.into_owned())),
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
        &ParamKind::Integer { min, max } => integer(&text, min, max).map(Value::Integer),
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
                return Ok(Value::Text(text.into_owned()));
            }
            let choices = words.iter().map(String::as_str);
            let nearest = match vault_engine::meant(&text, choices.clone()) {
                Some(meant) => vec![meant.to_owned()],
                None => nearest(&text, choices),
            };
            let choices = words.clone();
            Err(ValueProblem::NotAChoice { choices, nearest })
        }
    }
}

/// Accepts the text unless `forbidden` finds a character in it.
fn without(
    text: Cow<'_, str>,
    forbidden: impl Fn(&str) -> Option<char>,
) -> Result<Value, ValueProblem> {
    match forbidden(&text) {
        Some(character) => Err(ValueProblem::Character(character)),
        None => Ok(Value::Text(text.into_owned())),
    }
}

fn file(text: &str) -> Result<VaultPath, ValueProblem> {
    VaultPath::file(text).map_err(|reason| match reason {
        PathError::Escape => escape(text),
        reason => ValueProblem::Path(reason),
    })
}

/// Why a path is none of the vault. What it says of an absolute path is the same for every one: it must not
/// tell where the vault lies (`faults.md` D01).
fn escape(text: &str) -> ValueProblem {
    let climbs = text.split(['/', '\\']).any(|component| component == "..");
    if let Some(path) = app_link(text) {
        return ValueProblem::AppLink { path };
    }
    if climbs || text.contains("://") {
        ValueProblem::Path(PathError::Escape)
    } else {
        ValueProblem::Absolute
    }
}

/// The name of a file to create or to rename to, as `vault-semantics.md` §7.2 allows. Its ending is
/// checked later, when the extension is known.
fn new_name(text: Cow<'_, str>) -> Result<Value, ValueProblem> {
    if file(&text)?.is_absolute_elsewhere() {
        return Err(escape(&text));
    }
    if text.contains('/') {
        let mut bad = vec!["/".to_owned()];
        bad.extend(bad_characters(&text));
        return Err(ValueProblem::Slash { bad });
    }
    match check_new_name(&text) {
        Ok(()) | Err(PathError::Ending) => Ok(Value::Text(text.into_owned())),
        Err(reason @ PathError::Character(_)) => {
            let (bad, instead) = (bad_characters(&text), name_instead(&text));
            let is_name = !bad.is_empty() && check_new_name(&instead).is_ok();
            Err(if is_name {
                ValueProblem::InName { bad, instead }
            } else {
                ValueProblem::Path(reason)
            })
        }
        Err(reason) => Err(ValueProblem::Path(reason)),
    }
}

/// The path in a link that opens a file in the app: `obsidian://open?vault=v&file=Work%2FPlan`.
fn app_link(text: &str) -> Option<String> {
    let (_, query) = text.strip_prefix("obsidian://")?.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, file) = pairs.find(|(key, _)| matches!(*key, "file" | "filepath"))?;
    let file = percent_decoded(file)?;
    let path = VaultPath::file(file.trim_start_matches('/')).ok()?;
    let end = if path.extension().is_empty() {
        ".md"
    } else {
        ""
    };
    check_new_name(path.name())
        .is_ok()
        .then(|| format!("{path}{end}"))
}

/// Decodes a percent-encoded text; `None` if it is malformed or not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(digits[0])? * 16 + digit(digits[1])?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// `from 1 to 100`, without an end that is no bound.
fn from_to(min: i64, max: i64) -> String {
    if max >= MAX_LINE {
        format!("from {min}")
    } else {
        format!("from {min} to {max}")
    }
}

fn written(meant: Option<i64>) -> String {
    meant.map_or_else(String::new, |meant| format!(" in plain digits: `{meant}`"))
}

/// The visible characters of a name or path that no file name can hold on every system.
pub(crate) fn bad_characters(text: &str) -> Vec<String> {
    let mut bad: Vec<String> = Vec::new();
    for character in text.chars().filter(|one| r#"*"\<>:|?"#.contains(*one)) {
        let told = character.to_string();
        if !bad.contains(&told) {
            bad.push(told);
        }
    }
    bad
}

/// A name close to this one, without what no file name can hold on every system. Of a path, each name.
pub(crate) fn name_instead(text: &str) -> String {
    let name = text.replace(": ", " - ").replace([':', '|', '\\'], "-");
    name.replace(['*', '"', '<', '>', '?'], "")
        .split('/')
        .map(|name| match name.trim().rsplit_once('.') {
            Some((stem, extension)) => format!("{}.{extension}", stem.trim()),
            None => name.trim().to_owned(),
        })
        .collect::<Vec<_>>()
        .join("/")
}

fn folder(text: &str) -> Result<VaultPath, ValueProblem> {
    VaultPath::folder(text).map_err(|reason| match reason {
        PathError::Escape => escape(text),
        reason => ValueProblem::Path(reason),
    })
}

/// Splits `path:line` into the path and the 1-based line. A text without a line is checked as a
/// path first, so that a path which leaves the vault is always reported as `PATH_ESCAPE`.
pub(super) fn split_task_ref(text: &str) -> Result<(VaultPath, i64), ValueProblem> {
    let split = text
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, integer(line, 1, MAX_LINE).ok()?)));
    match split {
        Some((path, line)) => Ok((file(path)?, line)),
        None if VaultPath::file(text) == Err(PathError::Escape) => Err(escape(text)),
        None => Err(ValueProblem::NotATaskRef),
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

fn url(text: Cow<'_, str>) -> Result<Value, ValueProblem> {
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::allowlist::EffectSet;

    fn param(kind: ParamKind) -> Param {
        Param {
            name: "p".into(),
            kind,
            summary: "A parameter.".into(),
            required: false,
            effects: EffectSet::EMPTY,
            escapes: false,
            sensitive: false,
            may_be_empty: false,
            backend: None,
            with: None,
        }
    }

    fn admit(kind: ParamKind, text: &str) -> Result<Value, ValueProblem> {
        check(&param(kind), &RawValue::Text(text.into()))
    }

    fn admit_json(kind: ParamKind, json: &str) -> Result<Value, ValueProblem> {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        check(&param(kind), &value.into())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    const SMALL: ParamKind = ParamKind::Integer { min: 0, max: 100 };

    #[test]
    fn b07_whole_numbers_have_one_spelling() {
        assert_eq!(admit(SMALL, "5"), Ok(Value::Integer(5)));
        assert_eq!(admit_json(SMALL, "5"), Ok(Value::Integer(5)));
        for bad in [
            "05", "+5", "5.0", "1e1", "-0", "NaN", " 5", "5 ", "101", "-1", "٥", "0x5",
        ] {
            assert_eq!(
                admit(SMALL, bad),
                Err(ValueProblem::NotAnInteger {
                    min: 0,
                    max: 100,
                    meant: ["05", "+5", "5.0", " 5", "5 "].contains(&bad).then_some(5),
                }),
                "{bad}"
            );
        }
        // JSON does not tell a whole number from one with a fraction of zero.
        for same in ["5.0", "0.5e1"] {
            assert_eq!(admit_json(SMALL, same), Ok(Value::Integer(5)), "{same}");
        }
        for bad in ["5.5", "-0", "101", "-1", "1e308", "9223372036854775808"] {
            assert!(admit_json(SMALL, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn b07_only_scalars_of_the_declared_type_are_taken() {
        for json in ["null", "[]", "[\"a\"]", "{}", "{\"a\":1}", "true", "5"] {
            assert!(admit_json(ParamKind::Text, json).is_err(), "{json}");
        }
        for json in ["null", "[]", "{}"] {
            assert!(admit_json(ParamKind::Scalar, json).is_err(), "{json}");
            assert!(admit_json(SMALL, json).is_err(), "{json}");
        }
        assert!(admit_json(SMALL, "true").is_err());
    }

    #[test]
    fn an_array_or_object_is_taken_as_such_where_one_is_meant() {
        for (kind, json, sent) in [
            (
                ParamKind::ScalarOrList,
                r#"["a", "b, c", 1]"#,
                r#"["a","b, c",1]"#,
            ),
            (ParamKind::ScalarOrList, r#""[1]""#, "[1]"),
            (ParamKind::ScalarOrList, "[]", "[]"),
            (ParamKind::ScalarOrList, "true", "true"),
            (
                ParamKind::Object,
                r#"{"b": [1], "a": null}"#,
                r#"{"b":[1],"a":null}"#,
            ),
            (ParamKind::Object, r#""{\"a\":1}""#, r#"{"a":1}"#),
        ] {
            assert_eq!(admit_json(kind, json), Ok(text(sent)), "{json}");
        }
        for (kind, json) in [
            (ParamKind::ScalarOrList, "{}"),
            (ParamKind::Object, "[]"),
            (ParamKind::Object, "1"),
        ] {
            assert!(admit_json(kind, json).is_err(), "{json}");
        }
    }

    #[test]
    fn b07_numbers_are_sent_as_their_canonical_text_or_not_at_all() {
        for (json, sent) in [
            ("5", "5"),
            ("-7", "-7"),
            ("5.0", "5"),
            ("1.50", "1.5"),
            ("9007199254740991", "9007199254740991"),
            ("true", "true"),
            ("false", "false"),
            ("\"05\"", "05"),
        ] {
            assert_eq!(
                admit_json(ParamKind::Scalar, json),
                Ok(text(sent)),
                "{json}"
            );
        }
        for json in [
            "-0",
            "-0.0",
            "9007199254740992",
            "-9007199254740992",
            "9223372036854775808",
        ] {
            assert_eq!(
                admit_json(ParamKind::Scalar, json),
                Err(ValueProblem::InexactNumber),
                "{json}"
            );
        }
    }

    #[test]
    fn b02_no_kind_lets_a_nul_through() {
        let kinds = [
            ParamKind::Path,
            ParamKind::Folder,
            ParamKind::Destination,
            ParamKind::NoteName,
            ParamKind::Name,
            ParamKind::Template,
            ParamKind::TaskRef,
            ParamKind::Tag,
            ParamKind::Property,
            ParamKind::Identifier,
            ParamKind::Url,
            ParamKind::Text,
            ParamKind::Line,
            ParamKind::Scalar,
            ParamKind::ScalarOrList,
            ParamKind::Object,
            SMALL,
            ParamKind::Character,
            ParamKind::Choice(vec!["a".into()]),
        ];
        for kind in kinds {
            for value in ["\0", "a\0b", "a.md\0:3", "https://a\0", "5\0"] {
                assert!(admit(kind.clone(), value).is_err(), "{kind:?} {value:?}");
            }
        }
    }

    #[test]
    fn b10_new_names_hold_no_misleading_characters_but_texts_may() {
        let misleading = [
            '\n',
            '\t',
            '\u{7f}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{e0041}',
        ];
        for character in misleading {
            let value = format!("a{character}b");
            for kind in [ParamKind::Name, ParamKind::Identifier] {
                assert!(admit(kind.clone(), &value).is_err(), "{kind:?} {value:?}");
            }
            assert_eq!(
                admit(ParamKind::Character, &character.to_string()),
                Err(ValueProblem::Character(character))
            );
            assert_eq!(admit(ParamKind::Text, &value), Ok(text(&value)));
            assert_eq!(
                admit(ParamKind::Line, &value).is_ok(),
                !character.is_control()
            );
        }
        assert!(admit(ParamKind::Line, "a\u{2028}b").is_err());
        for name in ["👩\u{200d}👧", "می\u{200c}خواهم", "ខ្មែរ\u{200b}ភាសា"]
        {
            assert_eq!(admit(ParamKind::Name, name), Ok(text(name)));
            assert_eq!(admit(ParamKind::Identifier, name), Ok(text(name)));
        }
    }

    #[cfg(unix)]
    #[test]
    fn b10_existing_names_are_whatever_the_disk_holds() {
        for value in [
            "a:b.md",
            "a\\b.md",
            "CON.md",
            "a\nb",
            "a\u{202e}b",
            "a\u{200c}b",
            "a.",
        ] {
            let path = Ok(Value::Path(VaultPath::file(value).unwrap()));
            assert_eq!(admit(ParamKind::Path, value), path);
            assert_eq!(admit(ParamKind::Folder, value), path);
            assert_eq!(admit(ParamKind::NoteName, value), Ok(text(value)));
            assert_eq!(admit(ParamKind::Template, value), Ok(text(value)));
        }
    }

    #[test]
    fn d09_new_names_are_no_devices_streams_or_places_elsewhere() {
        for value in ["CON", "nul.md", "a:b", "a\\b", "a|b", "a?"] {
            assert!(matches!(
                admit(ParamKind::Name, value),
                Err(ValueProblem::Path(_) | ValueProblem::InName { .. })
            ));
        }
        for value in ["..", "a\\..\\b", "file://x"] {
            assert_eq!(
                admit(ParamKind::Name, value),
                Err(ValueProblem::Path(PathError::Escape)),
                "{value}"
            );
        }
        for value in ["~", "C:", "C:\\x", "\\\\server\\x", "/a"] {
            assert_eq!(
                admit(ParamKind::Name, value),
                Err(ValueProblem::Absolute),
                "{value}"
            );
        }
        assert_eq!(admit(ParamKind::Path, "a/"), Err(ValueProblem::Folder));
    }

    #[test]
    fn destinations_with_a_dot_are_files_and_others_folders() {
        let path = |text: &str| Ok(Value::Path(VaultPath::file(text).unwrap()));
        assert_eq!(admit(ParamKind::Destination, "a/b.md"), path("a/b.md"));
        assert_eq!(admit(ParamKind::Destination, "Area/"), path("Area"));
        assert_eq!(
            admit(ParamKind::Destination, "/"),
            Ok(Value::Path(VaultPath::root()))
        );
        assert_eq!(
            admit(ParamKind::Destination, "Area 1.5/"),
            Err(ValueProblem::Path(PathError::EmptyComponent))
        );
    }

    #[test]
    fn task_references_are_split_at_the_last_colon_and_their_path_is_checked() {
        assert_eq!(admit(ParamKind::TaskRef, "a/b.md:8"), Ok(text("a/b.md:8")));
        assert_eq!(
            split_task_ref("a.md:12"),
            Ok((VaultPath::file("a.md").unwrap(), 12))
        );
        assert_eq!(
            admit(ParamKind::TaskRef, "/etc/passwd:1"),
            Err(ValueProblem::Absolute)
        );
        for value in ["../a.md:8", "../a", "a/../../b:1"] {
            assert_eq!(
                admit(ParamKind::TaskRef, value),
                Err(ValueProblem::Path(PathError::Escape)),
                "{value}"
            );
        }
        for value in [
            "a.md", "a.md:", "a.md:0", "a.md:01", "a.md:-1", "a.md:x", "a.md:1e3",
        ] {
            assert_eq!(
                admit(ParamKind::TaskRef, value),
                Err(ValueProblem::NotATaskRef),
                "{value}"
            );
        }
        assert_eq!(admit(ParamKind::TaskRef, "a:b.md:3").is_ok(), cfg!(unix));
    }

    #[test]
    fn addresses_are_web_addresses() {
        assert!(admit(ParamKind::Url, "https://example.org/a?b=c#d").is_ok());
        for value in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "obsidian://open",
            "https://",
            "https://a b",
            "HTTPS://a",
        ] {
            assert_eq!(
                admit(ParamKind::Url, value),
                Err(ValueProblem::NotAUrl),
                "{value}"
            );
        }
    }

    #[test]
    fn names_and_characters() {
        assert_eq!(
            admit(ParamKind::Name, "a/b"),
            Err(ValueProblem::Slash {
                bad: vec!["/".into()]
            })
        );
        assert_eq!(
            admit(ParamKind::Name, "../b"),
            Err(ValueProblem::Path(PathError::Escape))
        );
        assert_eq!(admit(ParamKind::NoteName, "a/b"), Ok(text("a/b")));
        assert_eq!(admit(ParamKind::Character, " "), Ok(text(" ")));
        assert_eq!(admit(ParamKind::Character, "é"), Ok(text("é")));
        for value in ["xx", "e\u{301}"] {
            assert_eq!(
                admit(ParamKind::Character, value),
                Err(ValueProblem::NotOneCharacter)
            );
        }
    }

    #[test]
    fn empty_is_refused_unless_it_means_something() {
        let required = false;
        assert_eq!(
            admit(ParamKind::Text, ""),
            Err(ValueProblem::Empty { required })
        );
        let mut clearing = param(ParamKind::Scalar);
        clearing.may_be_empty = true;
        assert_eq!(
            check(&clearing, &RawValue::Text(String::new())),
            Ok(text(""))
        );
    }

    #[test]
    fn a10_values_end_at_sixteen_mebibytes() {
        for (bytes, fits) in [
            (MAX_VALUE_BYTES - 1, true),
            (MAX_VALUE_BYTES, true),
            (MAX_VALUE_BYTES + 1, false),
        ] {
            let value = "a".repeat(bytes);
            assert_eq!(admit(ParamKind::Text, &value).is_ok(), fits, "{bytes}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn b01_texts_are_admitted_unchanged(value in "[^\0]{1,40}") {
            prop_assert_eq!(admit(ParamKind::Text, &value), Ok(text(&value)));
            prop_assert_eq!(admit(ParamKind::Scalar, &value), Ok(text(&value)));
        }

        #[test]
        fn b07_what_is_admitted_prints_as_it_was_written(value in "[-+0-9. e]{1,4}") {
            if let Ok(admitted) = admit(SMALL, &value) {
                prop_assert_eq!(admitted.to_text(), value);
            }
        }

        #[test]
        fn d01_no_admitted_path_has_a_parent_component(value in r"[./\\~:a]{1,8}") {
            for kind in [ParamKind::Path, ParamKind::Folder, ParamKind::Destination, ParamKind::NoteName, ParamKind::Name, ParamKind::Template] {
                if let Ok(admitted) = admit(kind, &value) {
                    let sent = admitted.to_text();
                    prop_assert!(sent == "/" || !sent.starts_with('/'));
                    prop_assert!(sent.split('/').all(|component| component != ".."));
                    let elsewhere = VaultPath::folder(&sent).unwrap().is_absolute_elsewhere();
                    prop_assert!(elsewhere || sent.split('\\').all(|component| component != ".."));
                }
            }
        }
    }
}
