//! Tests of each rule, and of all rules against a version without an index.

use proptest::prelude::*;

use super::*;

const CASES: &str = include_str!("cases.txt");

fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

fn paths(texts: &[&str]) -> Vec<VaultPath> {
    texts.iter().map(|text| path(text)).collect()
}

/// Path, rule, others and instability of a link; `None` if it leads nowhere.
fn look(files: &[&str], linkpath: &str, source: &str) -> Option<(String, Rule, Vec<String>, bool)> {
    let source = if source.is_empty() {
        VaultPath::root()
    } else {
        path(source)
    };
    match LinkIndex::new(paths(files)).resolve(linkpath, &source) {
        Resolution::Missing => None,
        Resolution::Found(found) => Some((
            found.path.to_string(),
            found.rule,
            found.others.iter().map(VaultPath::to_string).collect(),
            found.unstable,
        )),
    }
}

/// The rule by which a link leads somewhere, and the path; empty if it leads nowhere.
fn goes_to(files: &[&str], linkpath: &str, source: &str) -> String {
    let found = look(files, linkpath, source);
    found.map_or_else(String::new, |(path, rule, ..)| format!("{rule:?} {path}"))
}

#[test]
fn rule_1_an_empty_linkpath_is_the_note_itself() {
    assert_eq!(goes_to(&["a.md"], "", "a.md"), "Source a.md");
    assert_eq!(goes_to(&["a.md"], "  ", "a.md"), "Source a.md");
    assert_eq!(goes_to(&["a.md"], "", ""), "");
}

#[test]
fn rule_2_relative_paths_do_not_fall_back_to_the_whole_vault() {
    let files = ["a/x.md", "a/b/n.md", "x.md", "y.md"];
    assert_eq!(goes_to(&files, "../x", "a/b/n.md"), "Relative a/x.md");
    assert_eq!(goes_to(&files, "../../X.md", "a/b/n.md"), "Relative x.md");
    assert_eq!(goes_to(&files, "./y", "a/b/n.md"), "");
    assert_eq!(goes_to(&files, "../../../x", "a/b/n.md"), "");
}

#[test]
fn rule_3_a_leading_slash_is_a_path_from_the_root() {
    let files = ["a/x.md", "y.md"];
    assert_eq!(goes_to(&files, "/y", "a/x.md"), "Absolute y.md");
    assert_eq!(goes_to(&files, "/x", "a/x.md"), "");
}

#[test]
fn rule_4_a_whole_path_wins_over_the_sources_folder() {
    let files = ["Note.md", "a/Note.md", "a/source.md"];
    assert_eq!(
        look(&files, "note", "a/source.md"),
        Some((
            "Note.md".into(),
            Rule::ExactPath,
            vec!["a/Note.md".into()],
            false
        ))
    );
    assert_eq!(
        goes_to(&files, "a/note", "a/source.md"),
        "ExactPath a/Note.md"
    );
}

#[test]
fn rule_5_the_end_of_a_path_must_start_at_a_folder() {
    let files = ["x/a/b.md", "x/xa/b.md"];
    assert_eq!(goes_to(&files, "A/B", "n.md"), "OnlyOne x/a/b.md");
    assert_eq!(goes_to(&files, "/a/b", "n.md"), "");
}

#[test]
fn rule_6_what_is_below_the_sources_folder_comes_before_everything_else() {
    let files = tables::lines(CASES, "rule 6 what is below the sources folder");
    for [link, source, expected] in
        tables::section(CASES, "rule 6 what is below the sources folder, 2")
    {
        let found = goes_to(&files, link, source);
        assert_eq!(found, expected, "[[{link}]] in {source}");
    }
}

/// A path from the source's own folder is the shortest below it, so rule 6 finds it; one from the
/// root comes before (rule 4).
#[test]
fn rule_6_a_path_from_the_sources_folder_is_the_first_below_it() {
    let files = ["s/a/p.png", "s/x/a/p.png", "o/a/p.png"];
    assert_eq!(
        goes_to(&files, "a/p.png", "s/N.md"),
        "BelowSource s/a/p.png"
    );
    let files = ["a/p.png", "s/a/p.png"];
    assert_eq!(goes_to(&files, "a/p.png", "s/N.md"), "ExactPath a/p.png");
}

/// Results of Obsidian 1.13.6 through its own CLI: four files of one name, and notes next to them
/// (`vault-semantics.md` §2.3).
#[test]
fn rule_6_as_measured_with_pictures_of_one_name() {
    let files = [
        "one/a.png",
        "two/a.png",
        "left/common/a.png",
        "right/common/a.png",
    ];
    for (source, expected) in [
        ("one/bare.md", "BelowSource one/a.png"),
        ("two/bare.md", "BelowSource two/a.png"),
        ("left/common/bare.md", "BelowSource left/common/a.png"),
    ] {
        assert_eq!(goes_to(&files, "a.png", source), expected);
    }
}

#[test]
fn rule_7_counts_characters_not_folders() {
    let files = ["a/b/n.md", "longer/n.md", "s.md"];
    assert_eq!(
        look(&files, "n", "s.md"),
        Some((
            "a/b/n.md".into(),
            Rule::Shortest,
            vec!["longer/n.md".into()],
            false
        ))
    );
}

#[test]
fn rule_8_equal_lengths_are_marked_and_decided() {
    assert_eq!(
        look(&["b/n.md", "a/n.md"], "n", ""),
        Some(("a/n.md".into(), Rule::Shortest, vec!["b/n.md".into()], true))
    );
}

#[test]
fn the_extension_is_tried_only_for_notes() {
    assert_eq!(goes_to(&["Note.md"], "Note.MD", ""), "ExactPath Note.md");
    assert_eq!(goes_to(&["a.b", "a.b.md"], "a.b", ""), "ExactPath a.b");
    assert_eq!(goes_to(&["a.b.md"], "a.b", ""), "ExactPath a.b.md");
    assert_eq!(goes_to(&["pic.png"], "pic", ""), "");
    assert_eq!(goes_to(&["x/pic.png"], "PIC.png", ""), "OnlyOne x/pic.png");
}

#[test]
fn of_case_twins_the_right_case_wins() {
    for (files, link, expected) in [
        (["Log.md", "log.md"], "log", "log.md"),
        (["Log.md", "log.md"], "Log.md", "Log.md"),
        (["x/Log.md", "x/log.md"], "log", "x/log.md"),
    ] {
        let (path, _, others, unstable) = look(&files, link, "").unwrap();
        assert_eq!(
            (path.as_str(), others.len(), unstable),
            (expected, 1, false),
            "{link}"
        );
    }
    let (path, _, _, unstable) = look(&["Log.md", "log.md"], "LOG", "").unwrap();
    assert_eq!((path.as_str(), unstable), ("Log.md", true));
}

#[test]
fn d08_spellings_and_no_break_spaces_are_one() {
    assert_eq!(
        goes_to(&["caf\u{e9} 1.md"], "cafe\u{301}\u{a0}1", ""),
        "ExactPath caf\u{e9} 1.md"
    );
}

/// The rules as written in the document, without an index.
fn by_the_rules(files: &[VaultPath], linkpath: &str, source: &VaultPath) -> Option<VaultPath> {
    // A file without an extension is never a link's target.
    let named: Vec<VaultPath> = files
        .iter()
        .filter(|path| path.name().contains('.'))
        .cloned()
        .collect();
    let files = named.as_slice();
    let lower = str::to_lowercase;
    let is = |path: &VaultPath, text: &str| {
        lower(path.as_str()) == lower(text) || lower(path.as_str()) == lower(&format!("{text}.md"))
    };
    if linkpath.is_empty() {
        return (!source.is_root()).then(|| source.clone());
    }
    let whole_path = |text: &str| {
        let with_extension = format!("{text}.md");
        let mut found: Vec<&VaultPath> = files.iter().filter(|path| is(path, text)).collect();
        found.sort_by_key(|path| {
            (
                path.as_str() != text,
                path.as_str() != with_extension,
                lower(path.as_str()) != lower(text),
                path.as_str().len(),
                path.as_str().to_owned(),
            )
        });
        found.first().map(|path| (*path).clone())
    };
    if linkpath.starts_with("./") || linkpath.starts_with("../") {
        let mut at: Vec<String> = source.parent().components().map(Into::into).collect();
        for part in linkpath
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
        {
            if part == ".." {
                at.pop()?;
            } else {
                at.push(part.into());
            }
        }
        return whole_path(&at.join("/"));
    }
    if let Some(rest) = linkpath.strip_prefix('/') {
        return whole_path(rest);
    }
    if let Some(found) = whole_path(linkpath) {
        return Some(found);
    }
    let ends = |path: &VaultPath, text: &str| path.as_str().ends_with(&format!("/{text}"));
    let mut candidates: Vec<&VaultPath> = files
        .iter()
        .filter(|path| {
            let lowered = lower(path.as_str());
            lowered.ends_with(&lower(&format!("/{linkpath}")))
                || lowered.ends_with(&lower(&format!("/{linkpath}.md")))
        })
        .collect();
    let folder = format!("{}/", source.parent_text());
    let is_below = |path: &VaultPath| folder == "/" || path.as_str().starts_with(&folder);
    if candidates.iter().any(|path| is_below(path)) {
        candidates.retain(|path| is_below(path));
    }
    candidates.sort_by_key(|path| {
        (
            path.as_str().len(),
            lower(path.as_str()),
            !(ends(path, linkpath) || ends(path, &format!("{linkpath}.md"))),
            path.as_str().to_owned(),
        )
    });
    candidates.first().map(|path| (*path).clone())
}

fn any_path() -> impl Strategy<Value = VaultPath> {
    "([abA]{1,2}/){0,2}[abA\u{3a3}]{1,2}(\\.md|\\.MD|\\.b|\\.b\\.md|)".prop_map(|text| path(&text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_index_finds_what_the_rules_say(
        files in proptest::collection::btree_set(any_path(), 0..12),
        linkpath in "(/|\\./|\\.\\./|)([abA]{1,2}/){0,2}[abA]{0,2}(\\.md|\\.b|)",
        source in prop_oneof![Just(VaultPath::root()), any_path()],
    ) {
        let files: Vec<VaultPath> = files.into_iter().collect();
        let index = LinkIndex::new(files.clone());
        let expected = by_the_rules(&files, &linkpath, &source);
        match index.resolve(&linkpath, &source) {
            Resolution::Missing => prop_assert_eq!(expected, None),
            Resolution::Found(found) => {
                prop_assert_eq!(expected.as_ref(), Some(&found.path));
                prop_assert!(!found.others.contains(&found.path));
                prop_assert!(found.others.is_sorted_by(|left, right| left < right));
                prop_assert!(!found.unstable || !found.others.is_empty());
            }
        }
    }

    #[test]
    fn the_quick_look_says_what_the_rules_say(
        files in proptest::collection::btree_set(any_path(), 0..12),
        linkpath in "(/|\\./|\\.\\./| |)([abA]{1,2}/){0,2}[abA\u{3a3}\u{3c3}]{0,2}(\\.md|\\.b|)",
        source in prop_oneof![Just(VaultPath::root()), any_path()],
    ) {
        let files: Vec<VaultPath> = files.into_iter().collect();
        let index = LinkIndex::new(files.clone());
        let resolved = index.resolve(&linkpath, &source);
        match index.lead_from_everywhere(&linkpath) {
            FromEverywhere::Nowhere => prop_assert_eq!(resolved, Resolution::Missing),
            FromEverywhere::File(number) => {
                let Resolution::Found(found) = resolved else { panic!("{resolved:?}") };
                prop_assert_eq!(&found.path, &files[number]);
                prop_assert!(found.others.is_empty() || found.rule == Rule::ExactPath);
            }
            FromEverywhere::Depends => {}
        }
    }

    #[test]
    fn the_order_of_the_files_does_not_matter(
        files in proptest::collection::btree_set(any_path(), 0..12),
        linkpath in "([abA]{1,2}/){0,1}[abA]{1,2}(\\.md|\\.b|)",
    ) {
        let forwards = LinkIndex::new(files.iter().cloned());
        let backwards = LinkIndex::new(files.iter().rev().cloned());
        let root = VaultPath::root();
        prop_assert_eq!(forwards.resolve(&linkpath, &root), backwards.resolve(&linkpath, &root));
    }
}
