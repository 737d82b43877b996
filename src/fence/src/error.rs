//! The errors of a run in the fence.

use std::io::{Error as IoError, ErrorKind};
use std::path::PathBuf;

use protocol::errors;

errors! {
    pub(crate) enum Error {
        // Mistakes in the command line.
        NoProgram(name: String) => UsageError
            "There is no program `{name}`. Pass the name of a program in `PATH`, or the path of a program.";
        ClosedPath(path: PathBuf, why: &'static str) => UsageError
            (format!("`{}` {why}.", path.display()));

        // The fence.
        NotMade(why: String) => SandboxUnavailable { started: false }
            "The fence around the program could not be made: {why}. Nothing was run. The fence needs a kernel that allows user namespaces or Landlock.";
        NotStarted(program: String, error: ErrorKind) => IoError { started: false }
            "`{program}` could not be started in the fence ({error}). If the program needs files that the fence hides, pass these files with `--allow-read`.";
        Lost(error: IoError) => InternalError { started: true }
            (format!("The connection to the program in the fence was lost ({}).", error.kind()));
        NoSignals(error: IoError) => InternalError
            (format!("vault-gw cannot listen for signals ({}).", error.kind()));

        // Calls from inside.
        NoSocket(error: IoError) => IoError
            (format!("The socket for calls from the fence cannot be created ({}).", error.kind()));
        RefusedOutside(why: String) => UsageError
            "{why}";
        NotReached(error: ErrorKind, next: &'static str) => IoError
            "This program cannot reach the gateway outside the fence ({error})."
            "{next}";

        // The working copy.
        CopyInUse => UsageError
            "A run of this agent has the working copy open. Wait until it ends. For two at once, give the second run an agent of its own: a table `[agents.NAME]` in the settings, and `--agent NAME`.";
        CopyNotWritten(error: IoError) => IoError
            (format!("The working copy cannot be written ({}).", error.kind()));
        DiskFull => IoError
            "The disk with the working copy is almost full.";
        Waiting => Busy
            "The file could not be read, its change could not be recorded, or another file has almost the same name.";
        OtherDraft => DraftConflict
            "The draft already has another change to the same lines. Accept or reject that change first.";
    }
}
