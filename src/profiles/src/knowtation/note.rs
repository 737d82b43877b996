//! The payloads about notes, with exactly the keys of their schemas.

use serde_json::{Map, Value, json};
use vault_answers::List;
use vault_engine::{
    ListedNote, NoteFacets, NoteOutline, NoteParts, NoteSections, NoteTree, TreeNode,
};

use crate::rows::each;
use protocol::json::object;

/// `knowtation.note_outline/v1`: headings without their lines.
pub(super) fn outline(outline: &NoteOutline) -> Value {
    let headings = each(
        &outline.headings,
        |heading| json!({ "level": heading.level, "text": heading.text, "id": ascii_id(&heading.id) }),
    );
    json!({
        "schema": "knowtation.note_outline/v1",
        "path": outline.path,
        "title": outline.title,
        "headings": headings,
        "truncated": outline.headings.numbers().truncated,
    })
}

/// `knowtation.document_tree/v0`: the tree of headings of a note.
pub(super) fn tree(tree: &NoteTree) -> Value {
    json!({
        "schema": "knowtation.document_tree/v0",
        "path": tree.path,
        "title": tree.title,
        "root": { "children": nodes(&tree.root.children) },
        "truncated": tree.truncated,
    })
}

fn nodes(children: &[TreeNode]) -> Value {
    let node = |node: &TreeNode| {
        json!({
            "id": ascii_id(&node.id),
            "level": node.level,
            "text": node.text,
            "children": nodes(&node.children),
        })
    };
    children.iter().map(node).collect()
}

/// `knowtation.metadata_facets/v0`: the facets of a note, such as its project and tags.
pub(super) fn facets(note: &NoteFacets) -> Value {
    let facets = &note.facets;
    json!({
        "schema": "knowtation.metadata_facets/v0",
        "path": note.path,
        "facets": {
            "project": facets.project,
            "tags": facets.tags,
            "date": facets.date,
            "updated": facets.updated,
            "causal_chain_id": facets.causal_chain_id,
            "entity": facets.entity,
            "episode_id": facets.episode_id,
        },
        "inferred": { "folder": note.inferred.folder, "source_type": null },
        "truncated": note.truncated,
    })
}

/// `knowtation.section_source/v0`: sections without their text, which the schema excludes.
pub(super) fn sections(note: &NoteSections) -> Value {
    let sections = each(&note.sections, |section| {
        let children = section.child_section_ids.iter();
        json!({
            "section_id": ascii_id(&section.section_id),
            "heading_id": ascii_id(&section.heading_id),
            "level": section.level,
            "heading_path": section.heading_path,
            "heading_text": section.heading_text,
            "child_section_ids": children.map(|id| ascii_id(id)).collect::<Value>(),
            "body_available": section.body_available,
            "body_returned": false,
            "snippet_returned": false,
        })
    });
    json!({
        "schema": "knowtation.section_source/v0",
        "path": note.path,
        "title": note.title,
        "sections": sections,
        "truncated": note.sections.numbers().truncated,
    })
}

/// Returns a note, or only its body or its frontmatter. White space at the end of the body is trimmed, but not at the
/// end of a part, so that the parts join to the text.
pub(super) fn parts(note: &NoteParts) -> Value {
    let body = note.body.as_deref();
    let body = match note.place {
        Some(_) => body,
        None => body.map(str::trim_end),
    };
    let mut shown = Map::from_iter([("path".to_owned(), note.path.as_str().into())]);
    shown.extend(content(note.frontmatter.as_ref(), body));
    shown.into()
}

/// Notes with their properties; only their paths by default, and only properties and text if these were
/// requested.
pub(super) fn notes(list: &List<ListedNote>) -> Value {
    let notes = each(list, |note| {
        let mut row = Map::from_iter([("path".to_owned(), note.path.as_str().into())]);
        if let Some(shown) = &note.metadata
            && note.frontmatter.is_none()
        {
            row.extend(object(json!({
                "title": shown.title.as_ref().unwrap_or(&shown.name),
                "project": shown.project,
                "tags": slugs(&shown.tags),
                "date": shown.date,
            })));
        }
        let body = note.body.as_deref().map(str::trim_end);
        row.extend(content(note.frontmatter.as_ref(), body));
        row.into()
    });
    json!({ "notes": notes, "total": list.total() })
}

/// Returns the frontmatter and the body, as far as present.
pub(super) fn content(
    frontmatter: Option<&Map<String, Value>>,
    body: Option<&str>,
) -> impl Iterator<Item = (String, Value)> {
    let frontmatter = frontmatter.map(|properties| ("frontmatter".to_owned(), json!(properties)));
    let body = body.map(|body| ("body".to_owned(), body.into()));
    frontmatter.into_iter().chain(body)
}

/// Tags as slugs, without tags whose slug is empty.
pub(super) fn slugs(tags: &[String]) -> Value {
    let tags = tags.iter().map(|tag| slug(tag));
    tags.filter(|tag| !tag.is_empty()).collect()
}

/// Returns the id of a heading, reduced to ASCII (`contracts.md` K16): `h2-日本語-x-0001` becomes `h2-x-0001`. The part
/// before a colon is the id of the note.
fn ascii_id(id: &str) -> String {
    let (note, heading) = match id.rsplit_once(':') {
        Some((note, heading)) => (format!("{note}:"), heading),
        None => (String::new(), id),
    };
    let ends = heading.split_once('-').zip(heading.rsplit_once('-'));
    let Some(((level, _), (start, number))) = ends else {
        return id.to_owned();
    };
    let slug = slug(start.get(level.len()..).unwrap_or_default());
    let slug = if slug.is_empty() { "heading" } else { &slug };
    format!("{note}{level}-{slug}-{number}")
}

/// Returns a tag in lower case, with one hyphen for each run of characters other than ASCII letters and digits
/// (`contracts.md` K23).
fn slug(tag: &str) -> String {
    let tag = tag.to_lowercase();
    let parts = tag.split(|character: char| !character.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("-")
}
