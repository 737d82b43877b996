//! Switches: settings that allow or forbid a whole class of effects.

use serde::Serialize;

/// A switch. Only the owner of the vault can turn it on.
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
    /// Calls may export copies of notes into the export folder.
    #[serde(rename = "export_folder")]
    Export,
    /// Calls may take notes from the import folder.
    #[serde(rename = "import_folder")]
    Import,
    /// Calls may leave active content in a file: content that runs or loads something when opened
    /// or published.
    #[serde(rename = "allow_active")]
    Active,
    /// Calls may use the file that is active in the app.
    #[serde(rename = "allow_active_file")]
    ActiveFile,
    /// Reads follow symlinks to folders outside the vault.
    #[serde(rename = "follow_symlinks")]
    SymlinkedFolders,
}

impl Switch {
    /// Every switch, in the order of the enum.
    pub const ALL: [Self; 8] = [
        Self::Mutations,
        Self::Ui,
        Self::Publish,
        Self::Export,
        Self::Import,
        Self::Active,
        Self::ActiveFile,
        Self::SymlinkedFolders,
    ];

    /// Returns the key in the settings file (`design/settings.md`).
    pub const fn key(self) -> &'static str {
        match self {
            Self::Mutations => "allow_mutations",
            Self::Ui => "allow_ui",
            Self::Publish => "allow_publish",
            Self::Export => "export_folder",
            Self::Import => "import_folder",
            Self::Active => "allow_active",
            Self::ActiveFile => "allow_active_file",
            Self::SymlinkedFolders => "follow_symlinks",
        }
    }
}
