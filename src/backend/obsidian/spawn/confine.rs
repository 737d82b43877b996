//! Keeps the child from executing anything but itself, so that the app cannot be launched even
//! when it quits between the probe and the start (`faults.md` §4.3, G05).

use serde::Serialize;

use crate::backend::obsidian::binary::Binary;
use crate::failure::Failure;

/// Whether the child could execute anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confinement {
    /// The kernel refuses.
    Enforced,
    /// This kernel cannot refuse it.
    Unsupported,
    /// Not asked for: only the thin command line is confined, never what may be the app, which
    /// would keep the restriction for its whole life (`faults.md` §4.2).
    NotApplied,
}

/// Restricts the calling thread, for good, and with it every child that it starts.
///
/// One right of Landlock's first version is handled, `Execute`; asking for all rights would
/// on newer kernels also cut the connection to the app's socket (`faults.md` finding 10).
#[cfg(target_os = "linux")]
pub(super) fn confine_this_thread(binary: &Binary) -> Result<Confinement, Failure> {
    use crate::backend::obsidian::image::Image;
    use crate::backend::obsidian::kind::Kind;
    use landlock::{
        AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus,
    };

    let Image::Elf { interpreter, .. } = binary.image() else {
        return Ok(Confinement::NotApplied);
    };
    if binary.kind() != Kind::Cli {
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
        // A restriction that should work and does not is no reason to run without it.
        Err(_error) => Err(super::not_started(
            crate::code::Code::InternalError,
            "confinement",
            false,
        )),
    }
}

/// Other systems have nothing that a process may do to itself for this without more rights.
#[cfg(not(target_os = "linux"))]
pub(super) fn confine_this_thread(_binary: &Binary) -> Result<Confinement, Failure> {
    Ok(Confinement::NotApplied)
}
