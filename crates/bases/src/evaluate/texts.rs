//! Functions of texts and of regular expressions.

use std::ops::Range;
use std::sync::Arc;

use bounded_regex::{Exhausted, RegexMatch};

use super::call::{Call, Method};
use super::error::{ExpressionError, Outcome, may_make};
use crate::limits::MAX_VALUE_WEIGHT;
use crate::number;
use crate::regexp::Regexp;
use crate::value::Value;
use yaml_events::scalar::number_text;

pub(super) const METHODS: &[Method<Arc<str>>] = &[
    ("contains", |call, text| {
        let wanted = call.characters(0, "contains", "value")?;
        Ok(Value::Boolean(is_in(text, wanted.as_deref())))
    }),
    ("containsAll", |call, text| {
        Ok(Value::Boolean(
            !are_in(call, text, "containsAll")?.contains(&false),
        ))
    }),
    ("containsAny", |call, text| {
        Ok(Value::Boolean(
            are_in(call, text, "containsAny")?.contains(&true),
        ))
    }),
    ("startsWith", |call, text| {
        let wanted = call.characters(0, "startsWith", "query")?;
        let starts = wanted.is_some_and(|wanted| text.starts_with(&*wanted));
        Ok(Value::Boolean(starts))
    }),
    ("endsWith", |call, text| {
        let wanted = call.characters(0, "endsWith", "query")?;
        let ends = wanted.is_some_and(|wanted| text.ends_with(&*wanted));
        Ok(Value::Boolean(ends))
    }),
    ("lower", |call, text| {
        call.evaluation.made_text(text.to_lowercase())
    }),
    ("title", |call, text| call.evaluation.made_text(title(text))),
    ("trim", |call, text| {
        let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
        call.evaluation.made_text(text.trim_matches(is_space))
    }),
    ("reverse", |call, text| {
        let reversed: String = text.chars().rev().collect();
        call.evaluation.made_text(reversed)
    }),
    ("repeat", repeat),
    ("slice", slice),
    ("split", split),
    ("replace", replace),
];

/// A missing text is contained in no text.
fn is_in(text: &str, wanted: Option<&str>) -> bool {
    wanted.is_some_and(|wanted| text.contains(wanted))
}

/// Whether each argument is contained in the text.
fn are_in(call: &Call<'_>, text: &str, function: &str) -> Result<Vec<bool>, ExpressionError> {
    let places = 0..call.arguments.len();
    let wanted = places.map(|place| call.characters(place, function, "values"));
    wanted
        .map(|wanted| Ok(is_in(text, wanted?.as_deref())))
        .collect()
}

/// The least weight of a piece of a text.
const LEAST_WEIGHT: usize = 16;

pub(super) const REGEXP_METHODS: &[Method<Arc<Regexp>>] = &[("matches", |call, regexp| {
    let text = call.text(0)?;
    let matches = call
        .evaluation
        .spent
        .with_fuel(|fuel| regexp.regex.is_in(&text, fuel))?;
    Ok(Value::Boolean(matches))
})];

/// The first letter of each word in upper case, the others in lower case.
fn title(text: &str) -> String {
    let mut titled = String::with_capacity(text.len());
    let mut is_in_word = false;
    for character in text.chars() {
        if is_in_word {
            titled.extend(character.to_lowercase());
        } else {
            titled.extend(character.to_uppercase());
        }
        is_in_word = !character.is_whitespace();
    }
    titled
}

fn repeat(call: &Call<'_>, text: &Arc<str>) -> Outcome {
    let count = call.number(0)?;
    if count < 0.0 || count.is_infinite() {
        let count = number_text(count);
        return Err(ExpressionError::new(format!(
            "Invalid count value: {count}"
        )));
    }
    let count = number::whole(count);
    may_make(text.len().saturating_mul(count))?;
    call.evaluation.made_text(text.repeat(count))
}

/// Counts in UTF-16 code units, as JavaScript does. Half of a surrogate pair becomes U+FFFD.
fn slice(call: &Call<'_>, text: &Arc<str>) -> Outcome {
    let start = call.given_number(0)?.unwrap_or_default();
    let end = call.given_number(1)?;
    let units: Vec<u16> = text.encode_utf16().collect();
    let kept = units.get(number::slice(units.len(), start, end));
    call.evaluation
        .made_text(String::from_utf16_lossy(kept.unwrap_or_default()))
}

fn split(call: &Call<'_>, text: &Arc<str>) -> Outcome {
    let separator = call.argument(0)?;
    let most = call.given_number(1)?.map_or(usize::MAX, number::whole);
    let pieces = match &separator {
        Value::Regexp(regexp) => split_by(call, text, regexp)?,
        other => {
            let separator = call.evaluation.text_of(other)?;
            let pieces = if separator.is_empty() {
                text.len()
            } else {
                text.matches(&*separator).count() + 1
            };
            may_make(pieces.saturating_mul(LEAST_WEIGHT))?;
            if separator.is_empty() {
                text.chars().map(|c| Value::text(c.to_string())).collect()
            } else {
                text.split(&*separator).map(Value::text).collect()
            }
        }
    };
    let pieces: Vec<Value> = pieces.into_iter().take(most).collect();
    call.evaluation.made(Value::list(pieces))
}

/// As JavaScript splits by an expression: the contents of its groups come between the pieces.
fn split_by(call: &Call<'_>, text: &str, regexp: &Regexp) -> Result<Vec<Value>, ExpressionError> {
    call.evaluation.spent.with_fuel(|fuel| {
        let mut pieces = Vec::new();
        if text.is_empty() {
            let matches = regexp.regex.is_in(text, fuel)?;
            return Ok(if matches {
                pieces
            } else {
                vec![Value::text("")]
            });
        }
        let (mut done, mut from) = (0, 0);
        while from < text.len() {
            let Some(RegexMatch { whole, groups }) = regexp.regex.find(text, from, fuel)? else {
                break;
            };
            if whole.start >= text.len() {
                break;
            }
            if whole.end == done || whole.is_empty() && whole.start == done {
                from = after(text, from);
                continue;
            }
            if pieces.len() > MAX_VALUE_WEIGHT / LEAST_WEIGHT {
                return Err(Exhausted);
            }
            pieces.push(Value::text(&text[done..whole.start]));
            pieces.extend(groups.into_iter().map(|group| match group {
                Some(range) => Value::text(&text[range]),
                None => Value::Null,
            }));
            done = whole.end;
            from = next_start(text, &whole);
        }
        pieces.push(Value::text(&text[done..]));
        Ok(pieces)
    })
}

/// The byte offset after the character at this offset.
fn after(text: &str, at: usize) -> usize {
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    at + next.map_or(1, char::len_utf8)
}

/// The byte offset at which the search for the next match begins.
fn next_start(text: &str, found: &Range<usize>) -> usize {
    if found.is_empty() {
        after(text, found.end)
    } else {
        found.end
    }
}

fn replace(call: &Call<'_>, text: &Arc<str>) -> Outcome {
    let pattern = call.argument(0)?;
    let replacement = call.text(1)?;
    if let Value::Regexp(regexp) = &pattern {
        let replaced = replace_by(call, text, regexp, &replacement)?;
        return call.evaluation.made_text(replaced);
    }
    let pattern = call.evaluation.text_of(&pattern)?;
    let count = text.matches(&*pattern).count();
    let added = count.saturating_mul(replacement.len());
    may_make(text.len().saturating_add(added))?;
    call.evaluation
        .made_text(text.replace(&*pattern, &replacement))
}

fn replace_by(
    call: &Call<'_>,
    text: &str,
    regexp: &Regexp,
    replacement: &str,
) -> Result<String, ExpressionError> {
    let mut replaced = String::new();
    // Each reference may insert the whole text.
    let references = replacement.matches('$').count();
    let (mut done, mut from) = (0, 0);
    while from <= text.len() {
        let find = |fuel: &bounded_regex::Fuel| regexp.regex.find(text, from, fuel);
        let Some(found) = call.evaluation.spent.with_fuel(find)? else {
            break;
        };
        replaced.push_str(&text[done..found.whole.start]);
        let referred = references.saturating_mul(text.len());
        may_make(
            replaced
                .len()
                .saturating_add(referred.saturating_add(replacement.len())),
        )?;
        insert(&mut replaced, replacement, text, (&found, regexp));
        may_make(replaced.len())?;
        call.evaluation.spent.weigh(replacement.len())?;
        done = found.whole.end;
        from = next_start(text, &found.whole);
        if !regexp.is_global {
            break;
        }
    }
    replaced.push_str(&text[done..]);
    Ok(replaced)
}

/// Writes a replacement: `$1` to `$99` and `$<name>` insert groups, `$&` the match, `` $` `` and `$'` the text before and
/// after it, `$$` a dollar. Without named groups, `$<` is text.
fn insert(
    out: &mut String,
    replacement: &str,
    text: &str,
    (found, regexp): (&RegexMatch, &Regexp),
) {
    let mut rest = replacement;
    let names = regexp.regex.names();
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let group = (1..=digits).rev().find_map(|length| {
            let number: usize = after[..length].parse().ok()?;
            let group = found.groups.get(number.checked_sub(1)?)?;
            Some((group.clone(), &after[length..]))
        });
        let by_name = || {
            let (name, after) = after.strip_prefix('<')?.split_once('>')?;
            let number = names.get(name).copied().unwrap_or_default();
            let group = found.groups.get(number.wrapping_sub(1)).cloned();
            (!names.is_empty()).then_some((group.flatten(), after))
        };
        let inserted;
        (inserted, rest) = if let Some((group, after)) = group.or_else(by_name) {
            let group = group.and_then(|range| text.get(range));
            (group.unwrap_or_default(), after)
        } else if let Some(after) = after.strip_prefix('&') {
            (&text[found.whole.clone()], after)
        } else if let Some(after) = after.strip_prefix('`') {
            (&text[..found.whole.start], after)
        } else if let Some(after) = after.strip_prefix('\'') {
            (&text[found.whole.end..], after)
        } else {
            ("$", after.strip_prefix('$').unwrap_or(after))
        };
        out.push_str(inserted);
    }
    out.push_str(rest);
}
