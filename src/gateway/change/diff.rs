//! What a write changes in a file, line by line.

use std::time::Duration;

use similar::TextDiff;

/// Lines shown around each change.
const CONTEXT_LINES: usize = 3;
/// How long the search for the shortest difference of one file may take; a longer one is right too.
const PATIENCE: Duration = Duration::from_millis(200);

/// A unified diff. What is not UTF-8 is U+FFFD in it, so it is for reading, not for patching.
///
/// `None` stands for a file that is not there.
pub(super) fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let side = |letter: &str, bytes: Option<&[u8]>| {
        bytes.map_or_else(|| "/dev/null".to_owned(), |_| format!("{letter}/{path}"))
    };
    let (old, new) = (text(before), text(after));
    TextDiff::configure()
        .timeout(PATIENCE)
        .diff_lines(&old, &new)
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .header(&side("a", before), &side("b", after))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_shown() {
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
    fn line_endings_and_a_missing_one_are_told() {
        let diff = unified("a.md", Some(b"a\r\nb"), Some(b"a\r\nb\nc"));
        assert_eq!(
            diff,
            "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,3 @@\n a\r\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn new_and_removed_files_have_one_side() {
        assert!(unified("n.md", None, Some(b"x\n")).starts_with("--- /dev/null\n+++ b/n.md\n"));
        assert!(unified("n.md", Some(b"x\n"), None).starts_with("--- a/n.md\n+++ /dev/null\n"));
        assert_eq!(unified("n.md", None, Some(b"")), "");
    }
}
