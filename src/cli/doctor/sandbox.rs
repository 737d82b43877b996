//! Checks which confinement this machine supports.

use super::check::DoctorCheck;
use gateway::Gateway;
use sandbox::{Environment, SandboxMode};

const NAME: &str = "sandbox";

/// The confinement that a call of the official program and a server would get.
#[cfg(target_os = "linux")]
pub(super) fn check(gateway: &Gateway, environment: &Environment) -> DoctorCheck {
    use obsidian_cli::spawn;
    use sandbox::{Confinement, ConfinementState, Confiner, KernelSupport};

    if gateway.settings().sandbox == SandboxMode::Off {
        return off();
    }
    let kernel = KernelSupport::detect().within(environment.kernel_limits);
    let confiner = Confiner::new(kernel);
    let official = match spawn::try_confinement(environment) {
        Ok(confinement) => confinement,
        Err(_) if !std::path::Path::new("/proc/self/exe").exists() => return without_proc(),
        Err(failure) => return DoctorCheck::failed(NAME, &failure),
    };
    let server = confiner.server_confinement();
    let says = |confinement: &Confinement| {
        let mut says = match confinement.state {
            ConfinementState::Enforced => "confined".to_owned(),
            _ if confinement.missing.is_empty() => "not confined".to_owned(),
            ConfinementState::Unavailable => "not confined".to_owned(),
            _ => format!("partly confined, not for {}", confinement.missing_words()),
        };
        if !confinement.not_covered.is_empty() {
            says += &format!(
                " (a newer kernel, or a system that allows user namespaces, would add {})",
                confinement.not_covered_words()
            );
        }
        says
    };
    let message = format!(
        "with Landlock version {}, Obsidian's command line is {}; servers for agents are {}",
        kernel.landlock,
        says(&official),
        says(&server)
    );
    let is_whole = [&official, &server]
        .into_iter()
        .all(|confinement| confinement.state == ConfinementState::Enforced);
    if is_whole {
        DoctorCheck::ok(NAME, message)
    } else {
        DoctorCheck::warning(
            NAME,
            message,
            "Use Linux 6.12 or later, with Landlock turned on.",
        )
    }
}

/// Without `/proc` this program cannot find its own file, which it starts as the confining helper.
#[cfg(target_os = "linux")]
fn without_proc() -> DoctorCheck {
    DoctorCheck::warning(
        NAME,
        "`/proc` is not mounted, so the official command line cannot be started; vault-gw can answer without the app",
        "Mount `/proc`. Containers mount it by default.",
    )
}

/// Other systems have no sandbox that this program uses.
#[cfg(not(target_os = "linux"))]
pub(super) fn check(gateway: &Gateway, _environment: &Environment) -> DoctorCheck {
    if gateway.settings().sandbox == SandboxMode::Off {
        return off();
    }
    DoctorCheck::warning(
        NAME,
        "vault-gw has no sandbox on this operating system",
        "To use the sandbox, run vault-gw on Linux.",
    )
}

fn off() -> DoctorCheck {
    DoctorCheck::warning(
        NAME,
        "turned off in the settings",
        "To turn on the sandbox, run `vault-gw settings set sandbox best-effort`.",
    )
}
