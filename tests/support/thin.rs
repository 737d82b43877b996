//! A thin command line as the real one is: it sends its arguments to the app's socket, and the app
//! does the work. Here the app is a thread that has `fake-obsidian` do it, outside of any sandbox.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use fake_obsidian::home::install_binary;
use fake_obsidian::scenario::{Scenario, Socket};

use super::{World, fake_binary, quoted};

/// The hostile command line in C, compiled once for this run of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hostile {
    Dynamic,
    Static,
    /// Does nothing but go on for as long as it can.
    Lingering,
    /// Makes one 32-bit system call.
    OldCalls,
    /// Only does its work, for measurements.
    Harmless,
}

/// The compiled hostile command line. `None` where this machine cannot link it that way; that is
/// said loudly.
pub(crate) fn hostile(kind: Hostile) -> Option<&'static Path> {
    static BUILT: [OnceLock<Option<PathBuf>>; 5] = [const { OnceLock::new() }; 5];
    let built = BUILT[kind as usize].get_or_init(|| compile(kind));
    if built.is_none() {
        skipped(&format!(
            "the C compiler cannot link the hostile command line ({kind:?})"
        ));
    }
    built.as_deref()
}

/// Says on standard error what a test left out.
#[expect(
    clippy::print_stderr,
    reason = "a test that proves nothing must not look like one that does"
)]
pub(crate) fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the compiler of the machine, which also links this test"
)]
fn compile(kind: Hostile) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile-cli/hostile.c");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("hostile-{kind:?}-{}", std::process::id()));
    let flag = match kind {
        Hostile::Dynamic => "-O1",
        Hostile::Static => "-static",
        Hostile::Lingering => "-DLINGERING",
        Hostile::OldCalls => "-DOLD_CALLS",
        Hostile::Harmless => "-DHARMLESS",
    };
    let made = Command::new("cc")
        .arg(flag)
        .arg("-o")
        .arg(&target)
        .arg(&source)
        .output();
    made.is_ok_and(|made| made.status.success())
        .then_some(target)
}

impl World {
    /// This user with `binary` installed as the command line, an app that answers it, and the
    /// sandbox as it is by default. Only the app answers calls.
    pub(crate) fn with_thin(mut self, binary: &Path) -> Self {
        let installed = self.home.binaries().join("obsidian-cli");
        fs_err::copy(binary, &installed).unwrap();
        fs_err::set_permissions(&installed, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.settings.insert_str(
            0,
            &format!(
                "backend = \"obsidian\"\nobsidian_path = {}\n",
                quoted(&installed)
            ),
        );
        let scenario = Scenario {
            socket: Socket::Ignored,
            ..Scenario::logged()
        };
        let behind = self.home.path().join("behind");
        fs_err::create_dir_all(&behind).unwrap();
        let behind = install_binary(&behind, "obsidian", fake_binary(), &scenario).unwrap();
        let socket = self.home.socket();
        let folder = socket.parent().unwrap();
        fs_err::create_dir_all(folder).unwrap();
        fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        let variables = self.home.variables();
        std::thread::spawn(move || {
            // Ends with this process. The world's folder is gone by then.
            for stream in listener.incoming() {
                answer(stream.unwrap(), &behind, &variables);
            }
        });
        self
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the app of a test does its work in a process"
)]
fn answer(
    mut stream: UnixStream,
    behind: &Path,
    variables: &[(std::ffi::OsString, std::ffi::OsString)],
) {
    let mut asked = Vec::new();
    // A probe connects and closes; a client that was killed sends half of its words.
    if stream.read_to_end(&mut asked).is_err() || asked.last() != Some(&0) {
        return;
    }
    let words = std::str::from_utf8(&asked[..asked.len() - 1]).unwrap();
    let mut command = Command::new(behind);
    command.env_clear().envs(variables.iter().cloned());
    let done = command.args(words.split('\0')).output().unwrap();
    drop(stream.write_all(&done.stdout));
}
