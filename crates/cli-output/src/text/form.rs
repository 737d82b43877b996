//! The text form for the given arguments.

use crate::arguments::Arguments;

/// A text form: a value of `format=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The command's own lines.
    Text,
    Json,
    /// Cells apart by tabs.
    Tsv,
    /// Cells apart by commas.
    Csv,
    Yaml,
    /// A tree drawn with lines.
    Tree,
    Markdown,
    /// Only the paths, one per line.
    Paths,
}

impl Format {
    /// Tables: `tags`, `backlinks`, `unresolved`, `plugins`.
    pub(crate) const TABLE: &'static [Self] = &[Self::Tsv, Self::Json, Self::Csv];

    fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Tsv => "tsv",
            Self::Csv => "csv",
            Self::Yaml => "yaml",
            Self::Tree => "tree",
            Self::Markdown => "md",
            Self::Paths => "paths",
        }
    }
}

/// The form asked for. The first of `known` is the default: an unknown value means it
/// (`official-cli.md` §4), and so does one that the command does not know. A bare word, `json`,
/// means `format=json`.
pub(crate) fn format(arguments: &dyn Arguments, known: &[Format]) -> Format {
    let ask = |format: &&Format| match arguments.param("format") {
        Some(value) => value == format.word(),
        None => arguments.flag(format.word()),
    };
    known
        .iter()
        .find(ask)
        .or(known.first())
        .copied()
        .unwrap_or(Format::Text)
}

/// Whether a switch is on: `total`, and `total=` with any value but the empty one, `false`
/// included (`official-cli.md` §4).
pub(crate) fn on(arguments: &dyn Arguments, flag: &str) -> bool {
    arguments.flag(flag) || arguments.param(flag).is_some_and(|value| !value.is_empty())
}

/// Whether `properties` is about one note and not about the vault.
pub(crate) fn is_about_one_note(arguments: &dyn Arguments) -> bool {
    ["path", "file"]
        .iter()
        .any(|key| arguments.param(key).is_some())
        || on(arguments, "active")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::arguments;

    #[test]
    fn an_unknown_format_is_the_default_one() {
        assert_eq!(
            format(&arguments(&["format=xml"]), Format::TABLE),
            Format::Tsv
        );
        assert_eq!(
            format(&arguments(&["format=tree"]), Format::TABLE),
            Format::Tsv
        );
        assert_eq!(
            format(&arguments(&["format=JSON"]), Format::TABLE),
            Format::Tsv
        );
        assert_eq!(
            format(&arguments(&["format=json"]), Format::TABLE),
            Format::Json
        );
        assert_eq!(format(&arguments(&["csv"]), Format::TABLE), Format::Csv);
        assert_eq!(format(&arguments(&["json"]), &[]), Format::Text);
    }

    #[test]
    fn a_switch_with_a_value_is_on_even_when_it_says_false() {
        assert!(on(&arguments(&["total=false"]), "total"));
        assert!(on(&arguments(&["total"]), "total"));
        assert!(!on(&arguments(&["total="]), "total"));
        assert!(!on(&arguments(&[]), "total"));
    }
}
