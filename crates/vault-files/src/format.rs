//! The parameter `format`.

use obsidian_note::words;

use crate::args::Args;

words! {
    /// A text form: a value of `format=`.
    pub enum Format {
        /// The command's own lines.
        Text = "text",
        /// JSON.
        Json = "json",
        /// Cells apart by tabs.
        Tsv = "tsv",
        /// Cells apart by commas.
        Csv = "csv",
        /// YAML.
        Yaml = "yaml",
        /// A tree drawn with lines.
        Tree = "tree",
        /// Markdown.
        Markdown = "md",
        /// Only the paths, one per line.
        Paths = "paths",
    }
}

impl Format {
    /// Tables: `tags`, `backlinks`, `unresolved`, `plugins`.
    pub const TABLE: &'static [Self] = &[Self::Tsv, Self::Json, Self::Csv];
}

impl Args {
    /// Returns the requested form. The first of `known` is the default: an unknown value means it (`official-cli.md` §4),
    /// and so does one that the command does not know. A bare word, `json`, means `format=json`.
    pub fn format(&self, known: &[Format]) -> Format {
        let is_requested = |format: &&Format| match self.param("format") {
            Some(value) => value == format.name(),
            None => self.flag(format.name()),
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
