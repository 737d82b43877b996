//! What to do about a failure.

use serde_json::{Map, Value};

use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::settings::opening_value;

/// What besides the settings for everyone may close a call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Under {
    /// The policy of one agent.
    pub(super) agent: bool,
    /// The option `--tier`, which is lower than the settings.
    pub(super) tier_option: bool,
}

/// What opens something to one agent: opening the wrong one of two places opens nothing.
const IN_BOTH_PLACES: &str =
    "The owner of the vault can allow it, for everyone and in the agent's own table.";

/// What opens a tier that an option closes.
const LEAVE_OUT_TIER: &str = "`--tier` closes it here; leave that out, or name a higher tier.";

/// The remedy as an issue that a program can show apart from the message: that of the code, or where
/// switches are off the very ones.
pub(super) fn remedy(failure: &Failure, under: Under) -> Issue {
    let explanation = failure.code.explanation();
    let opened = match failure.code {
        Code::MutationDisabled | Code::TierClosed if under.agent => Some(IN_BOTH_PLACES.to_owned()),
        Code::TierClosed if under.tier_option => Some(LEAVE_OUT_TIER.to_owned()),
        Code::MutationDisabled | Code::TierClosed => open_with(&failure.details),
        _ => None,
    };
    let message = opened.unwrap_or_else(|| explanation.remedy.to_owned());
    Issue::new("REMEDY", message).with("retryable", explanation.retryable)
}

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
