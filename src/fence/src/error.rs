//! The errors of a run in the fence.

use std::io::{Error as IoError, ErrorKind};
use std::path::PathBuf;

use protocol::errors;
use vault_engine::VaultPath;

errors! {
    pub(crate) enum Error {
        // Mistakes in the command line.
        NoProgram(name: String) => UsageError
            "There is no program `{name}`. Pass the name of a program in `PATH`, or the path of a program.";
        ClosedPath(path: PathBuf, why: &'static str) => UsageError
            (format!("`{}` {why}.", path.display()));

        // The fence.
        NotMade(why: String) => SandboxUnavailable { started: false }
            "Nothing was run. The fence that isolates the program could not be created: {why}. The fence needs a kernel that allows user namespaces or Landlock.";
        NotStarted(program: String, error: ErrorKind) => IoError { started: false }
            "`{program}` could not be started in the fence ({error}). If the program needs files that the fence hides, pass these files with `--allow-read`.";
        Lost(error: IoError) => InternalError { started: true }
            (format!("The connection to the program in the fence was lost ({}).", error.kind()));
        NoSignals(error: IoError) => InternalError
            (format!("vault-gw cannot listen for signals ({}).", error.kind()));

        // Calls from inside.
        NoSocket(error: IoError) => IoError
            (format!("vault-gw cannot create the socket that receives the calls of the program ({}).", error.kind()));
        RefusedOutside(why: String) => UsageError
            "{why}";
        NotReached(error: ErrorKind, next: &'static str) => IoError
            "This program runs in the fence and cannot reach vault-gw, which runs outside ({error})."
            "{next}";

        // The working copy.
        CopyInUse => UsageError
            "Another run of this agent uses the working copy. Wait until that run ends. To run two programs at once, add another agent to the settings (a table `[agents.NAME]`) and start the second program with `--agent NAME`.";
        CopyNotWritten(error: IoError) => IoError
            (format!("The working copy cannot be written ({}).", error.kind()));
        DiskFull => IoError
            "The disk with the working copy is almost full.";
        Waiting => Busy
            "The change was not copied yet. Possible reasons: the file could not be read, the change could not be recorded, or another file has almost the same name.";
        FolderThere(path: VaultPath) => FileExists
            "`{path}` is a folder in the vault. Accept its removal first; the next run then takes over the file.";
        OtherDraft => DraftConflict
            "The draft already has another change to the same lines. Accept or reject that change first.";
    }
}
