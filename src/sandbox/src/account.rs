//! The user and group ids of this process (`threats.toml` C12).
//!
//! The gateway is meant to run as the owner of the vault. It refuses to run set-uid or set-gid:
//! every variable and file of the caller could then be used to attack the owner of the program.
//! Running as root is common in containers, so it is allowed; `doctor` reports it.

use protocol::{Code, Failure, for_person};

/// The user and group ids of this process: first the real one, then the effective one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    user: [u32; 2],
    group: [u32; 2],
}

impl Account {
    /// Returns the ids of this process. Windows has no set-uid files, so the ids are constant there.
    pub fn current() -> Self {
        #[cfg(unix)]
        {
            use rustix::process::{getegid, geteuid, getgid, getuid};
            Self {
                user: [getuid().as_raw(), geteuid().as_raw()],
                group: [getgid().as_raw(), getegid().as_raw()],
            }
        }
        #[cfg(not(unix))]
        Self {
            user: [1, 1],
            group: [1, 1],
        }
    }

    /// Refuses to run with the rights of another user than the user who started the program.
    ///
    /// # Errors
    ///
    /// `COMMAND_REFUSED` if a real id differs from the effective one.
    pub fn refuse_borrowed_rights(self) -> Result<(), Failure> {
        if self.user[0] == self.user[1] && self.group[0] == self.group[1] {
            return Ok(());
        }
        Err(Code::CommandRefused
            .failure(
                "vault-gw refuses to run with the rights of another user. The program file has the set-uid \
                or set-gid bit.",
            )
            .hint(for_person(
                "To remove the bit, run `chmod ug-s` on the file.",
            ))
            .with("reason", "set-uid"))
    }

    /// Whether the process runs as root.
    pub fn is_root(self) -> bool {
        self.user[1] == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c12_borrowed_rights_are_refused_and_own_ones_are_not() {
        for (user, group, is_root, code) in [
            ([1000, 1000], [100, 100], false, None),
            ([0, 0], [0, 0], true, None),
            ([1000, 0], [100, 100], true, Some(Code::CommandRefused)),
            ([0, 1000], [0, 0], false, Some(Code::CommandRefused)),
            ([1000, 1000], [100, 0], false, Some(Code::CommandRefused)),
            ([1000, 1001], [100, 101], false, Some(Code::CommandRefused)),
        ] {
            let account = Account { user, group };
            let refused = account.refuse_borrowed_rights().err();
            assert_eq!(refused.map(|failure| failure.code), code, "{account:?}");
            assert_eq!(account.is_root(), is_root, "{account:?}");
        }
    }
}
