//! `note:merge` and `note:extract` by the rules of `vault-semantics.md` §7.8.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::VaultPath;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tables::unescaped;
use vault_files::Vault;
use vault_files::testing::{given, parsed};
use vault_files::vault::testing::vault;

use super::random_vaults::{Case, case};
use super::testing::{applied, files, graph};
use crate::Editor;
use crate::testing::{error, surroundings};

const CASES: &str = include_str!("text_move_tests_cases.txt");

type Notes<'text> = &'text [(&'text str, &'text str)];

/// Makes a change, and returns its answer, its warnings, and each file that is new, changed or gone.
fn outcome(notes: Notes<'_>, line: &str) -> String {
    let (_folder, vault) = vault(notes);
    let before = files(vault.root());
    let (command, arguments) = parsed(line);
    let edit = match Editor(&vault).plan(&command, &arguments, &surroundings()) {
        Ok(edit) => edit,
        Err(error) => return format!("{error}"),
    };
    Editor(&vault).apply(&edit.changes, "run").unwrap();
    let after = files(vault.root());
    let mut lines = vec![edit.answer.text()];
    lines.extend(edit.warnings.iter().map(|warning| format!("! {warning}")));
    let paths: BTreeSet<&VaultPath> = before.keys().chain(after.keys()).collect();
    for path in paths {
        let new = after.get(path);
        if before.get(path) != new {
            let new = new.map_or("-".to_owned(), |bytes| {
                String::from_utf8_lossy(bytes).escape_debug().to_string()
            });
            lines.push(format!("{path}: {new}"));
        }
    }
    lines.join("\n")
}

/// Compares the outcomes of calls. Each case is a paragraph: the files, the call after `> `, and its outcome.
fn cases(table: &str) {
    for case in table.split("\n\n") {
        let lines = case.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
        let lines: Vec<&str> = lines.collect();
        let call = lines.iter().position(|line| line.starts_with("> "));
        let (notes, outcomes) = lines.split_at(call.unwrap());
        let notes = notes.iter().map(|line| {
            let (path, text) = line.split_once(':').unwrap();
            (path, unescaped(text.strip_prefix(' ').unwrap_or(text)))
        });
        let notes: Vec<(&str, &str)> = notes.collect();
        let expected = outcomes[1..].join("\n");
        assert_eq!(outcome(&notes, &outcomes[0][2..]), expected, "{case}");
    }
}

#[test]
fn a_merged_note_is_at_the_place_that_was_named_with_blank_lines_around_it() {
    cases(tables::text(
        CASES,
        "a merged note is at the place that was",
    ));
}

#[test]
fn properties_are_united_and_the_targets_own_values_win() {
    cases(tables::text(CASES, "properties are united and the targets"));
}

/// `007` and `7` are the same number for YAML, and different names for a person.
#[test]
fn numbers_of_a_merged_note_are_written_as_they_were() {
    cases(tables::text(CASES, "numbers of a merged note are written"));
}

#[test]
fn links_to_a_merged_note_lead_to_the_target_and_its_own_links_stay_right() {
    cases(tables::text(CASES, "links to a merged note lead"));
}

#[test]
fn boards_and_drawings_belong_to_their_plugins() {
    let board = "---\nkanban-plugin: board\n---\n\n## To do\n\n- [ ] a\n";
    let drawing = "---\nexcalidraw-plugin: parsed\n---\n# Back\n\ntext\n\n#\n# Excalidraw Data\n## Text Elements\nhi ^id1\n";
    let is_board = "`b.md` is a Kanban board, and Kanban deletes text outside a lane";
    let is_drawing =
        "`d.md` is an Excalidraw drawing. Its data begins on line 8 and must stay at the end";
    let in_data = "the note is an Excalidraw drawing. Its data begins on line 8, and only Excalidraw can change the data";
    let notes: Notes<'_> = &[("a.md", "x\n"), ("b.md", board), ("d.md", drawing)];
    for (line, expected) in [
        ("note:merge path=a.md into=b.md", is_board),
        ("note:merge path=b.md into=a.md", is_board),
        ("note:merge path=a.md into=d.md", is_drawing),
        ("note:merge path=d.md into=a.md", is_drawing),
        ("note:extract path=b.md lines=7 to=n", is_board),
        ("tag:add path=b.md tag=x place=text", is_board),
        ("tag:add path=d.md tag=x place=text", is_drawing),
    ] {
        assert_eq!(outcome(notes, line), expected, "{line}");
    }
    for line in [
        "note:extract path=d.md lines=11 to=n",
        "heading:rename path=d.md block=id1 to=id2",
        "heading:rename path=d.md heading=Text_Elements to=Words",
    ] {
        let shown = outcome(notes, line);
        assert!(shown.contains(in_data), "{line}: {shown}");
    }
    let after = drawing.replace("# Back\n\ntext\n", "[[n]]\n");
    let extracted = [
        "Extracted: d.md, lines 4-6 -> n.md (0 links in 0 files)",
        &format!("d.md: {}", after.escape_debug()),
        r"n.md: # Back\n\ntext\n",
    ];
    let shown = outcome(notes, "note:extract path=d.md heading=Back to=n");
    assert_eq!(shown, extracted.join("\n"));
}

#[test]
fn what_cannot_be_merged_or_extracted_without_damage_is_refused() {
    cases(tables::text(CASES, "what cannot be merged or extracted"));
    let (_folder, vault) = vault(&[("b.md", "# H")]);
    fs_err::write(vault.root().join("a.md"), b"# H\n\xff").unwrap();
    for (command, params) in [
        (
            "note:merge",
            [("path", "a.md"), ("into", "b.md")].as_slice(),
        ),
        ("note:merge", &[("path", "b.md"), ("into", "a.md")]),
        (
            "note:extract",
            &[("path", "a.md"), ("heading", "H"), ("to", "c")],
        ),
    ] {
        let refused = error(&vault, command, params, &[]).to_string();
        assert_eq!(refused, "`a.md` is not UTF-8 text");
    }
}

#[cfg(unix)]
#[test]
fn a_symlinked_note_is_neither_merged_nor_extracted_from() {
    let (_folder, vault) = vault(&[("b.md", "# H")]);
    std::os::unix::fs::symlink(vault.root().join("b.md"), vault.root().join("a.md")).unwrap();
    for (command, params) in [
        (
            "note:merge",
            [("path", "a.md"), ("into", "b.md")].as_slice(),
        ),
        ("note:merge", &[("path", "b.md"), ("into", "a.md")]),
        (
            "note:extract",
            &[("path", "a.md"), ("heading", "H"), ("to", "c")],
        ),
    ] {
        let refused = error(&vault, command, params, &[]).to_string();
        assert_eq!(
            refused,
            "`a.md` is a symlink, and symlinks are not followed"
        );
    }
}

#[test]
fn a_section_block_or_lines_become_a_note_and_a_link_stays() {
    cases(tables::text(
        CASES,
        "a section block or lines become a note",
    ));
}

#[test]
fn links_to_an_extracted_part_lead_to_the_new_note() {
    cases(tables::text(CASES, "links to an extracted part lead"));
}

/// The links of a vault, in which two notes count as one.
struct Links {
    /// The number of links from one file to another.
    edges: BTreeMap<(VaultPath, VaultPath), u32>,
    /// The number of links to no file.
    broken: u32,
}

impl Links {
    /// Whether there are the same links as before, but for broken ones, of which the text at another place may lead
    /// somewhere.
    fn follow(&self, before: &Self, is_checked: impl Fn(&VaultPath) -> bool) -> bool {
        let total = |links: &Self| links.edges.values().sum::<u32>() + links.broken;
        let mut edges = before.edges.iter();
        edges.all(|(pair, count)| {
            let now = self.edges.get(pair).copied().unwrap_or_default();
            now >= if is_checked(&pair.0) { *count } else { 1 }
        }) && total(self) <= total(before)
            && self.broken <= before.broken
    }
}

/// Returns the links before and after a change that puts text of `from` into `to`, or `None` if it is refused.
fn links(
    vault: &Vault,
    (command, params): (&str, &[(&str, &str)]),
    [from, to]: [&VaultPath; 2],
) -> Option<[Links; 2]> {
    let arguments = given(command, params, &[]);
    let edit = Editor(vault)
        .plan(command, &arguments, &surroundings())
        .ok()?;
    let before = files(vault.root());
    let mut after = applied(&before, &edit.changes);
    after.retain(|path, _| !path.is_hidden());
    let as_one = |path: VaultPath| if path == *to { from.clone() } else { path };
    let joined = |files| {
        let (found, missing) = graph(files);
        let mut edges = BTreeMap::new();
        for ((source, target), count) in found {
            *edges.entry((as_one(source), as_one(target))).or_default() += count;
        }
        Links {
            edges,
            broken: missing.values().sum(),
        }
    };
    Some([joined(&before), joined(&after)])
}

/// The vault of a case, in which each note has a section `H` with its links again.
fn with_sections(case: &Case) -> (tempfile::TempDir, Vault) {
    let (folder, vault) = case.vault();
    for (path, bytes) in files(vault.root()) {
        if path.is_note() {
            let text = String::from_utf8(bytes).unwrap();
            let body = text.rsplit("---\r\n").next().unwrap_or_default();
            let text =
                format!("{text}\r\n\r\n# H\r\n\r\n{body}\r\n\r\ntext ^c\r\n\r\n# R\r\n\r\n{body}");
            fs_err::write(vault.root().join(path.as_str()), text).unwrap();
        }
    }
    (folder, vault)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_merge_keeps_the_graph(case in case(), into in any::<Index>(), place in select(vec!["start", "end"])) {
        let (_folder, vault) = case.vault();
        let notes: Vec<VaultPath> = files(vault.root()).into_keys().filter(VaultPath::is_note).collect();
        prop_assume!(notes.len() > 1);
        let [from, into] = [case.moved, into].map(|index| &notes[index.index(notes.len())]);
        prop_assume!(from != into);
        let params = [("path", from.as_str()), ("into", into.as_str()), ("position", place)];
        let [before, after] = links(&vault, ("note:merge", &params), [from, into]).unwrap();
        // An item that both lists of properties have is there once.
        prop_assert!(after.follow(&before, |source| source != from));
    }

    #[test]
    fn an_extraction_keeps_the_graph(case in case(), to in select(vec!["fresh", "x/fresh.md", "x y/c.d", "b", "y/a"])) {
        let (_folder, vault) = with_sections(&case);
        let notes: Vec<VaultPath> = files(vault.root()).into_keys().filter(VaultPath::is_note).collect();
        prop_assume!(!notes.is_empty());
        let from = &notes[case.moved.index(notes.len())];
        let to_path = vault_files::extension::path_of_part(from, &VaultPath::file(to).unwrap()).unwrap();
        let params = [("path", from.as_str()), ("heading", "H"), ("to", to), ("leave", "none")];
        let Some([before, after]) = links(&vault, ("note:extract", &params), [from, &to_path]) else {
            let is_taken = |path: &VaultPath| path.as_str().to_lowercase() == to_path.as_str().to_lowercase();
            prop_assert!(files(vault.root()).keys().any(is_taken));
            return Ok(());
        };
        prop_assert!(after.follow(&before, |_| true));
    }
}
