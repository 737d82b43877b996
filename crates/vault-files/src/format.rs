//! The parameter `format`.

use crate::args::Args;

/// A text form: a value of `format=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The command's own lines.
    Text,
    /// JSON.
    Json,
    /// Cells apart by tabs.
    Tsv,
    /// Cells apart by commas.
    Csv,
    /// YAML.
    Yaml,
    /// A tree drawn with lines.
    Tree,
    /// Markdown.
    Markdown,
    /// Only the paths, one per line.
    Paths,
}

impl Format {
    /// Tables: `tags`, `backlinks`, `unresolved`, `plugins`.
    pub const TABLE: &'static [Self] = &[Self::Tsv, Self::Json, Self::Csv];

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

impl Args {
    /// Returns the requested form. The first of `known` is the default: an unknown value means it (`official-cli.md` §4),
    /// and so does one that the command does not know. A bare word, `json`, means `format=json`.
    pub fn format(&self, known: &[Format]) -> Format {
        let is_requested = |format: &&Format| match self.param("format") {
            Some(value) => value == format.word(),
            None => self.flag(format.word()),
        };
        known
            .iter()
            .find(is_requested)
            .or(known.first())
            .copied()
            .unwrap_or(Format::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::arguments;

    #[test]
    fn an_unknown_format_is_the_default_one() {
        for (word, known, expected) in [
            ("format=xml", Format::TABLE, Format::Tsv),
            ("format=tree", Format::TABLE, Format::Tsv),
            ("format=JSON", Format::TABLE, Format::Tsv),
            ("format=json", Format::TABLE, Format::Json),
            ("csv", Format::TABLE, Format::Csv),
            ("json", &[], Format::Text),
        ] {
            assert_eq!(arguments("tags", [word]).format(known), expected, "{word}");
        }
    }
}
