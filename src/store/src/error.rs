//! The error of everything in the state folder: which collection, what was to be done, and why it cannot.

use sandbox::Unsafe;

use protocol::{Failure, explain, for_person};

/// A kind of content of the state folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Plans that a person has to approve.
    Approvals,
    /// The record of all calls, one line for each.
    AuditLog,
    /// The drafts of agents.
    Drafts,
    /// The export that is under way.
    Export,
    /// The changes of a vault, and what they replaced.
    Journal,
    /// The notes that have outside text, and the agents that have read it.
    Labels,
    /// The hashes of the agents' tokens.
    Tokens,
}

impl Collection {
    /// Returns the name for people, as a sentence begins with it, and the one in `details.reason`.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Approvals => ("The list of approvals", "approvals"),
            Self::AuditLog => ("The audit log", "audit"),
            Self::Drafts => ("The folder of the drafts", "drafts"),
            Self::Export => ("The record of the running export", "export"),
            Self::Journal => ("The undo history", "journal"),
            Self::Labels => ("The list of notes with outside text", "labels"),
            Self::Tokens => ("The file of the agents' tokens", "tokens"),
        }
    }
}

/// The error of a read or a write of a collection.
#[derive(Debug)]
pub struct StoreError {
    /// The collection.
    pub collection: Collection,
    /// The attempted access.
    pub access: Access,
    /// The cause.
    pub cause: StoreCause,
}

/// A kind of access to a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its records are read.
    Read,
    /// A record is added, replaced or removed.
    Write,
}

/// The reason why a file or lock of a collection cannot be used.
#[derive(Debug)]
pub enum StoreCause {
    /// Another process had the lock until the timeout.
    Busy,
    /// A file or folder cannot be used.
    Unsafe(Unsafe),
}

impl StoreError {
    /// Whether the file does not exist.
    pub const fn is_missing(&self) -> bool {
        matches!(self.cause, StoreCause::Unsafe(Unsafe::Missing))
    }

    /// Whether another process had the lock until the timeout.
    pub const fn is_busy(&self) -> bool {
        matches!(self.cause, StoreCause::Busy)
    }

    /// Returns what is wrong with a file of the collection, without its path.
    pub(crate) fn file_is(&self) -> String {
        match &self.cause {
            StoreCause::Busy => "it is used by another process".to_owned(),
            StoreCause::Unsafe(Unsafe::Io(error)) => error.kind().to_string(),
            StoreCause::Unsafe(reason) => format!("a file in the state folder {reason}"),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (collection, reason) = error.collection.names();
        let (verb, result) = match error.access {
            Access::Read => ("read", ""),
            Access::Write => ("written", "Nothing was changed."),
        };
        let (cause, what) = (&error.cause, error.file_is());
        explain! { match cause {
            StoreCause::Busy => LockTimeout { reason }
                "{collection} is in use by another process." (result)
                ("Try again in a moment.");
            StoreCause::Unsafe(Unsafe::Io(_) | Unsafe::Missing | Unsafe::TooLarge { .. }) => IoError { reason }
                "{collection} cannot be {verb}: {what}." (result)
                ("Check the permissions of the state folder and the free disk space.");
            StoreCause::Unsafe(_) => ConfigInvalid { reason }
                "{collection} cannot be {verb}: {what}." (result)
                (for_person("Take ownership of the state folder with `chown`, and run `chmod -R go-w` on it."));
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_collection_and_what_was_not_done() {
        let shown = |collection, access, cause| {
            let failure = Failure::from(StoreError {
                collection,
                access,
                cause,
            });
            format!("{}: {failure}", failure.code)
        };
        let full = Unsafe::Io(std::io::ErrorKind::StorageFull.into());
        let lines = [
            shown(Collection::AuditLog, Access::Write, StoreCause::Busy),
            shown(Collection::Journal, Access::Write, StoreCause::Unsafe(full)),
            shown(
                Collection::Labels,
                Access::Read,
                StoreCause::Unsafe(Unsafe::Writable),
            ),
        ];
        assert_eq!(
            lines,
            [
                "LOCK_TIMEOUT: The audit log is in use by another process. Nothing was changed. Try again in a moment.",
                "IO_ERROR: The undo history cannot be written: no storage space. Nothing was changed. Check the permissions of the state folder and the free disk space.",
                "CONFIG_INVALID: The list of notes with outside text cannot be read: a file in the state folder can be changed by other users. Take ownership of the state folder with `chown`, and run `chmod -R go-w` on it.",
            ]
        );
    }
}
