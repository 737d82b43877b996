//! The link index: the files of a vault by name.

use foldhash::{HashMap, HashMapExt as _};

use super::choice::chosen;
use super::spelling::{backwards, fold, from_folder, last_component, with_extension};
use super::{Resolution, ResolvedFile, Rule};
use crate::path::{VaultPath, normal_spelling};

/// The files of a vault by the names that links use.
///
/// A link is compared only with the files of its name, however large the vault is.
pub struct LinkIndex {
    pub(super) files: Vec<Keyed>,
    /// Indexes into `files` by folded file name, ordered by the reversed folded path.
    pub(super) by_name: HashMap<String, Vec<usize>>,
    /// The files of names that several files have, ordered by path.
    pub(super) in_folders: HashMap<String, Vec<usize>>,
}

pub(super) struct Keyed {
    pub(super) path: VaultPath,
    /// The path as links compare it: lower case.
    pub(super) folded: String,
}

impl LinkIndex {
    /// Indexes the files of one vault. A file without an extension is never a link's target (`vault-semantics.md`
    /// §2.3), so no name leads to it.
    pub fn new(paths: impl IntoIterator<Item = VaultPath>) -> Self {
        let files: Vec<Keyed> = paths
            .into_iter()
            .map(|path| Keyed {
                folded: fold(path.as_str()),
                path,
            })
            .collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(files.len());
        let targets = files.iter().enumerate();
        // Unlinkable files keep their number in `files`, but no name leads to them.
        for (index, file) in targets.filter(|(_, file)| file.path.can_be_linked()) {
            by_name
                .entry(last_component(&file.folded).to_owned())
                .or_default()
                .push(index);
        }
        // Sorted by reversed path: files whose paths end alike are adjacent, so a binary search
        // finds them among many of one name.
        // Sorted by path, those below one folder are adjacent.
        let mut in_folders = HashMap::new();
        for (name, named) in by_name.iter_mut().filter(|(_, named)| named.len() > 1) {
            named.sort_by_key(|&index| files.get(index).map(|file| &file.path));
            in_folders.insert(name.clone(), named.clone());
            named.sort_by(|left, right| {
                let folded = |index: &usize| files.get(*index).map_or("", |file| &file.folded);
                backwards(folded(left), folded(right))
            });
        }
        Self {
            files,
            by_name,
            in_folders,
        }
    }

    /// Returns the file that `linkpath` (without `#…`) means in the note `source`. The root as `source` means "no
    /// note", as for `file=`.
    pub fn resolve(&self, linkpath: &str, source: &VaultPath) -> Resolution {
        let spelled = normal_spelling(linkpath);
        let wanted = spelled.trim();
        if wanted.is_empty() {
            if source.is_root() {
                return Resolution::Missing;
            }
            return Resolution::Found(ResolvedFile {
                path: source.clone(),
                rule: Rule::Source,
                others: Vec::new(),
                unstable: false,
            });
        }
        if wanted.starts_with("./") || wanted.starts_with("../") {
            return match from_folder(&source.parent(), wanted) {
                Some(joined) => self.exact(&joined, Rule::Relative),
                None => Resolution::Missing,
            };
        }
        if let Some(below_root) = wanted.strip_prefix('/') {
            return self.exact(below_root, Rule::Absolute);
        }
        // Fast path: most unresolved links have a name that no file has.
        if !self.has_name_of(wanted) {
            return Resolution::Missing;
        }
        match self.exact(wanted, Rule::ExactPath) {
            Resolution::Found(mut found) => {
                found.others.extend(self.ending_in(wanted).cloned());
                found.others.sort_unstable();
                Resolution::Found(found)
            }
            Resolution::Missing => self.anywhere(wanted, source),
        }
    }

    /// Applies rule 4: finds the file whose whole path is `wanted`, or else `wanted.md`. The exact case wins, so that
    /// opening that path on disk gives the same file.
    fn exact(&self, wanted: &str, rule: Rule) -> Resolution {
        let with_extension = format!("{wanted}.md");
        let plain = self.with_path(wanted);
        let noted = self.with_path(&with_extension);
        let right_case = plain
            .iter()
            .find(|path| path.as_str() == wanted)
            .or_else(|| noted.iter().find(|path| path.as_str() == with_extension));
        let (path, unstable) = if let Some(path) = right_case {
            ((*path).clone(), false)
        } else {
            let group = if plain.is_empty() { &noted } else { &plain };
            match chosen(group, wanted) {
                Some((path, unstable)) => (path.clone(), unstable),
                None => return Resolution::Missing,
            }
        };
        let mut others: Vec<VaultPath> = plain
            .into_iter()
            .chain(noted)
            .filter(|other| **other != path)
            .cloned()
            .collect();
        others.sort_unstable();
        Resolution::Found(ResolvedFile {
            path,
            rule,
            others,
            unstable,
        })
    }

    /// Rules 5 to 8.
    fn anywhere(&self, wanted: &str, source: &VaultPath) -> Resolution {
        let candidates: Vec<&VaultPath> = self.ending_in(wanted).collect();
        let folder = source.parent();
        let below: Vec<&VaultPath> = candidates
            .iter()
            .copied()
            .filter(|path| path.is_below(&folder))
            .collect();
        let (group, rule) = match candidates.len() {
            1 => (&candidates, Rule::OnlyOne),
            // Every file is below the root, so a note there has no nearer ones.
            _ if folder.is_root() || below.is_empty() => (&candidates, Rule::Shortest),
            _ => (&below, Rule::BelowSource),
        };
        let Some((path, unstable)) = chosen(group, wanted) else {
            return Resolution::Missing;
        };
        let mut others: Vec<VaultPath> = candidates
            .iter()
            .filter(|other| **other != path)
            .map(|other| (*other).clone())
            .collect();
        others.sort_unstable();
        Resolution::Found(ResolvedFile {
            path: path.clone(),
            rule,
            others,
            unstable,
        })
    }

    /// Returns the files whose whole path is `text`, in any case.
    fn with_path(&self, text: &str) -> Vec<&VaultPath> {
        let folded = fold(text);
        let named = self.by_name.get(last_component(&folded));
        let equal = named.map_or(&[][..], |named| self.with_folded(named, &folded));
        let files = equal.iter().filter_map(|&index| self.files.get(index));
        files.map(|file| &file.path).collect()
    }

    /// Applies rule 5: finds the files whose path ends with `/wanted` or `/wanted.md`, in any case.
    fn ending_in(&self, wanted: &str) -> impl Iterator<Item = &VaultPath> {
        let endings = [fold(wanted), fold(&format!("{wanted}.md"))];
        endings.into_iter().flat_map(|ending| {
            let named = self.by_name.get(last_component(&ending));
            let files = named.map_or(&[][..], |named| self.with_ending(named, &ending));
            let files = files.iter().filter_map(|&index| self.files.get(index));
            files.map(|file| &file.path)
        })
    }

    /// Whether some file has the name that `wanted` ends in, with or without `.md`.
    fn has_name_of(&self, wanted: &str) -> bool {
        let name = last_component(wanted);
        self.by_name.contains_key(&fold(name)) || self.by_name.contains_key(&with_extension(name))
    }
}
