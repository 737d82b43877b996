//! obsidian-cli-inspector: `{command, timestamp, params, result, meta}` (`contracts.md` I01 to I46).

use serde_json::{Value, json};
use vault_answers::{FileItem, LinkItem, SearchContextItem, TagFiles, TagItem, UnresolvedItem};
use vault_engine::{ListedNote, NoteHit, VaultStats};

use super::codira::required_result_keys;
use super::ending::Ending;
use super::rows::{self, Link, each};
use super::{Profile, Surroundings};
use changes::Envelope;
use protocol::json::object as object_of;

/// Flags that this profile adds to a request, and that are not shown as given by the caller.
const ADDED: [&str; 3] = ["ambiguous", "chunks", "titles"];

pub(super) fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let contract = Profile::Inspector.contract();
    if let Some(error) = &envelope.error {
        let code = contract.exits[Ending::from_code(error.code) as usize];
        return json!({ "error": { "code": code, "message": error.to_string() } });
    }
    // If several of its commands are the same one of ours, the result has the used name.
    let wanted = surroundings.requested.as_ref();
    let ours = &envelope.command;
    let command = wanted.map_or_else(
        || contract.names.get(ours).unwrap_or(ours).clone(),
        |wanted| wanted.replace(' ', "."),
    );
    let time = envelope.timestamp.as_ref().unwrap_or(&surroundings.now);
    let mut object = object_of(json!({
        "command": command,
        "timestamp": time,
        "params": params(envelope),
        "result": result(envelope),
        "meta": {
            "query_time_ms": envelope.duration_ms,
            "vault_path": surroundings.root.as_deref().unwrap_or_default(),
        },
    }));
    object.extend(rows::warnings(envelope));
    object.extend(required_result_keys(envelope));
    object.into()
}

fn params(envelope: &Envelope) -> Value {
    let mut params = envelope.params.clone();
    params.retain(|name, _| !ADDED.contains(&name.as_str()));
    params.into()
}

/// `{total, items}` of a list, where `total` counts the items shown; for any other answer the payload.
fn result(envelope: &Envelope) -> Value {
    let findings = || (envelope.command == rows::AUDIT).then(|| rows::findings(envelope));
    let Some(items) = items(envelope).or_else(findings) else {
        return match envelope.command.as_str() {
            "vault:stats" => stats(envelope.data.own()),
            _ => json!(envelope.data),
        };
    };
    let mut result = object_of(json!({ "total": items.len(), "items": items }));
    result.extend(rows::mark_of_part(envelope));
    result.into()
}

/// Returns the items of a list; `None` if the answer is not one.
fn items(envelope: &Envelope) -> Option<Vec<Value>> {
    let data = &envelope.data;
    Some(match envelope.command.as_str() {
        // The engine has no chunks with ids and ranks; the matching lines are the text.
        "search" => each(data.own()?, |file: &FileItem| {
            chunk((&file.path, None), None, None, None)
        }),
        "search:context" => each(data.own()?, |file: &SearchContextItem| {
            let text = rows::joined(&file.matches);
            chunk((&file.path, None), None, Some(&text), None)
        }),
        "orphans" | "deadends" => each(
            data.own()?,
            |file: &FileItem| json!({ "note_id": null, "note_path": file.path, "note_title": rows::title(&file.path) }),
        ),
        "tags" => each(
            data.own()?,
            |item: &TagItem| json!({ "tag": bare(&item.tag) }),
        ),
        "tag" => {
            let found: &TagFiles = data.own()?;
            each(&found.files, |file| {
                tagged((&file.path, None), [&found.tag])
            })
        }
        "links" => each(data.own()?, |item| match item {
            LinkItem::File { path } => link(&Link::new(path, None)),
            LinkItem::Unresolved { target } => link(&Link::unresolved(target, None)),
        }),
        "unresolved" => each(data.own()?, |item: &UnresolvedItem| {
            link(&Link::unresolved(&item.link, item.count))
        }),
        "notes:search" => each(data.own()?, |hit: &NoteHit| {
            let (heading, text) = (hit.heading.as_deref(), hit.snippet.as_deref());
            // A smaller `rank` is better, as in FTS5.
            let rank = Some(-hit.score);
            chunk((&hit.path, Some(&hit.title)), heading, text, rank)
        }),
        "notes:list" => each(data.own()?, listed),
        _ => match rows::links(envelope) {
            Some(links) => links.iter().map(link).collect(),
            None => rows::items(envelope)?.clone(),
        },
    })
}

/// Returns the five numbers of `stats`. Pieces are counted as in `note:chunks`.
fn stats(stats: Option<&VaultStats>) -> Value {
    json!({
        "notes": stats.map(|stats| stats.notes),
        "links": stats.map(|stats| stats.links.total),
        "tags": stats.map(|stats| stats.tags.distinct),
        "chunks": stats.and_then(|stats| stats.chunks),
        "unresolved_links": stats.map(|stats| stats.links.unresolved),
    })
}

/// A note by its path, with its title if the answer has it.
type Titled<'answer> = (&'answer str, Option<&'answer str>);

/// Returns a hit of a search. Without a title the note has the name of its file.
fn chunk(
    (path, title): Titled<'_>,
    heading: Option<&str>,
    text: Option<&str>,
    rank: Option<f64>,
) -> Value {
    json!({
        "chunk_id": null,
        "note_id": null,
        "note_path": path,
        "note_title": title.or_else(|| rows::title(path)),
        "heading_path": heading,
        "chunk_text": text,
        "rank": rank,
    })
}

/// Returns a note with all its tags.
fn listed(item: &ListedNote) -> Value {
    let shown = item.metadata.as_ref();
    let title = shown.and_then(|shown| shown.title.as_deref());
    let tags = shown
        .into_iter()
        .flat_map(|shown| shown.tags.iter().chain(&shown.inline_tags));
    tagged((&item.path, title), tags)
}

/// Returns a note with these tags.
fn tagged<'answer>(
    (path, title): Titled<'_>,
    tags: impl IntoIterator<Item = &'answer String>,
) -> Value {
    json!({
        "note_id": null,
        "note_path": path,
        "note_title": title.or_else(|| rows::title(path)),
        "tags": tags.into_iter().map(|tag| bare(tag)).collect::<Value>(),
    })
}

/// Returns a link in the names of inspector.
fn link(link: &Link<'_>) -> Value {
    let mut row = json!({
        "note_id": null,
        "note_path": link.path,
        "note_title": link.title,
        "is_embed": link.embed,
        "alias": link.alias,
        "heading_ref": link.heading,
        "block_ref": link.block,
    });
    if let (Some(row), Value::Object(written)) = (row.as_object_mut(), json!(link.written)) {
        row.extend(written);
    }
    row
}

/// Returns a tag without its `#`.
fn bare(tag: &str) -> &str {
    tag.strip_prefix('#').unwrap_or(tag)
}
