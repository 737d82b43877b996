//! Fast path for links that lead to the same file from every note.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::LinkIndex;
use super::spelling::{backwards, fold, last_component, with_extension};
use crate::path::{VaultPath, normal_spelling};

/// Where a linkpath leads, independently of the note that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromEverywhere {
    /// To no file.
    Nowhere,
    /// To the only file that it can mean.
    File(usize),
    /// To one of several files, or by a rule that depends on the note.
    Depends,
}

impl LinkIndex {
    /// Where `linkpath` leads from every note, if that is independent of the note. Files are
    /// identified by their position in the list given to [`Self::new`]. Agrees with
    /// [`Self::resolve`], in a fraction of the time.
    pub(crate) fn lead_from_everywhere(&self, linkpath: &str) -> FromEverywhere {
        let spelled = if linkpath.is_ascii() {
            Cow::Borrowed(linkpath)
        } else {
            Cow::Owned(normal_spelling(linkpath))
        };
        let wanted = spelled.trim();
        let is_relative = wanted.starts_with("./") || wanted.starts_with("../");
        if wanted.is_empty() || is_relative || wanted.starts_with('/') {
            return FromEverywhere::Depends;
        }
        let noted = with_extension(wanted);
        let folded = match noted.strip_suffix(".md") {
            Some(plain) if wanted.is_ascii() => Cow::Borrowed(plain),
            _ => Cow::Owned(fold(wanted)),
        };
        let named = [&*folded, &*noted].map(|ending| {
            let named = self.by_name.get(last_component(ending));
            (ending, named.map_or(&[][..], Vec::as_slice))
        });
        // Without a folder the text matches every file of its name, so a single one is the result
        // and its path need not be compared.
        if !folded.contains('/') {
            match named {
                [(_, []), (_, [])] => return FromEverywhere::Nowhere,
                [(_, [only]), (_, [])] | [(_, []), (_, [only])] => {
                    return FromEverywhere::File(*only);
                }
                _ => {}
            }
        }
        // Rule 4 takes precedence.
        let whole = named.map(|(ending, named)| self.with_folded(named, ending));
        if let ([only], []) | ([], [only]) = (whole[0], whole[1]) {
            return FromEverywhere::File(*only);
        }
        let below = named.map(|(ending, named)| self.with_ending(named, ending));
        match (whole, below) {
            ([[], []], [[], []]) => FromEverywhere::Nowhere,
            ([[], []], [[only], []] | [[], [only]]) => FromEverywhere::File(*only),
            _ => FromEverywhere::Depends,
        }
    }

    /// The files in the folder `folder`, other than the root, that `linkpath` can mean by rule 6,
    /// by their numbers as in [`Self::lead_from_everywhere`].
    pub(crate) fn beside(&self, linkpath: &str, folder: &str) -> Vec<usize> {
        let spelled = normal_spelling(linkpath);
        let wanted = spelled.trim();
        let mut beside = Vec::new();
        for ending in [fold(wanted), with_extension(wanted)] {
            let name = last_component(&ending);
            let path = format!("{}/{name}", fold(folder));
            let is_ending = path
                .strip_suffix(ending.as_str())
                .is_some_and(|before| before.ends_with('/'));
            let Some(named) = self.by_name.get(name).filter(|_| is_ending) else {
                continue;
            };
            let equal = self.with_folded(named, &path).iter().copied();
            beside.extend(equal.filter(|&index| {
                let file = self.files.get(index);
                file.is_some_and(|file| file.path.parent_text() == folder)
            }));
        }
        beside
    }

    /// The number of a file, as in [`Self::lead_from_everywhere`]. Searching the few files of its
    /// name stays in the processor's caches; a binary search in all files would not.
    pub(crate) fn number(&self, path: &VaultPath) -> Option<usize> {
        let folded = fold(path.as_str());
        let named = self.by_name.get(last_component(&folded))?;
        let mut equal = self.with_folded(named, &folded).iter().copied();
        equal.find(|&index| self.files.get(index).is_some_and(|file| file.path == *path))
    }

    /// Of the files of one name those whose whole path equals `folded`, ignoring case.
    pub(super) fn with_folded<'index>(
        &self,
        named: &'index [usize],
        folded: &str,
    ) -> &'index [usize] {
        self.range(named, |path| backwards(path, folded))
    }

    /// Of the files of one name those whose path ends with `/ending`, ignoring case.
    pub(super) fn with_ending<'index>(
        &self,
        named: &'index [usize],
        ending: &str,
    ) -> &'index [usize] {
        self.range(named, |path| match path.strip_suffix(ending) {
            Some(before) if before.ends_with('/') => Ordering::Equal,
            Some(before) => before.bytes().next_back().cmp(&Some(b'/')),
            None => backwards(path, ending),
        })
    }

    /// The range of files of one name that `order` reports as equal; found by binary search.
    fn range<'index>(
        &self,
        named: &'index [usize],
        order: impl Fn(&str) -> Ordering,
    ) -> &'index [usize] {
        let order = |index: &usize| self.files.get(*index).map(|file| order(&file.folded));
        let first = named.partition_point(|index| order(index) == Some(Ordering::Less));
        let rest = named.get(first..).unwrap_or_default();
        let count = rest.partition_point(|index| order(index) == Some(Ordering::Equal));
        rest.get(..count).unwrap_or_default()
    }
}
