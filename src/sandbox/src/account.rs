//! The user and group ids of this process (`threats.toml` C12).
//!
//! The gateway is meant to run as the owner of the vault. It refuses to run set-uid or set-gid:
//! every variable and file of the caller could then be used to attack the owner of the program.
//! Running as root is common in containers, so it is allowed; `doctor` reports it.

use protocol::code::Code;
use protocol::failure::Failure;
use protocol::message::for_person;

/// The real and effective user and group ids of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    user: u32,
    effective_user: u32,
    group: u32,
    effective_group: u32,
}

impl Account {
    /// Returns the ids of this process. Windows has no set-uid files, so the ids are constant there.
    pub fn current() -> Self {
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

    /// Refuses to run with the rights of another user than the user who started the program.
    ///
    /// # Errors
    ///
    /// `COMMAND_REFUSED` if a real id differs from the effective one.
    pub fn refuse_borrowed_rights(self) -> Result<(), Failure> {
        if self.user == self.effective_user && self.group == self.effective_group {
            return Ok(());
        }
        Err(Code::CommandRefused
            .failure(
                "The vault-gw binary has the set-uid or set-gid bit, and vault-gw does not run with the rights of another user.",
            )
            .hint(for_person("To remove the bit, run `chmod ug-s` on the vault-gw binary."))
            .with("reason", "set-uid"))
    }

    /// Whether the process runs as root.
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
