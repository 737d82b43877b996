//! The files that a set of links can possibly mean. For these links, an index of only those files gives the same
//! answers as an index of all files.

use std::collections::HashSet;

use super::spelling::{from_folder, last_component};
use crate::path::{VaultPath, normal_spelling};

/// A set of names, without case and without `.md`. A link is only compared with the files of its
/// own name (`vault-semantics.md` §2.3). So an index of all files with names of this set resolves
/// links with names of this set as a full index does; it resolves other links to nothing.
#[derive(Clone, Debug, Default)]
pub struct Kin(HashSet<String>);

/// The number of names up to which they are compared one by one.
const FEW: usize = 8;

impl Kin {
    /// Adds the name of a file.
    pub fn add_file(&mut self, path: &VaultPath) {
        self.0.insert(name_of(path.name()));
    }

    /// Adds the names by which a link of `source` is looked up.
    pub fn add_link(&mut self, linkpath: &str, source: &VaultPath) {
        let spelled = normal_spelling(linkpath);
        let wanted = spelled.trim();
        if wanted.starts_with("./") || wanted.starts_with("../") {
            let joined = from_folder(&source.parent(), wanted);
            self.0
                .extend(joined.map(|joined| name_of(last_component(&joined))));
        } else {
            self.0.insert(name_of(last_component(wanted)));
        }
    }

    /// Whether a link may have a name of this set, by a quick check that may wrongly say yes, and
    /// always does for large sets.
    pub fn may_be_of(&self, linkpath: &str) -> bool {
        if self.0.len() > FEW {
            return true;
        }
        let wanted = linkpath.trim();
        if !wanted.is_ascii() || wanted.is_empty() || wanted.starts_with(['.', '/']) {
            return true;
        }
        let mut name = last_component(wanted);
        while let Some((stem, ending)) = name.split_at_checked(name.len().saturating_sub(3))
            && ending.eq_ignore_ascii_case(".md")
        {
            name = stem;
        }
        self.0.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Returns the ones of `files` with a name of this set.
    pub fn among(&self, files: &[VaultPath]) -> Vec<VaultPath> {
        let is_one = |file: &&VaultPath| self.0.contains(&name_of(file.name()));
        files.iter().filter(is_one).cloned().collect()
    }
}

/// A key that is equal for all names that one link can mean. The letters after a sigma change how
/// it is lowered, so both lower-case forms count as one here.
fn name_of(name: &str) -> String {
    let mut folded = if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        name.to_lowercase().replace('ς', "σ")
    };
    while let Some(stem) = folded.strip_suffix(".md") {
        let length = stem.len();
        folded.truncate(length);
    }
    folded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::resolve::{LinkIndex, Resolution};

    const CASES: &str = include_str!("kin_cases.txt");

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    #[test]
    fn a_name_is_known_in_every_case_and_with_or_without_its_ending() {
        for (one, other) in [
            ("Note.md", "nOTE"),
            ("a.md.md", "A"),
            ("ΟΔΟΣ.md", "Οδος"),
            ("İ.MD", "i\u{307}"),
        ] {
            assert_eq!(name_of(one), name_of(other), "{one} {other}");
        }
        assert_ne!(name_of("a.mdx"), name_of("a"));
        let mut kin = Kin::default();
        kin.add_file(&path("x/Note.md"));
        for (link, expected) in
            tables::typed::<(&str, bool)>(CASES, "a name is known in every case")
        {
            assert_eq!(kin.may_be_of(link), expected, "{link}");
        }
    }

    fn name() -> impl Strategy<Value = String> {
        let stem = prop::sample::select(vec!["a", "A", "b", "ΑΣ", "ας", "ασ", "é"]);
        let ending = prop::sample::select(vec!["", ".md", ".MD", ".md.md", ".png"]);
        (stem, ending).prop_map(|(stem, ending)| format!("{stem}{ending}"))
    }

    fn whole() -> impl Strategy<Value = String> {
        proptest::collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn an_index_of_the_kin_says_what_one_of_all_files_says(
            files in proptest::collection::btree_set(whole(), 1..12),
            link in (prop::sample::select(vec!["", "/", "./", "../", "../../"]), whole())
                .prop_map(|(start, rest)| format!("{start}{rest}")),
            source in whole(),
        ) {
            let files: Vec<VaultPath> = files.iter().map(|file| path(file)).collect();
            let source = path(&source);
            let all = LinkIndex::new(files.iter().cloned());
            let mut kin = Kin::default();
            kin.add_link(&link, &source);
            let some = LinkIndex::new(kin.among(&files));
            prop_assert_eq!(some.resolve(&link, &source), all.resolve(&link, &source));
            prop_assert!(kin.may_be_of(&link));
            // The name of a file must give the same result as a link to it.
            if let Resolution::Found(found) = all.resolve(&link, &source)
                && !link.starts_with('.')
            {
                let mut kin = Kin::default();
                kin.add_file(&found.path);
                let some = LinkIndex::new(kin.among(&files));
                prop_assert_eq!(some.resolve(&link, &source), Resolution::Found(found));
            }
            let mut other = Kin::default();
            other.add_file(&path("other.md"));
            prop_assert_eq!(LinkIndex::new(other.among(&files)).resolve(&link, &source), Resolution::Missing);
        }
    }
}
