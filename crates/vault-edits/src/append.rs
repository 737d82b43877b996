//! `append` and `prepend` (`vault-semantics.md` §7.3): bytes are added, and none is changed.

use std::borrow::Cow;

use obsidian_note::note_parts::{PluginNote, heading, same_length};
use obsidian_note::{EditCandidate, Sheet, VaultPath, byte_order_mark, frontmatter};
use vault_answers::Confirmation;
use vault_files::{Args, Call, EngineError, Vault};
use vault_index::Target;
use vault_index::target::required;

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::property::given::with_properties;
use crate::Editor;

/// Adds text at the end of a file.
pub(super) const APPEND: EditCommand = EditCommand::new("append", |call| {
    let usage = "append [file=<name>] [path=<path>] content=<text> [inline]";
    to_file(call, usage, End::Last)
});
/// Adds text at the start of a file, below its properties.
pub(super) const PREPEND: EditCommand = EditCommand::new("prepend", |call| {
    let usage = "prepend [file=<name>] [path=<path>] content=<text> [inline]";
    to_file(call, usage, End::First)
});

/// The text to add, and how.
#[derive(Clone, Copy)]
pub(super) struct Addition<'arguments> {
    content: &'arguments str,
    /// Whether it is added without a line break between it and the rest.
    is_inline: bool,
}

impl Editor<'_> {
    /// Plans text at the end of a file, on a line of its own. The line break before it comes also if the file ends with
    /// one, or is empty, as in the app. The line ends are those of the file (`vault-semantics.md` §7.3).
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file; [`EngineError::BoardWithoutLane`] or [`EngineError::AfterDrawing`] if
    /// a plugin would lose the text; otherwise the error that keeps the file from being read.
    pub fn plan_append(&self, path: &VaultPath, text: &str) -> Result<Edit, EngineError> {
        let addition = Addition::line(text);
        let edit = changed(self, Target::exact(path.clone()), End::Last, |before| {
            addition.put(End::Last, before, path)
        });
        self.checked(edit?)
    }
}

fn to_file(call: &Call<'_>, usage: &str, end: End) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let addition = Addition::from_arguments(arguments, usage)?;
    let target = Target::from_arguments(vault, arguments)?;
    let note = target.path.clone();
    changed(vault, target, end, |before| {
        let after = addition.put(end, before, &note)?;
        match end {
            End::First => Ok(after),
            End::Last => with_properties(after, vault, &note, arguments),
        }
    })
}

fn changed(
    vault: &Vault,
    target: Target,
    end: End,
    change: impl FnOnce(&[u8]) -> Result<Vec<u8>, EngineError>,
) -> Result<Edit, EngineError> {
    let before = vault.read_target(&target.path, &target.requested)?;
    let after = change(&before)?;
    let done = end.confirmation(target.path.to_string());
    let changes = vec![Change::modify(target.path, before, after)];
    Ok(Edit::new(done, changes, target.warnings))
}

impl<'arguments> Addition<'arguments> {
    /// Returns the addition from `content=` and `inline`.
    pub(super) fn from_arguments(
        arguments: &'arguments Args,
        usage: &str,
    ) -> Result<Self, EngineError> {
        let content = required(arguments, "content", usage)?;
        Ok(Self {
            content,
            is_inline: arguments.flag("inline"),
        })
    }

    /// Returns an addition on a line of its own.
    pub(super) fn line(content: &'arguments str) -> Self {
        Self {
            content,
            is_inline: false,
        }
    }

    /// Returns the note with the text at this end: after its last byte, or at the start of its body. The line break before
    /// a text at the end comes also if the note ends with one, or is empty, as in the app. The line ends are those of the
    /// note (`vault-semantics.md` §7.3).
    ///
    /// # Errors
    ///
    /// If the note is a board or a drawing, whose plugin would lose the text.
    pub(super) fn put(
        self,
        end: End,
        note: &[u8],
        path: &VaultPath,
    ) -> Result<Vec<u8>, EngineError> {
        refuse_plugin_note(note, path, end)?;
        let (separator, content) = self.with_line_ends_of(note);
        if end == End::Last {
            return Ok([note, separator.as_bytes(), content.as_bytes()].concat());
        }
        let (head, body) = note.split_at(start_of_body(note));
        // If the line that closes the properties has no line end, the text gets one before it. A head that is no longer
        // than a byte order mark contains no properties.
        let is_unended = head.len() > byte_order_mark::BYTES.len() && !head.ends_with(b"\n");
        let line_end = if is_unended {
            Sheet::new(note).line_end()
        } else {
            ""
        };
        let added = [line_end, &content, separator].concat();
        Ok([head, added.as_bytes(), body].concat())
    }

    /// Returns the line break next to the text, and the text with the line ends of the note. In a note with line feeds,
    /// or without line ends, the text stays as it is.
    fn with_line_ends_of(self, note: &[u8]) -> (&'static str, Cow<'arguments, str>) {
        let sheet = Sheet::new(note);
        let line_end = sheet.line_end();
        let content = if line_end == "\n" {
            Cow::Borrowed(self.content)
        } else {
            Cow::Owned(sheet.with_line_ends(self.content))
        };
        (if self.is_inline { "" } else { line_end }, content)
    }
}

/// Refuses a board or a drawing, whose text only its plugin can move to another note or put together with other text.
pub(crate) fn refuse_board_or_drawing(note: &[u8], path: &VaultPath) -> Result<(), EngineError> {
    refuse_plugin_note(note, path, End::Last)
}

/// An end of a note.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    /// The start of its text, below the properties.
    First,
    Last,
}

impl End {
    /// Returns the answer to a command that added text at this end of a file.
    pub(super) fn confirmation(self, path: String) -> Confirmation {
        match self {
            Self::First => Confirmation::Prepended { path },
            Self::Last => Confirmation::Appended { path },
        }
    }
}

/// Refuses text at an end of a note at which a plugin drops it or cannot read the note any more: text outside of the lanes
/// of a board, and text after a drawing.
fn refuse_plugin_note(note: &[u8], path: &VaultPath, end: End) -> Result<(), EngineError> {
    let sheet = Sheet::new(note);
    match PluginNote::find(&sheet, path) {
        Some(PluginNote::Board { lanes, .. }) => {
            let headings = &sheet.facts().headings;
            let lanes = lanes.iter().filter_map(|index| headings.get(*index));
            let lanes: Vec<EditCandidate> =
                lanes.map(|lane| heading::candidate(&sheet, lane)).collect();
            Err(EngineError::BoardWithoutLane {
                path: path.clone(),
                lanes,
            })
        }
        Some(PluginNote::Drawing { data }) if end == End::Last => Err(EngineError::AfterDrawing {
            path: path.clone(),
            line: data + 1,
        }),
        Some(PluginNote::Drawing { .. }) | None => Ok(()),
    }
}

/// Returns the byte offset of a note's body: after its properties, or else after its byte order
/// mark.
fn start_of_body(note: &[u8]) -> usize {
    let mark = byte_order_mark::length(note);
    // Only ASCII characters decide the end of the properties, so this also works for a note that is not UTF-8.
    let text = same_length(&note[mark..]);
    mark + frontmatter::split_unmarked(&text).map_or(0, |block| block.body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use vault_files::Refusal;
    use vault_files::testing::{given, surroundings};
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::testing::{error, plan};

    fn result(command: &str, before: &[u8], content: &str, flags: &[&str]) -> Vec<u8> {
        let (_folder, vault) = vault(&[]);
        fs_err::write(vault.root().join("a.md"), before).unwrap();
        let edit = plan(
            &vault,
            command,
            &[("path", "a.md"), ("content", content)],
            flags,
        );
        assert_eq!(fs_err::read(vault.root().join("a.md")).unwrap(), before);
        Editor(&vault).apply(&edit.changes, "run").unwrap();
        fs_err::read(vault.root().join("a.md")).unwrap()
    }

    #[test]
    fn append_adds_a_line_whatever_the_note_ends_with() {
        for (before, flags, expected) in [
            (&b"a"[..], &[][..], &b"a\nx"[..]),
            (b"a\n", &[], b"a\n\nx"),
            (b"", &[], b"\nx"),
            (b"a\r\nb", &[], b"a\r\nb\r\nx"),
            (b"a\r\nb\nc\r\n", &[], b"a\r\nb\nc\r\n\r\nx"),
            (b"a", &["inline"], b"ax"),
            (b"caf\xe9\xff", &[], b"caf\xe9\xff\nx"),
            (b"\xef\xbb\xbfa", &[], b"\xef\xbb\xbfa\nx"),
        ] {
            assert_eq!(result("append", before, "x", flags), expected);
        }
    }

    #[test]
    fn prepend_goes_below_the_properties() {
        for (before, flags, expected) in [
            (&b"a"[..], &[][..], &b"x\na"[..]),
            (b"", &[], b"x\n"),
            (b"a", &["inline"], b"xa"),
            (b"---\nk: 1\n---\na", &[], b"---\nk: 1\n---\nx\na"),
            (
                b"---\r\nk: 1\r\n---\r\na",
                &[],
                b"---\r\nk: 1\r\n---\r\nx\r\na",
            ),
            (
                b"\xef\xbb\xbf---\nk: 1\n---\na",
                &[],
                b"\xef\xbb\xbf---\nk: 1\n---\nx\na",
            ),
            (b"\xef\xbb\xbfa", &[], b"\xef\xbb\xbfx\na"),
            (
                b"---\nk: caf\xe9\n---\na\xff",
                &[],
                b"---\nk: caf\xe9\n---\nx\na\xff",
            ),
            (b"---\nk: 1\n---", &[], b"---\nk: 1\n---\nx\n"),
            (b"---\nk: 1\n--- \t", &["inline"], b"---\nk: 1\n--- \t\nx"),
            (b"---\nk: 1\n---z", &[], b"---\nk: 1\n---\nx\nz"),
            (b"--- \nk: 1\n---\n", &[], b"x\n--- \nk: 1\n---\n"),
            (b"---\nk: 1\na", &[], b"x\n---\nk: 1\na"),
            (b"- a", &[], b"x\n- a"),
        ] {
            assert_eq!(
                result("prepend", before, "x", flags)
                    .escape_ascii()
                    .to_string(),
                expected.escape_ascii().to_string()
            );
        }
    }

    #[test]
    fn text_that_a_plugin_would_lose_is_refused() {
        let board = "---\nkanban-plugin: board\n---\n\n## To do\n\n- [ ] a\n\n***\n\n## Archive\n\n- [x] b\n\n%% kanban:settings\n%%";
        let drawing = "---\nexcalidraw-plugin: parsed\n---\n\n%%\n# Drawing\n```json\n{}\n```\n%%";
        let (_folder, vault) = vault(&[("board.md", board), ("drawing.md", drawing)]);
        let refused = |command, path| {
            let error = error(&vault, command, &[("path", path), ("content", "- x")], &[]);
            match &error {
                EngineError::BoardWithoutLane { lanes, .. } => {
                    let lanes: Vec<&str> = lanes.iter().map(|lane| &*lane.text).collect();
                    format!("{error} {lanes:?}")
                }
                _ => error.to_string(),
            }
        };
        insta::assert_snapshot!(refused("append", "board.md"), @"`board.md` is a Kanban board, and Kanban deletes text outside a lane [\"## To do\"]");
        assert_eq!(
            refused("prepend", "board.md"),
            refused("append", "board.md")
        );
        insta::assert_snapshot!(refused("append", "drawing.md"), @"`drawing.md` is an Excalidraw drawing. Its data begins on line 5 and must stay at the end");
        let edit = plan(
            &vault,
            "prepend",
            &[("path", "drawing.md"), ("content", "x")],
            &[],
        );
        let Some(crate::Change::Modify { after, .. }) = edit.changes.first() else {
            panic!("{edit:?}")
        };
        assert_eq!(
            String::from_utf8_lossy(after),
            drawing.replacen("---\n\n", "---\nx\n\n", 1)
        );
    }

    #[test]
    fn content_is_taken_as_it_is() {
        assert_eq!(
            result("append", b"a", "\\n\\t\r\n\t\u{e9}", &[]),
            "a\n\\n\\t\r\n\t\u{e9}".as_bytes()
        );
        for (command, expected) in [
            ("append", "a\r\n\r\nb\r\nc"),
            ("prepend", "b\r\nc\r\na\r\n"),
        ] {
            let after = result(command, b"a\r\n", "b\nc", &[]);
            assert_eq!(String::from_utf8_lossy(&after), expected);
        }
    }

    #[test]
    fn what_the_app_says() {
        let (_folder, vault) = vault(&[("sub/a.md", "a")]);
        for (command, expected) in [
            (
                "append",
                Confirmation::Appended {
                    path: "sub/a.md".into(),
                },
            ),
            (
                "prepend",
                Confirmation::Prepended {
                    path: "sub/a.md".into(),
                },
            ),
        ] {
            let edit = plan(&vault, command, &[("file", "A"), ("content", "x")], &[]);
            assert_eq!(edit.answer, vault_answers::Answer::from(expected));
            let usage = format!("{command} [file=<name>] [path=<path>] content=<text> [inline]");
            for (wanted, expected) in [
                (
                    vec![("path", "sub/a.md")],
                    format!("the parameter `content=<text>` is missing. Usage: {usage}"),
                ),
                (
                    vec![("path", "none.md"), ("content", "x")],
                    "the file `none.md` does not exist".into(),
                ),
                (
                    vec![("path", "sub"), ("content", "x")],
                    "`sub` is a folder".into(),
                ),
                (vec![("content", "x")], Refusal::NoActiveFile.to_string()),
            ] {
                assert_eq!(error(&vault, command, &wanted, &[]).to_string(), expected);
            }
        }
        let hidden = [("path", ".obsidian/app.json"), ("content", "x")];
        assert!(
            Editor(&vault)
                .plan("append", &given("append", &hidden, &[]), &surroundings())
                .is_err()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_byte_of_the_note_is_changed(
            head in prop_oneof![Just(vec![]), Just(byte_order_mark::BYTES.to_vec())],
            block in "(---\r?\n(a: 1\r?\n)?(---([ \t]{0,2}|[ \t]?z)(\r?\n)?)?)?",
            body in proptest::collection::vec(any::<u8>(), 0..40),
            content in "\\PC{1,8}",
            is_inline in any::<bool>(),
        ) {
            let note = [head, block.into_bytes(), body].concat();
            let addition = Addition { content: &content, is_inline };
            let (separator, content) = addition.with_line_ends_of(&note);
            let path = vault_files::vault::testing::path("a.md");
            let appended = addition.put(End::Last, &note, &path).unwrap();
            prop_assert_eq!(&appended[..note.len()], &note[..]);
            prop_assert_eq!(appended[note.len()..].to_vec(), [separator, &*content].concat().into_bytes());
            let prepended = addition.put(End::First, &note, &path).unwrap();
            let at = start_of_body(&note);
            prop_assert_eq!(&prepended[..at], &note[..at]);
            prop_assert!(prepended.ends_with(&note[at..]));
            let added = &prepended[at..prepended.len() - (note.len() - at)];
            let expected = format!("{content}{separator}");
            let is_added = added == expected.as_bytes()
                || added.ends_with(expected.as_bytes())
                    && added.trim_ascii_start().len() <= expected.len()
                    && !note[..at].ends_with(b"\n");
            prop_assert!(is_added, "{}", added.escape_ascii());
            if at > byte_order_mark::BYTES.len() {
                let body = start_of_body(&prepended);
                prop_assert!((at..=at + 2).contains(&body), "the properties end elsewhere");
            }
        }
    }
}
