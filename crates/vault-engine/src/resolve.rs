//! Which file a link means (`vault-semantics.md` §2.3).

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use crate::path::{VaultPath, normal_spelling};

/// What a linkpath leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// No file.
    Missing,
    /// One file.
    Found(Found),
}

/// The file that a linkpath leads to, and how sure that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: VaultPath,
    /// Why this one.
    pub rule: Rule,
    /// Every other file that the same text could mean, in byte order.
    pub others: Vec<VaultPath>,
    /// Whether the app itself does not always choose the same file (rule 8). The engine does.
    pub unstable: bool,
}

/// Why a file was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An empty linkpath means the note that holds it (rule 1).
    Source,
    /// `./` or `../`: a path from the source's folder (rule 2).
    Relative,
    /// A leading `/`: a path from the root (rule 3).
    Absolute,
    /// The text is the file's whole path, with or without `.md` (rule 4).
    ExactPath,
    /// The only file whose path ends like this (rule 5).
    OnlyOne,
    /// The one in the source's own folder (rule 6).
    SameFolder,
    /// The one with the shortest path (rule 7).
    Shortest,
}

/// Every file of a vault by the name that links use.
///
/// A link is looked up among the files of its name alone, however large the vault is.
pub struct LinkIndex {
    files: Vec<Keyed>,
    /// Indexes into `files` by folded file name.
    by_name: HashMap<String, Vec<usize>>,
}

struct Keyed {
    path: VaultPath,
    /// The path as links compare it: lower case.
    folded: String,
}

impl LinkIndex {
    /// Indexes the files of one vault.
    pub fn new(paths: impl IntoIterator<Item = VaultPath>) -> Self {
        let files: Vec<Keyed> = paths
            .into_iter()
            .map(|path| Keyed {
                folded: fold(path.as_str()),
                path,
            })
            .collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(files.len());
        for (index, file) in files.iter().enumerate() {
            by_name
                .entry(last_component(&file.folded).to_owned())
                .or_default()
                .push(index);
        }
        // So that the files whose paths end alike stand together, and are found among many of
        // their name without looking at them all.
        for named in by_name.values_mut().filter(|named| named.len() > 1) {
            named.sort_by(|left, right| {
                let folded = |index: &usize| files.get(*index).map_or("", |file| &file.folded);
                backwards(folded(left), folded(right))
            });
        }
        Self { files, by_name }
    }

    /// The file that `linkpath` (without `#…`) means in the note `source`; the root as `source`
    /// stands for "no note", as for `file=`.
    pub fn resolve(&self, linkpath: &str, source: &VaultPath) -> Resolution {
        let spelled = normal_spelling(linkpath);
        let wanted = spelled.trim();
        if wanted.is_empty() {
            if source.is_root() {
                return Resolution::Missing;
            }
            return Resolution::Found(Found {
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
        // Most links that lead nowhere have a name that no file has.
        if !self.has_name_of(wanted) {
            return Resolution::Missing;
        }
        match self.exact(wanted, Rule::ExactPath) {
            Resolution::Found(mut found) => {
                found.others.extend(self.ending_in(wanted));
                found.others.sort_unstable();
                Resolution::Found(found)
            }
            Resolution::Missing => self.anywhere(wanted, source),
        }
    }

    /// Rule 4: the file whose whole path is `wanted` or, failing that, `wanted.md`. The right
    /// case comes first, so that one look at the disk can find it too.
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
        Resolution::Found(Found {
            path,
            rule,
            others,
            unstable,
        })
    }

    /// Rules 5 to 8.
    fn anywhere(&self, wanted: &str, source: &VaultPath) -> Resolution {
        let candidates: Vec<&VaultPath> = self.refs_ending_in(wanted).collect();
        let here: Vec<&VaultPath> = candidates
            .iter()
            .copied()
            .filter(|path| path.parent() == source.parent())
            .collect();
        let (group, rule) = match (candidates.len(), here.is_empty()) {
            (1, _) => (&candidates, Rule::OnlyOne),
            (_, false) => (&here, Rule::SameFolder),
            (_, true) => (&candidates, Rule::Shortest),
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
        Resolution::Found(Found {
            path: path.clone(),
            rule,
            others,
            unstable,
        })
    }

    /// Files whose whole path is `text` but for case.
    fn with_path(&self, text: &str) -> Vec<&VaultPath> {
        let folded = fold(text);
        let named = self.by_name.get(last_component(&folded));
        let equal = named.map_or(&[][..], |named| self.with_folded(named, &folded));
        let files = equal.iter().filter_map(|&index| self.files.get(index));
        files.map(|file| &file.path).collect()
    }

    fn ending_in(&self, wanted: &str) -> impl Iterator<Item = VaultPath> {
        self.refs_ending_in(wanted).cloned()
    }

    /// Rule 5: files whose path ends with `/wanted` or `/wanted.md` but for case.
    fn refs_ending_in(&self, wanted: &str) -> impl Iterator<Item = &VaultPath> {
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

    /// Where `linkpath` leads from every note, where that is plain: files are named by their
    /// numbers in the order in which [`Self::new`] got them. Says the same as [`Self::resolve`],
    /// in a fraction of the time.
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
        // Rule 4 goes before all others.
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

    /// Of the files of one name those whose whole path is `folded` but for case.
    fn with_folded<'index>(&self, named: &'index [usize], folded: &str) -> &'index [usize] {
        self.range(named, |path| backwards(path, folded))
    }

    /// Of the files of one name those whose path ends with `/ending` but for case.
    fn with_ending<'index>(&self, named: &'index [usize], ending: &str) -> &'index [usize] {
        self.range(named, |path| match path.strip_suffix(ending) {
            Some(before) if before.ends_with('/') => Ordering::Equal,
            Some(before) => before.bytes().next_back().cmp(&Some(b'/')),
            None => backwards(path, ending),
        })
    }

    /// The stretch of files of one name for which `order` says "equal".
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

/// Where a linkpath leads, whatever note holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromEverywhere {
    /// To no file.
    Nowhere,
    /// To the only file that it can mean.
    File(usize),
    /// To one of several files, or by a rule that the note has a part in.
    Depends,
}

/// Rules 7 and 8, and the right case among files that differ in case alone. Also says whether
/// the app's own choice is open.
fn chosen<'paths>(group: &[&'paths VaultPath], wanted: &str) -> Option<(&'paths VaultPath, bool)> {
    let length = |path: &VaultPath| path.as_str().encode_utf16().count();
    let right_case = |path: &VaultPath| {
        [wanted, &format!("{wanted}.md")].iter().any(|text| {
            path.as_str()
                .strip_suffix(text)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    let best = *group.iter().min_by_key(|path| {
        (
            length(path),
            fold(path.as_str()),
            Reverse(right_case(path)),
            path.as_str(),
        )
    })?;
    let unstable = group.iter().any(|other| {
        let decided_by_case =
            fold(other.as_str()) == fold(best.as_str()) && right_case(best) && !right_case(other);
        *other != best && length(other) == length(best) && !decided_by_case
    });
    Some((best, unstable))
}

/// `wanted` as a path from `folder`; `None` where it leaves the vault.
fn from_folder(folder: &VaultPath, wanted: &str) -> Option<String> {
    let mut components: Vec<&str> = folder.components().collect();
    for component in wanted.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop()?;
            }
            name => components.push(name),
        }
    }
    Some(components.join("/"))
}

/// `text.md` in lower case. What comes after a letter can change how it is lowered, so this is not
/// always the lower-case text with `.md` after it.
fn with_extension(text: &str) -> String {
    let mut whole = String::with_capacity(text.len() + 3);
    whole.push_str(text);
    whole.push_str(".md");
    if text.is_ascii() {
        whole.make_ascii_lowercase();
        whole
    } else {
        fold(&whole)
    }
}

fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// The order of two texts read from their ends.
fn backwards(left: &str, right: &str) -> Ordering {
    left.bytes().rev().cmp(right.bytes().rev())
}

fn last_component(path: &str) -> &str {
    let start = memchr::memrchr(b'/', path.as_bytes()).map_or(0, |slash| slash + 1);
    path.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    fn paths(texts: &[&str]) -> Vec<VaultPath> {
        texts.iter().map(|text| path(text)).collect()
    }

    /// Path, rule, others and instability of a link; `None` where it leads nowhere.
    fn look(
        files: &[&str],
        linkpath: &str,
        source: &str,
    ) -> Option<(String, Rule, Vec<String>, bool)> {
        let source = if source.is_empty() {
            VaultPath::root()
        } else {
            path(source)
        };
        match LinkIndex::new(paths(files)).resolve(linkpath, &source) {
            Resolution::Missing => None,
            Resolution::Found(found) => Some((
                found.path.to_string(),
                found.rule,
                found.others.iter().map(VaultPath::to_string).collect(),
                found.unstable,
            )),
        }
    }

    fn goes_to(files: &[&str], linkpath: &str, source: &str) -> Option<(String, Rule)> {
        look(files, linkpath, source).map(|(path, rule, _, _)| (path, rule))
    }

    fn place(path: &str, rule: Rule) -> (String, Rule) {
        (path.to_owned(), rule)
    }

    #[test]
    fn rule_1_an_empty_linkpath_is_the_note_itself() {
        assert_eq!(
            goes_to(&["a.md"], "", "a.md"),
            Some(place("a.md", Rule::Source))
        );
        assert_eq!(
            goes_to(&["a.md"], "  ", "a.md"),
            Some(place("a.md", Rule::Source))
        );
        assert_eq!(goes_to(&["a.md"], "", ""), None);
    }

    #[test]
    fn rule_2_relative_paths_do_not_fall_back_to_the_whole_vault() {
        let files = ["a/x.md", "a/b/n.md", "x.md", "y.md"];
        assert_eq!(
            goes_to(&files, "../x", "a/b/n.md"),
            Some(place("a/x.md", Rule::Relative))
        );
        assert_eq!(
            goes_to(&files, "../../X.md", "a/b/n.md"),
            Some(place("x.md", Rule::Relative))
        );
        assert_eq!(goes_to(&files, "./y", "a/b/n.md"), None);
        assert_eq!(goes_to(&files, "../../../x", "a/b/n.md"), None);
    }

    #[test]
    fn rule_3_a_leading_slash_is_a_path_from_the_root() {
        let files = ["a/x.md", "y.md"];
        assert_eq!(
            goes_to(&files, "/y", "a/x.md"),
            Some(place("y.md", Rule::Absolute))
        );
        assert_eq!(goes_to(&files, "/x", "a/x.md"), None);
    }

    #[test]
    fn rule_4_a_whole_path_wins_over_the_sources_folder() {
        let files = ["Note.md", "a/Note.md", "a/source.md"];
        assert_eq!(
            look(&files, "note", "a/source.md"),
            Some((
                "Note.md".into(),
                Rule::ExactPath,
                vec!["a/Note.md".into()],
                false
            ))
        );
        assert_eq!(
            goes_to(&files, "a/note", "a/source.md"),
            Some(place("a/Note.md", Rule::ExactPath))
        );
    }

    #[test]
    fn rule_5_the_end_of_a_path_must_start_at_a_folder() {
        let files = ["x/a/b.md", "x/xa/b.md"];
        assert_eq!(
            goes_to(&files, "A/B", "n.md"),
            Some(place("x/a/b.md", Rule::OnlyOne))
        );
        assert_eq!(goes_to(&files, "/a/b", "n.md"), None);
    }

    #[test]
    fn rule_6_the_sources_own_folder_wins_but_no_folder_above_it() {
        let files = [
            "z/longer/n.md",
            "q/n.md",
            "z/longer/sub/s.md",
            "z/longer/s.md",
        ];
        assert_eq!(
            goes_to(&files, "n", "z/longer/s.md"),
            Some(place("z/longer/n.md", Rule::SameFolder))
        );
        assert_eq!(
            goes_to(&files, "n", "z/longer/sub/s.md"),
            Some(place("q/n.md", Rule::Shortest))
        );
    }

    #[test]
    fn rule_7_counts_characters_not_folders() {
        let files = ["a/b/n.md", "longer/n.md", "s.md"];
        assert_eq!(
            look(&files, "n", "s.md"),
            Some((
                "a/b/n.md".into(),
                Rule::Shortest,
                vec!["longer/n.md".into()],
                false
            ))
        );
    }

    #[test]
    fn rule_8_equal_lengths_are_marked_and_decided() {
        assert_eq!(
            look(&["b/n.md", "a/n.md"], "n", ""),
            Some(("a/n.md".into(), Rule::Shortest, vec!["b/n.md".into()], true))
        );
    }

    #[test]
    fn the_extension_is_tried_only_for_notes() {
        assert_eq!(
            goes_to(&["Note.md"], "Note.MD", ""),
            Some(place("Note.md", Rule::ExactPath))
        );
        assert_eq!(
            goes_to(&["a.b", "a.b.md"], "a.b", ""),
            Some(place("a.b", Rule::ExactPath))
        );
        assert_eq!(
            goes_to(&["a.b.md"], "a.b", ""),
            Some(place("a.b.md", Rule::ExactPath))
        );
        assert_eq!(goes_to(&["pic.png"], "pic", ""), None);
        assert_eq!(
            goes_to(&["x/pic.png"], "PIC.png", ""),
            Some(place("x/pic.png", Rule::OnlyOne))
        );
    }

    #[test]
    fn of_case_twins_the_right_case_wins() {
        for (files, link, expected) in [
            (["Log.md", "log.md"], "log", "log.md"),
            (["Log.md", "log.md"], "Log.md", "Log.md"),
            (["x/Log.md", "x/log.md"], "log", "x/log.md"),
        ] {
            let (path, _, others, unstable) = look(&files, link, "").unwrap();
            assert_eq!(
                (path.as_str(), others.len(), unstable),
                (expected, 1, false),
                "{link}"
            );
        }
        let (path, _, _, unstable) = look(&["Log.md", "log.md"], "LOG", "").unwrap();
        assert_eq!((path.as_str(), unstable), ("Log.md", true));
    }

    #[test]
    fn d08_spellings_and_no_break_spaces_are_one() {
        assert_eq!(
            goes_to(&["caf\u{e9} 1.md"], "cafe\u{301}\u{a0}1", ""),
            Some(place("caf\u{e9} 1.md", Rule::ExactPath))
        );
    }

    /// The rules once more, in their words and without any index.
    fn by_the_rules(files: &[VaultPath], linkpath: &str, source: &VaultPath) -> Option<VaultPath> {
        let lower = str::to_lowercase;
        let is = |path: &VaultPath, text: &str| {
            lower(path.as_str()) == lower(text)
                || lower(path.as_str()) == lower(&format!("{text}.md"))
        };
        if linkpath.is_empty() {
            return (!source.is_root()).then(|| source.clone());
        }
        let whole_path = |text: &str| {
            let with_extension = format!("{text}.md");
            let mut found: Vec<&VaultPath> = files.iter().filter(|path| is(path, text)).collect();
            found.sort_by_key(|path| {
                (
                    path.as_str() != text,
                    path.as_str() != with_extension,
                    lower(path.as_str()) != lower(text),
                    path.as_str().len(),
                    path.as_str().to_owned(),
                )
            });
            found.first().map(|path| (*path).clone())
        };
        if linkpath.starts_with("./") || linkpath.starts_with("../") {
            let mut at: Vec<String> = source.parent().components().map(Into::into).collect();
            for part in linkpath
                .split('/')
                .filter(|part| !part.is_empty() && *part != ".")
            {
                if part == ".." {
                    at.pop()?;
                } else {
                    at.push(part.into());
                }
            }
            return whole_path(&at.join("/"));
        }
        if let Some(rest) = linkpath.strip_prefix('/') {
            return whole_path(rest);
        }
        if let Some(found) = whole_path(linkpath) {
            return Some(found);
        }
        let ends = |path: &VaultPath, text: &str| path.as_str().ends_with(&format!("/{text}"));
        let mut candidates: Vec<&VaultPath> = files
            .iter()
            .filter(|path| {
                let lowered = lower(path.as_str());
                lowered.ends_with(&lower(&format!("/{linkpath}")))
                    || lowered.ends_with(&lower(&format!("/{linkpath}.md")))
            })
            .collect();
        if candidates
            .iter()
            .any(|path| path.parent() == source.parent())
        {
            candidates.retain(|path| path.parent() == source.parent());
        }
        candidates.sort_by_key(|path| {
            (
                path.as_str().len(),
                lower(path.as_str()),
                !(ends(path, linkpath) || ends(path, &format!("{linkpath}.md"))),
                path.as_str().to_owned(),
            )
        });
        candidates.first().map(|path| (*path).clone())
    }

    fn any_path() -> impl Strategy<Value = VaultPath> {
        "([abA]{1,2}/){0,2}[abA\u{3a3}]{1,2}(\\.md|\\.MD|\\.b|\\.b\\.md|)"
            .prop_map(|text| path(&text))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn the_index_finds_what_the_rules_say(
            files in proptest::collection::btree_set(any_path(), 0..12),
            linkpath in "(/|\\./|\\.\\./|)([abA]{1,2}/){0,2}[abA]{0,2}(\\.md|\\.b|)",
            source in prop_oneof![Just(VaultPath::root()), any_path()],
        ) {
            let files: Vec<VaultPath> = files.into_iter().collect();
            let index = LinkIndex::new(files.clone());
            let expected = by_the_rules(&files, &linkpath, &source);
            match index.resolve(&linkpath, &source) {
                Resolution::Missing => prop_assert_eq!(expected, None),
                Resolution::Found(found) => {
                    prop_assert_eq!(expected.as_ref(), Some(&found.path));
                    prop_assert!(!found.others.contains(&found.path));
                    prop_assert!(found.others.is_sorted_by(|left, right| left < right));
                    prop_assert!(!found.unstable || !found.others.is_empty());
                }
            }
        }

        #[test]
        fn the_quick_look_says_what_the_rules_say(
            files in proptest::collection::btree_set(any_path(), 0..12),
            linkpath in "(/|\\./|\\.\\./| |)([abA]{1,2}/){0,2}[abA\u{3a3}\u{3c3}]{0,2}(\\.md|\\.b|)",
            source in prop_oneof![Just(VaultPath::root()), any_path()],
        ) {
            let files: Vec<VaultPath> = files.into_iter().collect();
            let index = LinkIndex::new(files.clone());
            let resolved = index.resolve(&linkpath, &source);
            match index.lead_from_everywhere(&linkpath) {
                FromEverywhere::Nowhere => prop_assert_eq!(resolved, Resolution::Missing),
                FromEverywhere::File(number) => {
                    let Resolution::Found(found) = resolved else { panic!("{resolved:?}") };
                    prop_assert_eq!(&found.path, &files[number]);
                    prop_assert!(found.others.is_empty() || found.rule == Rule::ExactPath);
                }
                FromEverywhere::Depends => {}
            }
        }

        #[test]
        fn the_order_of_the_files_does_not_matter(
            files in proptest::collection::btree_set(any_path(), 0..12),
            linkpath in "([abA]{1,2}/){0,1}[abA]{1,2}(\\.md|\\.b|)",
        ) {
            let forwards = LinkIndex::new(files.iter().cloned());
            let backwards = LinkIndex::new(files.iter().rev().cloned());
            let root = VaultPath::root();
            prop_assert_eq!(forwards.resolve(&linkpath, &root), backwards.resolve(&linkpath, &root));
        }
    }
}
