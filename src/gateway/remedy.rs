//! What to do about a failure.

use serde_json::{Map, Value};

use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::settings::opening_value;

/// The remedy as an issue that a program can show apart from the message: that of the code, or where
/// switches are off the very ones. `for_agent` tells whether the call stands under the policy of one
/// agent: one of two places closes it then, and opening the wrong one opens nothing.
pub(super) fn remedy(failure: &Failure, for_agent: bool) -> Issue {
    let explanation = failure.code.explanation();
    let opened = match failure.code {
        Code::MutationDisabled | Code::TierClosed if for_agent => Some(IN_BOTH_PLACES.to_owned()),
        Code::MutationDisabled | Code::TierClosed => open_with(&failure.details),
        _ => None,
    };
    let message = opened.unwrap_or_else(|| explanation.remedy.to_owned());
    Issue::new("REMEDY", message).with("retryable", explanation.retryable)
}

/// What opens something to one agent.
pub(crate) const IN_BOTH_PLACES: &str =
    "The owner of the vault can allow it, for everyone and in the agent's own table.";

/// The words that the owner types to open what a refusal needs.
pub(crate) fn open_with(details: &Map<String, Value>) -> Option<String> {
    let needs = details.get("needs")?.as_array()?;
    let words = settings_words(needs.iter().filter_map(Value::as_str));
    (!words.is_empty()).then(|| {
        format!(
            "The owner of the vault can allow it with {}.",
            words.join(" and ")
        )
    })
}

/// The command line that opens each of these keys of a refusal's `needs`.
pub(crate) fn settings_words<'a>(needs: impl Iterator<Item = &'a str>) -> Vec<String> {
    needs
        .map(|need| {
            let (key, value) = need
                .split_once('=')
                .unwrap_or_else(|| (need, opening_value(need)));
            format!("`vault-gw settings set {key} {value}`")
        })
        .collect()
}
