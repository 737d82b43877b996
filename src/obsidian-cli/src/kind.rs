//! Distinguishes the two programs called `obsidian`: the thin command line, and the desktop app,
//! which starts Electron and never exits (`threats.toml` G06).

use std::path::Path;

use serde::Serialize;

use super::image::Image;
use super::probe::AppInstance;
use crate::error::Error;
use protocol::Failure;

/// The kind of program that a binary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BinaryKind {
    /// The thin command line. Connects to the app and never starts it.
    Cli,
    /// Unknown. Treated like a program that might start the app.
    Unknown,
    /// The desktop app, or a wrapper script for it.
    App,
}

/// Maximum size of the thin command line. It has about 18 KB (`official-cli.md` §3); any file up to
/// 4 MiB that is not among the app's files is assumed to be it.
const LARGEST_THIN: u64 = 4 * 1024 * 1024;

/// Minimum size of the Electron program, which has about 220 MB (`official-cli.md` §3).
const SMALLEST_ELECTRON: u64 = 100 * 1024 * 1024;

/// Words in scripts that start the desktop app.
const APP_WORDS: [&str; 6] = [
    "electron",
    "app.asar",
    "flatpak",
    "snap run",
    "appimage",
    "obsidian.app/contents/macos/obsidian\"",
];

/// Files of Electron.
const OF_ELECTRON: [&str; 3] = [
    "resources/app.asar",
    "chrome-sandbox",
    "chrome_crashpad_handler",
];

/// Whether files of Electron are in the folder of a binary.
pub(super) fn is_beside_electron(real: &Path) -> bool {
    let folder = real.parent();
    folder.is_some_and(|it| OF_ELECTRON.iter().any(|name| it.join(name).exists()))
}

/// Classifies the binary of `size` bytes at `real`, its path without symbolic links.
pub(super) fn kind_of(
    real: &Path,
    image: &Image,
    size: u64,
    is_beside_electron: bool,
) -> BinaryKind {
    let name = real
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let folder = real.to_string_lossy().replace('\\', "/").to_lowercase();
    let exported = name == "snap"
        || folder.starts_with("/snap/")
        || folder.contains("/flatpak/exports/")
        || name.ends_with(".appimage")
        || matches!(
            image,
            Image::Elf {
                app_image: true,
                ..
            }
        );
    if exported {
        return BinaryKind::App;
    }
    match image {
        Image::Portable if name == "obsidian.com" => BinaryKind::Cli,
        Image::Portable if name == "obsidian.exe" => BinaryKind::App,
        Image::Portable | Image::NotAProgram => BinaryKind::Unknown,
        Image::Script { head } => {
            let head = head.to_lowercase();
            if APP_WORDS.iter().any(|word| head.contains(word)) {
                BinaryKind::App
            } else {
                BinaryKind::Unknown
            }
        }
        Image::Elf { .. } | Image::MachO { .. } => {
            if size >= SMALLEST_ELECTRON {
                BinaryKind::App
            } else if name == "obsidian-cli" {
                // On Linux and macOS the thin command line is in the app's folder.
                BinaryKind::Cli
            } else if is_beside_electron || folder.contains(".app/contents/macos/") {
                BinaryKind::App
            } else if size <= LARGEST_THIN {
                BinaryKind::Cli
            } else {
                BinaryKind::Unknown
            }
        }
    }
}

/// Refuses to run the desktop app's binary if no running app was found: it would start the app and
/// never return (`threats.toml` G06). Without a probe, the app counts as not found.
///
/// # Errors
///
/// `APP_NOT_RUNNING`.
pub fn refuse_app_start(kind: BinaryKind, instance: Option<&AppInstance>) -> Result<(), Failure> {
    if kind == BinaryKind::App && instance.is_none() {
        return Err(Error::OnlyDesktopApp.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;

    const ELF: Image = Image::Elf {
        runs_here: true,
        is_wide: true,
        interpreter: None,
        app_image: false,
    };

    #[test]
    fn g06_the_desktop_app_is_distinguished_from_the_command_line() {
        use BinaryKind::{App, Cli, Unknown};
        let script = |head: &str| Image::Script { head: head.into() };
        let electron = script("#!/bin/sh\nexec electron39 /usr/lib/obsidian/app.asar");
        let other = script("#!/bin/sh\nexec /opt/o-cli \"$@\"\n");
        let flatpak = "/var/lib/flatpak/exports/bin/md.obsidian.Obsidian";
        let mac = Image::MachO { runs_here: true };
        let in_bundle = |name: &str| format!("/Applications/Obsidian.app/Contents/MacOS/{name}");
        for (path, image, size, beside_electron, kind) in [
            ("/opt/Obsidian/obsidian-cli", &ELF, 18_000, true, Cli),
            ("/home/u/.local/bin/obsidian", &ELF, 18_000, false, Cli),
            ("/opt/Obsidian/obsidian", &ELF, 220_000_000, true, App),
            ("/opt/Obsidian/obsidian", &ELF, 60_000, true, App),
            ("/usr/bin/obsidian", &ELF, 220_000_000, false, App),
            ("/usr/bin/snap", &ELF, 14_000_000, false, App),
            ("/snap/obsidian/1/obsidian", &ELF, 18_000, false, App),
            ("/x/obsidian", &ELF, 20_000_000, false, Unknown),
            ("/usr/bin/obsidian", &electron, 90, false, App),
            (flatpak, &script("#!/bin/sh\n"), 90, false, App),
            ("/x/obsidian", &other, 90, false, Unknown),
            (&in_bundle("obsidian-cli"), &mac, 60_000, false, Cli),
            (&in_bundle("Obsidian"), &mac, 60_000, false, App),
            ("/O/Obsidian.com", &Image::Portable, 22_000, false, Cli),
            ("/O/Obsidian.exe", &Image::Portable, 180_000_000, false, App),
        ] {
            let found = kind_of(Path::new(path), image, size, beside_electron);
            assert_eq!(found, kind, "{path} {size}");
        }
    }

    #[test]
    fn g06_the_desktop_app_is_never_run_while_the_app_is_absent() {
        let refusal = refuse_app_start(BinaryKind::App, None).unwrap_err();
        assert_eq!(refusal.code, Code::AppNotRunning);
        assert!(refuse_app_start(BinaryKind::Cli, None).is_ok());
        assert!(refuse_app_start(BinaryKind::Unknown, None).is_ok());
        let instance = AppInstance::default();
        assert!(refuse_app_start(BinaryKind::App, Some(&instance)).is_ok());
    }
}
