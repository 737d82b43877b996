//! Path rules that match nothing although they look right: the name of a folder without `/**`.

use vault_engine::Editor;
use vault_engine::{State, VaultPath};

use crate::vault::Vaults;
use allowlist::shown;
use backend::PinnedVault;
use settings::table_prefix;
use tiers::PathPattern;

impl Vaults<'_> {
    /// Returns a sentence for each rule for reading or writing that names a folder of the vault. It matches only the
    /// folder itself, and therefore no file.
    pub fn rules_that_open_nothing(&self, vault: &PinnedVault) -> Vec<String> {
        let paths = &self.caller.settings.paths;
        let for_everyone = [
            ("paths.read".to_owned(), Some(&paths.read)),
            ("paths.write".to_owned(), Some(&paths.write)),
        ];
        let for_agents = self
            .caller
            .settings
            .agents
            .iter()
            .flat_map(|(name, agent)| {
                let key = |list| format!("{}paths.{list}", table_prefix(name));
                [
                    (key("read"), agent.paths.read.as_ref()),
                    (key("write"), agent.paths.write.as_ref()),
                ]
            });
        let lists = for_everyone.into_iter().chain(for_agents);
        lists
            .flat_map(|(key, patterns)| {
                let names = patterns.into_iter().flatten().map(PathPattern::as_str);
                names
                    .filter(|name| is_folder(vault, name))
                    .map(|name| {
                        let (key, folder) = (shown(&key), shown(name.trim_end_matches('/')));
                        format!(
                            "`{folder}` in `{key}` matches only the folder, not the notes in it. Write `{folder}/**`."
                        )
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

fn is_folder(vault: &PinnedVault, name: &str) -> bool {
    VaultPath::folder(name)
        .is_ok_and(|path| matches!(Editor(&vault.engine).state_at(&path), Ok(State::Folder)))
}
