//! `note:link` (`contracts.md` M28): the text of a link to a file.

use obsidian_note::Warning;
use obsidian_note::note_parts::anchor::place_of_heading;
use vault_files::link_text::{markdown, name, unlinkable, wikilink_to};
use vault_index::{IndexedVault, Target};

use super::note::line_of;
use super::prelude::*;

pub(super) static COMMAND: OwnCommand = OwnCommand::new::<NoteLink>("note:link", "note-link", link);

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

impl AnswerData for NoteLink {
    fn text(&self) -> String {
        self.link.clone()
    }
}

/// Returns the shortest text of a link that leads to the file from the note `from`, or else from every note.
fn link(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::from_arguments(vault, arguments)?;
    target.must_exist(vault)?;
    let source = arguments.path("from");
    let settings = vault.settings();
    let (index, _) = IndexedVault(vault).link_index()?;
    let name = name(&index, &target.path, source, settings.app.link_format);
    let heading = arguments.text("heading").map(place_of_heading);
    let block = arguments.text("block").map(|block| format!("^{block}"));
    let place = heading.or(block);
    let missing = place.clone().filter(|place| {
        target.path.is_note() && line_of(vault, target.path.as_str(), place).is_none()
    });
    let place = place.map_or_else(String::new, |place| format!("#{place}"));
    let shown = arguments.text("text");
    let wikilink = wikilink_to(&index, (&target.path, source), &name, (&place, shown));
    let markdown = markdown(&target.path, &name, &place, shown);
    let answer = NoteLink {
        path: target.path.to_string(),
        link: match &wikilink {
            Some(wikilink) if !settings.app.markdown_links => wikilink.clone(),
            _ => markdown.clone(),
        },
        wikilink,
        markdown,
    };
    let mut warnings = target.warnings;
    warnings.extend(settings.warnings);
    warnings.extend(unlinkable(&target.path));
    warnings.extend(missing.map(|place| Warning::NoSuchPlace {
        path: target.path,
        place,
    }));
    Ok(Reply::new(answer, warnings))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, reply, text};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("link_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    #[test]
    fn the_shortest_text_that_leads_there() {
        let (_folder, all) = vault(&NOTES);
        for [line, expected] in tables::section(CASES, "the shortest text that leads there") {
            assert_eq!(
                text(&all, &format!("note:link {line}")),
                format!("{expected}\n"),
                "{line}"
            );
        }
        let found = ask(&all, "note:link path=Plants/Deep_Work.md");
        assert_eq!(found["markdown"], "[Deep Work](Plants/Deep%20Work.md)");
        fails(&all, "note:link path=none.md");
        let warned = |path: &str| {
            reply(&all, &format!("note:link path={path}"))
                .unwrap()
                .warnings
        };
        assert_eq!(warned("[b].md"), []);
        let shown: Vec<String> = warned("odd#name.md")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            shown,
            ["links to `odd#name.md` do not work, because the path contains `#`"]
        );
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
        for [line, expected] in tables::section(CASES, "of several files of one name the bare") {
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
        for line in tables::lines(CASES, "a place that the note does") {
            assert_eq!(warned(line), [""; 0], "{line}");
        }
        assert_eq!(
            warned("path=a.md heading=C"),
            ["`a.md` does not have the heading `C`, so the link points to the whole note"]
        );
        assert_eq!(
            warned("path=a.md block=x2"),
            ["`a.md` does not have the block `x2`, so the link points to the whole note"]
        );
    }

    #[test]
    fn the_settings_choose_the_form() {
        let settings = r#"{"useMarkdownLinks":true,"newLinkFormat":"relative"}"#;
        let files = [&NOTES[..], &[(".obsidian/app.json", settings)]].concat();
        let (_folder, vault) = vault(&files);
        assert_eq!(
            ask(&vault, "note:link path=Garden.md from=Plants/Deep_Work.md")["link"],
            "[Garden](../Garden.md)"
        );
    }

    #[test]
    fn d13_what_may_not_be_seen_makes_no_name_longer() {
        let (_folder, vault) = vault(&NOTES);
        let (found, _) = ask_without(&vault, "hidden", "note:link path=Plants/Deep_Work.md");
        assert_eq!(found["wikilink"], json!("[[Deep Work]]"));
    }
}
