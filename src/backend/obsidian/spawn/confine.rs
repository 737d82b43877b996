//! Prevents the child from executing any other program. So it cannot launch the app, even if the
//! app quits between the probe and the start (`faults.md` §4.3, G05).

use serde::Serialize;

#[cfg(target_os = "linux")]
use super::not_started::not_started;
use crate::backend::obsidian::binary::Binary;
use crate::failure::Failure;

/// Whether the child is prevented from executing other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confinement {
    /// The kernel prevents it.
    Enforced,
    /// This kernel does not support it.
    Unsupported,
    /// Not requested. Only the thin command line is confined. The app itself must not be, because
    /// it would keep the restriction for its whole life (`faults.md` §4.2).
    NotApplied,
}

/// Permanently restricts the calling thread and every child that it starts.
///
/// Handles only the right `Execute` of Landlock's first version. On newer kernels, handling all
/// rights would also block the connection to the app's socket (`faults.md` finding 10).
#[cfg(target_os = "linux")]
pub(super) fn confine_this_thread(binary: &Binary) -> Result<Confinement, Failure> {
    use crate::backend::obsidian::image::Image;
    use crate::backend::obsidian::kind::BinaryKind;
    use landlock::{
        AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus,
    };

    let Image::Elf { interpreter, .. } = binary.image() else {
        return Ok(Confinement::NotApplied);
    };
    if binary.kind() != BinaryKind::Cli {
        return Ok(Confinement::NotApplied);
    }
    let enforce = || -> Result<RulesetStatus, Box<dyn std::error::Error>> {
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::Execute)?
            .create()?;
        for path in std::iter::once(binary.path()).chain(interpreter.as_deref()) {
            ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new(path)?, AccessFs::Execute))?;
        }
        Ok(ruleset.restrict_self()?.ruleset)
    };
    match enforce() {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => {
            Ok(Confinement::Enforced)
        }
        Ok(RulesetStatus::NotEnforced) => Ok(Confinement::Unsupported),
        // The kernel supports Landlock but refused this ruleset. Fail instead of running
        // unconfined.
        Err(_error) => Err(not_started(
            crate::code::Code::InternalError,
            "confinement",
            false,
        )),
    }
}

/// Other operating systems offer no such restriction to an unprivileged process.
#[cfg(not(target_os = "linux"))]
pub(super) fn confine_this_thread(_binary: &Binary) -> Result<Confinement, Failure> {
    Ok(Confinement::NotApplied)
}
