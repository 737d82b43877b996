//! Global functions.

use std::sync::Arc;

use super::call::Call;
use super::error::{ExpressionError, Outcome, no_number};
use super::evaluation::Evaluation;
use super::operators::number_of;
use super::scope::Scope;
use super::{dates, files};
use crate::date::Date;
use crate::duration::Duration;
use crate::link::Link;
use crate::syntax::Node;
use crate::value::Value;

type Global = (&'static str, fn(&Call<'_>) -> Outcome);

const GLOBALS: &[Global] = &[
    ("if", |call| {
        if call.argument(0)?.is_truthy() {
            call.argument(1)
        } else {
            call.argument(2)
        }
    }),
    ("now", |call| {
        let now = call.evaluation.setting.moment.now.timestamp();
        Ok(Value::Date(Date::from_timestamp(now)))
    }),
    ("today", |call| {
        let now = &call.evaluation.setting.moment.now;
        let today = Date::from_timestamp(now.timestamp()).day(now.time_zone());
        Ok(today.map_or(Value::Null, Value::Date))
    }),
    ("date", |call| match call.argument(0)? {
        Value::Date(date) => Ok(Value::Date(date)),
        // A link to a daily note means the day in its name.
        Value::Link(link) => dates::parse(call.evaluation, &link.target),
        other => dates::parse(call.evaluation, &call.evaluation.text_of(&other)?),
    }),
    ("duration", |call| match call.argument(0)? {
        Value::Duration(duration) => Ok(Value::Duration(duration)),
        other => {
            let text = call.evaluation.text_of(&other)?;
            let parsed = Duration::parse(&text).map(Value::Duration);
            parsed.ok_or_else(|| {
                ExpressionError::new(format!("Unable to parse \"{text}\" as a duration."))
            })
        }
    }),
    ("number", |call| {
        let value = call.argument(0)?;
        match value {
            // The app does not convert these to numbers.
            Value::Duration(_)
            | Value::List(_)
            | Value::Object(_)
            | Value::Link(_)
            | Value::File(_) => Err(no_number(&call.evaluation.text_of(&value)?)),
            _ => number_of(&value).map(Value::Number),
        }
    }),
    ("max", |call| extreme(call, f64::NEG_INFINITY, f64::max)),
    ("min", |call| extreme(call, f64::INFINITY, f64::min)),
    ("random", |call| Ok(Value::Number(call.evaluation.chance()))),
    ("list", |call| match call.argument(0)? {
        Value::List(list) => Ok(Value::List(list)),
        other => call.evaluation.made(Value::list(vec![other])),
    }),
    ("link", link),
    ("file", |call| match call.argument(0)? {
        Value::File(file) => Ok(Value::File(file)),
        other => {
            let link = call.evaluation.link_of(other)?;
            Ok(files::as_file(call.evaluation, &link))
        }
    }),
    ("escapeHTML", |call| {
        let text = call.text(0)?;
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        let escaped = escaped.replace('>', "&gt;").replace('"', "&quot;");
        call.evaluation.made_text(escaped.replace('\'', "&#39;"))
    }),
    ("html", |call| {
        let html = call.text(0)?;
        call.evaluation.made(Value::Html(html))
    }),
    ("icon", |call| {
        let name = call.text(0)?;
        call.evaluation.made(Value::Icon(name))
    }),
    ("image", |call| {
        let path = match call.argument(0)? {
            Value::Link(link) => Arc::clone(&link.target),
            other => call.evaluation.text_of(&other)?,
        };
        call.evaluation.made(Value::Image(path))
    }),
];

/// Whether a global function of this name exists. Plugins of the app may add others.
pub(crate) fn is_global(name: &str) -> bool {
    GLOBALS.iter().any(|(known, _)| *known == name)
}

impl Evaluation<'_> {
    pub(super) fn call_global(&self, name: &str, arguments: &[Node], scope: &Scope<'_>) -> Outcome {
        let call = Call {
            evaluation: self,
            arguments,
            scope,
        };
        match GLOBALS.iter().find(|(known, _)| *known == name) {
            Some((_, function)) => function(&call),
            None => Err(ExpressionError::new(format!(
                "Cannot find function \"{name}\""
            ))),
        }
    }
}

/// As in JavaScript, one argument that is not a number makes the result NaN.
fn extreme(call: &Call<'_>, start: f64, choose: fn(f64, f64) -> f64) -> Outcome {
    let mut extreme = start;
    for value in call.all()? {
        let number = number_of(&value)?;
        extreme = if number.is_nan() || extreme.is_nan() {
            f64::NAN
        } else {
            choose(extreme, number)
        };
    }
    Ok(Value::Number(extreme))
}

fn link(call: &Call<'_>) -> Outcome {
    let evaluation = call.evaluation;
    let mut link = match call.argument(0)? {
        Value::File(file) => Arc::new(Link {
            target: evaluation.setting.notes.path(file).into(),
            display: None,
            source: None,
        }),
        other => evaluation.link_of(other)?,
    };
    if let Some(display) = call.optional_argument(1)? {
        Arc::make_mut(&mut link).display = Some(display);
    }
    evaluation.made(Value::Link(link))
}
