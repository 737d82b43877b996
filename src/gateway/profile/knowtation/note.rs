//! The payloads about notes, with exactly the keys of their schemas.

use serde_json::{Map, Value, json};

type Data = Map<String, Value>;

/// `knowtation.note_outline/v1`: headings without their lines.
pub(super) fn outline(data: &Data) -> Value {
    let headings = list(
        data,
        "headings",
        |heading| json!({ "level": heading["level"], "text": heading["text"], "id": ascii_id(&heading["id"]) }),
    );
    json!({
        "schema": "knowtation.note_outline/v1",
        "path": data.get("path"),
        "title": data.get("title"),
        "headings": headings,
        "truncated": is_cut(data, "headings"),
    })
}

/// `knowtation.document_tree/v0`: the tree of headings of a note.
pub(super) fn tree(data: &Data) -> Value {
    let top = data.get("root").and_then(|root| root.get("children"));
    json!({
        "schema": "knowtation.document_tree/v0",
        "path": data.get("path"),
        "title": data.get("title"),
        "root": { "children": top.map(nodes).unwrap_or_default() },
        "truncated": data.get("truncated"),
    })
}

fn nodes(children: &Value) -> Value {
    let node = |node: &Value| {
        json!({
            "id": ascii_id(&node["id"]),
            "level": node["level"],
            "text": node["text"],
            "children": nodes(&node["children"]),
        })
    };
    children
        .as_array()
        .into_iter()
        .flatten()
        .map(node)
        .collect()
}

/// `knowtation.metadata_facets/v0`: the facets of a note, such as its project and tags.
pub(super) fn facets(data: &Data) -> Value {
    let facets = data.get("facets").cloned().unwrap_or_default();
    let folder = data.get("inferred").and_then(|told| told.get("folder"));
    json!({
        "schema": "knowtation.metadata_facets/v0",
        "path": data.get("path"),
        "facets": {
            "project": facets["project"],
            "tags": facets["tags"],
            "date": facets["date"],
            "updated": facets["updated"],
            "causal_chain_id": facets["causalChainId"],
            "entity": facets["entity"],
            "episode_id": facets["episodeId"],
        },
        "inferred": { "folder": folder, "source_type": null },
        "truncated": data.get("truncated"),
    })
}

/// `knowtation.section_source/v0`: sections without their text, which the schema excludes.
pub(super) fn sections(data: &Data) -> Value {
    let sections = list(data, "sections", |section| {
        json!({
            "section_id": ascii_id(&section["sectionId"]),
            "heading_id": ascii_id(&section["headingId"]),
            "level": section["level"],
            "heading_path": section["headingPath"],
            "heading_text": section["headingText"],
            "child_section_ids": ids(&section["childSectionIds"]),
            "body_available": section["bodyAvailable"],
            "body_returned": false,
            "snippet_returned": false,
        })
    });
    json!({
        "schema": "knowtation.section_source/v0",
        "path": data.get("path"),
        "title": data.get("title"),
        "sections": sections,
        "truncated": is_cut(data, "sections"),
    })
}

fn ids(ids: &Value) -> Value {
    ids.as_array().into_iter().flatten().map(ascii_id).collect()
}

/// A note, or only its body or its frontmatter. White space at the end of the body is trimmed, but not
/// at the end of a part, so that the parts join to the text.
pub(super) fn parts(data: &Data) -> Value {
    let mut note = Map::from_iter([(
        "path".to_owned(),
        data.get("path").cloned().unwrap_or_default(),
    )]);
    note.extend(content(data));
    note.into()
}

/// Notes with their properties; only their paths by default, and only properties and text if these were
/// requested.
pub(super) fn notes(data: &Data, items: &[Value]) -> Value {
    let row = |item: &Value| {
        let mut row = Map::from_iter([("path".to_owned(), item["path"].clone())]);
        if item.get("frontmatter").is_none() && item.get("tags").is_some() {
            row.extend([
                ("title".to_owned(), title_of(item)),
                ("project".to_owned(), item["project"].clone()),
                ("tags".to_owned(), slugs(&item["tags"])),
                ("date".to_owned(), item["date"].clone()),
            ]);
        }
        if let Value::Object(item) = item {
            row.extend(content(item));
        }
        Value::from(row)
    };
    json!({ "notes": items.iter().map(row).collect::<Value>(), "total": data.get("total") })
}

/// The frontmatter and the body, as far as present.
pub(super) fn content(data: &Data) -> Data {
    let mut content = Map::new();
    if let Some(frontmatter) = data.get("frontmatter") {
        content.insert("frontmatter".to_owned(), frontmatter.clone());
    }
    if let Some(body) = data.get("body").and_then(Value::as_str) {
        let is_part = ["offset", "nextOffset"]
            .iter()
            .any(|key| data.contains_key(*key));
        let body = if is_part { body } else { body.trim_end() };
        content.insert("body".to_owned(), body.into());
    }
    content
}

/// The items of a list under `key`, each mapped by `row`.
fn list(data: &Data, key: &str, row: impl Fn(&Value) -> Value) -> Value {
    let items = data.get(key).and_then(|list| list.get("items"));
    let items = items.and_then(Value::as_array).into_iter().flatten();
    items.map(row).collect()
}

fn is_cut(data: &Data, key: &str) -> Value {
    let list = data.get(key);
    list.and_then(|list| list.get("truncated"))
        .cloned()
        .unwrap_or_default()
}

/// The title of a listed note: its property, or else its name.
fn title_of(item: &Value) -> Value {
    let title = Some(&item["title"]).filter(|title| !title.is_null());
    title.unwrap_or(&item["name"]).clone()
}

/// Tags as slugs, without tags whose slug is empty.
pub(super) fn slugs(tags: &Value) -> Value {
    let tags = tags.as_array().into_iter().flatten();
    let tags = tags.filter_map(Value::as_str).map(slug);
    tags.filter(|tag| !tag.is_empty()).collect()
}

/// The id of a heading, reduced to ASCII (`contracts.md` K16): `h2-日本語-x-0001` becomes `h2-x-0001`.
/// The part before a colon is the id of the note.
fn ascii_id(id: &Value) -> Value {
    let text = id.as_str().unwrap_or_default();
    let (note, heading) = match text.rsplit_once(':') {
        Some((note, heading)) => (format!("{note}:"), heading),
        None => (String::new(), text),
    };
    let ends = heading.split_once('-').zip(heading.rsplit_once('-'));
    let Some(((level, _), (start, number))) = ends else {
        return id.clone();
    };
    let slug = slug(start.get(level.len()..).unwrap_or_default());
    let slug = if slug.is_empty() { "heading" } else { &slug };
    format!("{note}{level}-{slug}-{number}").into()
}

/// A tag in lower case, with one hyphen for each run of characters other than ASCII letters and digits
/// (`contracts.md` K23).
fn slug(tag: &str) -> String {
    let tag = tag.to_lowercase();
    let parts = tag.split(|character: char| !character.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("-")
}
