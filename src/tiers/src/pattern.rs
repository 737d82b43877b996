//! Globs on vault paths, and compiled lists of them.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fold;
use super::glob_syntax;
use protocol::checked_text;

/// A valid glob on vault paths: `*` within a component, `**` across folders, `[0-9]`, `{a,b}`.
///
/// `notes/**` also matches the folder `notes` itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern(#[schemars(with = "String")] String);

checked_text!(PathPattern, PatternError);

/// An invalid pattern. The message does not quote the text, which may be a path outside the vault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it {reason}. {hint}")]
pub struct PatternError {
    /// The text as written.
    pub pattern: String,
    /// The mistake, as the rest of a sentence that starts with "it".
    pub reason: String,
    /// A sentence that proposes a valid pattern, without its final period.
    pub hint: String,
}

impl PathPattern {
    /// Parses a glob, and compiles it in each normal form in which it will be matched.
    ///
    /// # Errors
    ///
    /// If the text is not a valid glob or uses syntax that rules do not allow.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        glob_syntax::check(text).map_err(|(reason, hint)| PatternError {
            pattern: text.to_owned(),
            reason: reason.to_owned(),
            hint: hint.to_owned(),
        })?;
        let pattern = Self(text.to_owned());
        AllowList::new(std::slice::from_ref(&pattern))?;
        DenyList::new(std::slice::from_ref(&pattern))?;
        Ok(pattern)
    }

    /// Whether a rule that denies the paths of this pattern closes one of these.
    pub fn closes_any<'p>(&self, mut paths: impl Iterator<Item = &'p str>) -> bool {
        let list = DenyList::new(std::slice::from_ref(self));
        list.is_ok_and(|list| paths.any(|path| list.closes(path)))
    }

    /// Returns the pattern that matches every path.
    pub fn everything() -> Self {
        Self("**".to_owned())
    }

    fn is_everything(&self) -> bool {
        matches!(self.0.as_str(), "**" | "**/*")
    }
}

/// Patterns that allow paths. They match without case folding, so that they never allow more than
/// written.
#[derive(Clone, Debug)]
pub(super) struct AllowList {
    patterns: Vec<PathPattern>,
    /// Whether one of the patterns allows every path. Such a pattern is not compiled: that takes longer
    /// than a call.
    is_everything: bool,
    files: GlobSet,
    folders: GlobSet,
    /// Folders below which everything is allowed.
    whole: GlobSet,
    above: GlobSet,
}

impl AllowList {
    pub(super) fn new(patterns: &[PathPattern]) -> Result<Self, PatternError> {
        let narrower = patterns.iter().filter(|pattern| !pattern.is_everything());
        let texts: Vec<String> = narrower.map(|pattern| fold::exact(&pattern.0)).collect();
        let (themselves, above) = folders_of(&texts);
        Ok(Self {
            patterns: patterns.to_vec(),
            is_everything: patterns.iter().any(PathPattern::is_everything),
            files: compile(&texts)?,
            folders: compile(&[texts.as_slice(), &themselves].concat())?,
            whole: compile(&themselves)?,
            above: compile(&above)?,
        })
    }

    pub(super) fn is_everything(&self) -> bool {
        self.is_everything
    }

    pub(super) fn opens_file(&self, path: &str) -> bool {
        self.is_everything || self.files.is_match(path)
    }

    /// Whether the folder itself is allowed, so that files may be created in it.
    pub(super) fn opens_folder(&self, path: &str) -> bool {
        self.is_everything || !path.is_empty() && self.folders.is_match(path)
    }

    /// Whether any path below the folder may be allowed. May give false positives, never false
    /// negatives.
    pub(super) fn opens_below(&self, path: &str) -> bool {
        if path.is_empty() {
            return !self.patterns.is_empty();
        }
        self.opens_folder(path) || self.above.is_match(path)
    }
}

impl AllowList {
    /// Whether every path below the folder is allowed, by one pattern for it or for a folder above it.
    pub(super) fn opens_all_below(&self, path: &str) -> bool {
        self.is_everything || up_to(path).any(|folder| self.whole.is_match(folder))
    }
}

/// Returns the path and the folders above it.
fn up_to(path: &str) -> impl Iterator<Item = &str> {
    let above = path.match_indices('/').map(|(end, _)| &path[..end]);
    above.chain([path])
}

/// Patterns that deny paths. A denied folder denies everything below it. Patterns match in folded
/// form, so that no other spelling of a denied name gets through.
#[derive(Clone, Debug)]
pub(super) struct DenyList {
    patterns: Vec<PathPattern>,
    folded: GlobSet,
    above: GlobSet,
}

impl DenyList {
    pub(super) fn new(patterns: &[PathPattern]) -> Result<Self, PatternError> {
        let texts: Vec<String> = patterns
            .iter()
            .map(|pattern| fold::folded(&pattern.0))
            .collect();
        let (themselves, above) = folders_of(&texts);
        Ok(Self {
            patterns: patterns.to_vec(),
            folded: compile(&[texts.as_slice(), &themselves].concat())?,
            above: compile(&above)?,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    pub(super) fn closes(&self, path: &str) -> bool {
        if path.is_empty() {
            return self.patterns.iter().any(PathPattern::is_everything);
        }
        // The app may treat a backslash as a separator, so both readings are checked.
        self.closes_folded(&fold::folded(path))
            || path.contains('\\') && self.closes_folded(&fold::folded(&path.replace('\\', "/")))
    }

    /// Whether any path below the folder may be denied, or the folder is. May give false positives, never
    /// false negatives.
    pub(super) fn may_close_below(&self, path: &str) -> bool {
        let below = |path: &str| self.above.is_match(fold::folded(path));
        self.closes(path) || below(path) || path.contains('\\') && below(&path.replace('\\', "/"))
    }

    fn closes_folded(&self, folded: &str) -> bool {
        // A denied folder denies everything below it, so test every prefix of the path.
        up_to(folded).any(|prefix| self.folded.is_match(prefix))
    }
}

fn compile(texts: &[String]) -> Result<GlobSet, PatternError> {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        let glob = GlobBuilder::new(text)
            // `*` must not match across folders. Patterns with a backslash were refused earlier, so
            // never treat one as an escape.
            .literal_separator(true)
            .backslash_escape(false)
            .build()
            .map_err(|error| PatternError {
                pattern: text.clone(),
                reason: format!("is not a valid glob ({})", error.kind()),
                hint: "Check its brackets and braces".to_owned(),
            })?;
        set.add(glob);
    }
    set.build().map_err(|_| PatternError {
        pattern: texts.join("`, `"),
        reason: "is too large".to_owned(),
        hint: "Use fewer or shorter alternatives in its braces".to_owned(),
    })
}

/// Returns the folders of which the patterns match everything, such as `notes` for `notes/**`, and the patterns for the
/// folders below which they can match something.
fn folders_of(texts: &[String]) -> (Vec<String>, Vec<String>) {
    let themselves = texts.iter().filter_map(|text| text.strip_suffix("/**"));
    let above = texts.iter().flat_map(|text| folders_above(text));
    (themselves.map(str::to_owned).collect(), above.collect())
}

/// Patterns for the folders below which `text` can match something.
fn folders_above(text: &str) -> Vec<String> {
    let components: Vec<&str> = text.split('/').collect();
    let mut above = Vec::new();
    for (depth, component) in components.iter().enumerate() {
        // An unbalanced brace means that an alternative contains a `/`. The rest cannot be split
        // into components, so assume that it matches anything.
        let opens_brace = component.contains('{') || component.contains('}');
        let is_whole = component.matches('{').count() == component.matches('}').count();
        if *component == "**" || (opens_brace && !is_whole) {
            above.push([&components[..depth], &["**"]].concat().join("/"));
            break;
        }
        if depth + 1 < components.len() {
            above.push(components[..=depth].join("/"));
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("pattern_cases.txt");

    fn patterns(texts: &[&str]) -> Vec<PathPattern> {
        texts
            .iter()
            .map(|text| PathPattern::new(text).unwrap())
            .collect()
    }

    fn allow(texts: &[&str]) -> AllowList {
        AllowList::new(&patterns(texts)).unwrap()
    }

    fn deny(texts: &[&str]) -> DenyList {
        DenyList::new(&patterns(texts)).unwrap()
    }

    #[test]
    fn d02_prefixes_match_by_component() {
        let list = allow(&["notes/**"]);
        assert!(list.opens_file("notes/x.md") && list.opens_file("notes/a/b.md"));
        assert!(!list.opens_file("notes-private/x.md") && !list.opens_file("notesx.md"));
        assert!(!list.opens_file("a/notes/x.md"));
        assert!(!list.opens_file("notes"), "a file of the folder's name");
        assert!(list.opens_folder("notes") && list.opens_folder("notes/a"));
        assert!(!list.opens_folder("notes-private"));
        let list = allow(&["notes/*.md"]);
        assert!(list.opens_file("notes/x.md") && !list.opens_file("notes/a/x.md"));
        let list = deny(&["notes/**"]);
        assert!(list.closes("notes/x.md") && list.closes("notes"));
        assert!(!list.closes("notes-private/x.md"));
    }

    #[test]
    fn denying_a_folder_denies_what_it_holds() {
        let list = deny(&["private", "**/drafts"]);
        for path in ["private", "private/a.md", "private/a/b.md", "x/drafts/y.md"] {
            assert!(list.closes(path), "{path}");
        }
        assert!(!list.closes("x/private/a.md") && !list.closes("privates/a.md"));
    }

    #[test]
    fn d07_denied_paths_are_closed_in_every_spelling() {
        let list = deny(&["private/**", "خانه\u{200c}ها/*.md", "a:b/**"]);
        for path in tables::lines(CASES, "d07 denied paths are closed") {
            assert!(list.closes(path), "{path:?}");
        }
        for path in ["privat\u{200c}/x.md", "x\\private/x.md", "ab/x.md"] {
            assert!(!list.closes(path), "{path:?}");
        }
    }

    #[test]
    fn folders_above_an_open_path_can_be_listed() {
        let list = allow(&["a/b*/c.md", "x/**/y.md", "p/{q/r,s}/t"]);
        for path in ["", "a", "a/bee", "x", "x/1/2", "p", "p/q", "p/q/r"] {
            assert!(list.opens_below(path), "{path}");
        }
        for path in ["b", "a/c", "a/bee/deep", "y", "px"] {
            assert!(!list.opens_below(path), "{path}");
        }
        assert!(!allow(&[]).opens_below(""));
    }

    #[test]
    fn a_folder_is_open_as_a_whole_where_no_rule_can_close_anything_in_it() {
        let list = allow(&["a/**", "b*/c/**", "d/*", "e"]);
        for path in ["a", "a/x", "a/x/y", "bee/c", "bee/c/x"] {
            assert!(list.opens_all_below(path), "{path}");
        }
        for path in ["", "bee", "d", "d/x", "e", "ab"] {
            assert!(!list.opens_all_below(path), "{path}");
        }
        assert!(allow(&["**"]).opens_all_below("") && allow(&["x", "**/*"]).opens_all_below("a"));
        let list = deny(&["a/b/*.md", "p/{q/r,s}/t", "Top"]);
        for path in ["a", "A", "a/b", "p", "p/q", "Top", "top/x", "x\\..\\Top"] {
            assert_eq!(list.may_close_below(path), !path.starts_with('x'), "{path}");
        }
        for path in ["x", "a/c", "ab", "topper"] {
            assert!(!list.may_close_below(path), "{path}");
        }
        assert!(deny(&["**/secret.md"]).may_close_below("x"));
    }

    #[test]
    fn a_pattern_for_everything_opens_all_paths_and_is_not_compiled() {
        for texts in [&["**"] as &[&str], &["**/*"], &["x/y", "**"]] {
            let list = allow(texts);
            for path in ["", "a", ".a", "a/.b\n/c"] {
                assert!(
                    list.opens_file(path) && list.opens_folder(path),
                    "{texts:?} {path}"
                );
                assert!(
                    list.opens_below(path) && list.opens_all_below(path),
                    "{texts:?} {path}"
                );
            }
            assert_eq!(list.files.len(), texts.len() - 1);
        }
    }

    #[test]
    fn a_bad_pattern_is_an_error_with_a_hint() {
        let error = PathPattern::new("a{b").unwrap_err();
        assert_eq!(error.pattern, "a{b");
        assert!(error.to_string().contains("braces"), "{error}");
        // Valid as written, but a deny list ignores letter case.
        assert!(PathPattern::new("[Z-a]").is_err());
        let nested = "{a,b}".repeat(200);
        assert!(
            PathPattern::new(&nested).is_ok(),
            "alternatives are not expanded"
        );
    }
}
