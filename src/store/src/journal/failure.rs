//! Failures to read or write the journal.

use protocol::code::Code;
use protocol::failure::Failure;
use protocol::message::for_person;
use sandbox::private_dir::Unsafe;

/// The failure of a journal that cannot be written. The vault must not be changed then.
pub fn unwritable(reason: &Unsafe) -> Failure {
    Code::IoError
        .failure(format!(
            "The journal cannot be written: {}. Nothing was changed.",
            why(reason)
        ))
        .hint("Check the free disk space and the permissions of the state folder.")
        .with("reason", "journal")
}

/// Returns the failure of a journal that cannot be read.
pub fn unreadable(reason: &Unsafe) -> Failure {
    Code::IoError
        .failure(format!("The journal cannot be read: {}.", why(reason)))
        .hint("Check the permissions of the state folder.")
        .with("reason", "journal")
}

/// Returns the failure of a folder of the journal that others can write to.
pub fn unsafe_folder(reason: Unsafe) -> Failure {
    match reason {
        Unsafe::Io(_) => unwritable(&reason),
        other => Code::ConfigInvalid
            .failure(format!(
                "The state folder {other}, so the journal in it cannot be trusted."
            ))
            .hint(for_person(
                "Take ownership of the state folder with `chown`, and run `chmod go-w` on it.",
            ))
            .with("reason", "journal"),
    }
}

/// Returns the reason, without the path of a file.
pub(super) fn why(reason: &Unsafe) -> String {
    match reason {
        Unsafe::Io(error) => error.kind().to_string(),
        other => format!("a file of the journal {other}"),
    }
}
