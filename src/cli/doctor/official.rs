//! The checks that need the running app: its version, its vault, its commands.

use cli_output::{AppError, Shape, startup_noise};
use vault_engine::Args;

use super::app::without_app;
use super::check::{CheckState, DoctorCheck};
use allowlist::{Catalogue, EffectSet};
use backend::cancel::Cancel;
use backend::{Limits, PinnedVault};
use gateway::Gateway;
use obsidian_cli::classify::{COLD_START_PAUSE, CommandRequest, Printed, Verdict, classify};
use obsidian_cli::drift::{Changed, Drift, Offered};
use obsidian_cli::version::{AppVersion, TIMEOUT};
use protocol::{Code, Deadline, Failure, Release};

/// A limit well above the size of the list of all commands.
const MAX_OUTPUT_BYTES: usize = 8 * 1024 * 1024;

/// Runs the checks, until the app does not answer a question.
pub(super) fn checks(gateway: &Gateway, vault: &PinnedVault, is_needed: bool) -> Vec<DoctorCheck> {
    let said = match ask(gateway, vault, "version") {
        Ok(said) => said,
        Err(failure) => {
            let instead = "version, vault and commands need the running app";
            return vec![without_app("official", &failure, is_needed, instead)];
        }
    };
    vec![
        version_check(&said, gateway.settings().min_version),
        identity(gateway, vault),
        drift(gateway, vault),
    ]
}

/// Runs a command without arguments; retries once if the vault is still loading.
fn ask(gateway: &Gateway, vault: &PinnedVault, command: &str) -> Result<Printed, Failure> {
    let arguments = Args::default();
    let limits = limits();
    let once = || {
        let output = gateway
            .obsidian()
            .ask(vault, command, &arguments, &limits)?;
        let question = CommandRequest {
            command,
            shape: Shape::Raw,
            arguments: &arguments,
            confirms: &[],
        };
        Ok::<_, Failure>(classify(question, &output))
    };
    let mut verdict = once()?;
    if verdict.allows_retry(EffectSet::default()) {
        limits.cancel.wait(COLD_START_PAUSE);
        verdict = once()?;
    }
    match verdict {
        Verdict::AppError(AppError::Other { text }) => {
            let line = text.lines().next().unwrap_or_default();
            let message = format!("Obsidian answered `{command}` with: {line}");
            Err(Code::CliReportedError.failure(message))
        }
        other => other.printed(false),
    }
}

fn limits() -> Limits {
    Limits {
        deadline: Deadline::after(TIMEOUT),
        max_output_bytes: MAX_OUTPUT_BYTES,
        offset: 0,
        limit: None,
        cancel: Cancel::new(),
    }
}

/// Checks the version. An old app or installer fails only if the settings require a newer one;
/// otherwise it is a warning, as on each run.
fn version_check(said: &Printed, minimum: Option<Release>) -> DoctorCheck {
    const UPDATE: &str = "Update Obsidian with its installer.";
    let Some(version) = AppVersion::parse(&said.text) else {
        return DoctorCheck::warning(
            "version",
            "this program does not answer `version` like Obsidian's command line",
            "Check `obsidian_path`.",
        );
    };
    if let Some(minimum) = minimum
        && let Err(failure) = version.require(minimum)
    {
        return DoctorCheck::failed("version", &failure);
    }
    match version.warning() {
        None if said.startup_noise => DoctorCheck::warning(
            "version",
            format!(
                "Obsidian {}, with start-up lines before each answer",
                version.app
            ),
            UPDATE,
        ),
        Some(warning) => DoctorCheck::warning("version", warning.message.for_person(), UPDATE),
        None => DoctorCheck::ok("version", format!("Obsidian {}", version.app)),
    }
}

const ELSEWHERE: &str = "Obsidian uses another folder for this vault, so vault-gw makes no changes through Obsidian. Perhaps two vaults have the same name, or the vault was moved.";

/// Checks that `vault=` resolves to the pinned folder, which every write requires.
fn identity(gateway: &Gateway, vault: &PinnedVault) -> DoctorCheck {
    match gateway.obsidian().proves(vault, &limits()) {
        Ok(()) => DoctorCheck::ok("identity", "Obsidian answers for this vault's folder"),
        Err(failure) if failure.code == Code::VaultNotFound => DoctorCheck {
            remedy: Some(
                "Open this folder in Obsidian, and give each vault a unique name.".to_owned(),
            ),
            failure: Some(failure),
            ..DoctorCheck::new("identity", CheckState::Failed, ELSEWHERE)
        },
        Err(failure) => DoctorCheck::failed("identity", &failure),
    }
}

/// Compares the installed app's commands with the catalogue, using the machine-readable list if
/// there is one, else `help`.
fn drift(gateway: &Gateway, vault: &PinnedVault) -> DoctorCheck {
    let text = |command: &str| {
        let printed = ask_plainly(gateway, vault, command)?;
        Ok::<_, Failure>(startup_noise::strip(&printed).0.to_owned())
    };
    let offered = match text("__completions").map(|text| Offered::from_completions(&text)) {
        Ok(Some(offered)) => Ok(Some(offered)),
        Ok(None) => text("help").map(|text| Offered::from_help(&text)),
        Err(failure) => Err(failure),
    };
    let offered = match offered {
        Ok(Some(offered)) => offered,
        Ok(None) => return DoctorCheck::skipped("drift", "the app does not list its commands"),
        Err(failure) => return DoctorCheck::failed("drift", &failure),
    };
    match Catalogue::builtin() {
        Ok(catalogue) => drift_check(offered.count(), &offered.drift(catalogue)),
        Err(_) => DoctorCheck::skipped("drift", "the catalogue does not load"),
    }
}

/// Returns the raw output of a command.
fn ask_plainly(gateway: &Gateway, vault: &PinnedVault, command: &str) -> Result<String, Failure> {
    let output = gateway
        .obsidian()
        .ask(vault, command, &Args::default(), &limits())?;
    Ok(output.stdout.text().text)
}

fn drift_check(count: usize, drift: &Drift) -> DoctorCheck {
    let Drift {
        unknown,
        absent,
        changed,
    } = drift;
    let not_offered = if absent.is_empty() {
        String::new()
    } else {
        format!(
            "; it does not offer {}, whose plugins may be off",
            absent.join(", ")
        )
    };
    if unknown.is_empty() && changed.is_empty() {
        let message = format!("all {count} commands of the app are known{not_offered}");
        return DoctorCheck::ok("drift", message);
    }
    let mut differences = Vec::new();
    if !unknown.is_empty() {
        differences.push(format!(
            "the app has commands that vault-gw does not know and does not run: {}",
            unknown.join(", ")
        ));
    }
    differences.extend(changed.iter().map(described));
    DoctorCheck::warning(
        "drift",
        format!("{}{not_offered}", differences.join("; ")),
        "A plugin or another version of Obsidian may cause these differences. Check whether a newer version of vault-gw exists.",
    )
}

fn described(changed: &Changed) -> String {
    let Changed { command, new, gone } = changed;
    let new = (!new.is_empty())
        .then(|| format!("takes {}, which vault-gw does not know", new.join(", ")));
    let gone = (!gone.is_empty()).then(|| format!("ignores {}", gone.join(", ")));
    let both: Vec<String> = new.into_iter().chain(gone).collect();
    format!("`{command}` {}", both.join(" and "))
}
