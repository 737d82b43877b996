//! Files as MCP resources, `obsidian://note/<path>`: notes as text, images as blobs. Listing and reading
//! run the same commands under the same policy as the tools.
//!
//! A text that exceeds one answer is sent in parts, and each part names the resource of the next
//! one: the same URI with `?offset=` and the number of characters before it.

use std::collections::BTreeMap;

use rmcp::model::{
    CompleteResult, CompletionInfo, ErrorCode, ErrorData, ListResourceTemplatesResult,
    ListResourcesResult, MetaObject, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::{Map, Value, json};
use vault_answers::{FileItem, List, NoteText, PlaceInText};
use vault_engine::shown;

use super::media::{READ_IMAGE, is_image, take_image};

use allowlist::{RawValue, percent_decoded};
use gateway::{Envelope, Params, Request};
use protocol::{Code, json::object};

const SCHEME: &str = "obsidian://note/";
/// The resource template.
const TEMPLATE: &str = "obsidian://note/{+path}";
const MARKDOWN: &str = "text/markdown";
/// The prefix of a part's offset in the query.
const OFFSET: &str = "offset=";
/// The key in `_meta` with the position of a part.
const PAGE: &str = "vault-gw/page";
/// The command behind a resource.
pub(super) const READ: &str = "read";
/// The command behind the list of resources.
pub(super) const LIST: &str = "files";
/// Most resources on a page of the list.
const PER_PAGE: usize = 100;

/// Returns the resource templates: there is one, for files.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "note")
        .with_title("A note")
        .with_description("A note or image by its path from the vault root, with its extension")
        .with_mime_type(MARKDOWN);
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// Whether this argument is the path in our resource template, the only one that can be completed.
pub(super) fn completes(template: &str, argument: &str) -> bool {
    template == TEMPLATE && argument == "path"
}

/// Returns the notes whose paths match the typed text, ignoring case: first paths that begin with it, then file names
/// that begin with it, then paths that contain it. `shown_as` is the value for a path.
///
/// # Errors
///
/// If listing failed.
pub(super) fn completion(
    envelope: &Envelope,
    typed: &str,
    shown_as: fn(&str) -> &str,
) -> Result<CompleteResult, ErrorData> {
    let typed = typed.to_lowercase();
    let rank = |path: &str| {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        match () {
            () if path.starts_with(&typed) => Some(0),
            () if name.starts_with(&typed) => Some(1),
            () if path.contains(&typed) => Some(2),
            () => None,
        }
    };
    let mut found: Vec<(i32, &str)> = paths(envelope)?
        .into_iter()
        .filter_map(|path| Some((rank(path)?, path)))
        .collect();
    // A stable sort keeps paths of the same rank in the order of the list.
    found.sort_by_key(|(rank, _)| *rank);
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let shown = found.iter().take(CompletionInfo::MAX_VALUES);
    let values = shown.map(|(_, path)| shown_as(path).to_owned()).collect();
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    let completion = CompletionInfo::with_pagination(values, Some(total), has_more)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}

/// The request that lists the notes.
pub(super) fn list_request() -> Request {
    request(LIST, "ext", "md")
}

/// Returns the index of the first resource on the page after this cursor.
///
/// # Errors
///
/// If the cursor is not one of ours.
pub(super) fn start(cursor: Option<&str>) -> Result<usize, ErrorData> {
    cursor.map_or(Ok(0), |cursor| {
        cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params("unknown cursor", None))
    })
}

/// One page of the list, from index `start`.
///
/// # Errors
///
/// If listing failed.
pub(super) fn list(envelope: &Envelope, start: usize) -> Result<ListResourcesResult, ErrorData> {
    let paths = paths(envelope)?;
    let resources = paths
        .iter()
        .skip(start)
        .take(PER_PAGE)
        .map(|path| {
            Resource::new(uri(path), *path)
                .with_title(shown::row(name(path)))
                .with_mime_type(MARKDOWN)
        })
        .collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    let end = start.saturating_add(PER_PAGE);
    result.next_cursor = (end < paths.len()).then(|| end.to_string());
    Ok(result)
}

/// Returns the name of a note without its extension.
pub(super) fn name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// Returns the paths in the list of notes.
fn paths(envelope: &Envelope) -> Result<Vec<&str>, ErrorData> {
    succeeded(envelope)?;
    let files: Option<&List<FileItem>> = envelope.data.own();
    let files = files.into_iter().flat_map(|files| &files.items);
    Ok(files.map(|file| file.path.as_str()).collect())
}

/// The path of the file that a URI names; `None` for other URIs and for parts of a file.
pub(super) fn path_of(uri: &str) -> Option<String> {
    decoded(uri.strip_prefix(SCHEME)?)
}

/// The request that reads the file of a URI, or a part of it.
///
/// # Errors
///
/// If the URI does not name a file.
pub(super) fn read_request(uri: &str) -> Result<Request, ErrorData> {
    parsed(uri).ok_or_else(|| {
        ErrorData::resource_not_found(
            "unknown resource; the URI of a note is `obsidian://note/` and its percent-encoded path",
            None,
        )
    })
}

/// Returns the path of the file to subscribe to.
///
/// # Errors
///
/// If the URI does not name a file.
pub(super) fn subscribed_path(uri: &str) -> Result<String, ErrorData> {
    path_of(uri).ok_or_else(|| {
        ErrorData::resource_not_found("only notes and other files can be subscribed to", None)
    })
}

fn parsed(uri: &str) -> Option<Request> {
    let (uri, offset) = match uri.split_once('?') {
        None => (uri, 0),
        Some((uri, query)) => (uri, query.strip_prefix(OFFSET)?.parse().ok()?),
    };
    let path = path_of(uri)?;
    if is_image(&path) {
        // An image has no parts.
        return (offset == 0).then(|| request(READ_IMAGE, "path", &path));
    }
    Some(Request {
        offset,
        ..request(READ, "path", &path)
    })
}

/// Returns the result with the file's text or image.
///
/// # Errors
///
/// If reading failed.
pub(super) fn contents(uri: &str, mut envelope: Envelope) -> Result<ReadResourceResult, ErrorData> {
    succeeded(&envelope)?;
    let (text, path, place) = if let Some(note) = envelope.data.own::<NoteText>() {
        (note.content.clone(), note.path.clone(), note.place)
    } else if let Some((blob, mime_type)) = take_image(&mut envelope.data) {
        let contents = ResourceContents::blob(blob, uri).with_mime_type(mime_type);
        return Ok(ReadResourceResult::new(vec![contents]));
    } else {
        (std::mem::take(&mut envelope.stdout), None, None)
    };
    let mime_type = mime_type(path.as_deref().unwrap_or_default());
    let contents = ResourceContents::text(text, uri).with_mime_type(mime_type);
    if envelope.meta.truncated.is_none() && place.is_none() {
        return Ok(ReadResourceResult::new(vec![contents]));
    }
    // The total is unknown if the end of the text was not read.
    let Some((place, total)) = place.and_then(|place| Some((place, place.total_characters?)))
    else {
        return Err(refused(
            Code::ArgumentTooLarge,
            "The file is too large for one answer. Read the file in parts with the tool `read` and its parameter `offset`.",
        ));
    };
    let base = uri.split_once('?').map_or(uri, |(base, _)| base);
    let shown = next_part_sentence(place, total, base);
    let contents = vec![contents.with_meta(part_meta(place, total, base))]
        .into_iter()
        // After the text, so that the note cannot imitate it.
        .chain(shown.map(|shown| ResourceContents::text(shown, uri)));
    Ok(ReadResourceResult::new(contents.collect()))
}

/// Returns the URI of the next part; `None` at the end.
fn next_uri(place: PlaceInText, base: &str) -> Option<String> {
    Some(format!("{base}?{OFFSET}{}", place.next_offset?))
}

/// Returns the sentence about the next part; `None` at the end.
fn next_part_sentence(place: PlaceInText, total: usize, base: &str) -> Option<String> {
    let PlaceInText {
        offset,
        next_offset,
        ..
    } = place;
    let (end, next) = (next_offset?, next_uri(place, base)?);
    Some(format!(
        "This is a part of the file: characters {offset} to {end} of {total}. Continue with the resource {next}, or with the tool `read` and `offset` {end}."
    ))
}

fn part_meta(place: PlaceInText, total: usize, base: &str) -> MetaObject {
    let page = json!({
        "offset": place.offset,
        "totalCharacters": total,
        "nextOffset": place.next_offset,
        "next": next_uri(place, base),
    });
    MetaObject(Map::from_iter([(PAGE.to_owned(), page)]))
}

/// Returns the media type of a text, from the extension of its name.
fn mime_type(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
        "md" => MARKDOWN,
        "svg" => "image/svg+xml",
        "json" | "canvas" => "application/json",
        "csv" => "text/csv",
        _ => "text/plain",
    }
}

/// Converts a failure to the protocol's error codes for resources.
pub(super) fn refused(code: Code, message: &str) -> ErrorData {
    let data = Some(json!({ "code": code.name() }));
    // A message may quote names with line breaks (`threats.toml` B10).
    let message = shown::row(message);
    match code {
        // A closed path must look like a missing one, or an agent could probe for names.
        Code::FileNotFound | Code::PathDenied | Code::PathEscape => {
            ErrorData::resource_not_found("there is no such note", data)
        }
        Code::UsageError => ErrorData::invalid_params(message.into_owned(), data),
        Code::Busy => ErrorData::new(ErrorCode::INTERNAL_ERROR, message.into_owned(), data),
        _ => ErrorData::invalid_request(message.into_owned(), data),
    }
}

/// Adds the URI to the error of an unknown resource.
pub(super) fn naming(mut error: ErrorData, uri: &str) -> ErrorData {
    if error.code == ErrorCode::RESOURCE_NOT_FOUND {
        let mut data = object(error.data.take().unwrap_or_default());
        data.insert("uri".to_owned(), json!(uri));
        error.data = Some(Value::Object(data));
    }
    error
}

/// Returns the error of a failed answer.
///
/// # Errors
///
/// If the answer is a failure.
pub(super) fn succeeded(envelope: &Envelope) -> Result<(), ErrorData> {
    match &envelope.error {
        None => Ok(()),
        Some(error) => Err(refused(error.code, &error.to_string())),
    }
}

pub(super) fn request(command: &str, key: &str, value: &str) -> Request {
    Request {
        params: Params(BTreeMap::from([(
            key.to_owned(),
            RawValue::Text(value.to_owned()),
        )])),
        ..Request::new(command)
    }
}

/// Returns the URI of a note. Percent-encodes everything but letters, digits, `-._~` and `/`.
fn uri(path: &str) -> String {
    format!("{SCHEME}{}", vault_engine::uri::encoded(path, b"/"))
}

/// Decodes a percent-encoded path; `None` if it is malformed or not UTF-8. A query or fragment is not part of a
/// path; inside a name, `?` and `#` are encoded.
fn decoded(text: &str) -> Option<String> {
    percent_decoded(text).filter(|_| !text.contains(['?', '#']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("resources_cases.txt");

    #[test]
    fn only_notes_have_uris() {
        for wrong in tables::lines(CASES, "only notes have uris") {
            assert_eq!(
                read_request(wrong).unwrap_err().code,
                ErrorCode::RESOURCE_NOT_FOUND,
                "{wrong}"
            );
        }
        assert_eq!(uri("A b/c#?%.md"), "obsidian://note/A%20b/c%23%3F%25.md");
        assert!(start(Some("x")).is_err() && start(Some("-1")).is_err());
        assert_eq!(start(Some("100")).unwrap(), 100);
        let part = read_request("obsidian://note/A%20b.md?offset=7").unwrap();
        assert_eq!((part.command.as_str(), part.offset), ("read", 7));
        let image = read_request("obsidian://note/a.PNG").unwrap();
        assert_eq!(image.command, "image:read");
        assert_eq!(path_of("obsidian://note/a.md?offset=7"), None);
    }

    #[test]
    fn a_part_of_a_text_reports_how_to_go_on() {
        let base = "obsidian://note/a.md";
        let part = PlaceInText::new(5, Some(10), None);
        let next = "obsidian://note/a.md?offset=10";
        assert!(next_part_sentence(part, 20, base).unwrap().contains(next));
        let meta = part_meta(part, 20, base);
        assert_eq!(meta.0["vault-gw/page"]["next"], next);
        let last = PlaceInText::new(5, None, Some(20));
        assert_eq!(next_part_sentence(last, 20, base), None);
    }

    proptest! {
        #[test]
        fn a_path_is_the_same_behind_its_uri(path in "[^\0]{1,40}") {
            prop_assert_eq!(path_of(&uri(&path)), Some(path.clone()));
            let request = read_request(&uri(&path)).unwrap();
            prop_assert_eq!(&request.params.0["path"], &RawValue::Text(path));
        }
    }
}
