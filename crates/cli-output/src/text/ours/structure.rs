//! Headings, sections and facets.

use super::{one_line, rows};
use crate::answer::{NoteFacets, NoteOutline, NoteSections, NoteTree, TreeNode};

/// `## Text`, tab, id.
pub(super) fn outline(outline: &NoteOutline) -> String {
    rows(outline.headings.items.iter().map(|heading| {
        let marks = "#".repeat(usize::from(heading.level));
        [format!("{marks} {}", heading.text), heading.id.clone()]
    }))
}

/// Each heading below its own, two blanks further right.
pub(super) fn tree(tree: &NoteTree) -> String {
    let mut lines = Vec::new();
    let mut open: Vec<(usize, &TreeNode)> = tree
        .root
        .children
        .iter()
        .rev()
        .map(|node| (0, node))
        .collect();
    while let Some((depth, node)) = open.pop() {
        lines.push(format!("{}- {}", "  ".repeat(depth), one_line(&node.text)));
        open.extend(node.children.iter().rev().map(|child| (depth + 1, child)));
    }
    lines.join("\n")
}

/// Key, tab, value; what is not there is left out.
pub(super) fn facets(note: &NoteFacets) -> String {
    let facets = &note.facets;
    let list = |values: &[String]| (!values.is_empty()).then(|| values.join(", "));
    let all = [
        ("path", Some(note.path.clone())),
        ("folder", note.inferred.folder.clone()),
        ("project", facets.project.clone()),
        ("tags", list(&facets.tags)),
        ("date", facets.date.clone()),
        ("updated", facets.updated.clone()),
        ("causal_chain_id", facets.causal_chain_id.clone()),
        ("entity", list(&facets.entity)),
        ("episode_id", facets.episode_id.clone()),
    ];
    rows(
        all.into_iter()
            .filter_map(|(key, value)| Some([key.to_owned(), value?])),
    )
}

/// The headings down to the section, tab, its heading's id, tab, `empty` where nothing is in it.
pub(super) fn sections(note: &NoteSections) -> String {
    rows(note.sections.items.iter().map(|section| {
        let emptiness = if section.body_available { "" } else { "empty" };
        [
            section.heading_path.join(" > "),
            section.heading_id.clone(),
            emptiness.to_owned(),
        ]
    }))
}
