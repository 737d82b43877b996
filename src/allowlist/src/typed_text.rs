//! A value and the word that says its type: a value that contradicts its type is refused if the app would silently
//! write something else (`vault-semantics.md` §3.3).

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use vault_engine::{Arg, Args};

use super::admit::shown;
use super::command::{Command, Param, ParamKind};
use super::date_form::{impossible_day, is_day};
use super::raw_value::RawValue;
use protocol::Failure;

/// The parameter that says which type a text value has.
pub(super) const TYPE: &str = "type";
/// The flag for an empty value.
pub(super) const EMPTY: &str = "empty";

impl Command {
    /// Returns the failures for tags to write that are not valid tags.
    pub(super) fn mistagged(&self, admitted: &Args) -> Vec<Failure> {
        let is_tag = |param: &&Param| self.change.is_some() && param.kind == ParamKind::Tag;
        let tags = self.params.iter().filter(is_tag);
        tags.filter_map(|param| {
            let rule = no_tag(
                &admitted.values.get(&param.name)?.to_text(),
                None,
                "Add one tag in each call, first",
            )?;
            Some(self.misfit(&param.name, rule))
        })
        .collect()
    }

    /// Returns the failures for values that are not of the type that the call names: the app writes `false` for text
    /// that is not a checkbox and a list for an array, and keeps days that do not exist.
    pub(super) fn mistyped(
        &self,
        admitted: &Args,
        given: &BTreeMap<String, RawValue>,
    ) -> Vec<Failure> {
        // A command without types takes values away too, those among them that are wrong.
        if admitted.flags.contains(EMPTY) || self.param(TYPE).is_none() {
            return Vec::new();
        }
        let wanted = admitted.values.get(TYPE).map(Arg::to_text);
        let wanted = wanted.as_deref().or_else(|| self.type_meant(given));
        let name = admitted.values.get("name").map(Arg::to_text);
        let is_of_tags = name.is_some_and(|name| name.eq_ignore_ascii_case("tags"));
        let is_typed =
            |kind: &ParamKind| matches!(kind, ParamKind::Scalar | ParamKind::ScalarOrList);
        // A null is an empty value.
        let is_null = |name: &str| given.get(name) == Some(&RawValue::Null);
        let typed = self.params.iter();
        let typed = typed.filter(|param| is_typed(&param.kind) && !is_null(&param.name));
        typed
            .filter_map(|param| {
                let text = admitted.values.get(&param.name)?.to_text();
                let by_type = wanted.and_then(|wanted| contradiction(&text, wanted));
                let by_name = || no_tag(&text, wanted, "").filter(|_| is_of_tags);
                let rule = by_type.or_else(by_name)?;
                Some(self.misfit(&param.name, rule))
            })
            .collect()
    }

    /// Returns the type that is meant by a word of other programs.
    fn type_meant(&self, given: &BTreeMap<String, RawValue>) -> Option<&str> {
        let (ParamKind::Choice(types), RawValue::Text(word)) =
            (&self.param(TYPE)?.kind, given.get(TYPE)?)
        else {
            return None;
        };
        vault_engine::meant(word, types.iter().map(String::as_str))
    }
}

/// Reason why a text is not a value of this type, if the app would not report it; with the text to write instead.
fn contradiction(text: &str, wanted: &str) -> Option<String> {
    let is_array = serde_json::from_str::<Vec<serde_json::Value>>(text).is_ok();
    match wanted {
        "checkbox" => {
            // `0` and `1` are the app's words too.
            let is_one = ["true", "false", "1", "0"].contains(&text);
            let folded = text.trim().to_lowercase();
            let meant = match folded.as_str() {
                "true" | "yes" | "y" | "on" | "x" | "[x]" | "done" | "checked" => ". Write `true`",
                "false" | "no" | "n" | "off" | "" | "[]" | "[ ]" | "unchecked" => ". Write `false`",
                _ => "",
            };
            (!is_one).then(|| format!("a checkbox is `true` or `false`{meant}"))
        }
        "number" | "date" | "datetime" if is_array => {
            Some(format!("an array is of the type `list`, not `{wanted}`"))
        }
        "date" => impossible_day(text),
        "datetime" => {
            let (day, time) = text.split_once('T')?;
            impossible_day(day).or_else(|| {
                let is_wrong = is_day(day) && is_shaped(time) && text.parse::<DateTime>().is_err();
                is_wrong.then(|| {
                    "there is no such time. Hours go to 23, minutes and seconds to 59".to_owned()
                })
            })
        }
        _ => None,
    }
}

/// Describes why a value of the property `tags` contains an invalid tag, by which no search finds the note.
/// `one_by_one` says how to pass several tags to a command that does not take a list.
fn no_tag(text: &str, wanted: Option<&str>, one_by_one: &str) -> Option<String> {
    let items: Vec<String> = match serde_json::from_str::<Vec<serde_json::Value>>(text) {
        Ok(items) => {
            let texts = items.iter();
            let texts = texts.map(|item| {
                item.as_str()
                    .map_or_else(|| item.to_string(), str::to_owned)
            });
            texts.collect()
        }
        Err(_) if wanted == Some("list") => {
            text.split(',').map(|tag| tag.trim().to_owned()).collect()
        }
        // A text is one tag, whether or not it contains commas.
        Err(_) => vec![text.to_owned()],
    };
    let plain = |item: &str| item.strip_prefix('#').unwrap_or(item).to_owned();
    let is_wrong = |item: &&String| !item.is_empty() && !vault_engine::is_tag(&plain(item));
    let wrong = items.iter().find(is_wrong)?;
    let hyphenated = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("-");
    let parts = wrong.split(',').map(str::trim);
    let meant: Vec<String> = parts
        .map(|part| hyphenated(part.trim_start_matches('#')))
        .collect();
    let instead = match meant.as_slice() {
        all if !all.iter().all(|tag| vault_engine::is_tag(tag)) => String::new(),
        [one] => format!(". Write for example `{one}`"),
        [first, ..] if !one_by_one.is_empty() => format!(". {one_by_one} `{first}`"),
        several => format!(". Write for example `{}`", serde_json::json!(several)),
    };
    Some(format!(
        "`{}` is not a tag: a tag has letters, digits, `_`, `-` and `/`, and not only digits{instead}",
        shown(wrong)
    ))
}

/// Whether a text looks like a time: digits in pairs with colons between.
fn is_shaped(time: &str) -> bool {
    let mut pairs = time.split(':');
    pairs.all(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{contradiction, no_tag};

    const CASES: &str = include_str!("typed_text_cases.txt");

    #[test]
    fn the_values_of_tags_are_tags() {
        for (text, wanted, says) in tables::typed::<(&str, Option<&str>, Option<&str>)>(
            CASES,
            "the values of tags are tags",
        ) {
            let shown = no_tag(text, wanted, "");
            match says {
                Some(says) => assert!(shown.is_some_and(|shown| shown.contains(says)), "{text}"),
                None => assert_eq!(shown, None, "{text}"),
            }
        }
    }

    #[test]
    fn what_the_app_would_write_as_something_else_is_refused() {
        for (text, wanted, says) in tables::typed::<(&str, &str, Option<&str>)>(
            CASES,
            "what the app would write as something",
        ) {
            let shown = contradiction(text, wanted);
            match says {
                Some(says) => assert!(shown.is_some_and(|shown| shown.contains(says)), "{text}"),
                None => assert_eq!(shown, None, "{text}"),
            }
        }
    }
}
