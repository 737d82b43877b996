//! The results of the suites, compared with the list of allowed failures.

use std::collections::BTreeMap;
use std::path::Path;

use chores::Fault;
use serde::Deserialize;

/// The checks of each scenario, by its name.
pub(super) type Scenarios = BTreeMap<String, Vec<Check>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Check {
    id: String,
    /// `SUCCESS`, `FAILURE`, or `WARNING` for a recommendation that is not met.
    status: String,
    #[serde(default)]
    error_message: Option<String>,
}

/// The scenarios that may fail, with their reasons.
pub(super) type Listed = BTreeMap<String, String>;

/// All scenarios whose results are in a folder.
pub(super) fn scenarios(results: &Path) -> Result<Scenarios, Fault> {
    let mut scenarios = Scenarios::new();
    for entry in fs_err::read_dir(results)? {
        let folder = entry?;
        let name = scenario_of(&folder.file_name().to_string_lossy()).to_owned();
        if let Ok(text) = fs_err::read_to_string(folder.path().join("checks.json")) {
            let checks: Vec<Check> = serde_json::from_str(&text)?;
            scenarios.entry(name).or_default().extend(checks);
        }
    }
    Ok(scenarios)
}

/// The scenario of a folder `server-NAME-2026-11-23T08-00-00-000Z`.
fn scenario_of(folder: &str) -> &str {
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    let stamp = "-2026-11-23T08-00-00-000Z".len();
    match name.split_at_checked(name.len().saturating_sub(stamp)) {
        Some((scenario, stamp)) if stamp.starts_with("-20") && stamp.ends_with('Z') => scenario,
        _ => name,
    }
}

fn count(checks: &[Check], status: &str) -> usize {
    checks.iter().filter(|check| check.status == status).count()
}

/// A line for the suite, and one for each check that fails.
pub(super) fn table(suite: &str, scenarios: &Scenarios, listed: &Listed) -> String {
    let sum = |status| {
        scenarios
            .values()
            .map(|checks| count(checks, status))
            .sum::<usize>()
    };
    let (passed, failed) = (sum("SUCCESS"), sum("FAILURE"));
    let whole = scenarios
        .values()
        .filter(|checks| count(checks, "FAILURE") == 0)
        .count();
    let all = scenarios.len();
    let mut text =
        format!("{suite}: {whole} of {all} scenarios pass, {passed} checks pass, {failed} fail\n");
    for (name, checks) in scenarios {
        let listed = listed.get(name);
        let failed = count(checks, "FAILURE");
        if let Some(reason) = listed.filter(|_| failed > 0) {
            text += &format!("  {name}: {failed} fail: {reason}\n");
        }
        for check in checks {
            let (id, message) = (
                &check.id,
                check.error_message.as_deref().unwrap_or_default(),
            );
            text += &match check.status.as_str() {
                "FAILURE" if listed.is_none() => format!("  {name}: {id}: {message}\n"),
                "WARNING" => format!("  {name}: {id} (recommended): {message}\n"),
                _ => continue,
            };
        }
    }
    text
}

/// Scenarios that fail and are not listed, and listed ones that pass or were not run.
pub(super) fn surprises(suite: &str, scenarios: &Scenarios, listed: &Listed) -> Vec<String> {
    let failing = scenarios
        .iter()
        .filter(|(_, checks)| count(checks, "FAILURE") > 0);
    let failing: Vec<&String> = failing.map(|(name, _)| name).collect();
    let new = failing.iter().filter(|name| !listed.contains_key(**name));
    let gone = listed.keys().filter(|name| !failing.contains(name));
    let new = new.map(|name| format!("not listed: {suite} {name}"));
    let gone = gone.map(|name| format!("listed and does not fail: {suite} {name}"));
    new.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_scenario() {
        for (folder, name) in [
            ("server-tools-list-2026-11-23T08-00-00-000Z", "tools-list"),
            (
                "server-json-schema-2020-12-2026-11-23T08-00-00-000Z",
                "json-schema-2020-12",
            ),
            ("caching", "caching"),
        ] {
            assert_eq!(scenario_of(folder), name);
        }
    }
}
