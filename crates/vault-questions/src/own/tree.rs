//! `note:tree` (`contracts.md` K12, §3.2).

use obsidian_note::shown;

use super::note::Note;
use super::prelude::*;
use super::structure::{Document, MAX_HEADINGS};

pub(super) static COMMAND: OwnCommand = OwnCommand::new::<NoteTree>("note:tree", "note-tree", tree);

/// The headings of one note, each below the nearest one before it of a lower level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteTree {
    /// The note.
    pub path: String,
    /// As in the outline.
    pub title: Option<String>,
    /// The note itself.
    pub root: TreeRoot,
    /// Number of headings of the note.
    pub headings: usize,
    /// Whether headings beyond the 500th were left out.
    pub truncated: bool,
}

/// The root of a tree of headings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeRoot {
    /// The headings that are below no other.
    pub children: Vec<TreeNode>,
}

/// One heading of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// As in the outline.
    pub id: String,
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// The headings below it.
    pub children: Vec<TreeNode>,
}

impl AnswerData for NoteTree {
    /// Returns a line for each heading, indented by two spaces per level of the tree.
    fn text(&self) -> String {
        let mut lines = Vec::new();
        let children = self.root.children.iter().rev();
        let mut open: Vec<(usize, &TreeNode)> = children.map(|node| (0, node)).collect();
        while let Some((depth, node)) = open.pop() {
            lines.push(format!(
                "{}- {}",
                "  ".repeat(depth),
                shown::row(&node.text)
            ));
            open.extend(node.children.iter().rev().map(|child| (depth + 1, child)));
        }
        lines.join("\n")
    }

    fn is_empty(&self) -> bool {
        self.headings == 0
    }
}

/// Returns the headings of one note, each below the nearest one before it of a lower level.
pub(super) fn tree(call: &Call<'_>) -> Result<Reply, EngineError> {
    let document = Document::from_note(Note::read(call.vault, call.arguments)?)?;
    let total = document.structure.headings.len();
    let nodes = document.headings().take(MAX_HEADINGS);
    let nodes = nodes.map(|(heading, line)| TreeNode {
        id: heading.id.clone(),
        level: heading.level,
        text: heading.text.clone(),
        line,
        children: Vec::new(),
    });
    let answer = NoteTree {
        path: document.path.to_string(),
        root: TreeRoot {
            children: nested(nodes),
        },
        headings: total,
        truncated: total > MAX_HEADINGS,
        title: document.title,
    };
    Ok(Reply::new(answer, document.warnings))
}

/// Puts each node below the nearest one before it with a lower level. Levels may be skipped.
fn nested(nodes: impl Iterator<Item = TreeNode>) -> Vec<TreeNode> {
    let mut done = Vec::new();
    // The open nodes from the outermost in, with rising levels.
    let mut open: Vec<TreeNode> = Vec::new();
    for node in nodes {
        close_down_to(node.level, &mut open, &mut done);
        open.push(node);
    }
    close_down_to(0, &mut open, &mut done);
    done
}

fn close_down_to(level: u8, open: &mut Vec<TreeNode>, done: &mut Vec<TreeNode>) {
    while let Some(closed) = open.pop_if(|last| last.level >= level) {
        match open.last_mut() {
            Some(parent) => parent.children.push(closed),
            None => done.push(closed),
        }
    }
}
