//! Detects what this kernel offers for confinement.

use landlock::{
    ABI, AccessFs, LandlockStatus, Ruleset, RulesetAttr as _, RulesetError, RulesetStatus,
};
use serde::{Deserialize, Serialize};

use super::confinement::Protection;
use super::kernel_limits::KernelLimits;

/// The newest Landlock version whose rights are known here. A newer kernel is used like this one,
/// because an unknown right could close what the child needs (`threats.toml` L03).
const NEWEST: i32 = 10;

/// The oldest version under which a server can move files between folders of the vault.
pub(super) const OLDEST_FOR_SERVERS: i32 = 2;

/// The features of the kernel for confinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSupport {
    /// The version of Landlock; 0 without Landlock.
    pub landlock: i32,
    pub(super) filters: bool,
    /// Whether to try a file tree of its own for a process. Only the attempt shows whether the system allows it.
    pub trees: bool,
}

impl KernelSupport {
    /// Asks the kernel.
    ///
    /// The kernel reports the Landlock version only to a thread that restricts itself, so a
    /// temporary thread does.
    pub fn detect() -> Self {
        let landlock = std::thread::spawn(landlock_version).join();
        Self {
            landlock: landlock.unwrap_or_default().min(NEWEST),
            filters: super::filter::is_supported(),
            trees: true,
        }
    }

    /// Limits the reported features of the kernel to `limits`.
    #[must_use]
    pub fn within(self, limits: Option<KernelLimits>) -> Self {
        limits.map_or(self, |limits| Self {
            landlock: self.landlock.min(limits.landlock),
            trees: limits.trees,
            ..self
        })
    }

    pub(super) fn abi(self) -> ABI {
        ABI::from(self.landlock)
    }

    /// Returns the protections that Landlock cannot enforce here.
    pub(super) fn missing(self) -> Vec<Protection> {
        let since = [
            (1, Protection::Files),
            (3, Protection::Truncation),
            (4, Protection::Tcp),
            (5, Protection::DeviceControl),
            (6, Protection::Signals),
            (6, Protection::AbstractSockets),
        ];
        since
            .into_iter()
            .filter_map(|(version, protection)| (self.landlock < version).then_some(protection))
            .collect()
    }

    /// Whether ports of TCP can be closed.
    pub(super) fn knows_ports(self) -> bool {
        self.landlock >= 4
    }

    /// Whether abstract sockets can be closed.
    pub(super) fn scopes_sockets(self) -> bool {
        self.landlock >= 6
    }

    /// Whether Unix sockets with a path can be closed.
    pub(super) fn knows_sockets(self) -> bool {
        self.landlock >= 9
    }
}

fn landlock_version() -> i32 {
    let restricted = || -> Result<_, RulesetError> {
        Ruleset::default()
            .handle_access(AccessFs::Execute)?
            .create()?
            .restrict_self()
    };
    match restricted() {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => match status.landlock {
            LandlockStatus::Available {
                effective_abi,
                kernel_abi,
            } => kernel_abi.unwrap_or(effective_abi as i32),
            LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
        },
        // An outer sandbox may forbid these system calls; then they count as missing.
        Ok(_) | Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l01_each_older_kernel_lacks_what_came_later() {
        let newest = KernelSupport {
            landlock: 6,
            filters: true,
            trees: true,
        };
        assert_eq!(newest.missing(), []);
        let at_most = |landlock| {
            newest.within(Some(KernelLimits {
                landlock,
                trees: true,
            }))
        };
        let lacks = |version| at_most(version).missing().len();
        assert_eq!(
            (0..=7).map(lacks).collect::<Vec<_>>(),
            [6, 5, 5, 4, 3, 2, 0, 0]
        );
        assert_eq!(at_most(9).landlock, 6, "only less");
    }

    #[test]
    fn asking_the_kernel_leaves_this_process_as_it_was() {
        let before = KernelSupport::detect();
        assert_eq!(KernelSupport::detect(), before);
        let threads = fs_err::read_to_string("/proc/thread-self/status").unwrap();
        assert!(threads.contains("NoNewPrivs:\t0") || threads.contains("Seccomp:\t2"));
    }
}
