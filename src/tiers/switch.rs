//! The settings that open a kind of effect as a whole.

use serde::Serialize;

/// A switch that only the owner of the vault turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Switch {
    /// Calls may change the vault.
    #[serde(rename = "allow_mutations")]
    Mutations,
    /// Calls may change what the app shows.
    #[serde(rename = "allow_ui")]
    Ui,
    /// Calls may send notes off this machine.
    #[serde(rename = "allow_publish")]
    Publish,
    /// Calls may put copies of notes into the folder that is set aside for them.
    #[serde(rename = "export_folder")]
    Export,
    /// Calls may act on whatever file is active in the app.
    #[serde(rename = "allow_active_file")]
    ActiveFile,
    /// Reading goes through symlinks to folders outside of the vault.
    #[serde(rename = "follow_symlinks")]
    SymlinkedFolders,
}

impl Switch {
    /// Every switch.
    pub const ALL: [Self; 6] = [
        Self::Mutations,
        Self::Ui,
        Self::Publish,
        Self::Export,
        Self::ActiveFile,
        Self::SymlinkedFolders,
    ];

    /// The key in the settings file (`design.md` §7).
    pub const fn key(self) -> &'static str {
        match self {
            Self::Mutations => "allow_mutations",
            Self::Ui => "allow_ui",
            Self::Publish => "allow_publish",
            Self::Export => "export_folder",
            Self::ActiveFile => "allow_active_file",
            Self::SymlinkedFolders => "follow_symlinks",
        }
    }
}
