//! The text of a new link to a file (`vault-semantics.md` §2.2).

use obsidian_note::{FromEverywhere, LinkIndex, Resolution, VaultPath, Warning};

use crate::contents::Detail;
use crate::error::EngineError;
use crate::vault::Vault;
use crate::vault_settings::{AppSettings, LinkFormat};

/// Texts that a wikilink cannot contain before its `#` or `|`.
const NOT_IN_WIKILINKS: [&str; 5] = ["#", "^", "|", "[[", "]]"];
/// Characters of file names that end or split a link, so that some or all links cannot name the file
/// (`vault-semantics.md` §2.2).
pub const NOT_IN_NAMES: &[char] = &['#', '^', '|', '[', ']'];
/// Characters that are escaped in the destination of a markdown link.
const ESCAPED: &[u8] = b" \"%<>[\\]^`{|}()#";

/// Returns the warning for a file that no link can name: a link ends at the first `#` of its target, also at an escaped
/// one (`vault-semantics.md` §2.2).
pub fn unlinkable(path: &VaultPath) -> Option<Warning> {
    path.as_str()
        .contains('#')
        .then(|| Warning::NameUnlinkable { path: path.clone() })
}

/// Returns the embed of a file that is about to be created, valid in the note `note` or else in every note.
///
/// # Errors
///
/// Fails if the vault's settings cannot be read.
pub fn embed_of_new_file(
    vault: &Vault,
    path: &VaultPath,
    note: Option<&VaultPath>,
    settings: &AppSettings,
) -> Result<String, EngineError> {
    let link = link_to_new_file(vault, path, note, (settings, Some("")))?;
    Ok(format!("!{link}"))
}

/// Returns a link to a file that is about to be created, valid in the note `note` or else in every note. `shown` is the
/// text of a markdown link; `None` for the file's name.
///
/// # Errors
///
/// Fails if the vault's settings cannot be read.
pub fn link_to_new_file(
    vault: &Vault,
    path: &VaultPath,
    note: Option<&VaultPath>,
    (settings, shown): (&AppSettings, Option<&str>),
) -> Result<String, EngineError> {
    let contents = vault.contents(&VaultPath::root(), Detail::Names)?;
    let files = contents.files.into_iter().map(|file| file.path);
    let files = files.filter(|file| file != path).chain([path.clone()]);
    let index = LinkIndex::new(files);
    let name = name(&index, path, note, settings.link_format);
    Ok(match wikilink_to(&index, (path, note), &name, ("", None)) {
        Some(wikilink) if !settings.markdown_links => wikilink,
        _ => markdown(path, &name, "", shown),
    })
}

/// Returns the first of name, path from the source's folder and path from the root that leads to the file, in the order
/// that the settings ask for. Without a source it must lead there from every note: notes may resolve a name that
/// several files have differently (`vault-semantics.md` §2.3).
pub fn name(
    index: &LinkIndex,
    path: &VaultPath,
    source: Option<&VaultPath>,
    format: LinkFormat,
) -> String {
    let short = path.name().to_owned();
    let whole = path.as_str().to_owned();
    let relative = source.map_or_else(
        || whole.clone(),
        |source| path.relative_to(&source.parent()),
    );
    let first = match format {
        LinkFormat::Shortest => short,
        LinkFormat::Relative => relative,
        LinkFormat::Absolute => whole.clone(),
    };
    // A slash before a path that begins with a space keeps the space.
    let slash = if whole.starts_with(' ') { "/" } else { "" };
    let whole = format!("{slash}{whole}");
    [first, whole.clone()]
        .into_iter()
        .find(|text| leads_to(index, without_extension(text), path, source))
        .unwrap_or(whole)
}

fn leads_to(index: &LinkIndex, text: &str, path: &VaultPath, source: Option<&VaultPath>) -> bool {
    // A link loses the blanks around its target.
    if text.trim() != text {
        return false;
    }
    let root = VaultPath::root();
    match source.or(text.starts_with('/').then_some(&root)) {
        Some(source) => {
            matches!(index.resolve(text, source), Resolution::Found(found) if found.path == *path)
        }
        None => matches!(
            index.lead_from_everywhere(text),
            FromEverywhere::File(file) if index.number(path) == Some(file)
        ),
    }
}

/// Links to notes leave out `.md`.
fn without_extension(text: &str) -> &str {
    text.strip_suffix(".md").unwrap_or(text)
}

/// Returns a wikilink with this name to a file from the note `note`, or else from every note; `None` if none can name the
/// file or show the text. Next to `a.png`, the text `[[a.png]]` leads to the image, and only `[[a.png.md]]` to the note
/// `a.png.md`.
pub fn wikilink_to(
    index: &LinkIndex,
    (path, note): (&VaultPath, Option<&VaultPath>),
    name: &str,
    (place, shown): (&str, Option<&str>),
) -> Option<String> {
    if path.is_note() && !leads_to(index, without_extension(name), path, note) {
        return wikilink(&format!("{name}.md"), place, shown);
    }
    wikilink(name, place, shown)
}

/// Returns a wikilink; `None` if none can name the file or show the text.
pub fn wikilink(name: &str, place: &str, shown: Option<&str>) -> Option<String> {
    let name = without_extension(name);
    let text = shown.map_or_else(String::new, |shown| format!("|{shown}"));
    let can_hold = |part: &str| !NOT_IN_WIKILINKS.iter().any(|mark| part.contains(mark));
    let is_shown = shown.is_none_or(|shown| {
        !shown.contains("]]") && !shown.ends_with(']') && !shown.contains('\n')
    });
    // `[[[b]]]` is a link to `b` in brackets.
    let is_apart = !name.starts_with('[') && !name.ends_with(']');
    (can_hold(name) && is_apart && is_shown).then(|| format!("[[{name}{place}{text}]]"))
}

/// Returns a markdown link, with its destination escaped.
pub fn markdown(path: &VaultPath, name: &str, place: &str, shown: Option<&str>) -> String {
    let shown = shown.unwrap_or_else(|| path.basename());
    let shown = shown
        .replace('\\', "\\\\")
        .replace('[', "\\[")
        .replace(']', "\\]");
    let place = place.strip_prefix('#');
    let place = place.map_or_else(String::new, |place| format!("#{}", escaped(place)));
    format!("[{shown}]({}{place})", escaped(name))
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        match u8::try_from(character) {
            Ok(byte) if ESCAPED.contains(&byte) => escaped += &format!("%{byte:02X}"),
            _ => escaped.push(character),
        }
        escaped
    })
}
