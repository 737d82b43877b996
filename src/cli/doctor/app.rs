//! Checks of the official command line and the running app, as far as the settings need them.

use serde_json::Value;

use super::check::{CheckState, DoctorCheck};
use super::{official, package};
use backend::PinnedVault;
use gateway::Gateway;
use obsidian_cli::kind::BinaryKind;
use protocol::{Code, Failure};
use sandbox::Environment;
use settings::BackendChoice;

/// Checks the binary, the app and its answers. A missing app is not an error if the embedded engine
/// may answer.
pub(super) fn checks(
    gateway: &Gateway,
    backend: BackendChoice,
    vault: Option<&PinnedVault>,
    environment: &Environment,
) -> Vec<DoctorCheck> {
    if backend == BackendChoice::Embedded {
        return vec![DoctorCheck::skipped(
            "app",
            "not used: `backend` is `embedded`",
        )];
    }
    let is_needed = backend == BackendChoice::Obsidian;
    let app = app(gateway, is_needed);
    let is_listening = app.state == CheckState::Ok;
    let mut checks = vec![binary(gateway, is_needed), app];
    checks.extend(package::checks(environment, is_listening));
    match vault {
        Some(vault) => checks.extend(official::checks(gateway, vault, is_needed)),
        None => checks.push(DoctorCheck::skipped(
            "official",
            "not checked without a vault",
        )),
    }
    checks
}

/// Returns a failure of the app. It is not an error if the app is simply missing and not needed.
pub(super) fn without_app(
    name: &'static str,
    failure: &Failure,
    is_needed: bool,
    instead: &str,
) -> DoctorCheck {
    if failure.code == Code::AppNotRunning && !is_needed {
        DoctorCheck::skipped(name, instead)
    } else {
        DoctorCheck::failed(name, failure)
    }
}

fn binary(gateway: &Gateway, is_needed: bool) -> DoctorCheck {
    match gateway.obsidian().binary() {
        Ok(binary) => match binary.kind {
            BinaryKind::Cli => DoctorCheck::ok(
                "binary",
                format!("{} is the native command line", binary.place_for_agents),
            ),
            BinaryKind::App => DoctorCheck::warning(
                "binary",
                format!(
                    "{} is the app itself, which vault-gw never starts",
                    binary.place_for_agents
                ),
                "Update Obsidian with its installer. Then set `obsidian_path` to `obsidian-cli`.",
            ),
            BinaryKind::Unknown => DoctorCheck::warning(
                "binary",
                format!(
                    "{} is neither Obsidian's command line nor the app",
                    binary.place_for_agents
                ),
                "Set `obsidian_path` to Obsidian's own program `obsidian-cli`.",
            ),
        },
        Err(failure) => not_found(gateway, &failure, is_needed),
    }
}

fn not_found(gateway: &Gateway, failure: &Failure, is_needed: bool) -> DoctorCheck {
    let attempted = failure.details.get("attempted").and_then(Value::as_array);
    let attempted: Vec<&str> = attempted
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // A path in the settings should exist.
    let is_anywhere = !gateway.settings().obsidian_path.is_absolute();
    let is_missing = failure.reason() == Some("missing");
    let is_fine = !is_needed
        && is_anywhere
        && is_missing
        && failure.code == Code::CliUnavailable
        && !failure.details.contains_key("found");
    let mut check = if is_fine {
        DoctorCheck::skipped(
            "binary",
            "the official command line is not installed; vault-gw answers without the app.",
        )
    } else {
        DoctorCheck::failed("binary", failure)
    };
    if !attempted.is_empty() {
        check.brief = is_fine.then(|| check.message.clone());
        check.message += &format!(" Looked for: {}.", attempted.join(", "));
    }
    check
}

fn app(gateway: &Gateway, is_needed: bool) -> DoctorCheck {
    match gateway.obsidian().app() {
        Ok(Some(_)) => DoctorCheck::ok("app", "Obsidian is listening"),
        Ok(None) => DoctorCheck::skipped("app", "`probe_app` is off"),
        Err(failure) => without_app(
            "app",
            &failure,
            is_needed,
            "Obsidian is not running; vault-gw answers without the app",
        ),
    }
}
