//! Word counts and bases.

use super::vault;

const CASES: &str = include_str!("notes_cases.txt");

#[test]
fn word_counts() {
    let fixture = vault(&[
        ("a.md", "---\ntitle: x\n---\nhello world"),
        ("b.md", "one 😀\r\n"),
        ("c.txt", "words"),
    ]);
    fixture.check(tables::text(CASES, "word counts"));
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
    fixture.check(tables::text(CASES, "bases and their views"));
    let [(code, path, line)] = &fixture.warnings("base:views path=bad.base")[..] else {
        panic!("one warning");
    };
    assert_eq!((*code, path.as_str()), ("INVALID_BASE", "bad.base"));
    assert!(line.is_some_and(|line| (2..=3).contains(&line)));
    assert_eq!(vault(&[]).prints("bases"), "No base files found in vault\n");
}
