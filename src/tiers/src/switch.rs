//! Switches: settings that allow or forbid a whole class of effects.

use protocol::words;

words! {
    /// A switch. Only the owner of the vault can turn it on.
    #[derive(PartialOrd, Ord)]
    pub enum Switch {
        /// Calls may change the vault.
        Mutations = "allow_mutations",
        /// Calls may change what the app shows.
        Ui = "allow_ui",
        /// Calls may send notes off this machine.
        Publish = "allow_publish",
        /// Calls may export copies of notes into the export folder.
        Export = "export_folder",
        /// Calls may take notes from the import folder.
        Import = "import_folder",
        /// Calls may leave active content in a file: content that runs or loads something when opened
        /// or published.
        Active = "allow_active",
        /// Calls may use the file that is active in the app.
        ActiveFile = "allow_active_file",
        /// Reads follow symlinks to folders outside the vault.
        SymlinkedFolders = "follow_symlinks",
    }
}

impl Switch {
    /// Returns the key in the settings file (`design/settings.md`).
    pub const fn key(self) -> &'static str {
        self.name()
    }
}
