//! Path rules that match nothing although they look right: the name of a folder without `/**`, the name of a note
//! without `.md`, a misspelled name.

use vault_engine::{Editor, IndexedVault, State, VaultPath};

use crate::vault::Vaults;
use allowlist::shown;
use backend::PinnedVault;
use settings::table_prefix;
use tiers::PathPattern;

impl Vaults<'_> {
    /// Returns a sentence for each path rule that matches no file of the vault: a rule for reading or writing that
    /// names a folder, which matches only the folder itself, and a rule that denies paths which are not there.
    pub fn rules_that_match_nothing(&self, vault: &PinnedVault) -> Vec<String> {
        let settings = &self.caller.settings;
        let paths = &settings.paths;
        let for_everyone = (
            String::new(),
            [Some(&paths.read), Some(&paths.write), Some(&paths.deny)],
        );
        let for_agents = settings.agents.iter().map(|(name, agent)| {
            let paths = &agent.paths;
            let lists = [&paths.read, &paths.write, &paths.deny].map(Option::as_ref);
            (table_prefix(name), lists)
        });
        let mut sentences = Vec::new();
        let mut files = None;
        for (table, [read, write, deny]) in std::iter::once(for_everyone).chain(for_agents) {
            for (list, patterns) in [("read", read), ("write", write)] {
                let names = patterns.into_iter().flatten().map(PathPattern::as_str);
                sentences.extend(names.filter(|name| is_folder(vault, name)).map(|name| {
                    let key = shown(&format!("{table}paths.{list}"));
                    let folder = shown(name.trim_end_matches('/'));
                    format!(
                        "`{folder}` in `{key}` matches only the folder, not the notes in it. Write `{folder}/**`."
                    )
                }));
            }
            // Hidden files are not listed.
            let is_visible = |pattern: &&PathPattern| !pattern.as_str().starts_with('.');
            for pattern in deny.into_iter().flatten().filter(is_visible) {
                let files: &Vec<VaultPath> = files.get_or_insert_with(|| every_file(vault));
                let closes =
                    |pattern: &PathPattern| pattern.closes_any(files.iter().map(VaultPath::as_str));
                if closes(pattern) {
                    continue;
                }
                let key = shown(&format!("{table}paths.deny"));
                let note = PathPattern::new(&format!("{}.md", pattern.as_str())).ok();
                let meant = note.filter(closes).map_or_else(String::new, |note| {
                    format!(" Did you mean `{}`?", shown(note.as_str()))
                });
                let pattern = shown(pattern.as_str());
                sentences.push(format!(
                    "`{pattern}` in `{key}` matches no file of the vault, so it closes nothing.{meant}"
                ));
            }
        }
        sentences
    }
}

/// Returns the files of the vault; none if it cannot be listed.
fn every_file(vault: &PinnedVault) -> Vec<VaultPath> {
    let names = IndexedVault(&vault.engine).names_below(&VaultPath::root());
    let files = names.map_or_else(|_| Vec::new(), |names| names.files);
    files.into_iter().map(|file| file.path).collect()
}

fn is_folder(vault: &PinnedVault, name: &str) -> bool {
    VaultPath::folder(name)
        .is_ok_and(|path| matches!(Editor(&vault.engine).state_at(&path), Ok(State::Folder)))
}
