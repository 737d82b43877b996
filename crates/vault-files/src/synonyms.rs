//! The words of other programs for arguments, keys of list items, and types. Used only in messages about unknown names;
//! look-ups are exact (`threats.toml` A02).

/// Each name with the words that may mean it, in lower case without `_` and `-`.
const SYNONYMS: [(&str, &[&str]); 43] = [
    (
        "query",
        &[
            "q", "search", "text", "term", "terms", "question", "keywords", "pattern", "content",
        ],
    ),
    (
        "content",
        &[
            "text",
            "new",
            "body",
            "insert",
            "value",
            "data",
            "replacement",
            "newtext",
            "markdown",
        ],
    ),
    (
        "old",
        &["find", "search", "oldtext", "oldstring", "match", "from"],
    ),
    (
        "new",
        &[
            "replace",
            "replacement",
            "newtext",
            "newstring",
            "content",
            "text",
            "with",
            "to",
        ],
    ),
    (
        "file",
        &[
            "path", "filename", "note", "notename", "name", "title", "base",
        ],
    ),
    (
        "path",
        &[
            "file", "filepath", "filename", "note", "notename", "name", "notepath", "folder",
            "source", "from",
        ],
    ),
    (
        "folder",
        &[
            "dir",
            "directory",
            "path",
            "folderpath",
            "pathprefix",
            "prefix",
            "from",
        ],
    ),
    ("mode", &["action", "operation", "op", "position", "where"]),
    ("heading", &["section", "header", "title"]),
    ("section", &["heading", "header"]),
    ("block", &["blockid", "id"]),
    ("lines", &["line", "range", "linerange"]),
    ("lineshash", &["hash"]),
    ("afterline", &["after", "insertafter"]),
    ("all", &["replaceall", "global"]),
    ("reach", &["scope", "depth"]),
    ("offset", &["start", "skip", "page"]),
    (
        "limit",
        &["max", "count", "n", "k", "top", "topk", "maxresults"],
    ),
    ("name", &["property", "key", "field", "title", "newname"]),
    ("property", &["key", "field", "name"]),
    ("from", &["source", "start", "src"]),
    (
        "to",
        &[
            "target",
            "destination",
            "dest",
            "end",
            "new",
            "newname",
            "newpath",
            "newtag",
        ],
    ),
    ("tag", &["old", "label", "name"]),
    ("notes", &["paths", "files", "path", "file"]),
    ("paths", &["notes", "files"]),
    ("since", &["after", "from", "start"]),
    ("until", &["before", "to", "end"]),
    ("duebefore", &["due", "before", "until"]),
    ("order", &["sort", "sortby", "orderby"]),
    ("overwrite", &["force", "replace"]),
    ("tasktodo", &["todo", "open"]),
    ("taskdone", &["done"]),
    ("done", &["completed", "complete", "finished"]),
    ("todo", &["open", "pending", "incomplete"]),
    ("properties", &["frontmatter", "metadata", "props"]),
    ("command", &["cmd", "name", "tool", "action", "method"]),
    (
        "params",
        &["arguments", "args", "parameters", "input", "options"],
    ),
    ("budget", &["maxtokens", "maxlength", "maxcharacters"]),
    ("checkbox", &["boolean", "bool"]),
    ("number", &["int", "integer", "float", "numeric"]),
    ("list", &["array", "multitext", "strings"]),
    ("text", &["string", "str"]),
    ("datetime", &["timestamp"]),
];

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
        let words = SYNONYMS.iter().find(|(key, _)| *key == known)?.1;
        Some((1 + words.iter().position(|word| *word == name)?, key))
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
        for (key, words) in SYNONYMS {
            assert_eq!(folded(key), key);
            assert!(
                words
                    .iter()
                    .all(|word| folded(word) == **word && *word != key)
            );
        }
    }
}
