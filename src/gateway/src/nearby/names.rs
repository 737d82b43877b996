//! The lists of names in a vault, and the names near a missing name.

use vault_answers::{HeadingItem, List, NoteProperties};
use vault_engine::{Args, IndexedVault};

use crate::vault::Vaults;
use allowlist::{Call, nearest};
use backend::{PinnedVault, embedded};

/// A list of names in a vault, for completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameList {
    /// The paths of all files.
    Files,
    /// Names of notes, without folder and extension.
    Notes,
    /// The paths of all folders.
    Folders,
    /// Tags with their mark.
    Tags,
    /// The names of all properties.
    Properties,
    /// The names of all templates.
    Templates,
    /// Headings of the note that these arguments name.
    Headings(Args),
}

impl Vaults<'_> {
    /// Returns the names of a list as they were last indexed, without a look at the notes: much faster in a large
    /// vault. None of lists that are not indexed, without an index, and for a caller who may not see all of the vault.
    pub fn kept_names(&self, list: &NameList) -> Option<Vec<String>> {
        if !matches!(list, NameList::Tags | NameList::Properties) {
            return None;
        }
        let vault = self.open().ok()?;
        let seen = vault.limited_to(self.caller.sight.as_ref()).ok()?;
        match list {
            NameList::Tags => IndexedVault(&seen.engine).kept_tags(),
            _ => IndexedVault(&seen.engine).kept_property_names(),
        }
    }

    /// Returns the names of a list, as far as this caller may see them. Empty if the vault cannot be read: completion
    /// cannot report an error.
    pub fn names(&self, list: &NameList) -> Vec<String> {
        let vault = self.open();
        let Ok(seen) = vault.and_then(|vault| vault.limited_to(self.caller.sight.as_ref())) else {
            return Vec::new();
        };
        match list {
            // In the order of their bytes: to sort thousands of names by the rules of a language takes
            // longer than to list them.
            NameList::Files => seen.files().iter().map(ToString::to_string).collect(),
            NameList::Notes => {
                let files = seen.files();
                let notes = files.iter().filter(|path| path.is_note());
                notes.map(|path| path.basename().to_owned()).collect()
            }
            NameList::Folders => {
                let mut folders = names(&seen, "folders");
                folders.retain(|folder| folder != "/");
                folders
            }
            NameList::Tags => names(&seen, "tags"),
            NameList::Properties => names(&seen, "properties"),
            NameList::Templates => names(&seen, "templates"),
            NameList::Headings(note) => names_by(&seen, "outline", note),
        }
    }
}

/// Returns the note that a call names, and nothing else of its arguments.
pub(super) fn one_note(call: &Call) -> Args {
    let mut values = call.arguments.values.clone();
    values.retain(|name, _| ["file", "path"].contains(&name.as_str()));
    Args {
        values,
        ..Args::default()
    }
}

/// Returns the names that a list of the vault contains.
pub(super) fn names(seen: &PinnedVault, command: &str) -> Vec<String> {
    names_by(seen, command, &Args::default())
}

pub(super) fn names_by(seen: &PinnedVault, command: &str, arguments: &Args) -> Vec<String> {
    // Without the list nothing is suggested; the failure itself is reported.
    let Ok(mut answer) = embedded::ask(seen, command, arguments) else {
        return Vec::new();
    };
    if let Some(outline) = answer.downcast_mut::<List<HeadingItem>>() {
        return outline.items.drain(..).map(|item| item.heading).collect();
    }
    if let Some(of_one) = answer.downcast_ref::<NoteProperties>() {
        return of_one.properties.keys().cloned().collect();
    }
    let mut names = Vec::new();
    answer.each_name(&mut |name| names.push(std::mem::take(name)));
    names
}

/// Returns the name of a file without its folder, and without this extension.
pub(super) fn name_of<'path>(path: &'path str, extension: &str) -> &'path str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(extension).unwrap_or(name)
}

pub(super) fn near_names(name: &str, paths: &[String], extension: &str) -> Vec<String> {
    let known = paths.iter().map(|path| name_of(path, extension));
    nearest(name_of(name, extension), known)
}

/// Returns the files of the same name in other folders, then those with a like name at a like path, else those with a
/// like name.
pub(super) fn near_paths<'paths>(
    path: &'paths str,
    paths: &'paths [String],
    extension: &str,
) -> Vec<String> {
    const MOST: usize = 3;
    // Without `.md`, which every note has: `a.md` is not like `b.md`.
    let stem = |path: &'paths str| path.strip_suffix(extension).unwrap_or(path);
    let name = name_of(path, extension);
    let is_same = |known: &&String| name_of(known, extension).to_lowercase() == name.to_lowercase();
    let mut near: Vec<&String> = paths.iter().filter(is_same).take(MOST).collect();
    // A path with another file name shares only the folder.
    let is_named = |known: &&String| !nearest(name, [name_of(known, extension)]).is_empty();
    let named: Vec<&String> = paths.iter().filter(is_named).collect();
    for like in nearest(stem(path), named.iter().map(|known| stem(known))) {
        let known = named.iter().find(|known| stem(known) == like);
        near.extend(known.filter(|known| !near.contains(known)));
    }
    if near.is_empty() {
        let alike = near_names(path, paths, extension);
        let has_one = |known: &&String| alike.iter().any(|name| name == name_of(known, extension));
        near.extend(paths.iter().filter(has_one).take(alike.len()));
    }
    near.into_iter().take(MOST).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_found_by_path_and_by_name() {
        let paths = [
            "Home.md",
            "Projects/Boat.md",
            "Projects/Garden.md",
            "mill.png",
        ];
        let paths = paths.map(str::to_owned);
        for (wanted, near) in [
            ("Hme.md", &["Home.md"][..]),
            ("Projects/Bota.md", &["Projects/Boat.md"]),
            ("Garten.md", &["Projects/Garden.md"]),
            ("Elsewhere.md", &[]),
        ] {
            assert_eq!(near_paths(wanted, &paths, ".md"), near, "{wanted}");
        }
        assert_eq!(near_names("Hom", &paths, ".md"), ["Home"]);
        assert_eq!(near_names("garten", &paths, ".md"), ["Garden"]);
    }
}
