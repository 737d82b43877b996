//! The result of one check of `doctor`.

use serde::Serialize;

use protocol::{Code, Failure, Issue};

/// The result of one check.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DoctorCheck {
    /// The name of the check.
    pub(super) name: &'static str,
    /// Whether it passed, needs attention, failed or was skipped.
    pub(super) state: CheckState,
    /// The result of the check as one sentence for people.
    pub(super) message: String,
    /// The next step, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
    /// The message without details that matter only if the check fails.
    #[serde(skip)]
    pub(super) brief: Option<String>,
    /// The failure behind it, whose code becomes the exit status. `None` if it did not fail.
    #[serde(skip)]
    pub(super) failure: Option<Failure>,
}

/// The result of a check, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CheckState {
    Skipped,
    Ok,
    Warning,
    Failed,
}

/// The codes whose hint for a terminal is to run `doctor`.
const TO_RUN_DOCTOR: [Code; 4] = [
    Code::CliReportedError,
    Code::CliUnavailable,
    Code::CliExitNonzero,
    Code::JournalFull,
];

impl DoctorCheck {
    pub(super) fn new(name: &'static str, state: CheckState, message: impl Into<String>) -> Self {
        Self {
            name,
            state,
            message: message.into(),
            remedy: None,
            brief: None,
            failure: None,
        }
    }

    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, CheckState::Ok, message)
    }

    pub(super) fn warning(name: &'static str, message: impl Into<String>, remedy: &str) -> Self {
        let remedy = Some(remedy.to_owned());
        Self {
            remedy,
            ..Self::new(name, CheckState::Warning, message)
        }
    }

    /// A check that is in order, with a remark.
    pub(super) fn noted(name: &'static str, message: impl Into<String>, follows: &str) -> Self {
        Self {
            remedy: Some(follows.to_owned()),
            ..Self::ok(name, message)
        }
    }

    pub(super) fn skipped(name: &'static str, message: &str) -> Self {
        Self::new(name, CheckState::Skipped, message)
    }

    pub(super) fn failed(name: &'static str, failure: &Failure) -> Self {
        // The code's hint for a terminal.
        let typed = failure.code.at_terminal();
        let is_apps_list = failure
            .details
            .get("file")
            .is_some_and(|file| file == "obsidian.json");
        // If the user's folders are unknown, no file can be created.
        let is_lost =
            failure.code == Code::ConfigMissing && failure.details.contains_key("variable");
        let is_to_run_doctor = TO_RUN_DOCTOR.contains(&failure.code);
        let typed = typed.filter(|_| !is_to_run_doctor && !is_apps_list && !is_lost);
        let typed = typed.map_or_else(String::new, |typed| format!(" {}", typed.for_person()));
        Self {
            remedy: Some(failure.code.explanation().remedy().for_person()),
            failure: Some(failure.clone()),
            ..Self::new(name, CheckState::Failed, failure.for_person() + &typed)
        }
    }

    /// Returns the check as an issue; `None` if the check has no fault (`contracts.md` M29).
    pub(super) fn issue(&self) -> Option<Issue> {
        let message = self.message.as_str();
        let issue = match self.state {
            CheckState::Warning => Issue::new("CHECK_DOUBTFUL", message),
            CheckState::Failed => Issue::new("CHECK_FAILED", message),
            CheckState::Ok | CheckState::Skipped => return None,
        };
        Some(issue.with("check", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_that_say_to_run_doctor_are_those_of_the_table() {
        let says = |code: &Code| {
            code.at_terminal()
                .is_some_and(|hint| hint.for_person().contains("`vault-gw doctor`"))
        };
        let named: Vec<Code> = Code::ALL.into_iter().filter(says).collect();
        let mut listed = TO_RUN_DOCTOR.to_vec();
        listed.sort_unstable();
        assert_eq!(named, listed);
    }
}
