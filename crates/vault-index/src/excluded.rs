//! The files that the user has excluded in the app's settings.

use obsidian_note::{VaultPath, Warning};
use obsidian_search::ExclusionPattern;
use rayon::prelude::*;
use serde_json::{Map, Value};
use vault_files::{ConfigFile, EngineError, Vault};

/// "Excluded files" of the app's settings (`vault-semantics.md` §2.1): left out of searches and of
/// counts of tags and properties in the whole vault, but of nothing else.
#[derive(Clone, Debug, Default)]
pub struct ExcludedFiles {
    filters: Vec<ExclusionFilter>,
    /// Warnings about settings that could not be used.
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug)]
enum ExclusionFilter {
    /// A prefix of the path: a folder with its `/`, or a file.
    Beginning(String),
    Pattern(Box<ExclusionPattern>),
}

impl ExcludedFiles {
    /// Reads `userIgnoreFilters` of the app's settings; nothing is excluded if it is absent.
    ///
    /// # Errors
    ///
    /// Fails if `app.json` exists and cannot be read. Malformed settings are warnings.
    pub fn read(vault: &Vault) -> Result<Self, EngineError> {
        Ok(Self::from_settings(ConfigFile::read(vault, "app.json")?))
    }

    /// Whether nothing is excluded, so that callers can skip checking paths.
    pub fn excludes_nothing(&self) -> bool {
        self.filters.is_empty()
    }

    /// Whether the user has excluded the file.
    pub fn excludes(&self, path: &VaultPath) -> bool {
        self.filters.iter().any(|filter| match filter {
            ExclusionFilter::Beginning(beginning) => path.as_str().starts_with(beginning),
            ExclusionFilter::Pattern(pattern) => pattern.matches(path.as_str()),
        })
    }

    /// Returns, for each of these files, whether lists and counts include it. The files must be in byte order.
    pub fn listed(&self, files: &[VaultPath]) -> Vec<bool> {
        let mut listed = vec![true; files.len()];
        for filter in &self.filters {
            match filter {
                // Files with a common prefix are adjacent in byte order.
                ExclusionFilter::Beginning(beginning) => {
                    let first = files.partition_point(|path| path.as_str() < beginning.as_str());
                    let excluded = files.iter().zip(&mut listed).skip(first);
                    for (_, listed) in
                        excluded.take_while(|(path, _)| path.as_str().starts_with(beginning))
                    {
                        *listed = false;
                    }
                }
                ExclusionFilter::Pattern(pattern) => {
                    let files = files.par_iter().zip(&mut listed);
                    files
                        .filter(|(path, _)| pattern.matches(path.as_str()))
                        .for_each(|(_, listed)| *listed = false);
                }
            }
        }
        listed
    }

    fn from_settings(file: ConfigFile<Value>) -> Self {
        // Unlike malformed JSON, settings that are not an object are not worth a warning.
        let value = match file.value {
            Value::Object(keys) => keys,
            _ => Map::new(),
        };
        let mut file = ConfigFile {
            path: file.path,
            value,
            warnings: file.warnings,
        };
        let mut filters = Vec::new();
        for entry in file
            .take::<Vec<Value>>("userIgnoreFilters", "a list")
            .unwrap_or_default()
        {
            match entry.as_str().map(ExclusionFilter::parse) {
                Some(Ok(filter)) => filters.extend(filter),
                Some(Err(reason)) => file.ignore(reason),
                None => file.ignore("`userIgnoreFilters` contains a value that is not a text"),
            }
        }
        Self {
            filters,
            warnings: file.warnings,
        }
    }
}

impl ExclusionFilter {
    /// Parses an entry of the setting; `None` for an empty text, which would exclude every file.
    fn parse(entry: &str) -> Result<Option<Self>, String> {
        let pattern = entry
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'))
            .filter(|pattern| !pattern.is_empty());
        match pattern {
            Some(pattern) => ExclusionPattern::new(pattern)
                .map(|pattern| Some(Self::Pattern(Box::new(pattern))))
                .map_err(|error| format!("the pattern `{entry}` is not valid: {error}")),
            None if entry.trim_matches('/').is_empty() => Ok(None),
            None => Ok(Some(Self::Beginning(entry.to_owned()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("excluded_cases.txt");

    fn excluded(text: &str) -> ExcludedFiles {
        let path = VaultPath::file(".obsidian/app.json").unwrap();
        ExcludedFiles::from_settings(ConfigFile::parse(path, Some(text.as_bytes())))
    }

    fn excludes(filters: &str, path: &str) -> bool {
        let excluded = excluded(&format!("{{\"userIgnoreFilters\":{filters}}}"));
        assert_eq!(excluded.warnings, []);
        excluded.excludes(&VaultPath::file(path).unwrap())
    }

    #[test]
    fn folders_files_and_patterns() {
        let filters = r#"["Archive/","Notes/secret.md","/^Daily\\/20\\d\\d-/"]"#;
        for path in [
            "Archive/a.md",
            "Archive/b/c.png",
            "Notes/secret.md",
            "Daily/2026-01-01.md",
        ] {
            assert!(excludes(filters, path), "{path}");
        }
        for path in tables::lines(CASES, "folders files and patterns") {
            assert!(!excludes(filters, path), "{path}");
        }
    }

    #[test]
    fn nothing_is_excluded_without_filters() {
        for filters in ["null", "[]", r#"["","/","//"]"#] {
            assert!(!excludes(filters, "a.md"), "{filters}");
        }
        assert!(!excluded("{}").excludes(&VaultPath::file("a.md").unwrap()));
    }

    #[test]
    fn what_cannot_be_used_is_a_warning_and_the_rest_holds() {
        let excluded = excluded(r#"{"userIgnoreFilters":["/(/",7,"A/"]}"#);
        assert_eq!(excluded.warnings.len(), 2);
        assert!(excluded.excludes(&VaultPath::file("A/x.md").unwrap()));
        for text in ["", "[", r#"{"userIgnoreFilters":"A/"}"#] {
            assert_eq!(super::tests::excluded(text).warnings.len(), 1, "{text}");
        }
    }

    proptest! {
        #[test]
        fn all_files_at_once_as_one_by_one(
            paths in prop::collection::btree_set("[a-c](/[a-c]{1,2}){0,2}", 0..20),
            beginnings in prop::collection::vec("[a-c]{1,2}/?([a-c]/)?", 0..3),
            has_pattern in any::<bool>(),
        ) {
            let mut filters = beginnings;
            filters.extend(has_pattern.then(|| "/b$/".to_owned()));
            let filters = serde_json::json!({ "userIgnoreFilters": filters });
            let excluded = excluded(&filters.to_string());
            let files: Vec<VaultPath> =
                paths.iter().map(|path| VaultPath::file(path).unwrap()).collect();
            let expected: Vec<bool> =
                files.iter().map(|file| !excluded.excludes(file)).collect();
            prop_assert_eq!(excluded.listed(&files), expected);
        }
    }
}
