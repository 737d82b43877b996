//! `note:link` (`contracts.md` M28): the text of a link to a file.

use cli_output::{Arguments, OwnAnswer, OwnForm};
use schemars::JsonSchema;
use serde::Serialize;

use super::command::OwnCommand;
use super::find::line_of;
use super::view::View;
use crate::commands::reply::Reply;
use crate::contents::Detail;
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::resolve::{FromEverywhere, LinkIndex, Resolution};
use crate::surroundings::Surroundings;
use crate::target::{Target, given};
use crate::vault::Vault;
use crate::vault_settings::{LinkFormat, VaultSettings};
use crate::warning::Warning;

pub(super) static COMMAND: OwnCommand = OwnCommand {
    id: "note:link",
    form: OwnForm::new::<NoteLink>("note-link"),
    serve: Some(link),
};

/// The texts of a link to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteLink {
    /// The file.
    pub(super) path: String,
    /// The link in the form that the vault's settings ask for.
    pub(super) link: String,
    /// The same as a wikilink; null where no wikilink can name the file.
    pub(super) wikilink: Option<String>,
    /// The same as a markdown link.
    pub(super) markdown: String,
}

impl OwnAnswer for NoteLink {
    fn text(&self) -> String {
        self.link.clone()
    }
}

/// What a wikilink cannot hold before its `#` or `|`.
const NOT_IN_WIKILINKS: [&str; 5] = ["#", "^", "|", "[[", "]]"];
/// What is escaped in the destination of a markdown link.
const ESCAPED: &[u8] = b" \"%<>[\\]^`{|}()#";

/// The shortest text of a link that leads to the file from the note `from`, or else from every note.
fn link(
    view: &View<'_>,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let target = Target::of(view.vault, arguments)?;
    target.must_exist(view.vault)?;
    let source = given(arguments, "from")
        .map(|asked| VaultPath::file(asked).map_err(|reason| EngineError::path(asked, reason)))
        .transpose()?;
    let settings = view.vault.settings();
    let index = view.link_index()?;
    let name = name(&index, &target.path, source.as_ref(), settings.link_format);
    let heading = given(arguments, "heading").map(subpath);
    let block = given(arguments, "block").map(|block| format!("^{block}"));
    let place = heading.or(block);
    let missing = place.clone().filter(|place| {
        target.path.is_note() && line_of(view, target.path.as_str(), place).is_none()
    });
    let place = place.map_or_else(String::new, |place| format!("#{place}"));
    let shown = given(arguments, "text");
    let wikilink = wikilink(&name, &place, shown);
    let markdown = markdown(&target.path, &name, &place, shown);
    let answer = NoteLink {
        path: target.path.to_string(),
        link: match &wikilink {
            Some(wikilink) if !settings.markdown_links => wikilink.clone(),
            _ => markdown.clone(),
        },
        wikilink,
        markdown,
    };
    let mut warnings = target.warnings;
    warnings.extend(settings.warnings);
    warnings.extend(missing.map(|place| Warning::NoSuchPlace {
        path: target.path,
        place,
    }));
    Ok(Reply::own(answer, warnings))
}

/// The link that embeds a file which is about to be made, in the note `note` or else in every note.
pub(crate) fn embed_of_new_file(
    vault: &Vault,
    path: &VaultPath,
    note: Option<&VaultPath>,
    settings: &VaultSettings,
) -> Result<String, EngineError> {
    let contents = vault.contents(&VaultPath::root(), Detail::Names)?;
    let files = contents.files.into_iter().map(|file| file.path);
    let files = files.filter(|file| file != path).chain([path.clone()]);
    let name = name(&LinkIndex::new(files), path, note, settings.link_format);
    let link = match wikilink(&name, "", None) {
        Some(wikilink) if !settings.markdown_links => wikilink,
        _ => markdown(path, &name, "", Some("")),
    };
    Ok(format!("!{link}"))
}

/// A heading as a link names it: without the characters that would end it (`vault-semantics.md` §2.2).
fn subpath(heading: &str) -> String {
    let cleaned: String = heading
        .chars()
        .map(|character| {
            if "#|^[]%:".contains(character) {
                ' '
            } else {
                character
            }
        })
        .collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first of name, path from the source's folder and path from the root that leads to the file, in
/// the order that the settings ask for. Without a source it leads there from every note: of several
/// files of one name each note may mean another by the name alone (`vault-semantics.md` §2.3).
fn name(
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
    let candidates = match format {
        LinkFormat::Shortest => [short, whole.clone()],
        LinkFormat::Relative => [relative, whole.clone()],
        LinkFormat::Absolute => [whole.clone(), whole.clone()],
    };
    let leads_there = |text: &String| {
        let stem = without_extension(text);
        match source {
            Some(source) => {
                matches!(index.resolve(stem, source), Resolution::Found(found) if found.path == *path)
            }
            None => matches!(
                index.lead_from_everywhere(stem),
                FromEverywhere::File(file) if index.number(path) == Some(file)
            ),
        }
    };
    candidates.into_iter().find(leads_there).unwrap_or(whole)
}

/// Notes are linked without `.md`.
fn without_extension(text: &str) -> &str {
    text.strip_suffix(".md").unwrap_or(text)
}

fn wikilink(name: &str, place: &str, shown: Option<&str>) -> Option<String> {
    let name = without_extension(name);
    let text = shown.map_or_else(String::new, |shown| format!("|{shown}"));
    let can_hold = |part: &str| !NOT_IN_WIKILINKS.iter().any(|mark| part.contains(mark));
    let is_shown = shown.is_none_or(|shown| !shown.contains("]]") && !shown.contains('\n'));
    (can_hold(name) && is_shown).then(|| format!("[[{name}{place}{text}]]"))
}

fn markdown(path: &VaultPath, name: &str, place: &str, shown: Option<&str>) -> String {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::commands::own::testing::{ask, ask_without, fails, reply, text};
    use crate::vault::testing::vault;

    const NOTES: &[(&str, &str)] = &[
        ("Garden.md", ""),
        ("Plants/Deep Work.md", ""),
        ("Plants/Garden.md", ""),
        ("hidden/Deep Work.md", ""),
        ("odd#name.md", ""),
        ("mill.png", ""),
    ];

    #[test]
    fn the_shortest_text_that_leads_there() {
        let (_folder, all) = vault(NOTES);
        for (line, expected) in [
            ("path=Garden.md", "[[Garden]]"),
            ("path=Plants/Garden.md", "[[Plants/Garden]]"),
            (
                "path=Plants/Deep_Work.md heading=A:_B",
                "[[Plants/Deep Work#A B]]",
            ),
            ("path=Garden.md block=x1 text=here", "[[Garden#^x1|here]]"),
            ("path=mill.png", "[[mill.png]]"),
            ("path=odd#name.md", "[odd#name](odd%23name.md)"),
        ] {
            assert_eq!(
                text(&all, &format!("note:link {line}")),
                format!("{expected}\n"),
                "{line}"
            );
        }
        let found = ask(&all, "note:link path=Plants/Deep_Work.md");
        assert_eq!(found["markdown"], "[Deep Work](Plants/Deep%20Work.md)");
        fails(&all, "note:link path=none.md");
    }

    #[test]
    fn of_several_files_of_one_name_the_bare_one_is_taken_only_where_it_leads_there() {
        let (_folder, all) = vault(&[
            ("src/N.md", "[[Dup]]"),
            ("src/a/c/Dup.md", ""),
            ("b/Dup.md", ""),
            ("Top.md", ""),
            ("b/Top.md", ""),
        ]);
        for (line, expected) in [
            ("path=src/a/c/Dup.md", "[[src/a/c/Dup]]"),
            ("path=b/Dup.md", "[[b/Dup]]"),
            ("path=src/a/c/Dup.md from=src/N.md", "[[Dup]]"),
            ("path=b/Dup.md from=src/N.md", "[[b/Dup]]"),
            ("path=b/Dup.md from=N.md", "[[Dup]]"),
            ("path=src/a/c/Dup.md from=N.md", "[[src/a/c/Dup]]"),
            // An exact path from the root comes before what is below the note's folder.
            ("path=Top.md", "[[Top]]"),
            ("path=Top.md from=b/x.md", "[[Top]]"),
            ("path=b/Top.md from=b/x.md", "[[b/Top]]"),
        ] {
            assert_eq!(
                text(&all, &format!("note:link {line}")),
                format!("{expected}\n"),
                "{line}"
            );
        }
    }

    #[test]
    fn a_place_that_the_note_does_not_have_is_warned_of() {
        let (_folder, vault) = vault(&[("a.md", "# A: B\n\ntext ^x1\n"), ("b.png", "")]);
        let warned = |line: &str| -> Vec<String> {
            let reply = reply(&vault, &format!("note:link {line}")).unwrap();
            reply.warnings.iter().map(ToString::to_string).collect()
        };
        for line in [
            "path=a.md",
            "path=a.md heading=A:_B",
            "path=a.md heading=a_b",
            "path=a.md block=x1",
            "path=b.png heading=x",
        ] {
            assert_eq!(warned(line), [""; 0], "{line}");
        }
        assert_eq!(
            warned("path=a.md heading=C"),
            ["`a.md` has no heading `C`; the link leads to the note"]
        );
        assert_eq!(
            warned("path=a.md block=x2"),
            ["`a.md` has no block `x2`; the link leads to the note"]
        );
    }

    #[test]
    fn the_settings_choose_the_form() {
        let settings = r#"{"useMarkdownLinks":true,"newLinkFormat":"relative"}"#;
        let files = [NOTES, &[(".obsidian/app.json", settings)]].concat();
        let (_folder, vault) = vault(&files);
        assert_eq!(
            ask(&vault, "note:link path=Garden.md from=Plants/Deep_Work.md")["link"],
            "[Garden](../Garden.md)"
        );
    }

    #[test]
    fn d13_what_may_not_be_seen_makes_no_name_longer() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(&vault, "hidden", "note:link path=Plants/Deep_Work.md");
        assert_eq!(found["wikilink"], json!("[[Deep Work]]"));
    }
}
