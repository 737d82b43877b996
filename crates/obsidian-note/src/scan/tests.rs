//! Results of `scan` for small notes, and properties that are true for every text.

mod rules;

use proptest::prelude::*;

use super::*;

const CASES: &str = include_str!("cases.txt");

/// The target and the shown text of each link, with `>` between them.
fn links(text: &str) -> Vec<String> {
    let links = scan(text).links.into_iter();
    let shown = links.map(|link| format!("{}>{}", link.target, link.display.unwrap_or_default()));
    shown.collect()
}

fn targets(text: &str) -> Vec<String> {
    let links = scan(text).links.into_iter();
    links.map(|link| link.target).collect()
}

fn embeds(text: &str) -> Vec<String> {
    let embeds = scan(text).embeds.into_iter();
    embeds.map(|link| link.original).collect()
}

fn tags(text: &str) -> Vec<String> {
    scan(text).tags.into_iter().map(|tag| tag.tag).collect()
}

fn headings(text: &str) -> Vec<(u8, String)> {
    let headings = scan(text).headings.into_iter();
    headings
        .map(|heading| (heading.level, heading.text))
        .collect()
}

/// First line, parent and status of each item.
fn items(text: &str) -> Vec<(u32, i64, Option<char>)> {
    let items = scan(text).list_items.into_iter();
    let facts = items.map(|item| (item.span.start.line, item.parent, item.task));
    facts.collect()
}

/// Kind, first and last line of each section.
fn sections(text: &str) -> Vec<(SectionKind, u32, u32)> {
    let lines = |span: Span| (span.start.line, span.end.line);
    let sections = scan(text).sections.into_iter();
    let facts = sections.map(|section| (section.kind, lines(section.span)));
    facts
        .map(|(kind, (first, last))| (kind, first, last))
        .collect()
}

/// Each block id with the text it names.
fn blocks(text: &str) -> Vec<(String, &str)> {
    let of = |block: Block| (block.id, part(text, block.span));
    scan(text).blocks.into_iter().map(of).collect()
}

fn part(text: &str, span: Span) -> &str {
    &text[span.start.byte as usize..span.end.byte as usize]
}

/// Each text of a section has these facts, with ` | ` between them.
#[track_caller]
fn check_rows(section: &str, facts: fn(&str) -> Vec<String>) {
    for [text, expected] in tables::section(CASES, section) {
        assert_eq!(facts(text).join(" | "), expected, "{text:?}");
    }
}

#[test]
fn wikilinks_end_at_the_first_closing_pair() {
    check_rows("wikilinks end at the first closing pair", links);
}

#[test]
fn markdown_links_into_the_vault_count() {
    check_rows("markdown links into the vault count", links);
}

#[test]
fn of_links_inside_each_other_the_outer_one_counts() {
    check_rows("of links inside each other the outer one counts", targets);
    let facts = scan("[![a](b.png)](c.md)");
    assert_eq!((facts.links.len(), facts.embeds.len()), (1, 1));
}

#[test]
fn embeds_stand_apart_from_links() {
    let all = ["![[a.png|100]]", "![b](c%20d.png)", "![[e]]"];
    assert_eq!(embeds("![[a.png|100]] ![b](c%20d.png) !![[e]]"), all);
    assert!(links("![[a]] ![b](c)").is_empty());
    assert!(embeds("![a](https://b/c.png)").is_empty());
}

#[test]
fn code_math_and_html_hold_no_links_or_tags() {
    for text in tables::lines(CASES, "code math and html hold no links or tags") {
        let facts = scan(text);
        assert!(facts.links.is_empty() || text.starts_with("[a]:"), "{text}");
        assert!(facts.tags.is_empty(), "{text}");
    }
}

#[test]
fn beginnings_without_an_end_are_text() {
    for text in tables::lines(CASES, "beginnings without an end are text") {
        assert_eq!(targets(&format!("x {text}")), ["a"], "{text}");
    }
}

#[test]
fn comments_hide_items_and_headings_but_not_links_and_tags() {
    let text = "a %%#b [[c]]%% d\n\n%%\n# e\n- [ ] f #g [[h]]\n%%\n\n# i";
    assert_eq!(tags(text), ["#b", "#g"]);
    assert_eq!(targets(text), ["c", "h"]);
    assert_eq!(headings(text), [(1, "i".to_owned())]);
    assert!(items(text).is_empty());
    assert_eq!(sections(text)[1], (SectionKind::Comment, 2, 5));
}

#[test]
fn in_a_table_the_bar_of_a_link_is_escaped() {
    let text = r"
| a | b |
| - | - |
| [[c\|d]] | [[e|f]] |
| #g | `[[h]]` |

[[i\|j]]";
    assert_eq!(links(text), ["c>d", r"i\>j"]);
    assert_eq!(tags(text), ["#g"]);
    assert_eq!(sections(text)[0], (SectionKind::Table, 1, 4));
}

#[test]
fn tags_begin_a_run_of_text_or_follow_white_space() {
    check_rows("tags begin a run of text", tags);
    for text in tables::lines(CASES, "tags begin a run of text or follow white") {
        assert!(tags(text).is_empty(), "{text}");
    }
}

#[test]
fn headings_keep_their_markup() {
    let text = "# a [[b]] #\n## c\nd\n===\n\ne\n-\n\n#f\n    # g\n```\n# h\n```\n> # i\n\n- # j\n";
    let expected = [(1, "a [[b]]"), (2, "c"), (1, "d"), (2, "e")];
    let expected = expected.map(|(level, text)| (level, text.to_owned()));
    assert_eq!(headings(text), expected);
}

#[test]
fn items_know_their_parent_or_their_lists_first_line() {
    let first = [(0, -1, None), (1, -1, None)];
    let tasks = [(2, 1, Some(' ')), (3, 1, Some('x'))];
    let others = [(4, -4, None), (7, -7, None), (8, -7, None)];
    let text = "- a\n- b\n    - [ ] c\n\t- [x] d\n* e\n\nx\n1. f\n2. g";
    assert_eq!(items(text), [&first[..], &tasks, &others].concat());
    assert_eq!(items("- [ ] 1. a"), [(0, -1, Some(' ')), (0, 0, None)]);
    let quoted = items("> x\n> > - [/] a\n> >     - b");
    assert_eq!(quoted, [(1, -1, Some('/')), (2, 1, None)]);
}

#[test]
fn an_item_ends_before_the_list_inside_it() {
    let text = "- a\n  b\n    - c\n\n- d\n";
    let items = scan(text).list_items.into_iter();
    let parts: Vec<_> = items.map(|item| part(text, item.span)).collect();
    assert_eq!(parts, ["- a\n  b", "  - c", "- d"]);
    let text = "- a\n\n- b\n";
    assert_eq!(part(text, scan(text).list_items[0].span), "- a\n");
}

#[test]
fn sections_are_the_outermost_blocks() {
    use SectionKind::{
        Blockquote, Callout, Code, Comment, Definition, FootnoteDefinition, Heading, Html, List,
        Math, Paragraph, Table, ThematicBreak, Yaml,
    };
    let text = "---\na: b\n---\n# c\nd\n***\n- e\n  > f\n\n> g\n\n> [!note]\n> h\n\n```\ni\n```\n$$\nj\n$$\n%%\nk\n%%\n<p>\nl\n\n|m|\n|-|\n\n[^n]: o\n\n    p\n\n[q]: r\n";
    let expected = [
        (Yaml, 0, 2),
        (Heading, 3, 3),
        (Paragraph, 4, 4),
        (ThematicBreak, 5, 5),
        (List, 6, 7),
        (Blockquote, 9, 9),
        (Callout, 11, 12),
        (Code, 14, 16),
        (Math, 17, 19),
        (Comment, 20, 22),
        (Html, 23, 24),
        (Table, 26, 27),
        (FootnoteDefinition, 29, 31),
        (Definition, 33, 33),
    ];
    assert_eq!(sections(text), expected);
}

#[test]
fn block_ids_name_the_block_they_end_or_the_one_before() {
    let text = "a ^p1\n\n- b ^i1\n    - c ^i2\n- d\n\n^l1\n\n> e\n> ^q1\n\n| f |\n| - |\n\n^t1\n";
    let expected = [
        ("p1", "a ^p1"),
        ("i1", "- b ^i1"),
        ("i2", "  - c ^i2"),
        ("l1", "- b ^i1\n    - c ^i2\n- d"),
        ("q1", "> e\n> ^q1"),
        ("t1", "| f |\n| - |"),
    ];
    let expected = expected.map(|(id, named)| (id.to_owned(), named));
    assert_eq!(blocks(text), expected);
    let facts = scan(text);
    let ids = facts.sections.iter().map(|section| section.id.as_deref());
    let expected = [Some("p1"), Some("l1"), None, Some("q1"), Some("t1"), None];
    assert_eq!(ids.collect::<Vec<_>>(), expected);
    assert_eq!(facts.list_items[1].id.as_deref(), Some("i2"));
}

#[test]
fn windows_line_endings_and_wide_characters_shift_positions_only() {
    let text = "---\r\na: 😀\r\n---\r\n\r\n- é😀 [[a]]\r\n\r\n- #b\r\n";
    let facts = scan(text);
    let start = facts.links[0].span.start;
    assert_eq!((start.utf16, start.line, start.column), (25, 4, 6));
    assert_eq!(part(text, facts.list_items[0].span), "- é😀 [[a]]\r\n");
    assert_eq!(facts.list_items[0].span.end.column, 0);
    assert_eq!(tags(text), ["#b"]);
    let properties = facts.frontmatter.expect("properties");
    assert_eq!(part(text, properties), "---\r\na: 😀\r\n---");
}

#[test]
fn a_block_id_alone_below_a_list_names_the_list() {
    for [text, named] in tables::section(CASES, "a block id alone below a list names") {
        let ids = blocks(text);
        let (id, found) = ids.last().expect("a block id");
        assert_eq!((id.as_str(), *found), ("id", named), "{text:?}");
    }
    let facts = scan("- a\n- b\n^id");
    assert_eq!(facts.sections[0].id.as_deref(), Some("id"));
    assert_eq!(facts.list_items[1].id, None);
}

#[test]
fn an_empty_properties_block_is_a_section_without_properties() {
    let windows = "---\r\n---\t\r\na";
    for text in ["---\n---\na", "---\n---", windows, "---\n\n---\n"] {
        let facts = scan(text);
        assert_eq!(facts.frontmatter, None, "{text:?}");
        assert_eq!(facts.sections[0].kind, SectionKind::Yaml, "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_in_the_text_is_text() {
    assert_eq!(scan("\u{feff}---\na: 1\n---\n").frontmatter, None);
    assert_eq!(scan("\u{feff}# a").headings, []);
}

#[test]
fn properties_that_never_end_are_text() {
    assert_eq!(tags("---\n#a\n"), ["#a"]);
    let block = scan("---\na\n---\n").frontmatter;
    assert_eq!(block.expect("a block").end.line, 2);
}

#[test]
fn footnotes_hold_links_and_their_marks_are_none() {
    let text = "a[^1] [^2](x) ^[b [[c]]]\n\n[^1]: d [[e]]\n\n    [[f]]\n";
    assert_eq!(targets(text), ["c", "e", "f"]);
}

/// Scans a text that is made to be slow. It measures no time, which a busy machine would distort:
/// with more than linear work the test would not return.
fn scan_hostile(name: &str, text: &str) {
    let facts = scan(text);
    let end = facts.sections.last().map(|section| section.span.end.byte);
    let length = u32::try_from(text.len()).expect("a length of 32 bits");
    assert!(end.is_none_or(|end| end <= length), "{name}");
}

fn repeated(unit: &str) -> String {
    unit.repeat(300_000 / unit.len())
}

#[test]
fn a_long_line_of_one_mark_takes_linear_work() {
    for mark in ["[", "*", "`", "$", "%%", "> "] {
        scan_hostile(mark, &mark.repeat(2_000_000 / mark.len()));
    }
}

#[test]
fn beginnings_without_an_end_take_linear_work() {
    for unit in tables::lines(CASES, "beginnings without an end take linear") {
        scan_hostile(unit, &repeated(unit));
    }
    let lengths = (1..800).map(|length| format!("{} ", "`".repeat(length)));
    scan_hostile("backticks of all lengths", &lengths.collect::<String>());
    let quotes = format!("<a b=\"<a c='\"{}", repeated(" d=\"' e='\""));
    scan_hostile("quotes in quotes", &quotes);
}

#[test]
fn tags_everywhere_take_linear_work() {
    for unit in ["#a", "[#a", "*#a ", "_#a_", "#😀 ", "#a ^a\n\n"] {
        scan_hostile(unit, &repeated(unit));
    }
}

#[test]
fn many_blocks_take_linear_work() {
    for unit in tables::lines(CASES, "many blocks take linear work") {
        scan_hostile(unit, &repeated(unit));
    }
    scan_hostile("rows", &format!("|a|\n|-|\n{}", repeated("|\\|\n")));
    let nearly = format!("{}x", repeated("* "));
    scan_hostile("a line that is nearly a break", &nearly);
}

#[test]
fn ten_thousand_levels_take_linear_work() {
    let lines = |unit: &str, levels: usize| {
        let lines = (0..levels).map(|level| format!("{}- x\n", unit.repeat(level)));
        lines.collect::<String>()
    };
    scan_hostile("quotes on a line", &format!("{}x", "> ".repeat(10_000)));
    scan_hostile("quotes on lines", &lines(">", 1_000));
    scan_hostile("lists on a line", &format!("{}x", "- + ".repeat(5_000)));
    scan_hostile("numbers on a line", &format!("{}x", "1. ".repeat(10_000)));
    scan_hostile("lists on lines", &lines("  ", 1_000));
    scan_hostile("lists by tabs", &lines("\t", 1_000));
    let deep = "- + ".repeat(5_000);
    scan_hostile("lazy lines", &format!("{deep}\n{}", "a\n".repeat(5_000)));
    scan_hostile("blank lines", &format!("{deep}x{}", "\n".repeat(50_000)));
}

/// Text made of markup that the scanner knows.
fn markup() -> impl Strategy<Value = String> {
    let pieces = [
        "\n", "\n", "\n\n", "\r\n", " ", "  ", "    ", "\t", "- ", "* ", "1. ", "2) ", "10. ",
        "> ", ">", "[ ] ", "[x] ", "# ", "## ", "===", "---", "```", "~~~", "`", "``", "%%", "$",
        "$$", "<!--", "-->", "<b>", "<div>", "</p>", "<", ">", "[", "]", "[[", "]]", "![", "](",
        "](a%20b)", ")", "(", "|", "\\|", "\\", "|-|-|", "#a", "#", "^id", " ^id", "[^1]",
        "[^1]: ", "[a]: b", "!", "*", "**", "_", "a", "é", "😀", "\u{200b}", "\u{a0}", "\u{feff}",
        "\u{2028}", "\0", "[!note]", "\"",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|all| all.concat())
}

fn spans(facts: &NoteFacts) -> Vec<Span> {
    let mut spans: Vec<_> = facts.frontmatter.into_iter().collect();
    let links = facts.links.iter().chain(&facts.embeds);
    spans.extend(links.map(|link| link.span));
    spans.extend(facts.tags.iter().map(|tag| tag.span));
    spans.extend(facts.headings.iter().map(|heading| heading.span));
    spans.extend(facts.list_items.iter().map(|item| item.span));
    spans.extend(facts.sections.iter().map(|section| section.span));
    spans.extend(facts.blocks.iter().map(|block| block.span));
    spans
}

/// A position, computed from the start of the text.
fn recounted(text: &str, byte: u32) -> Position {
    let before = &text[..byte as usize];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).expect("a short text");
    Position {
        byte,
        utf16: units(before),
        line: u32::try_from(before.matches('\n').count()).expect("a short text"),
        column: units(&before[line_start..]),
    }
}

fn check(text: &str) {
    let facts = scan(text);
    for span in spans(&facts) {
        assert!(span.start <= span.end, "{text:?}: {span:?}");
        assert_eq!(span.start, recounted(text, span.start.byte), "{text:?}");
        assert_eq!(span.end, recounted(text, span.end.byte), "{text:?}");
    }
    for link in facts.links.iter().chain(&facts.embeds) {
        assert_eq!(link.original, part(text, link.span), "{text:?}");
        assert!(!link.target.is_empty(), "{text:?}");
    }
    for tag in &facts.tags {
        assert_eq!(tag.tag, part(text, tag.span), "{text:?}");
    }
    for block in &facts.blocks {
        assert_ne!(part(text, block.span), "", "{text:?}");
        assert_ne!(block.id, "", "{text:?}");
    }
    assert!(
        facts.links.is_sorted_by_key(|link| link.span.start),
        "{text:?}"
    );
    assert!(
        facts.tags.is_sorted_by_key(|tag| tag.span.start),
        "{text:?}"
    );
    let items = &facts.list_items;
    assert!(items.is_sorted_by_key(|item| item.span.start), "{text:?}");
    let sections = &facts.sections;
    let are_apart = sections.is_sorted_by(|one, next| one.span.end <= next.span.start);
    assert!(are_apart, "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_right_in_any_markup(text in markup()) {
        check(&text);
    }

    #[test]
    fn spans_are_right_in_any_text(text in "\\PC{0,80}") {
        check(&text);
    }

    #[test]
    fn an_index_keeps_the_same_facts(text in markup(), tail in "\\PC{0,30}") {
        let text = text + &tail;
        let places = |facts: &NoteFacts| {
            let place = |span: Span| {
                (span.start.byte, span.start.line, span.end.byte, span.end.line)
            };
            spans(facts).into_iter().map(place).collect::<Vec<_>>()
        };
        let targets = |facts: &NoteFacts| {
            let links = facts.links.iter().chain(&facts.embeds);
            let tags = facts.tags.iter().map(|tag| tag.tag.clone());
            links.map(|link| link.target.clone()).chain(tags).collect::<Vec<_>>()
        };
        let tasks = |facts: &NoteFacts| {
            facts.list_items.iter().map(|item| item.task).collect::<Vec<_>>()
        };
        let (all, some) = (scan(&text), scan_for_index(&text));
        prop_assert_eq!(places(&all), places(&some));
        prop_assert_eq!(targets(&all), targets(&some));
        prop_assert_eq!(tasks(&all), tasks(&some));
    }

    #[test]
    fn line_endings_change_no_facts(text in markup()) {
        let unix = text.replace('\r', "");
        let windows = unix.replace('\n', "\r\n");
        let lines = |text: &str| {
            let facts = scan(text);
            let line = |span: Span| (span.start.line, span.start.column, span.end.line, span.end.column);
            spans(&facts).into_iter().map(line).collect::<Vec<_>>()
        };
        prop_assert_eq!(lines(&unix), lines(&windows));
    }
}

#[test]
fn what_is_nested_too_deep_is_text_and_said_to_be() {
    let nested = |levels: usize| scan(&format!("{}[[a]]", "- ".repeat(levels)));
    let deepest = usize::from(DEEPEST);
    let facts = nested(deepest);
    assert!(!facts.is_too_deep);
    assert_eq!(facts.list_items.len(), deepest);
    let facts = nested(deepest + 1);
    assert_eq!((facts.is_too_deep, facts.list_items.len()), (true, deepest));
    assert_eq!(facts.links.len(), 1);
    assert!(scan(&"> ".repeat(deepest + 1)).is_too_deep);
    assert!(!scan(&format!("{}a\nb", "> ".repeat(deepest))).is_too_deep);
}

#[test]
fn a_stop_ends_the_scan_of_a_long_note_early() {
    for block in ["text\n\n", "- item\n", "> quote\n\n", "> - [ ] a\n\n"] {
        let text = block.repeat(50_000);
        let looks = std::cell::Cell::new(0);
        let stops_at = |most: usize| {
            looks.set(0);
            let stops = || {
                looks.set(looks.get() + 1);
                looks.get() == most
            };
            scan_lines(&text, NoteLines::split, &stops)
        };
        assert_eq!(stops_at(usize::MAX), Ok(scan(&text)), "{block:?}");
        assert!(looks.get() > 10, "{block:?}: {} looks", looks.get());
        assert_eq!(stops_at(5), Err(WorkCancelled), "{block:?}");
        assert_eq!(looks.get(), 5, "{block:?}");
    }
}
