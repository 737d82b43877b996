//! The way in which the app is installed, if that decides whether vault-gw reaches it: a Flatpak, a Snap, or the app of Windows
//! under WSL (`official-cli.md` §3).

use std::path::{Path, PathBuf};

use super::check::DoctorCheck;
use sandbox::Environment;

const NAME: &str = "package";
/// The name of the app's socket.
const SOCKET: &str = ".obsidian-cli.sock";

/// A package that gives the app a folder of its own for sockets.
struct Package {
    /// The name of such a package in a sentence.
    kind: &'static str,
    /// Its folder in the home folder, by which it is recognised.
    home: &'static str,
    /// The folder of its sockets, below `XDG_RUNTIME_DIR`.
    runtime: &'static str,
    /// A way to reach the app without another `XDG_RUNTIME_DIR`.
    remedy: &'static str,
}

/// The folders are those of Flatpak for `xdg-run`, and of snapd's `snapenv.go` for `XDG_RUNTIME_DIR`.
const PACKAGES: [Package; 2] = [
    Package {
        kind: "a Flatpak",
        home: ".var/app/md.obsidian.Obsidian",
        runtime: ".flatpak/md.obsidian.Obsidian/xdg-run",
        remedy: "Update Obsidian to 1.13.0 or later",
    },
    Package {
        kind: "a Snap",
        home: "snap/obsidian",
        runtime: "snap.obsidian",
        remedy: "Install the .deb or the AppImage of Obsidian instead",
    },
];

/// Returns the checks for the packages and the Windows app that are found. `is_listening` says whether an app answers
/// on the usual socket.
pub(super) fn checks(environment: &Environment, is_listening: bool) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    if let Some(home) = environment.absolute_path("HOME") {
        let runtime = environment.absolute_path("XDG_RUNTIME_DIR");
        checks.extend(packages(&home, runtime.as_deref(), is_listening));
    }
    // If the file cannot be read, this is not WSL.
    let release = fs_err::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    checks.extend(windows_app(&release, Path::new("/mnt"), is_listening));
    checks
}

fn packages(home: &Path, runtime: Option<&Path>, is_listening: bool) -> Vec<DoctorCheck> {
    let found = PACKAGES
        .iter()
        .filter(|package| home.join(package.home).is_dir());
    let check = |package: &Package| {
        let Package { kind, remedy, .. } = package;
        let installed = format!("Obsidian is installed as {kind}");
        if is_listening {
            return DoctorCheck::ok(
                NAME,
                format!("{installed}, and an app answers on the usual socket"),
            );
        }
        let own = runtime.map(|runtime| runtime.join(package.runtime));
        match own.filter(|own| own.join(SOCKET).exists()) {
            Some(own) => DoctorCheck::warning(
                NAME,
                format!(
                    "{installed} and runs, but the command line cannot find the app's socket in `{}`; vault-gw answers without the app",
                    own.display()
                ),
                &format!("{remedy}, or start vault-gw with `XDG_RUNTIME_DIR` set to that folder."),
            ),
            None => DoctorCheck::ok(
                NAME,
                format!(
                    "{installed}, and does not run or its command line is off; vault-gw answers without the app"
                ),
            ),
        }
    };
    found.map(check).collect()
}

/// Returns the check for the app of Windows, if this is WSL by the `release` of the kernel. `drives` is the folder with
/// the drives of Windows.
fn windows_app(release: &str, drives: &Path, is_listening: bool) -> Option<DoctorCheck> {
    if !release.to_lowercase().contains("microsoft") {
        return None;
    }
    if is_listening {
        return Some(DoctorCheck::ok(
            NAME,
            "WSL, and an app for Linux answers on the usual socket",
        ));
    }
    Some(match windows_binary(drives) {
        Some(binary) => DoctorCheck::noted(
            NAME,
            format!(
                "WSL; Obsidian for Windows is installed (`{}`), which vault-gw for Linux cannot reach; vault-gw answers without the app",
                binary.display()
            ),
            "To use Obsidian, run vault-gw for Windows. In WSL, the path of a vault on a Windows drive begins with `/mnt`, as in `/mnt/c/Users/NAME/Documents/VAULT`.",
        ),
        None => DoctorCheck::ok(
            NAME,
            format!(
                "WSL; Obsidian for Windows is not in its usual folders below `{}`; vault-gw answers without the app",
                drives.display()
            ),
        ),
    })
}

/// Returns the command line of the app on one of the drives, in the folders of its installers.
fn windows_binary(drives: &Path) -> Option<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        // A folder that cannot be listed has no binary for this user.
        let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let is_letter = |drive: &PathBuf| {
        let name = drive.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| {
            name.len() == 1 && name.starts_with(|c: char| c.is_ascii_lowercase())
        })
    };
    let candidates = |drive: PathBuf| {
        let users = below(&drive.join("Users")).into_iter().flat_map(|user| {
            let local = user.join("AppData/Local");
            [local.join("Programs/Obsidian"), local.join("Obsidian")]
        });
        let all: Vec<PathBuf> = users
            .chain([drive.join("Program Files/Obsidian")])
            .collect();
        all
    };
    let folders = below(drives)
        .into_iter()
        .filter(is_letter)
        .flat_map(candidates);
    folders
        .map(|folder| folder.join("Obsidian.com"))
        .find(|binary| binary.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state, message and remedy of each check, without the folder of the test.
    fn shown(checks: impl IntoIterator<Item = DoctorCheck>, root: &Path) -> Vec<String> {
        let show = |check: DoctorCheck| {
            let remedy = check.remedy.unwrap_or_default();
            let text = format!("{:?}: {} {remedy}", check.state, check.message);
            text.replace(&root.display().to_string(), "")
        };
        checks.into_iter().map(show).collect()
    }

    #[test]
    fn a_package_is_reached_by_the_usual_socket_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let (home, runtime) = (root.path().join("home"), root.path().join("run"));
        let ask = |is_listening| shown(packages(&home, Some(&runtime), is_listening), root.path());
        assert_eq!(ask(false), [""; 0]);
        fs_err::create_dir_all(home.join(".var/app/md.obsidian.Obsidian")).unwrap();
        let off = "Ok: Obsidian is installed as a Flatpak, and does not run or its command line is off; vault-gw answers without the app ";
        assert_eq!(ask(false), [off]);
        assert_eq!(
            ask(true),
            ["Ok: Obsidian is installed as a Flatpak, and an app answers on the usual socket "]
        );
        let own = runtime.join(".flatpak/md.obsidian.Obsidian/xdg-run");
        fs_err::create_dir_all(&own).unwrap();
        assert_eq!(ask(false), [off]);
        fs_err::write(own.join(SOCKET), "").unwrap();
        fs_err::create_dir_all(home.join("snap/obsidian")).unwrap();
        fs_err::create_dir_all(runtime.join("snap.obsidian")).unwrap();
        fs_err::write(runtime.join("snap.obsidian").join(SOCKET), "").unwrap();
        assert_eq!(
            ask(false),
            [
                "Warning: Obsidian is installed as a Flatpak and runs, but the command line cannot find the app's socket in `/run/.flatpak/md.obsidian.Obsidian/xdg-run`; vault-gw answers without the app Update Obsidian to 1.13.0 or later, or start vault-gw with `XDG_RUNTIME_DIR` set to that folder.",
                "Warning: Obsidian is installed as a Snap and runs, but the command line cannot find the app's socket in `/run/snap.obsidian`; vault-gw answers without the app Install the .deb or the AppImage of Obsidian instead, or start vault-gw with `XDG_RUNTIME_DIR` set to that folder.",
            ]
        );
    }

    #[test]
    fn under_wsl_the_app_of_windows_is_named() {
        const WSL: &str = "5.15.167.4-microsoft-standard-WSL2\n";
        let root = tempfile::tempdir().unwrap();
        let drives = root.path().join("mnt");
        let ask =
            |release, is_listening| shown(windows_app(release, &drives, is_listening), root.path());
        assert_eq!(ask("6.8.0-45-generic\n", false), [""; 0]);
        assert_eq!(
            ask(WSL, true),
            ["Ok: WSL, and an app for Linux answers on the usual socket "]
        );
        // Not a drive.
        fs_err::create_dir_all(drives.join("wsl/Program Files/Obsidian")).unwrap();
        fs_err::write(drives.join("wsl/Program Files/Obsidian/Obsidian.com"), "").unwrap();
        assert_eq!(
            ask(WSL, false),
            [
                "Ok: WSL; Obsidian for Windows is not in its usual folders below `/mnt`; vault-gw answers without the app "
            ]
        );
        let installed = drives.join("c/Users/ana/AppData/Local/Programs/Obsidian");
        fs_err::create_dir_all(&installed).unwrap();
        fs_err::write(installed.join("Obsidian.com"), "").unwrap();
        assert_eq!(
            ask(WSL, false),
            [
                "Ok: WSL; Obsidian for Windows is installed (`/mnt/c/Users/ana/AppData/Local/Programs/Obsidian/Obsidian.com`), which vault-gw for Linux cannot reach; vault-gw answers without the app To use Obsidian, run vault-gw for Windows. In WSL, the path of a vault on a Windows drive begins with `/mnt`, as in `/mnt/c/Users/NAME/Documents/VAULT`."
            ]
        );
    }
}
