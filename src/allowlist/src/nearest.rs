//! "Did you mean …?": finds known words that are close to an unknown one.

use std::collections::BTreeSet;

use super::instead::TABLE;
use protocol::Message;

/// Maximum number of suggestions. More would be noise.
const MOST: usize = 3;
/// Longer words, in bytes, are not treated as typing mistakes. Also bounds the cost of the distance
/// computation.
const LONGEST: usize = 64;
/// Shorter words, in characters, are the beginning of too many candidates.
const FEWEST_BEGUN: usize = 3;

/// Returns at most three candidates close to `word`, closest first.
///
/// Close means an edit distance of at most a third of the word, ignoring letter case, or the first half of a command
/// (`property` for `property:read`). If there are none, candidates that begin with the word or have a word that begins
/// with it (`install` for `Download and install`). The result is only for messages: look-up itself is exact
/// (`threats.toml` A02).
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    if word.is_empty() || word.len() > LONGEST {
        return Vec::new();
    }
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let allowed = (letters / 3).max(1);
    let mut begun: Vec<(usize, &str)> = Vec::new();
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .inspect(|candidate| {
            let place = place_of(&word, candidate).filter(|_| letters >= FEWEST_BEGUN);
            begun.extend(place.map(|place| (place, *candidate)));
        })
        .filter_map(|candidate| {
            if candidate
                .strip_prefix(word.as_str())
                .is_some_and(|rest| rest.starts_with(':'))
            {
                return Some((allowed, candidate));
            }
            // Most candidates of a large vault are ruled out by their length alone.
            if candidate.chars().count().abs_diff(letters) > allowed {
                return None;
            }
            let distance = strsim::osa_distance(&word, &candidate.to_lowercase());
            (distance <= allowed && distance < letters).then_some((distance, candidate))
        })
        .collect();
    if found.is_empty() {
        found = begun;
    }
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .take(MOST)
        .map(|(_, candidate)| candidate.to_owned())
        .collect()
}

/// Returns the candidate that another word for it means, or else those close to `word`.
pub fn meant_or_nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Vec<String> {
    match vault_engine::meant(word, candidates.clone()) {
        Some(meant) => vec![meant.to_owned()],
        None => nearest(word, candidates),
    }
}

/// Returns the names close to `word`, or else those of which a part is close to it.
pub fn nearest_part<'a>(
    word: &str,
    names: &'a [String],
    part: impl Fn(&'a str) -> &'a str,
) -> Vec<String> {
    let near = nearest(word, names.iter().map(String::as_str));
    if !near.is_empty() {
        return near;
    }
    let near = nearest(word, names.iter().map(|name| part(name)));
    let is_near = |name: &&'a String| near.iter().any(|near| near == part(name));
    names.iter().filter(is_near).take(MOST).cloned().collect()
}

/// Returns at most three candidates that contain the words of a name, in any order, shortest first: `delete` for
/// `delete_note`, `notes:search` for `searchNote`. Plurals and synonyms from other programs count as the same word.
pub fn of_equal_words<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    if name.len() > LONGEST {
        return Vec::new();
    }
    let wanted = telling(name);
    if wanted.is_empty() {
        return Vec::new();
    }
    let meant = in_our_words(&wanted);
    let is_same = |candidate: &&str| {
        let present = telling(candidate);
        present == wanted || present == meant
    };
    let mut same: Vec<&str> = candidates.into_iter().filter(is_same).collect();
    same.sort_by_key(|candidate| candidate.len());
    same.into_iter().take(MOST).map(str::to_owned).collect()
}

/// Returns the advice for the name of another program's tool, or of a command that is not for callers, if its words do
/// not show which command is meant.
pub fn of_other_programs(name: &str) -> Option<Message> {
    if name.len() > LONGEST {
        return None;
    }
    let wanted = telling(name);
    let is_same = |other: &String| telling(other) == wanted;
    let mut rows = TABLE.tool.iter();
    let row = rows.find(|row| row.names.iter().any(is_same))?;
    Some(Message::new(&row.hint, []))
}

/// Returns the command line that does what a word of shells does, such as `ls`; `None` for other words.
pub fn of_shells(word: &str) -> Option<&'static str> {
    TABLE.words.shell.get(word).map(String::as_str)
}

/// Returns at most three candidates that share most of their words with a name, in any order.
pub fn of_same_words<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let candidates = Vec::from_iter(candidates);
    let same = of_equal_words(name, candidates.iter().copied());
    if !same.is_empty() || name.len() > LONGEST {
        return same;
    }
    let mut wanted = telling(name);
    // To search and replace is to edit.
    if wanted.contains("replace") {
        wanted.remove("search");
    }
    let wanted = in_our_words(&wanted);
    // The number of shared words and the number of words of both together.
    let likeness = |candidate: &str| {
        let present = words(candidate);
        let shared = present.intersection(&wanted).count();
        (shared > 0).then(|| shared * 1000 / present.union(&wanted).count())
    };
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| Some((likeness(candidate)?, candidate)))
        .collect();
    let most = found.iter().map(|(likeness, _)| *likeness).max();
    found.retain(|(likeness, _)| Some(*likeness) == most && *likeness >= LEAST_LIKENESS);
    let names = found.into_iter().map(|(_, candidate)| candidate.to_owned());
    names.take(MOST).collect()
}

/// Returns the words of a name without the words that every command may have.
fn telling(name: &str) -> BTreeSet<String> {
    let mut words = words(name);
    words.retain(|word| !TABLE.words.fillers.contains(word));
    words
}

/// Returns the words of a name, with words of other programs replaced by ours.
fn in_our_words(words: &BTreeSet<String>) -> BTreeSet<String> {
    let ours = |word: &String| TABLE.words.ours.get(word).unwrap_or(word).clone();
    words.iter().map(ours).collect()
}

/// Minimum share of common words, in thousandths.
const LEAST_LIKENESS: usize = 333;

/// Returns the words of a name, in lower case and without the `s` of a plural.
fn words(name: &str) -> BTreeSet<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    let singular = words
        .iter()
        .map(|word| word.strip_suffix('s').unwrap_or(word));
    singular
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the byte offset at which a word of the candidate begins with `word`; `None` if that word is the whole
/// candidate.
fn place_of(word: &str, candidate: &str) -> Option<usize> {
    let candidate = candidate.to_lowercase();
    let begins = |at: &usize| {
        let before = candidate
            .get(..*at)
            .and_then(|before| before.chars().last());
        before.is_none_or(|before| !before.is_alphanumeric())
    };
    let mut places = candidate.match_indices(word).map(|(at, _)| at);
    places.find(begins).filter(|_| candidate != word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    const CASES: &str = include_str!("nearest_cases.txt");

    const KNOWN: [&str; 6] = [
        "read",
        "rename",
        "property:read",
        "property:set",
        "properties",
        "tag",
    ];

    #[test]
    fn typing_mistakes_and_halves_of_commands_are_recognised() {
        assert_eq!(nearest("raed", KNOWN), ["read"]);
        assert_eq!(nearest("READ", KNOWN), ["read"]);
        assert_eq!(
            nearest("property", KNOWN),
            ["property:read", "property:set"]
        );
        assert_eq!(nearest("propertes", KNOWN), ["properties"]);
        assert!(of_same_words(&"Read".repeat(100), KNOWN).is_empty());
    }

    #[test]
    fn the_beginning_of_a_name_or_of_a_word_in_it_is_recognised() {
        let notes = [
            "Download and install",
            "Installation notes",
            "Reinstallation",
            "Über uns",
        ];
        assert_eq!(
            nearest("install", notes),
            ["Installation notes", "Download and install"]
        );
        assert_eq!(nearest("ÜBER", notes), ["Über uns"]);
        assert_eq!(nearest("an", notes), [""; 0]);
        assert_eq!(nearest("alias", ["aliases", "tags"]), ["aliases"]);
    }

    #[test]
    fn names_are_recognised_by_their_words() {
        static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "names"));
        for (name, expected) in [
            ("delete_note", &["delete"][..]),
            ("search_notes", &["notes_search"]),
            ("searchNote", &["notes_search"]),
            ("tags:list", &["tags"]),
            ("list_notes", &["notes:list"]),
            ("obsidian_read_file", &["read"]),
            ("obsidian_get_file_contents", &["read"]),
            ("obsidian_patch_content", &["note_edit"]),
            ("obsidian_list_files_in_dir", &["notes:list"]),
            ("str_replace_based_edit_tool", &["note_edit"]),
            ("obsidian_search_replace", &["note_edit"]),
            ("obsidian_manage_frontmatter", &["property_set"]),
            ("update_frontmatter", &["note_edit", "property_set"]),
            ("shell", &[]),
            ("", &[]),
        ] {
            assert_eq!(
                of_same_words(name, NAMES.iter().copied()),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn tools_of_other_programs_get_advice() {
        for [name, command] in tables::section(CASES, "tools of other programs get advice") {
            let advice = of_other_programs(name).unwrap().text();
            assert!(advice.contains(command), "{name}: {advice}");
        }
        for name in tables::lines(CASES, "tools of other programs get advice, 2") {
            assert_eq!(of_other_programs(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_far_off_gets_no_suggestion() {
        for word in ["", "x", "eval", "zzzzzz", &"read".repeat(40)] {
            assert_eq!(nearest(word, KNOWN), [""; 0], "{word}");
        }
    }
}
