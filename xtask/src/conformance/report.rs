//! The results of the suites, compared with the list of allowed failures.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::Fault;

/// A scenario and its checks.
pub(super) struct Scenario {
    name: String,
    passed: usize,
    /// The checks that failed, with their reasons.
    failed: Vec<(String, String)>,
    /// Checks that are recommendations and did not hold.
    warned: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    #[serde(default)]
    error_message: Option<String>,
}

/// The scenarios and checks that may fail.
#[derive(Deserialize)]
pub(super) struct Listed(Vec<ListedScenario>);

#[derive(Deserialize)]
struct ListedScenario {
    suite: String,
    scenario: String,
    reason: String,
}

impl Listed {
    /// The list that is kept beside this code.
    pub(super) fn load() -> Result<Self, Fault> {
        Ok(serde_json::from_str(include_str!("listed.json"))?)
    }

    fn reason(&self, suite: &str, scenario: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|listed| listed.suite == suite && listed.scenario == scenario)
            .map(|listed| listed.reason.as_str())
    }
}

impl Scenario {
    /// All scenarios whose results are in a folder, by name.
    pub(super) fn read_all(results: &Path) -> Result<Vec<Self>, Fault> {
        let mut scenarios: BTreeMap<String, Self> = BTreeMap::new();
        for entry in fs_err::read_dir(results)? {
            let folder = entry?;
            let name = scenario_of(&folder.file_name().to_string_lossy()).to_owned();
            let Ok(text) = fs_err::read_to_string(folder.path().join("checks.json")) else {
                continue;
            };
            let checks: Vec<Check> = serde_json::from_str(&text)?;
            let scenario = scenarios.entry(name.clone()).or_insert_with(|| Self {
                name,
                passed: 0,
                failed: Vec::new(),
                warned: Vec::new(),
            });
            for check in checks {
                let told = (check.id, check.error_message.unwrap_or_default());
                match check.status.as_str() {
                    "SUCCESS" => scenario.passed += 1,
                    "FAILURE" => scenario.failed.push(told),
                    "WARNING" => scenario.warned.push(told),
                    _ => {}
                }
            }
        }
        Ok(scenarios.into_values().collect())
    }
}

/// The scenario of a folder `server-NAME-2026-11-23T08-00-00-000Z`.
fn scenario_of(folder: &str) -> &str {
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    let stamp = name.match_indices("-20").map(|(at, _)| at).find(|at| {
        let rest = name.get(at + 1..).unwrap_or_default();
        rest.len() >= 10 && rest.as_bytes().get(10) == Some(&b'T')
    });
    stamp.and_then(|at| name.get(..at)).unwrap_or(name)
}

/// Removes the results of a scenario that is run again in another way.
pub(super) fn forget(results: &Path, scenario: &str) -> Result<(), Fault> {
    for entry in fs_err::read_dir(results)? {
        let folder = entry?;
        if scenario_of(&folder.file_name().to_string_lossy()) == scenario {
            fs_err::remove_dir_all(folder.path())?;
        }
    }
    Ok(())
}

/// A line for the suite, and one for each check that does not hold.
pub(super) fn table(suite: &str, scenarios: &[Scenario], listed: &Listed) -> String {
    let whole = scenarios
        .iter()
        .filter(|scenario| scenario.failed.is_empty());
    let passed: usize = scenarios.iter().map(|scenario| scenario.passed).sum();
    let failed: usize = scenarios.iter().map(|scenario| scenario.failed.len()).sum();
    let mut text = format!(
        "{suite}: {} of {} scenarios pass, {passed} checks pass, {failed} fail\n",
        whole.count(),
        scenarios.len()
    );
    for scenario in scenarios {
        match listed.reason(suite, &scenario.name) {
            Some(reason) if !scenario.failed.is_empty() => {
                text += &format!(
                    "  {}: {} fail: {reason}\n",
                    scenario.name,
                    scenario.failed.len()
                );
            }
            _ => {
                for (check, message) in &scenario.failed {
                    text += &format!("  {}: {check}: {message}\n", scenario.name);
                }
            }
        }
        for (check, message) in &scenario.warned {
            text += &format!("  {}: {check} (recommended): {message}\n", scenario.name);
        }
    }
    text
}

/// Scenarios that fail and are not listed, and listed ones that pass or were not run.
pub(super) fn surprises(suite: &str, scenarios: &[Scenario], listed: &Listed) -> Vec<String> {
    let failing = scenarios
        .iter()
        .filter(|scenario| !scenario.failed.is_empty());
    let failing: Vec<&str> = failing.map(|scenario| scenario.name.as_str()).collect();
    let new = failing
        .iter()
        .filter(|scenario| listed.reason(suite, scenario).is_none())
        .map(|scenario| format!("not listed: {suite} {scenario}"));
    let gone = listed
        .0
        .iter()
        .filter(|listed| listed.suite == suite && !failing.contains(&listed.scenario.as_str()))
        .map(|listed| format!("listed and does not fail: {suite} {}", listed.scenario));
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
