//! Other thin command lines than `fake-obsidian`: they send their arguments to the app's socket as
//! the real one does, and no more.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use fake_obsidian::app::Mode;
use fake_obsidian::scenario::Scenario;

use super::{World, executable, quoted};

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

/// The hostile program for the fence of `vault-gw run`, compiled once for this run of the tests.
/// `None` where this machine has no compiler, which is said loudly.
pub(crate) fn hostile_in_fence() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile-cli/fence");
        let files = fs_err::read_dir(folder).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        let sources: Vec<PathBuf> = files
            .filter(|file| file.extension().is_some_and(|extension| extension == "c"))
            .collect();
        link("fence", "-O1", &sources)
    });
    if built.is_none() {
        skipped("the C compiler cannot link the hostile program for a fence");
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

fn compile(kind: Hostile) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile-cli/hostile.c");
    let flag = match kind {
        Hostile::Dynamic => "-O1",
        Hostile::Static => "-static",
        Hostile::Lingering => "-DLINGERING",
        Hostile::OldCalls => "-DOLD_CALLS",
        Hostile::Harmless => "-DHARMLESS",
    };
    link(&format!("hostile-{kind:?}"), flag, &[source])
}

#[expect(
    clippy::disallowed_methods,
    reason = "the compiler of the machine, which also links this test"
)]
fn link(name: &str, flag: &str, sources: &[PathBuf]) -> Option<PathBuf> {
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let made = Command::new("cc")
        .arg(flag)
        .arg("-o")
        .arg(&target)
        .args(sources)
        .output();
    made.is_ok_and(|made| made.status.success())
        .then_some(target)
}

impl World {
    /// This user with `binary` installed as the command line, an app that answers it, and the
    /// sandbox as it is by default. Only the app answers calls.
    pub(crate) fn with_thin(mut self, binary: &Path) -> Self {
        let installed = self.home.binaries().join("obsidian-cli");
        executable(&installed, fs_err::read(binary).unwrap());
        self.settings.insert_str(
            0,
            &format!(
                "backend = \"obsidian\"\nobsidian_path = {}\n",
                quoted(&installed)
            ),
        );
        Scenario::logged().write(&self.home.binaries()).unwrap();
        self.start_app(Mode::Normal);
        self
    }
}
