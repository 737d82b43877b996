//! Confines a server for agents, before it starts a thread or reads a request (`design/sandbox.md`).
//!
//! The gateway decides what may change while the server runs. This module decides once, from the
//! settings at the start, what may not: which folders are accessible, and whether the vault can be
//! written. A change of the settings that needs more takes effect at the next start.

use std::path::Path;

use frontend::CommandLineOptions;
use gateway::Gateway;
use protocol::Failure;
use sandbox::{Confinement, Environment};
use settings::Settings;

#[cfg(target_os = "linux")]
mod linux;

/// The limits of a server for as long as it runs.
#[derive(Default)]
pub(super) struct ServerSandbox {
    /// The active confinement; `None` if the process has not tried to confine itself.
    confinement: Option<Confinement>,
    /// The settings from which the rules were made, if there are rules: those before this process was confined.
    pub(super) made_from: Option<Settings>,
    #[cfg(target_os = "linux")]
    runner: Option<std::sync::Arc<obsidian_cli::spawn::Runner>>,
}

impl ServerSandbox {
    /// Confines this process as the settings say.
    ///
    /// # Errors
    ///
    /// If the settings are unusable, `SANDBOX_UNAVAILABLE` if they require more than this system
    /// offers, or if what it offers cannot be applied.
    pub(super) fn enter(
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        #[cfg(target_os = "linux")]
        {
            linux::enter(options, environment)
        }
        #[cfg(not(target_os = "linux"))]
        {
            use frontend::setup;
            use sandbox::ConfinementReason;

            let settings = setup::settings(options, environment)?;
            let mode = settings.sandbox.tightened(options.sandbox);
            let reason = ConfinementReason::OperatingSystem;
            Ok(Self {
                confinement: Some(Confinement::without_sandbox(mode, reason)?),
                ..Self::default()
            })
        }
    }

    /// Returns the gateway of the confined process.
    pub(super) fn inside(&self, gateway: Gateway) -> Gateway {
        #[cfg(target_os = "linux")]
        let gateway = gateway.with_runner(self.runner.clone());
        gateway.with_confinement(self.confinement.clone())
    }

    /// Reads the settings file, which a confined process cannot do by itself.
    ///
    /// # Errors
    ///
    /// As [`Settings::load`].
    #[cfg_attr(
        not(target_os = "linux"),
        expect(clippy::unused_self, reason = "only Linux has a runner to ask")
    )]
    pub(super) fn settings_at(&self, path: &Path) -> Result<Settings, Failure> {
        #[cfg(target_os = "linux")]
        if let Some(runner) = &self.runner {
            return Settings::from_files(path, &runner.settings()?);
        }
        Settings::load(path)
    }

    /// Returns the settings limited to what the sandbox allows, and the keys that take effect only at the next start.
    pub(super) fn within(&self, mut settings: Settings) -> (Settings, Vec<&'static str>) {
        let mut waiting = Vec::new();
        let Some(start) = &self.made_from else {
            return (settings, waiting);
        };
        if settings.agents_may_write() && !start.agents_may_write() {
            settings.allow_mutations = false;
            waiting.push("allow_mutations");
        }
        if settings.follow_symlinks && !start.follow_symlinks {
            settings.follow_symlinks = false;
            waiting.push("follow_symlinks");
        }
        if settings.export_folder.is_some() && settings.export_folder != start.export_folder {
            settings.export_folder = None;
            waiting.push("export_folder");
        }
        if settings.import_folder.is_some() && settings.import_folder != start.import_folder {
            settings.import_folder = None;
            waiting.push("import_folder");
        }
        if settings.vault != start.vault {
            settings.vault.clone_from(&start.vault);
            waiting.push("vault");
        }
        if settings.obsidian_path != start.obsidian_path {
            // The value is kept anyway: the runner refuses to run another program than at the
            // start.
            waiting.push("obsidian_path");
        }
        if settings.sandbox != start.sandbox {
            waiting.push("sandbox");
        }
        (settings, waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings::parse("settings.toml", text).unwrap()
    }

    #[test]
    fn l09_what_the_sandbox_closes_stays_closed_until_the_next_start() {
        let sandbox = ServerSandbox {
            made_from: Some(settings("vault = \"Notes\"\nenabled = true")),
            ..ServerSandbox::default()
        };
        let wider = "enabled = true\nvault = \"Other\"\nallow_mutations = true\nfollow_symlinks = true\nexport_folder = \"/e\"\nimport_folder = \"/i\"\ntier = \"v0\"\nobsidian_path = \"/other\"";
        let (inside, waiting) = sandbox.within(settings(wider));
        assert_eq!(
            waiting,
            [
                "allow_mutations",
                "follow_symlinks",
                "export_folder",
                "import_folder",
                "vault",
                "obsidian_path"
            ]
        );
        let expected =
            "enabled = true\nvault = \"Notes\"\ntier = \"v0\"\nobsidian_path = \"/other\"";
        let expected = settings(expected);
        assert_eq!(inside, expected, "what only closes is in force at once");
        // Paths that were closed only to agents wait like paths that were closed to everyone.
        let sandbox = ServerSandbox {
            made_from: Some(settings(
                "allow_mutations = true\n[agents.\"*\"]\nallow_mutations = false",
            )),
            ..ServerSandbox::default()
        };
        let (inside, waiting) = sandbox.within(settings("allow_mutations = true"));
        assert_eq!(
            (inside.agents_may_write(), waiting),
            (false, vec!["allow_mutations"])
        );
        let unconfined = ServerSandbox::default();
        let (inside, waiting) = unconfined.within(settings(wider));
        assert_eq!((inside, waiting.len()), (settings(wider), 0));
    }
}
