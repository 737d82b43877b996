//! A value and the word that says its type: what contradicts that type is refused, where the app would write
//! something else without a word (`vault-semantics.md` §3.3).

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime};

use super::call::{TypedArguments, Value};
use super::command::{Command, ParamKind};
use super::date_form::is_day;
use super::raw_value::RawValue;
use crate::failure::Failure;

/// The parameter that says which type a text value has.
pub(super) const TYPE: &str = "type";
/// The flag that says that there is no value.
pub(super) const EMPTY: &str = "empty";

impl Command {
    /// The failures for values that are not of the type that the call names: the app makes `false` of what is no
    /// checkbox and a list of an array, and keeps a day that no calendar has.
    pub(super) fn mistyped(
        &self,
        admitted: &TypedArguments,
        given: &BTreeMap<String, RawValue>,
    ) -> Vec<Failure> {
        let asked = admitted.values.get(TYPE).map(Value::to_text);
        let Some(asked) = asked.filter(|_| !admitted.flags.contains(EMPTY)) else {
            return Vec::new();
        };
        let is_typed =
            |kind: &ParamKind| matches!(kind, ParamKind::Scalar | ParamKind::ScalarOrList);
        // A null says that there is no value.
        let is_null = |name: &str| given.get(name) == Some(&RawValue::Null);
        let typed = self.params.iter();
        let typed = typed.filter(|param| is_typed(&param.kind) && !is_null(&param.name));
        typed
            .filter_map(|param| {
                let text = admitted.values.get(&param.name)?.to_text();
                let rule = contradiction(&text, &asked)?;
                let told = format!("`{}` of `{}`: {rule}.", param.name, self.id);
                Some(
                    self.usage_failure(told)
                        .with("parameter", param.name.as_str()),
                )
            })
            .collect()
    }
}

/// Why a text is no value of this type, where the app would not say so; with what to write instead.
fn contradiction(text: &str, asked: &str) -> Option<String> {
    let is_array = serde_json::from_str::<Vec<serde_json::Value>>(text).is_ok();
    match asked {
        "checkbox" => {
            // `0` and `1` are the app's words too.
            let is_one = ["true", "false", "1", "0"].contains(&text);
            let folded = text.trim().to_lowercase();
            let meant = match folded.as_str() {
                "true" | "yes" | "y" | "on" | "x" | "[x]" | "done" | "checked" => "; write `true`",
                "false" | "no" | "n" | "off" | "" | "[]" | "[ ]" | "unchecked" => "; write `false`",
                _ => "",
            };
            (!is_one).then(|| format!("a checkbox is `true` or `false`{meant}"))
        }
        "number" | "date" | "datetime" if is_array => {
            Some(format!("an array is of the type `list`, not `{asked}`"))
        }
        "date" => impossible_day(text),
        "datetime" => {
            let (day, time) = text.split_once('T')?;
            impossible_day(day).or_else(|| {
                let is_wrong = is_day(day) && is_shaped(time) && text.parse::<DateTime>().is_err();
                is_wrong.then(|| {
                    "there is no such time; hours go to 23, minutes and seconds to 59".to_owned()
                })
            })
        }
        _ => None,
    }
}

/// Whether a text looks like a time: digits in pairs with colons between.
fn is_shaped(time: &str) -> bool {
    let mut pairs = time.split(':');
    pairs.all(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_digit()))
}

/// That a text which is written like a day is none.
fn impossible_day(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths = [year.len(), month.len(), day.len()] == [4, 2, 2];
    if !lengths || !parts.iter().all(|part| is_number(part)) || is_day(text) {
        return None;
    }
    let first: Option<Date> = format!("{year}-{month}-01").parse().ok();
    Some(match first {
        Some(first) => format!(
            "there is no such day; {year}-{month} has {} days",
            first.days_in_month()
        ),
        None => "there is no such day; months go from `01` to `12`".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::contradiction;

    #[test]
    fn what_the_app_would_write_as_something_else_is_refused() {
        for (text, asked, says) in [
            ("true", "checkbox", None),
            ("0", "checkbox", None),
            ("TRUE", "checkbox", Some("write `true`")),
            ("yes", "checkbox", Some("write `true`")),
            ("[ ]", "checkbox", Some("write `false`")),
            ("", "checkbox", Some("write `false`")),
            ("maybe", "checkbox", Some("`true` or `false`")),
            ("[1]", "number", Some("`list`")),
            ("[1]", "list", None),
            // The app says so itself.
            ("many", "number", None),
            ("soon", "date", None),
            ("2026-02-28", "date", None),
            ("2026-02-31", "date", Some("2026-02 has 28 days")),
            ("2026-13-01", "date", Some("months")),
            ("2026-02-28T09:30", "datetime", None),
            ("2026-02-28T09:30:59", "datetime", None),
            ("2026-02-28T25:00", "datetime", Some("hours go to 23")),
            ("2026-02-31T10:00", "datetime", Some("28 days")),
        ] {
            let told = contradiction(text, asked);
            match says {
                Some(says) => assert!(told.is_some_and(|told| told.contains(says)), "{text}"),
                None => assert_eq!(told, None, "{text}"),
            }
        }
    }
}
