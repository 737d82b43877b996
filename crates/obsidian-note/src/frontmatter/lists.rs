//! Tags and aliases (`vault-semantics.md` §3.1, §3.6).

use serde_json::Value;

use super::{Frontmatter, split_unmarked};

impl Frontmatter {
    /// Returns the tags, each with its `#`, in order and with repetitions.
    ///
    /// A single text is one tag. It is not a tag if it contains white space or a comma, so `tags: a, b` gives none.
    /// Numbers are not tags.
    pub fn tags(&self) -> Vec<String> {
        let texts = match self.in_any_case("tags") {
            Some(Value::String(text)) => vec![text.as_str()],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        texts.into_iter().filter_map(tag).collect()
    }

    /// Returns all words of properties named `tag` or `tags`, each with a `#`, as readers take them for tags that split
    /// texts at commas and spaces. `text` is the note: such a reader finds properties below `---` and blanks too.
    pub(crate) fn other_tags(&self, text: &str) -> Vec<String> {
        let below = text
            .split_once('\n')
            .filter(|(first, _)| first.trim_end() == "---" && !matches!(*first, "---" | "---\r"));
        let whole = below.map(|(_, rest)| format!("---\n{rest}"));
        let block = whole
            .as_deref()
            .and_then(|whole| whole.get(split_unmarked(whole)?.yaml));
        let found = block.map(|yaml| (Self::parse(yaml), yaml));
        let properties = match &found {
            // It is not known which words are tags.
            Some((Err(_), yaml)) => return words(yaml).collect(),
            Some((Ok(found), _)) => &found.properties,
            None => &self.properties,
        };
        let mut rest: Vec<&Value> = properties
            .iter()
            .filter(|(key, _)| matches!(key.to_lowercase().as_str(), "tag" | "tags"))
            .map(|(_, value)| value)
            .collect();
        let mut tags = Vec::new();
        while let Some(value) = rest.pop() {
            match value {
                Value::String(text) => tags.extend(words(text)),
                Value::Array(items) => rest.extend(items),
                Value::Object(fields) => {
                    tags.extend(fields.keys().flat_map(|key| words(key)));
                    rest.extend(fields.values());
                }
                _ => {}
            }
        }
        tags
    }

    /// Returns the aliases in order and with repetitions: the texts of a list, or one text split at its commas.
    pub fn aliases(&self) -> Vec<String> {
        let texts: Vec<&str> = match self.in_any_case("aliases") {
            Some(Value::String(text)) => text.split(',').collect(),
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        texts
            .into_iter()
            .map(|text| text.trim_matches(is_space))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

/// Returns the words of a text, as tags.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| is_space(character) || "#,;[]{}\"'".contains(character))
        .filter(|word| !word.is_empty())
        .map(|word| format!("#{word}"))
}

fn tag(text: &str) -> Option<String> {
    let text = text.trim_matches(is_space);
    let name = text.strip_prefix('#').unwrap_or(text);
    let is_tag =
        !name.is_empty() && !text.contains(|character| is_space(character) || character == ',');
    is_tag.then(|| format!("#{name}"))
}

/// White space as JavaScript counts it.
pub fn is_space(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("lists_cases.txt");

    fn tags(yaml: &str) -> Vec<String> {
        Frontmatter::parse(yaml).unwrap().tags()
    }

    fn aliases(yaml: &str) -> Vec<String> {
        Frontmatter::parse(yaml).unwrap().aliases()
    }

    #[test]
    fn tags_of_each_form() {
        assert_eq!(tags("tags: one"), ["#one"]);
        assert_eq!(tags("TAGS: [a/b, '#c', a/b]"), ["#a/b", "#c", "#a/b"]);
        assert_eq!(
            tags("tags:\n- ' x '\n- y z\n- 'p,q'\n- ''\n- '#'\n- 7\n- [n]\n- ~"),
            ["#x"]
        );
        for none in tables::lines(CASES, "tags of each form") {
            assert_eq!(tags(none), [] as [&str; 0], "{none}");
        }
    }

    #[test]
    fn the_first_key_that_is_called_so_counts() {
        assert_eq!(tags("Tags: one\ntags: two"), ["#one"]);
        assert_eq!(aliases("ALIASES:\naliases: two"), [] as [&str; 0]);
    }

    #[test]
    fn aliases_of_each_form() {
        assert_eq!(aliases("aliases: One, Two words ,,"), ["One", "Two words"]);
        assert_eq!(aliases("Aliases: [' a, b ', 3, '', a]"), ["a, b", "a"]);
        for none in ["alias: a", "aliases:", "aliases: 5", "aliases: {a: 1}"] {
            assert_eq!(aliases(none), [] as [&str; 0], "{none}");
        }
    }
}
