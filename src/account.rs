//! Whose rights this process has (`faults.md` C12).
//!
//! The gateway is made to be run by the owner of the vault, with that user's own rights. Borrowed
//! rights would make every variable and every file of the caller an attack on their lender, so it
//! does not run with them. Root's own rights are common in containers: the doctor tells of them.

use crate::code::Code;
use crate::failure::Failure;

/// The users and groups of this process: who started it, and whose rights it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    user: u32,
    effective_user: u32,
    group: u32,
    effective_group: u32,
}

impl Account {
    /// The account of this process. Windows has no rights that a file could lend.
    pub fn of_this_process() -> Self {
        #[cfg(unix)]
        {
            Self {
                user: rustix::process::getuid().as_raw(),
                effective_user: rustix::process::geteuid().as_raw(),
                group: rustix::process::getgid().as_raw(),
                effective_group: rustix::process::getegid().as_raw(),
            }
        }
        #[cfg(not(unix))]
        {
            Self {
                user: 1,
                effective_user: 1,
                group: 1,
                effective_group: 1,
            }
        }
    }

    /// Refuses rights that are not those of the user who started the program.
    pub fn refuse_borrowed_rights(self) -> Result<(), Failure> {
        if self.user == self.effective_user && self.group == self.effective_group {
            return Ok(());
        }
        Err(Failure::new(
            Code::CommandRefused,
            "This program is installed set-uid or set-gid and does not run with borrowed rights. \
             Take the mode bits away: `chmod ug-s`.",
        )
        .with("reason", "set-uid"))
    }

    /// Whether nothing on this machine is closed to it.
    pub fn is_root(self) -> bool {
        self.effective_user == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c12_borrowed_rights_are_refused_and_own_ones_are_not() {
        let account = |user, effective_user, group, effective_group| Account {
            user,
            effective_user,
            group,
            effective_group,
        };
        for (own, is_root) in [
            (account(1000, 1000, 100, 100), false),
            (account(0, 0, 0, 0), true),
        ] {
            assert_eq!(own.refuse_borrowed_rights(), Ok(()));
            assert_eq!(own.is_root(), is_root);
        }
        for borrowed in [
            account(1000, 0, 100, 100),
            account(0, 1000, 0, 0),
            account(1000, 1000, 100, 0),
            account(1000, 1001, 100, 101),
        ] {
            let failure = borrowed.refuse_borrowed_rights().unwrap_err();
            assert_eq!(failure.code, Code::CommandRefused);
        }
    }
}
