//! Two different programs answer to `obsidian`: the thin command line, and the desktop app
//! itself, which starts Electron and never exits (`faults.md` §4.1). This tells them apart.

use std::path::Path;

use serde::Serialize;

use super::image::Image;
use super::probe::AppInstance;
use crate::code::Code;
use crate::failure::Failure;

/// Which of the two programs a binary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The thin command line: connects to the app and never starts it.
    Cli,
    /// Cannot be told; treated as one that might start the app.
    Unknown,
    /// The desktop app, or a wrapper that starts it.
    App,
}

/// The thin command line is about 18 KB (`official-cli.md` §3); anything up to 4 MiB that does
/// not stand among the app's files is taken for it.
const LARGEST_THIN: u64 = 4 * 1024 * 1024;

/// The Electron program is about 220 MB (`official-cli.md` §3).
const SMALLEST_ELECTRON: u64 = 100 * 1024 * 1024;

/// Words that a script which starts the desktop app holds.
const APP_WORDS: [&str; 6] = [
    "electron",
    "app.asar",
    "flatpak",
    "snap run",
    "appimage",
    "obsidian.app/contents/macos/obsidian\"",
];

/// Facts about a binary's surroundings that decide its kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    /// Its size in bytes.
    pub size: u64,
    /// Whether Electron's own files lie beside it.
    pub beside_electron: bool,
}

impl Surroundings {
    /// Looks around `real`, the binary's path without symbolic links.
    pub fn of(real: &Path, size: u64) -> Self {
        let beside_electron = real.parent().is_some_and(|folder| {
            [
                "resources/app.asar",
                "chrome-sandbox",
                "chrome_crashpad_handler",
            ]
            .iter()
            .any(|name| folder.join(name).exists())
        });
        Self {
            size,
            beside_electron,
        }
    }
}

/// Classifies the binary at `real`, its path without symbolic links.
pub fn kind_of(real: &Path, image: &Image, surroundings: Surroundings) -> Kind {
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
        return Kind::App;
    }
    match image {
        Image::Portable if name == "obsidian.com" => Kind::Cli,
        Image::Portable if name == "obsidian.exe" => Kind::App,
        Image::Portable | Image::NotAProgram => Kind::Unknown,
        Image::Script { head } => {
            let head = head.to_lowercase();
            if APP_WORDS.iter().any(|word| head.contains(word)) {
                Kind::App
            } else {
                Kind::Unknown
            }
        }
        Image::Elf { .. } | Image::MachO { .. } => {
            if surroundings.size >= SMALLEST_ELECTRON {
                Kind::App
            } else if name == "obsidian-cli" {
                // On Linux and macOS the thin one lies in the app's own folder.
                Kind::Cli
            } else if surroundings.beside_electron || folder.contains(".app/contents/macos/") {
                Kind::App
            } else if surroundings.size <= LARGEST_THIN {
                Kind::Cli
            } else {
                Kind::Unknown
            }
        }
    }
}

/// Refuses to run the desktop app's own binary unless a running app was seen: it would start one
/// and never return (`faults.md` G06). Not seen includes "not looked for".
pub fn refuse_app_start(kind: Kind, instance: Option<&AppInstance>) -> Result<(), Failure> {
    if kind == Kind::App && instance.is_none() {
        return Err(Failure::new(
            Code::AppNotRunning,
            "Obsidian is not running, and the configured binary is the desktop app itself, which \
             this program never starts. Start Obsidian, or set obsidian_path to obsidian-cli.",
        )
        .with("binaryKind", "app"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELF: Image = Image::Elf {
        runs_here: true,
        interpreter: None,
        app_image: false,
    };

    fn at(path: &str, image: &Image, size: u64, beside_electron: bool) -> Kind {
        let surroundings = Surroundings {
            size,
            beside_electron,
        };
        kind_of(Path::new(path), image, surroundings)
    }

    #[test]
    fn g06_the_desktop_app_is_told_from_the_command_line() {
        let script = |head: &str| Image::Script { head: head.into() };
        let mac = Image::MachO { runs_here: true };
        let table = [
            (
                at("/opt/Obsidian/obsidian-cli", &ELF, 18_000, true),
                Kind::Cli,
            ),
            (
                at("/home/u/.local/bin/obsidian", &ELF, 18_000, false),
                Kind::Cli,
            ),
            (
                at("/opt/Obsidian/obsidian", &ELF, 220_000_000, true),
                Kind::App,
            ),
            (at("/opt/Obsidian/obsidian", &ELF, 60_000, true), Kind::App),
            (at("/usr/bin/obsidian", &ELF, 220_000_000, false), Kind::App),
            (at("/usr/bin/snap", &ELF, 14_000_000, false), Kind::App),
            (
                at("/snap/obsidian/1/obsidian", &ELF, 18_000, false),
                Kind::App,
            ),
            (at("/x/obsidian", &ELF, 20_000_000, false), Kind::Unknown),
            (
                at(
                    "/usr/bin/obsidian",
                    &script("#!/bin/sh\nexec electron39 /usr/lib/obsidian/app.asar"),
                    90,
                    false,
                ),
                Kind::App,
            ),
            (
                at(
                    "/var/lib/flatpak/exports/bin/md.obsidian.Obsidian",
                    &script("#!/bin/sh\n"),
                    90,
                    false,
                ),
                Kind::App,
            ),
            (
                at(
                    "/x/obsidian",
                    &script("#!/bin/sh\nexec /opt/o-cli \"$@\"\n"),
                    90,
                    false,
                ),
                Kind::Unknown,
            ),
            (
                at(
                    "/Applications/Obsidian.app/Contents/MacOS/obsidian-cli",
                    &mac,
                    60_000,
                    false,
                ),
                Kind::Cli,
            ),
            (
                at(
                    "/Applications/Obsidian.app/Contents/MacOS/Obsidian",
                    &mac,
                    60_000,
                    false,
                ),
                Kind::App,
            ),
            (
                at("/O/Obsidian.com", &Image::Portable, 22_000, false),
                Kind::Cli,
            ),
            (
                at("/O/Obsidian.exe", &Image::Portable, 180_000_000, false),
                Kind::App,
            ),
        ];
        for (row, (got, wanted)) in table.into_iter().enumerate() {
            assert_eq!(got, wanted, "row {row}");
        }
    }

    #[test]
    fn g06_the_desktop_app_is_never_run_while_the_app_is_absent() {
        let refusal = refuse_app_start(Kind::App, None).unwrap_err();
        assert_eq!(refusal.code, Code::AppNotRunning);
        assert!(refuse_app_start(Kind::Cli, None).is_ok());
        assert!(refuse_app_start(Kind::Unknown, None).is_ok());
        let instance = AppInstance::default();
        assert!(refuse_app_start(Kind::App, Some(&instance)).is_ok());
    }
}
