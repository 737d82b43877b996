//! Fields and functions of files, and functions of links.

use std::collections::HashSet;
use std::sync::Arc;

use super::call::{Call, Method};
use super::error::{ExpressionError, Outcome, no_field};
use super::evaluation::Evaluation;
use super::operators::tag_is_within;
use crate::date::Date;
use crate::link::{Link, linkpath};
use crate::notes::{FileNumber, NoteLink};
use crate::number;
use crate::value::Value;

/// The steps that reading a file for its links costs.
const STEPS_PER_SCAN: u64 = 500;

pub(super) const METHODS: &[Method<FileNumber>] = &[
    ("asLink", |call, file| {
        let link = Link {
            target: call.evaluation.setting.notes.path(*file).into(),
            display: call.optional_argument(0)?,
            source: None,
        };
        call.evaluation.made(Value::Link(Arc::new(link)))
    }),
    ("hasLink", |call, file| {
        let target = call.argument(0)?;
        has_link(call, *file, target).map(Value::Boolean)
    }),
    ("hasProperty", |call, file| {
        let name = call.text(0)?;
        let found = call.evaluation.setting.notes.property(*file, &name);
        Ok(Value::Boolean(found.is_some()))
    }),
    ("hasTag", |call, file| {
        let wanted = call.evaluation.texts_of(&call.all()?)?;
        let tags = call.evaluation.setting.notes.tags(*file);
        for tag in &tags {
            call.evaluation.spent.step()?;
            if wanted.iter().any(|wanted| tag_is_within(tag, wanted)) {
                return Ok(Value::Boolean(true));
            }
        }
        Ok(Value::Boolean(false))
    }),
    ("inFolder", |call, file| {
        let folder = call.text(0)?;
        let folder = folder.trim_matches('/');
        let path = call.evaluation.setting.notes.path(*file);
        let below = path.strip_prefix(folder).unwrap_or_default();
        Ok(Value::Boolean(folder.is_empty() || below.starts_with('/')))
    }),
];

pub(super) const LINK_METHODS: &[Method<Arc<Link>>] = &[
    ("asFile", |call, link| Ok(as_file(call.evaluation, link))),
    ("linksTo", |call, link| {
        match as_file(call.evaluation, link) {
            Value::File(file) => {
                let target = call.argument(0)?;
                has_link(call, file, target).map(Value::Boolean)
            }
            _ => Err(ExpressionError::new("Could not coerce link to file")),
        }
    }),
];

/// The file that a link leads to; null if there is none.
pub(super) fn as_file(evaluation: &Evaluation<'_>, link: &Link) -> Value {
    let file = evaluation.setting.leads_to(link);
    file.map_or(Value::Null, Value::File)
}

/// Whether a link of the file has the target's text, or leads to the same file. An unresolved
/// target is compared as text (`vault-semantics.md` §5.3).
fn has_link(call: &Call<'_>, file: FileNumber, target: Value) -> Result<bool, ExpressionError> {
    let evaluation = call.evaluation;
    let notes = evaluation.setting.notes;
    let link = match target {
        Value::File(target) => return Ok(notes.links_to(file, target)),
        other => evaluation.link_of(other)?,
    };
    if let Some(target) = evaluation.setting.leads_to(&link) {
        return Ok(notes.links_to(file, target));
    }
    evaluation.spent.spend(STEPS_PER_SCAN)?;
    let links = notes.links(file);
    evaluation
        .spent
        .spend(u64::try_from(links.len()).unwrap_or(u64::MAX))?;
    Ok(links.iter().any(|other| *other.target == *link.target))
}

/// A field of a file; the app's error if files have no such field.
pub(super) fn field(evaluation: &Evaluation<'_>, file: FileNumber, name: &str) -> Outcome {
    found(evaluation, file, name)?.ok_or_else(|| no_field(name, "File"))
}

/// A field of a file; `None` if files have no such field.
pub(super) fn found(
    evaluation: &Evaluation<'_>,
    file: FileNumber,
    name: &str,
) -> Result<Option<Value>, ExpressionError> {
    let notes = evaluation.setting.notes;
    let path = notes.path(file);
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = match base.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (base, ""),
    };
    let text = |text: &str| evaluation.made_text(text);
    let value = match name {
        // The name of a note has no extension (`vault-semantics.md` §5.3).
        "name" if extension.eq_ignore_ascii_case("md") => text(stem),
        "name" => text(base),
        "basename" => text(stem),
        "path" => text(path),
        // The vault's root is a folder too (`vault-semantics.md` §5.3).
        "folder" if folder.is_empty() => text("/"),
        "folder" => text(folder),
        "ext" => text(extension),
        "size" => {
            let bytes = i64::try_from(notes.size(file)).unwrap_or(i64::MAX);
            Ok(Value::Number(number::from_integer(bytes)))
        }
        "file" => Ok(Value::File(file)),
        "properties" => evaluation.properties(file),
        "tags" => {
            let mut seen = HashSet::new();
            let tags = notes.tags(file);
            let tags = tags.iter().filter(|tag| seen.insert(tag.to_lowercase()));
            evaluation.made(Value::list(tags.map(|tag| Value::tag(tag)).collect()))
        }
        "links" => links(evaluation, file, || notes.links(file)),
        "embeds" => links(evaluation, file, || notes.embeds(file)),
        "backlinks" => {
            let link = |source: FileNumber| {
                let path = notes.path(source);
                let base = path.rsplit_once('/').map_or(path, |(_, base)| base);
                let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
                Value::Link(Arc::new(Link {
                    target: path.into(),
                    display: Some(Value::text(stem)),
                    source: None,
                }))
            };
            let sources = notes.backlinks(file);
            evaluation.made(Value::list(sources.into_iter().map(link).collect()))
        }
        "ctime" => Ok(dated(notes.created(file))),
        "mtime" => Ok(dated(notes.modified(file))),
        _ => return Ok(None),
    };
    value.map(Some)
}

fn dated(at: Option<jiff::Timestamp>) -> Value {
    at.map_or(Value::Null, |at| Value::Date(Date::from_timestamp(at)))
}

fn links(
    evaluation: &Evaluation<'_>,
    file: FileNumber,
    links: impl FnOnce() -> Vec<NoteLink>,
) -> Outcome {
    evaluation.spent.spend(STEPS_PER_SCAN)?;
    let link = |mut link: NoteLink| {
        without_size(&mut link);
        Value::Link(Arc::new(Link {
            target: link.target.into(),
            display: link.display.map(Value::text),
            source: Some(file),
        }))
    };
    evaluation.made(Value::list(links().into_iter().map(link).collect()))
}

/// The extensions of pictures, whose links may contain a size.
const PICTURES: [&str; 8] = ["avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp"];

/// Removes the size of a picture from the display text of its link: `300`, `300x200`,
/// `caption|300`. If nothing else remains, the link shows its target (`vault-semantics.md` §5.3).
fn without_size(link: &mut NoteLink) {
    let Some(display) = &mut link.display else {
        return;
    };
    let extension = linkpath(&link.target).rsplit_once('.');
    let extension = extension.map(|(_, extension)| extension.to_ascii_lowercase());
    let is_picture = extension.is_some_and(|extension| PICTURES.contains(&extension.as_str()));
    let (caption, size) = display.rsplit_once('|').unwrap_or(("", display.as_str()));
    if is_picture && is_size(size) {
        *display = match caption {
            "" => link.target.clone(),
            caption => caption.to_owned(),
        };
    }
}

/// Whether a text is a size in pixels: `300` or `300x200`.
fn is_size(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.trim().split_once('x') {
        Some((width, height)) => is_number(width) && is_number(height),
        None => is_number(text.trim()),
    }
}
