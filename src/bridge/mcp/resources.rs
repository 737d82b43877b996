//! Notes as MCP resources, `obsidian://note/<path>`. Listing and reading run the same commands
//! under the same policy as the tools.

use std::collections::BTreeMap;

use cli_output::shown;
use rmcp::model::{
    ArgumentInfo, CompleteResult, CompletionInfo, ErrorCode, ErrorData,
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use crate::allowlist::RawValue;
use crate::code::Code;
use crate::gateway::{Envelope, Params, Request};

const SCHEME: &str = "obsidian://note/";
/// The variable of the resource template.
const PATH: &str = "path";
const MARKDOWN: &str = "text/markdown";
/// Resources per page.
const PER_PAGE: usize = 100;

/// The resource templates: there is one, for notes.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(template_uri(), "note")
        .with_title("A note")
        .with_description("A note by its path from the vault root, with its extension")
        .with_mime_type(MARKDOWN);
    ListResourceTemplatesResult::with_all_items(vec![template])
}

fn template_uri() -> String {
    format!("{SCHEME}{{+{PATH}}}")
}

/// Whether this argument is the path in our resource template, the only one that can be completed.
pub(super) fn completes(of: &Reference, argument: &ArgumentInfo) -> bool {
    matches!(of, Reference::Resource(template) if template.uri == template_uri())
        && argument.name == PATH
}

/// The paths of notes that fit what was typed, whatever its case: those that begin with it, then those
/// whose file name does, then those that hold it.
///
/// # Errors
///
/// If listing failed.
pub(super) fn completion(envelope: &Envelope, typed: &str) -> Result<CompleteResult, ErrorData> {
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
    // Stable: paths of one rank stay in the order of the list.
    found.sort_by_key(|(rank, _)| *rank);
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let shown = found.iter().take(CompletionInfo::MAX_VALUES);
    let values = shown.map(|(_, path)| (*path).to_owned()).collect();
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    let completion = CompletionInfo::with_pagination(values, Some(total), has_more)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}

/// The request that lists the notes.
pub(super) fn list_request() -> Request {
    request("files", "ext", "md")
}

/// The index at which the page after this cursor begins.
///
/// # Errors
///
/// If the cursor is not one of ours.
pub(super) fn start(cursor: Option<&str>) -> Result<usize, ErrorData> {
    cursor.map_or(Ok(0), |cursor| {
        cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params("there is no such cursor", None))
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
            let name = path.rsplit('/').next().unwrap_or(path);
            Resource::new(uri(path), *path)
                .with_title(shown::row(name.strip_suffix(".md").unwrap_or(name)))
                .with_mime_type(MARKDOWN)
        })
        .collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    let end = start.saturating_add(PER_PAGE);
    result.next_cursor = (end < paths.len()).then(|| end.to_string());
    Ok(result)
}

/// The paths in the list of notes.
fn paths(envelope: &Envelope) -> Result<Vec<&str>, ErrorData> {
    succeeded(envelope)?;
    let items = envelope.data.get("items").and_then(Value::as_array);
    let items = items.into_iter().flatten();
    Ok(items
        .filter_map(|item| item.get("path")?.as_str())
        .collect())
}

/// The request that reads the note of a URI.
///
/// # Errors
///
/// If the URI does not name a note.
pub(super) fn read_request(uri: &str) -> Result<Request, ErrorData> {
    let path = uri.strip_prefix(SCHEME).and_then(decoded).ok_or_else(|| {
        ErrorData::resource_not_found(
            "there is no such resource; notes are `obsidian://note/` and a path, percent-encoded",
            None,
        )
    })?;
    Ok(request("read", "path", &path))
}

/// The result with the note's text.
///
/// # Errors
///
/// If reading failed, or the note is too large.
pub(super) fn contents(uri: &str, mut envelope: Envelope) -> Result<ReadResourceResult, ErrorData> {
    succeeded(&envelope)?;
    if envelope.meta.truncated.is_some() {
        return Err(refused(
            Code::ArgumentTooLarge,
            "The note is too large to be given at once. Use the tool `read` with `offset`.",
        ));
    }
    let text = match envelope.data.remove("content") {
        Some(Value::String(text)) => text,
        _ => std::mem::take(&mut envelope.stdout),
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Maps a failure to the protocol's error codes for resources.
pub(super) fn refused(code: Code, message: &str) -> ErrorData {
    let data = Some(json!({ "code": code.name() }));
    // A message may quote names with line breaks (`faults.md` B10).
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

fn succeeded(envelope: &Envelope) -> Result<(), ErrorData> {
    match &envelope.error {
        None => Ok(()),
        Some(error) => Err(refused(error.code, &error.message)),
    }
}

fn request(command: &str, key: &str, value: &str) -> Request {
    Request {
        params: Params(BTreeMap::from([(
            key.to_owned(),
            RawValue::Text(value.to_owned()),
        )])),
        ..Request::new(command)
    }
}

/// The URI of a note. Percent-encodes everything but letters, digits, `-._~` and `/`.
fn uri(path: &str) -> String {
    let mut uri = SCHEME.to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

/// Decodes a percent-encoded path; `None` if it is malformed or not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(digits[0])? * 16 + digit(digits[1])?;
            bytes.push(u8::try_from(value).ok()?);
        } else if matches!(byte, b'?' | b'#') {
            // A query or fragment is not part of a path; inside a name, `?` and `#` are encoded.
            return None;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_notes_have_uris() {
        for wrong in [
            "file:///etc/passwd",
            "obsidian://open?vault=a",
            "obsidian://note/a.md?x=1",
            "obsidian://note/a.md#h",
            "obsidian://note/%zz",
            "obsidian://note/%f",
            "obsidian://note/%ff",
            "OBSIDIAN://note/a.md",
        ] {
            assert_eq!(
                read_request(wrong).unwrap_err().code,
                ErrorCode::RESOURCE_NOT_FOUND,
                "{wrong}"
            );
        }
        assert_eq!(uri("A b/c#?%.md"), "obsidian://note/A%20b/c%23%3F%25.md");
        assert!(start(Some("x")).is_err() && start(Some("-1")).is_err());
        assert_eq!(start(Some("100")).unwrap(), 100);
    }

    proptest! {
        #[test]
        fn a_path_is_the_same_behind_its_uri(path in "[^\0]{1,40}") {
            let request = read_request(&uri(&path)).unwrap();
            prop_assert_eq!(&request.params.0["path"], &RawValue::Text(path));
        }
    }
}
