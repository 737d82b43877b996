//! The line-by-line changes of a write in a file.

use std::time::Duration;

use line_diff::LineDiff;
use obsidian_note::shown;

/// Returns a unified diff that `patch` and `git apply` understand. Bytes that are not UTF-8 become U+FFFD; such a diff
/// can only be read, not applied.
///
/// `None` is a missing file. The search for a short diff takes at most the duration `time`.
pub(super) fn unified(
    path: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    time: Duration,
) -> String {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let side = |letter: &str, bytes: Option<&[u8]>| {
        bytes.map_or_else(
            || "/dev/null".to_owned(),
            |_| name_in_header(&format!("{letter}/{path}")),
        )
    };
    LineDiff::within(time, &text(before), &text(after))
        .unified(&side("a", before), &side("b", after))
}

/// Returns a name in the header of a diff, in git's format, so that it stays on one line and `patch` still finds the
/// file: a name that would break the line or mislead is quoted, with its bytes as octal numbers. After a name with a
/// space, a tab marks its end.
fn name_in_header(name: &str) -> String {
    let is_odd = |character| shown::misleads(character) || matches!(character, '"' | '\\');
    if !name.contains(is_odd) {
        let end = if name.contains(' ') { "\t" } else { "" };
        return format!("{name}{end}");
    }
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if shown::misleads(character) => {
                let bytes = character.to_string().into_bytes();
                quoted.extend(bytes.iter().map(|byte| format!("\\{byte:03o}")));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
        super::unified(path, before, after, Duration::from_secs(60))
    }

    #[test]
    fn both_sides_are_named_as_git_names_them() {
        let diff = unified(
            "a.md",
            Some(b"1\n2\n3\n4\n5\n6\n7\n8\n"),
            Some(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
        );
        assert_eq!(
            diff,
            "--- a/a.md\n+++ b/a.md\n@@ -6,3 +6,4 @@\n 6\n 7\n 8\n+9\n"
        );
    }

    #[test]
    fn a_name_with_spaces_ends_where_it_ends() {
        let diff = unified("my notes/a.md", Some(b"1\n"), Some(b"2\n"));
        assert_eq!(
            diff,
            "--- a/my notes/a.md\t\n+++ b/my notes/a.md\t\n@@ -1 +1 @@\n-1\n+2\n"
        );
    }

    #[test]
    fn b10_a_name_adds_no_line_to_a_diff() {
        let diff = unified("a\n+++ b/\"c\".md\u{202e}", Some(b"1\n"), Some(b"2\n"));
        let name = "a\\012+++ b/\\\"c\\\".md\\342\\200\\256\"";
        assert_eq!(
            diff,
            format!("--- \"a/{name}\n+++ \"b/{name}\n@@ -1 +1 @@\n-1\n+2\n")
        );
    }

    #[test]
    fn new_and_removed_files_have_one_side() {
        assert!(unified("n.md", None, Some(b"x\n")).starts_with("--- /dev/null\n+++ b/n.md\n"));
        assert!(unified("n.md", Some(b"x\n"), None).starts_with("--- a/n.md\n+++ /dev/null\n"));
        assert_eq!(unified("n.md", None, Some(b"")), "");
    }
}
