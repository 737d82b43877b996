//! Finds the official binary: in the settings, in the known install locations, then in `PATH`
//! (`official-cli.md` §3, `threats.toml` G06).

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use vault_engine::OperatingSystem;

use super::binary::{Binary, BinaryIdentity, is_shadowed};
use super::image::Image;
use super::kind::{BinaryKind, is_beside_electron, kind_of};
use super::trust::{self, Distrust};
use crate::error::Error;
use protocol::{Code, Failure};
use sandbox::Environment;

/// The value of `obsidian_path` that requests a search.
pub const SEARCH: &str = "obsidian";

/// A location to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryCandidate {
    /// The path to check.
    pub path: PathBuf,
    /// The name of the path in messages to agents: `~` for the home folder, `PATH` for a folder in `PATH`.
    pub shown: String,
}

/// Reason why a binary cannot be used. Its name in `details` never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum UnusableBinary {
    /// The path does not exist.
    #[error("does not exist")]
    Missing,
    /// The path is a folder.
    #[error("is a folder")]
    Folder,
    /// This user may not execute the file.
    #[error("is not executable")]
    NotExecutable,
    /// Neither a program nor a script with a `#!` line.
    #[error("is not a program")]
    NotAProgram,
    /// A program for another processor or operating system.
    #[error("is built for another processor or operating system")]
    WrongArchitecture,
    /// A Windows batch file, whose arguments `cmd.exe` would parse again (`threats.toml` B11).
    #[error("is a batch file")]
    BatchFile,
    /// A file next to it has the same name with `.exe` appended, and Windows would start that file.
    #[error(
        "cannot be used, because Windows would run another file instead: the file next to it with \
        `.exe` added to the name"
    )]
    Shadowed,
    /// A folder on the way is closed to this user, or a link leads nowhere.
    #[error(
        "cannot be reached: this user cannot open a folder of the path, or a symbolic link is broken"
    )]
    Unreachable,
    /// The file could not be read.
    #[error("could not be read")]
    Unreadable,
    /// Other users could replace it.
    #[error("is not trusted: {0}")]
    #[serde(untagged)]
    Untrusted(Distrust),
}

impl UnusableBinary {
    /// Returns the exit status that a shell would report: 127 for not found, 126 for not executable.
    pub(super) const fn shell_exit_code(self) -> u8 {
        match self {
            Self::Missing => 127,
            _ => 126,
        }
    }
}

/// Finds the binary according to the setting `obsidian_path`.
///
/// # Errors
///
/// `CLI_UNAVAILABLE` if there is no usable binary, `CLI_UNTRUSTED` if other users could replace it.
pub fn locate(setting: &str, environment: &Environment) -> Result<Binary, Failure> {
    match wanted(setting)? {
        Some(path) => {
            let shown = "the obsidian_path setting";
            examine(&path, shown).map_err(|problem| unusable(problem, shown))
        }
        None => search(&candidates(OperatingSystem::CURRENT, environment)),
    }
}

/// Returns the path in the setting; `None` if it requests a search.
fn wanted(setting: &str) -> Result<Option<PathBuf>, Failure> {
    if setting == SEARCH {
        return Ok(None);
    }
    let path = Path::new(setting);
    if path.is_absolute() {
        return Ok(Some(path.to_path_buf()));
    }
    Err(Error::RelativePath.into())
}

/// Returns every location to check, in order of preference.
pub fn candidates(system: OperatingSystem, environment: &Environment) -> Vec<BinaryCandidate> {
    let known: &[&str] = match system {
        OperatingSystem::Linux => &[
            "~/.local/bin/obsidian",
            "/opt/Obsidian/obsidian-cli",
            "/usr/lib/obsidian/obsidian-cli",
            "/usr/local/bin/obsidian",
            "/usr/bin/obsidian-cli",
        ],
        OperatingSystem::Macos => &[
            "/Applications/Obsidian.app/Contents/MacOS/obsidian-cli",
            "~/Applications/Obsidian.app/Contents/MacOS/obsidian-cli",
            "/usr/local/bin/obsidian",
        ],
        OperatingSystem::Windows => &[],
    };
    let home = environment.absolute_path("HOME");
    let mut found: Vec<BinaryCandidate> = known
        .iter()
        .filter_map(|shown| {
            let path = match shown.strip_prefix("~/") {
                Some(rest) => home.as_ref()?.join(rest),
                None => PathBuf::from(shown),
            };
            Some(BinaryCandidate {
                path,
                shown: (*shown).to_owned(),
            })
        })
        .collect();
    if system == OperatingSystem::Windows {
        let installs = [
            ("LOCALAPPDATA", "Programs/Obsidian/Obsidian.com"),
            ("LOCALAPPDATA", "Obsidian/Obsidian.com"),
            ("ProgramFiles", "Obsidian/Obsidian.com"),
        ];
        found.extend(installs.iter().filter_map(|(variable, rest)| {
            Some(BinaryCandidate {
                path: environment.absolute_path(variable)?.join(rest),
                shown: format!("%{variable}%/{rest}"),
            })
        }));
    }
    found.extend(path_candidates(system, environment));
    found
}

/// Candidates in the absolute folders of `PATH`. Empty and relative entries are skipped: they would
/// let the working directory choose the program (`threats.toml` C01).
fn path_candidates(
    system: OperatingSystem,
    environment: &Environment,
) -> impl Iterator<Item = BinaryCandidate> {
    // The thin command line comes first.
    let names: &[&str] = match system {
        OperatingSystem::Linux | OperatingSystem::Macos => &["obsidian-cli", "obsidian"],
        OperatingSystem::Windows => &["Obsidian.com"],
    };
    let folders = environment.search_path().into_iter();
    folders.flat_map(move |folder| {
        names.iter().map(move |name| BinaryCandidate {
            path: folder.join(name),
            shown: format!("PATH ({name})"),
        })
    })
}

/// Chooses a usable candidate: the thin command line, otherwise a binary of unknown kind, otherwise
/// the desktop app. Among equals the first one wins.
fn search(candidates: &[BinaryCandidate]) -> Result<Binary, Failure> {
    let mut best: Option<Binary> = None;
    let mut attempted: Vec<Value> = Vec::new();
    let mut found = Map::new();
    let mut distrust = None;
    for candidate in candidates {
        if !attempted.iter().any(|shown| shown == &candidate.shown) {
            attempted.push(candidate.shown.clone().into());
        }
        match examine(&candidate.path, &candidate.shown) {
            Ok(binary) if binary.kind == BinaryKind::Cli => return Ok(binary),
            Ok(binary) => {
                if best.as_ref().is_none_or(|best| binary.kind < best.kind) {
                    best = Some(binary);
                }
            }
            // Keep searching after an unusable candidate, because another installation may work. A
            // folder that this user may not enter counts as empty: `PATH` often has the folder of
            // another user.
            Err(UnusableBinary::Missing | UnusableBinary::Unreachable) => {}
            Err(problem) => {
                if let UnusableBinary::Untrusted(reason) = problem {
                    distrust.get_or_insert(reason);
                }
                found.insert(candidate.shown.clone(), json!(problem));
            }
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    Err(match distrust {
        Some(reason) => Error::Untrusted(reason, attempted, found),
        None => Error::NotFound(attempted, found),
    }
    .into())
}

fn unusable(problem: UnusableBinary, shown: &str) -> Failure {
    let failure = Failure::from(Error::Unusable(problem, shown.to_owned()));
    match problem {
        UnusableBinary::Untrusted(_) => failure.with_code(Code::CliUntrusted),
        _ => failure,
    }
}

/// Checks one location for a program that runs on this machine and that other users cannot replace.
///
/// # Errors
///
/// The reason why the binary cannot be used.
pub fn examine(path: &Path, shown: &str) -> Result<Binary, UnusableBinary> {
    if is_batch_file(path) {
        return Err(UnusableBinary::BatchFile);
    }
    let real = fs_err::canonicalize(path)
        .map_err(|error| missing_or(UnusableBinary::Unreachable, &error))?;
    // Check the file that runs: a link or a name that Windows shortens may lead to a batch file.
    if is_batch_file(&real) {
        return Err(UnusableBinary::BatchFile);
    }
    let real = dunce::simplified(&real).to_owned();
    let unreadable = |error| missing_or(UnusableBinary::Unreadable, &error);
    let found = fs_err::metadata(&real).map_err(unreadable)?;
    if found.is_dir() {
        return Err(UnusableBinary::Folder);
    }
    if !found.is_file() {
        return Err(UnusableBinary::NotAProgram);
    }
    trust::check(path).map_err(UnusableBinary::Untrusted)?;
    // The path may lead to another file than before, so check the file that runs.
    trust::check(&real).map_err(UnusableBinary::Untrusted)?;
    if !executable(&real) {
        return Err(UnusableBinary::NotExecutable);
    }
    if is_shadowed(&real) {
        return Err(UnusableBinary::Shadowed);
    }
    // Take the identity before reading the content, so that a swap in between is detected.
    let identity = BinaryIdentity::read(&real).map_err(unreadable)?;
    let image = Image::read(&real).map_err(unreadable)?;
    if image == Image::NotAProgram {
        return Err(UnusableBinary::NotAProgram);
    }
    if !image.runs_here() {
        return Err(UnusableBinary::WrongArchitecture);
    }
    let kind = kind_of(&real, &image, identity.size, is_beside_electron(&real));
    Ok(Binary {
        path: real,
        place_for_agents: shown.to_owned(),
        kind,
        identity,
    })
}

fn is_batch_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("bat") || end.eq_ignore_ascii_case("cmd"))
}

fn missing_or(otherwise: UnusableBinary, error: &io::Error) -> UnusableBinary {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    if missing.contains(&error.kind()) {
        UnusableBinary::Missing
    } else {
        otherwise
    }
}

#[cfg(unix)]
fn executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(windows)]
fn executable(_path: &Path) -> bool {
    // Windows has no executable bit. The content of the file is checked next.
    true
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const CASES: &str = include_str!("locate_cases.txt");

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

    fn places(root: &Path, names: &[&str]) -> Vec<BinaryCandidate> {
        names
            .iter()
            .map(|name| BinaryCandidate {
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
            let found = candidates(OperatingSystem::Linux, &environment(home.path(), list));
            assert!(
                found
                    .iter()
                    .all(|candidate| !candidate.shown.starts_with("PATH")),
                "{list:?}: {found:?}"
            );
        }
        let found = candidates(
            OperatingSystem::Linux,
            &environment(home.path(), ".:/usr/games:"),
        );
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
            first(OperatingSystem::Linux).path,
            Path::new("/home/u/.local/bin/obsidian")
        );
        assert_eq!(first(OperatingSystem::Linux).shown, "~/.local/bin/obsidian");
        assert_eq!(
            first(OperatingSystem::Macos).path,
            Path::new("/Applications/Obsidian.app/Contents/MacOS/obsidian-cli")
        );
        assert_eq!(
            first(OperatingSystem::Windows).path,
            Path::new("/local/Programs/Obsidian/Obsidian.com")
        );
        let last = candidates(OperatingSystem::Linux, &environment)
            .pop()
            .unwrap();
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
        assert_eq!(answer("absent"), UnusableBinary::Missing);
        assert_eq!(answer("plain/below"), UnusableBinary::Missing);
        assert_eq!(answer("folder"), UnusableBinary::Folder);
        assert_eq!(answer("plain"), UnusableBinary::NotExecutable);
        assert_eq!(answer("text"), UnusableBinary::NotAProgram);
        assert_eq!(answer("foreign"), UnusableBinary::WrongArchitecture);
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
        for relative in tables::lines(CASES, "c05 the setting answers with code reason") {
            let failure = locate(relative, &environment).unwrap_err();
            assert_eq!(failure.details["reason"], "relative-path", "{relative}");
        }
    }

    #[test]
    fn b11_batch_files_are_refused_by_name_before_anything_else() {
        for name in ["/x/obsidian.bat", "/x/OBSIDIAN.CMD", "/x/o.Bat"] {
            assert_eq!(
                examine(Path::new(name), name).unwrap_err(),
                UnusableBinary::BatchFile
            );
        }
    }

    #[test]
    fn b11_a_link_to_a_batch_file_is_one() {
        let root = tempfile::tempdir().unwrap();
        program(&root.path().join("o.bat"), SCRIPT);
        let link = root.path().join("obsidian");
        std::os::unix::fs::symlink("o.bat", &link).unwrap();
        assert_eq!(examine(&link, "x").unwrap_err(), UnusableBinary::BatchFile);
    }

    #[test]
    fn where_nobody_can_look_nothing_is_found_and_nothing_is_wrong() {
        let root = tempfile::tempdir().unwrap();
        // Root may enter every folder, so this test closes the way with a link to itself.
        let closed = root.path().join("closed");
        std::os::unix::fs::symlink("closed", &closed).unwrap();
        let all = places(root.path(), &["closed/obsidian", "absent"]);
        let failure = search(&all).unwrap_err();
        assert_eq!(failure.code, Code::CliUnavailable);
        assert!(!failure.details.contains_key("found"), "{failure:?}");
        let named = closed.join("obsidian");
        let failure = locate(&named.to_string_lossy(), &environment(root.path(), "")).unwrap_err();
        assert_eq!(failure.details["reason"], "unreachable");
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
        assert_eq!(search(&all).unwrap().kind, BinaryKind::Cli);
        assert_eq!(search(&all[..3]).unwrap().kind, BinaryKind::Unknown);
        assert_eq!(search(&all[..2]).unwrap().kind, BinaryKind::App);
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
        assert!(search(&all).unwrap().path.ends_with("safe/obsidian"));
        let failure = search(&all[..1]).unwrap_err();
        assert_eq!(failure.code, Code::CliUntrusted);
        assert_eq!(failure.details["reason"], "file-writable");
        assert_eq!(failure.details["found"]["open/obsidian"], "file-writable");
        let failure = locate(&open.to_string_lossy(), &environment(root.path(), "")).unwrap_err();
        assert_eq!(failure.code, Code::CliUntrusted);
    }
}
