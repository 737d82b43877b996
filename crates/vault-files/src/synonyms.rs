//! The words of other programs for arguments, keys of list items, and types. Used only in messages about unknown names;
//! look-ups are exact (`threats.toml` A02).

/// Each name with the words that may mean it, the likeliest first, in lower case without `_` and `-`.
const SYNONYMS: &str = include_str!("synonyms.txt");

/// Returns the one of `keys` that an unknown name means: the first that has it as a synonym, or
/// that is spelled similarly or is its singular.
pub fn meant<'key>(name: &str, keys: impl IntoIterator<Item = &'key str>) -> Option<&'key str> {
    let name = folded(name);
    let singular = |text: &str| text.strip_suffix('s').unwrap_or(text).to_owned();
    let mut others = keys.into_iter().filter_map(|key| {
        let known = folded(key);
        if singular(&known) == singular(&name) {
            return Some((0, key));
        }
        let words_of = |line: &'static str| line.strip_prefix(known.as_str())?.strip_prefix(": ");
        let mut words = SYNONYMS.lines().find_map(words_of)?.split(' ');
        Some((1 + words.position(|word| word == name)?, key))
    });
    let first = others.next()?;
    let best = others.fold(
        first,
        |best, next| if next.0 < best.0 { next } else { best },
    );
    Some(best.1)
}

fn folded(name: &str) -> String {
    name.to_lowercase().replace(['_', '-'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_key_that_it_is_nearest_to() {
        for (name, keys, expected) in [
            ("text", &["heading", "mode", "content"][..], Some("content")),
            ("action", &["heading", "mode"], Some("mode")),
            ("file", &["path", "lines"], Some("path")),
            ("line_range", &["path", "lines"], Some("lines")),
            ("Lines_Hash", &["linesHash"], Some("linesHash")),
            ("tags", &["tag"], Some("tag")),
            ("folder", &["query", "path"], Some("path")),
            ("zebra", &["path"], None),
        ] {
            assert_eq!(meant(name, keys.iter().copied()), expected, "{name}");
        }
    }

    #[test]
    fn the_table_is_folded() {
        for line in SYNONYMS.lines() {
            let (key, words) = line.split_once(": ").unwrap();
            assert_eq!(folded(key), key);
            let mut words = words.split(' ');
            assert!(words.all(|word| folded(word) == word && word != key));
        }
    }
}
