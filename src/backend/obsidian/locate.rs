//! Finds the official binary: the setting, then the known install places, then `PATH`
//! (`official-cli.md` §3, `faults.md` §4.1).

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::binary::{Binary, Identity};
use super::image::Image;
use super::kind::{self, Kind, Surroundings};
use super::trust::{self, Distrust};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;

/// The value of `obsidian_path` that means "search for it".
pub const SEARCH: &str = "obsidian";

/// An operating system, as far as install places go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and the other unixes.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The one this program was built for.
    pub const fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// File names the binary may have in a `PATH` folder, the thin one first.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Linux | Self::MacOs => &["obsidian-cli", "obsidian"],
            Self::Windows => &["Obsidian.com"],
        }
    }
}

/// A place to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where.
    pub path: PathBuf,
    /// How it is named to an agent; the home folder is shown as `~`, a `PATH` folder as `PATH`.
    pub shown: String,
}

/// Why a candidate cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// No such file.
    #[error("is not there")]
    Missing,
    /// A folder.
    #[error("is a folder")]
    Folder,
    /// A file that may not be executed by this user.
    #[error("is not executable")]
    NotExecutable,
    /// Neither a program nor a script with a `#!` line.
    #[error("is not a program")]
    NotAProgram,
    /// A program for another processor or system.
    #[error("is built for another kind of machine")]
    WrongArchitecture,
    /// A Windows batch file, whose arguments a shell would read again (`faults.md` B11).
    #[error("is a batch file")]
    BatchFile,
    /// It could not be looked at.
    #[error("could not be read")]
    Unreadable,
    /// Others could replace it.
    #[error("is not trusted: {0}")]
    Untrusted(Distrust),
}

impl Unusable {
    /// The stable name used in `details`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Folder => "folder",
            Self::NotExecutable => "not-executable",
            Self::NotAProgram => "not-a-program",
            Self::WrongArchitecture => "wrong-architecture",
            Self::BatchFile => "batch-file",
            Self::Unreadable => "unreadable",
            Self::Untrusted(reason) => reason.name(),
        }
    }

    /// What a shell would have answered: 127 not found, 126 found but not runnable.
    const fn shell_exit_code(self) -> u8 {
        match self {
            Self::Missing => 127,
            Self::Folder
            | Self::NotExecutable
            | Self::NotAProgram
            | Self::WrongArchitecture
            | Self::BatchFile
            | Self::Unreadable
            | Self::Untrusted(_) => 126,
        }
    }
}

/// Finds the binary that the setting `obsidian_path` asks for.
pub fn locate(setting: &str, environment: &Environment) -> Result<Binary, Failure> {
    match wanted(setting)? {
        Some(path) => {
            let shown = "the obsidian_path setting";
            examine(&path, shown).map_err(|problem| unusable(problem, shown))
        }
        None => search(&candidates(System::here(), environment)),
    }
}

/// The explicit path in the setting, or none where it asks for a search.
fn wanted(setting: &str) -> Result<Option<PathBuf>, Failure> {
    if setting == SEARCH {
        return Ok(None);
    }
    let path = Path::new(setting);
    if path.is_absolute() {
        return Ok(Some(path.to_path_buf()));
    }
    Err(Failure::new(
        Code::CliUnavailable,
        "The setting obsidian_path is neither \"obsidian\" nor an absolute path. Give the full \
         path of obsidian-cli.",
    )
    .with("reason", "relative-path"))
}

/// Every place to look at, best first.
pub fn candidates(system: System, environment: &Environment) -> Vec<Candidate> {
    let known: &[&str] = match system {
        System::Linux => &[
            "~/.local/bin/obsidian",
            "/opt/Obsidian/obsidian-cli",
            "/usr/lib/obsidian/obsidian-cli",
            "/usr/local/bin/obsidian",
            "/usr/bin/obsidian-cli",
        ],
        System::MacOs => &[
            "/Applications/Obsidian.app/Contents/MacOS/obsidian-cli",
            "~/Applications/Obsidian.app/Contents/MacOS/obsidian-cli",
            "/usr/local/bin/obsidian",
        ],
        System::Windows => &[],
    };
    let home = environment.absolute_path("HOME");
    let mut found: Vec<Candidate> = known
        .iter()
        .filter_map(|shown| {
            let path = match shown.strip_prefix("~/") {
                Some(rest) => home.as_ref()?.join(rest),
                None => PathBuf::from(shown),
            };
            Some(Candidate {
                path,
                shown: (*shown).to_owned(),
            })
        })
        .collect();
    if system == System::Windows {
        let installs = [
            ("LOCALAPPDATA", "Programs/Obsidian/Obsidian.com"),
            ("LOCALAPPDATA", "Obsidian/Obsidian.com"),
            ("ProgramFiles", "Obsidian/Obsidian.com"),
        ];
        found.extend(installs.iter().filter_map(|(variable, rest)| {
            Some(Candidate {
                path: environment.absolute_path(variable)?.join(rest),
                shown: format!("%{variable}%/{rest}"),
            })
        }));
    }
    found.extend(path_candidates(system, environment));
    found
}

/// The absolute folders of `PATH`; empty and relative entries would let a working directory
/// choose the program (`faults.md` C01).
fn path_candidates(system: System, environment: &Environment) -> impl Iterator<Item = Candidate> {
    let folders: Vec<PathBuf> = environment
        .variable("PATH")
        .map(|list| std::env::split_paths(list).collect())
        .unwrap_or_default();
    folders
        .into_iter()
        .filter(|folder| folder.is_absolute())
        .flat_map(move |folder| {
            system.names().iter().map(move |name| Candidate {
                path: folder.join(name),
                shown: format!("PATH ({name})"),
            })
        })
}

/// The best of the candidates that may be run: the thin command line before one whose kind
/// cannot be told, that before the desktop app; among equals the earlier place.
fn search(candidates: &[Candidate]) -> Result<Binary, Failure> {
    let mut best: Option<Binary> = None;
    let mut attempted: Vec<Value> = Vec::new();
    let mut found = Map::new();
    let mut distrust = None;
    for candidate in candidates {
        if !attempted.iter().any(|shown| shown == &candidate.shown) {
            attempted.push(candidate.shown.clone().into());
        }
        match examine(&candidate.path, &candidate.shown) {
            Ok(binary) if binary.kind() == Kind::Cli => return Ok(binary),
            Ok(binary) => {
                if best.as_ref().is_none_or(|best| binary.kind() < best.kind()) {
                    best = Some(binary);
                }
            }
            Err(Unusable::Missing) => {}
            Err(problem) => {
                if let Unusable::Untrusted(reason) = problem {
                    distrust.get_or_insert(reason);
                }
                found.insert(candidate.shown.clone(), problem.name().into());
            }
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    let failure = match distrust {
        Some(reason) => Failure::new(
            Code::CliUntrusted,
            format!(
                "The obsidian command line is not trusted: {reason}. Correct its owner and mode, \
                 or set obsidian_path to one that only you can change."
            ),
        )
        .with("reason", reason.name()),
        None => Failure::new(
            Code::CliUnavailable,
            "The obsidian command line was not found. Install Obsidian 1.12.7 or later and turn \
             on its command line in Settings > General > Advanced, or set obsidian_path.",
        )
        .with("reason", Unusable::Missing.name())
        .with("shellExitCode", Unusable::Missing.shell_exit_code()),
    };
    let failure = failure.with("attempted", attempted);
    Err(if found.is_empty() {
        failure
    } else {
        failure.with("found", found)
    })
}

fn unusable(problem: Unusable, shown: &str) -> Failure {
    let code = match problem {
        Unusable::Untrusted(_) => Code::CliUntrusted,
        Unusable::Missing
        | Unusable::Folder
        | Unusable::NotExecutable
        | Unusable::NotAProgram
        | Unusable::WrongArchitecture
        | Unusable::BatchFile
        | Unusable::Unreadable => Code::CliUnavailable,
    };
    Failure::new(
        code,
        format!(
            "The file that obsidian_path names {problem}. Set it to the full path of obsidian-cli."
        ),
    )
    .with("reason", problem.name())
    .with("shellExitCode", problem.shell_exit_code())
    .with("attempted", vec![Value::from(shown)])
}

/// Looks at one place: is it a program for this machine that only we could have put there?
pub fn examine(path: &Path, shown: &str) -> Result<Binary, Unusable> {
    let batch = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("bat") || end.eq_ignore_ascii_case("cmd"));
    if batch {
        return Err(Unusable::BatchFile);
    }
    let real = fs_err::canonicalize(path).map_err(|error| missing_or_unreadable(&error))?;
    let found = fs_err::metadata(&real).map_err(|error| missing_or_unreadable(&error))?;
    if found.is_dir() {
        return Err(Unusable::Folder);
    }
    if !found.is_file() {
        return Err(Unusable::NotAProgram);
    }
    trust::check(path).map_err(Unusable::Untrusted)?;
    if !executable(&real) {
        return Err(Unusable::NotExecutable);
    }
    // The identity is taken before the content is read: a file swapped in between differs.
    let identity = Identity::of(&real).map_err(|error| missing_or_unreadable(&error))?;
    let image = Image::read(&real).map_err(|error| missing_or_unreadable(&error))?;
    if image == Image::NotAProgram {
        return Err(Unusable::NotAProgram);
    }
    if !image.runs_here() {
        return Err(Unusable::WrongArchitecture);
    }
    let kind = kind::kind_of(&real, &image, Surroundings::of(&real, identity.size()));
    Ok(Binary::new(real, shown, kind, image, identity))
}

fn missing_or_unreadable(error: &io::Error) -> Unusable {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    if missing.contains(&error.kind()) {
        Unusable::Missing
    } else {
        Unusable::Unreadable
    }
}

#[cfg(unix)]
fn executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(windows)]
fn executable(_path: &Path) -> bool {
    // There is no such bit; the image itself is looked at next.
    true
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const SCRIPT: &str = "#!/bin/sh\nexit 0\n";

    fn program(path: &Path, text: &str) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn environment(home: &Path, path: &str) -> Environment {
        Environment::new(
            [
                ("HOME".into(), home.as_os_str().to_owned()),
                ("PATH".into(), path.into()),
            ],
            Some(home.to_path_buf()),
        )
    }

    fn places(root: &Path, names: &[&str]) -> Vec<Candidate> {
        names
            .iter()
            .map(|name| Candidate {
                path: root.join(name),
                shown: (*name).to_owned(),
            })
            .collect()
    }

    #[test]
    fn c01_empty_and_relative_path_entries_are_ignored() {
        let home = tempfile::tempdir().unwrap();
        program(&home.path().join("obsidian"), SCRIPT);
        for list in ["", ":", ".", "./bin", "::bin:..:", "bin"] {
            let found = candidates(System::Linux, &environment(home.path(), list));
            assert!(
                found
                    .iter()
                    .all(|candidate| !candidate.shown.starts_with("PATH")),
                "{list:?}: {found:?}"
            );
        }
        let found = candidates(System::Linux, &environment(home.path(), ".:/usr/games:"));
        let from_path: Vec<_> = found
            .iter()
            .filter(|candidate| candidate.shown.starts_with("PATH"))
            .map(|candidate| candidate.path.as_path())
            .collect();
        assert_eq!(
            from_path,
            [
                Path::new("/usr/games/obsidian-cli"),
                Path::new("/usr/games/obsidian")
            ]
        );
    }

    #[test]
    fn known_places_come_before_path_on_every_system() {
        let environment = Environment::new(
            [
                ("HOME".into(), "/home/u".into()),
                ("LOCALAPPDATA".into(), "/local".into()),
                ("PATH".into(), "/usr/bin".into()),
            ],
            None,
        );
        let first = |system| candidates(system, &environment).remove(0);
        assert_eq!(
            first(System::Linux).path,
            Path::new("/home/u/.local/bin/obsidian")
        );
        assert_eq!(first(System::Linux).shown, "~/.local/bin/obsidian");
        assert_eq!(
            first(System::MacOs).path,
            Path::new("/Applications/Obsidian.app/Contents/MacOS/obsidian-cli")
        );
        assert_eq!(
            first(System::Windows).path,
            Path::new("/local/Programs/Obsidian/Obsidian.com")
        );
        let last = candidates(System::Linux, &environment).pop().unwrap();
        assert_eq!(last.path, Path::new("/usr/bin/obsidian"));
    }

    #[test]
    fn c05_each_kind_of_unusable_file_has_its_own_answer() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs_err::create_dir(at("folder")).unwrap();
        fs_err::write(at("plain"), SCRIPT).unwrap();
        program(&at("text"), "echo pwned\n");
        let mut elf = vec![0_u8; 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[18] = 22;
        fs_err::write(at("foreign"), &elf).unwrap();
        fs_err::set_permissions(at("foreign"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let answer = |name: &str| examine(&at(name), name).unwrap_err();
        assert_eq!(answer("absent"), Unusable::Missing);
        assert_eq!(answer("plain/below"), Unusable::Missing);
        assert_eq!(answer("folder"), Unusable::Folder);
        assert_eq!(answer("plain"), Unusable::NotExecutable);
        assert_eq!(answer("text"), Unusable::NotAProgram);
        assert_eq!(answer("foreign"), Unusable::WrongArchitecture);
    }

    #[test]
    fn c05_the_setting_answers_with_code_reason_and_shell_meaning() {
        let root = tempfile::tempdir().unwrap();
        let environment = environment(root.path(), "");
        let absent = root.path().join("absent");
        let failure = locate(&absent.to_string_lossy(), &environment).unwrap_err();
        assert_eq!(failure.code, Code::CliUnavailable);
        assert_eq!(failure.details["shellExitCode"], 127);
        assert!(!failure.to_string().contains(&*absent.to_string_lossy()));
        let failure = locate(&root.path().to_string_lossy(), &environment).unwrap_err();
        assert_eq!(failure.details["shellExitCode"], 126);
        assert_eq!(failure.details["reason"], "folder");
        for relative in [
            "./obsidian",
            "bin/obsidian",
            "~/obsidian",
            "obsidian-cli",
            "",
        ] {
            let failure = locate(relative, &environment).unwrap_err();
            assert_eq!(failure.details["reason"], "relative-path", "{relative}");
        }
    }

    #[test]
    fn b11_batch_files_are_refused_by_name_before_anything_else() {
        for name in ["/x/obsidian.bat", "/x/OBSIDIAN.CMD", "/x/o.Bat"] {
            assert_eq!(
                examine(Path::new(name), name).unwrap_err(),
                Unusable::BatchFile
            );
        }
    }

    #[test]
    fn g06_the_thin_one_wins_over_an_earlier_desktop_app() {
        let root = tempfile::tempdir().unwrap();
        program(
            &root.path().join("app/obsidian"),
            "#!/bin/sh\nexec electron\n",
        );
        program(&root.path().join("wrap/obsidian"), SCRIPT);
        let cli = root.path().join("cli/obsidian-cli");
        fs_err::create_dir(root.path().join("cli")).unwrap();
        fs_err::copy("/bin/sh", &cli).unwrap();
        let names = [
            "absent",
            "app/obsidian",
            "wrap/obsidian",
            "cli/obsidian-cli",
        ];
        let all = places(root.path(), &names);
        assert_eq!(search(&all).unwrap().kind(), Kind::Cli);
        assert_eq!(search(&all[..3]).unwrap().kind(), Kind::Unknown);
        assert_eq!(search(&all[..2]).unwrap().kind(), Kind::App);
        let failure = search(&all[..1]).unwrap_err();
        assert_eq!(failure.code, Code::CliUnavailable);
        assert_eq!(failure.details["attempted"], Value::from(vec!["absent"]));
    }

    #[test]
    fn c02_an_untrusted_place_is_passed_over_and_named_when_nothing_else_is_there() {
        let root = tempfile::tempdir().unwrap();
        let open = root.path().join("open/obsidian");
        program(&open, SCRIPT);
        fs_err::set_permissions(&open, std::fs::Permissions::from_mode(0o757)).unwrap();
        program(&root.path().join("safe/obsidian"), SCRIPT);
        let all = places(root.path(), &["open/obsidian", "safe/obsidian"]);
        assert!(search(&all).unwrap().path().ends_with("safe/obsidian"));
        let failure = search(&all[..1]).unwrap_err();
        assert_eq!(failure.code, Code::CliUntrusted);
        assert_eq!(failure.details["reason"], "file-writable");
        assert_eq!(failure.details["found"]["open/obsidian"], "file-writable");
        let failure = locate(&open.to_string_lossy(), &environment(root.path(), "")).unwrap_err();
        assert_eq!(failure.code, Code::CliUntrusted);
    }
}
