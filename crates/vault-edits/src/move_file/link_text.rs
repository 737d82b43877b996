//! The new text of a link that must change (`vault-semantics.md` §7.5, steps 4 and 5).

use obsidian_note::VaultPath;
use obsidian_note::note_parts::anchor::parts;
use vault_files::LinkFormat;

use super::places::{Part, subpath_of};
use super::reference::{Form, Kind, Reference, references};
use super::shift::Shift;

/// Characters besides the space that a destination can only contain as an escape, which reading resolves. Escapes that
/// reading keeps (`vault-semantics.md` §2.2) are not among them.
const ESCAPED: &[u8] = b"\"%<>[\\]^`{|}()*_!'~";

/// Returns the target of a link to `wanted` from the file that will be at `source`, as written in a note; `None` if no
/// text leads there.
///
/// `subpath` is the rest of the target, from `#` on.
pub(super) fn target(
    shift: &Shift,
    kind: Kind,
    reference: &Reference,
    (form, subpath): (Form, &str),
    (wanted, source): (&VaultPath, &VaultPath),
) -> Option<String> {
    if form == Form::Path {
        return Some(wanted.as_str().to_owned());
    }
    let is_understood = |text: &str, spelling: &str| {
        is_read_as(
            kind,
            form,
            &format!("{spelling}{subpath}"),
            (text, &reference.subpath),
        )
    };
    texts(shift, &reference.linkpath, form, wanted, source)
        .into_iter()
        .filter(|text| shift.target_after(text, source).as_ref() == Some(wanted))
        .find_map(|text| {
            spellings(form, &text)
                .into_iter()
                .find(|spelling| is_understood(&text, spelling))
        })
}

/// Whether a link of this form with this target is read as one with this linkpath and subpath.
fn is_read_as(kind: Kind, form: Form, target: &str, (linkpath, subpath): (&str, &str)) -> bool {
    let link = match form {
        Form::Markdown { enclosed: false } => format!("[x]({target})"),
        Form::Markdown { enclosed: true } => format!("[x](<{target}>)"),
        Form::Wikilink | Form::Path => format!("[[{target}]]"),
    };
    let found = references(kind, &link);
    matches!(&found[..], [only] if only.linkpath == linkpath && only.subpath == subpath)
}

/// A subpath as it is written and as it is read.
#[derive(Clone)]
pub(super) struct Subpath {
    pub(super) written: String,
    pub(super) text: String,
}

/// Returns a new subpath of these parts in the form of a link; `None` if it would not be read as it is meant.
pub(super) fn subpath(kind: Kind, form: Form, old: &Subpath, new: &[Part]) -> Option<Subpath> {
    let read = parts(&old.text);
    let before = parts(&old.written);
    let text = subpath_of(new, &read);
    let is_markdown = matches!(form, Form::Markdown { .. });
    (0..=usize::from(is_markdown)).find_map(|way| {
        let written = new.iter().map(|part| match part {
            Part::Kept(index) if before.len() == read.len() => {
                before.get(*index).map(|part| (*part).to_owned())
            }
            Part::Kept(index) => spellings(form, read.get(*index)?).into_iter().nth(way),
            Part::New(text) => spellings(form, text).into_iter().nth(way),
        });
        let written = written.collect::<Option<Vec<String>>>()?;
        let written = format!("#{}", written.join("#"));
        let is_understood =
            form == Form::Path || is_read_as(kind, form, &format!("x{written}"), ("x", &text));
        let text = text.clone();
        is_understood.then_some(Subpath { written, text })
    })
}

/// Texts that can lead to a file. The one in the style of the old link comes first; the others
/// serve if that one would lead to another file.
fn texts(
    shift: &Shift,
    old: &str,
    form: Form,
    wanted: &VaultPath,
    source: &VaultPath,
) -> Vec<String> {
    let is_markdown = form != Form::Wikilink;
    let has_extension = old.to_lowercase().ends_with(".md");
    let drops_extension = wanted.is_note() && !is_markdown && !has_extension;
    let short = |text: &str| {
        let end = if drops_extension { ".md".len() } else { 0 };
        text.get(..text.len() - end).unwrap_or(text).to_owned()
    };
    let whole = wanted.as_str();
    let is_dotted = old.starts_with("./") || old.starts_with("../");
    let is_relative = shift.format() == LinkFormat::Relative;
    let relative = wanted.relative_to(&source.parent());
    let dotted = if relative.starts_with("../") {
        relative.clone()
    } else {
        format!("./{relative}")
    };
    let absolute = format!("/{whole}");
    let styled: &[&str] = if is_dotted {
        &[&dotted]
    } else if is_markdown && is_relative {
        &[&relative, &dotted]
    } else if old.contains('/') {
        &[]
    } else if is_relative {
        &[&relative, &dotted]
    } else if shift.format() == LinkFormat::Shortest
        && shift.is_the_only(&short(wanted.name()), wanted)
    {
        &[wanted.name()]
    } else {
        &[]
    };
    styled
        .iter()
        .copied()
        .chain([whole, absolute.as_str()])
        .flat_map(|text| [short(text), text.to_owned()])
        .collect()
}

/// Returns the ways to write a text in a link of that form. The app's comes first: it escapes only spaces, which is not
/// enough for every name.
fn spellings(form: Form, text: &str) -> Vec<String> {
    match form {
        Form::Wikilink | Form::Path => vec![text.to_owned()],
        Form::Markdown { enclosed } => {
            let blank: &[u8] = if enclosed { b"" } else { b" " };
            let all = [blank, ESCAPED].concat();
            vec![escaped(text, blank), escaped(text, &all)]
        }
    }
}

fn escaped(text: &str, which: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if which.contains(&byte) => escaped.push_str(&format!("%{byte:02X}")),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The new display text of a link that showed the old name of its moved file; `None` if the text
/// stays.
pub(super) fn new_display_text(
    (from, to): (&VaultPath, &VaultPath),
    form: Form,
    old: &str,
    shown: &str,
) -> Option<String> {
    let names_file = shown == from.basename();
    let new = match form {
        Form::Wikilink if names_file && old.contains('/') => to.basename(),
        Form::Markdown { .. } if names_file => to.basename(),
        Form::Markdown { .. } if shown == without_extension(from) => without_extension(to),
        Form::Wikilink | Form::Markdown { .. } | Form::Path => return None,
    };
    // Some of these characters would end the link or begin other markup.
    let is_plain = !new.contains(['[', ']', '\\', '`', '<', '|', '$']);
    (is_plain && new != shown).then(|| new.to_owned())
}

fn without_extension(path: &VaultPath) -> &str {
    let name = path.name().len();
    let keep = path.as_str().len() - name + path.basename().len();
    path.as_str().get(..keep).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    const CASES: &str = include_str!("link_text_cases.txt");

    #[test]
    fn paths_from_a_folder_go_up_and_down() {
        for [source, file, expected] in tables::section(CASES, "paths from a folder go up and down")
        {
            let found = path(file).relative_to(&path(source).parent());
            assert_eq!(found, expected, "{source} {file}");
        }
    }

    #[test]
    fn only_spaces_are_escaped_unless_more_must_be() {
        let bare = spellings(Form::Markdown { enclosed: false }, "é 50%20 (a.md");
        assert_eq!(bare, ["é%2050%20%20(a.md", "é%2050%2520%20%28a.md"]);
        let enclosed = spellings(Form::Markdown { enclosed: true }, "a <b.md");
        assert_eq!(enclosed, ["a <b.md", "a %3Cb.md"]);
        assert_eq!(spellings(Form::Wikilink, "a b%"), ["a b%"]);
    }

    #[test]
    fn paths_lose_the_last_extension() {
        assert_eq!(without_extension(&path("a.b/c.d.md")), "a.b/c.d");
        assert_eq!(without_extension(&path("a.b/c")), "a.b/c");
    }
}
