//! Word counts and bases.

use super::vault;

#[test]
fn word_counts() {
    let fixture = vault(&[
        ("a.md", "---\ntitle: x\n---\nhello world"),
        ("b.md", "one 😀\r\n"),
        ("c.txt", "words"),
    ]);
    fixture.check(
        r#"
        wordcount path=a.md ¦ words: 2\ncharacters: 11\n
        wordcount file=a words ¦ 2\n
        wordcount path=a.md characters ¦ 11\n
        wordcount path=b.md ¦ words: 1\ncharacters: 8\n
        wordcount path=c.txt ¦ Error: Word count is only available for markdown files.\n
        wordcount path=d.txt ¦ Error: File "d.txt" not found.\n
        "#,
    );
}

#[test]
fn bases_and_their_views() {
    let base = "filters: file.inFolder(\"x\")\nviews:\n  - type: table\n    name: All things\n  - type: cards\n  - name: Bare\n";
    let fixture = vault(&[
        ("Books.base", base),
        ("Books.md", ""),
        ("a/Empty.base", ""),
        ("bad.base", "views:\n  - type: [\n"),
        ("other.md", ""),
    ]);
    fixture.check(
        r"
        bases ¦ a/Empty.base\nbad.base\nBooks.base\n
        base:views path=Books.base ¦ All things\ttable\ncards\tcards\nBare\ttable\n
        base:views file=Books ¦ All things\ttable\ncards\tcards\nBare\ttable\n
        base:views file=Empty ¦
        base:views path=bad.base ¦
        base:views path=other.md ¦ Error: Active file is not a base file: other.md\n
        base:views file=other ¦ Error: Active file is not a base file: other.md\n
        base:views path=none.base ¦ Error: Base file not found: none.base\n
        base:views file=none ¦ Error: Base file not found: none\n
        base:views ¦ Error: No active file. Use file=<name> or path=<path> to specify a file.\n
        ",
    );
    let [(code, path, line)] = &fixture.warnings("base:views path=bad.base")[..] else {
        panic!("one warning");
    };
    assert_eq!((*code, path.as_str()), ("INVALID_BASE", "bad.base"));
    assert!(line.is_some_and(|line| (2..=3).contains(&line)));
    assert_eq!(vault(&[]).prints("bases"), "No base files found in vault\n");
}
