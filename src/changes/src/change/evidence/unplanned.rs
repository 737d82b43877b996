//! Changes that only the app can compute.

use cli_output::Shape;
use vault_engine::frontmatter::split;
use vault_engine::{Args, State, VaultPath};

use super::Found;
use super::look::Look;
use super::question::Questions;
use crate::change::observed::same;
use crate::error::Error;
use crate::file_change::Happening;
use allowlist::Call;
use backend::PinnedVault;
use protocol::Failure;

/// `base:create`: a new note exists, in a folder that the base chooses.
pub(crate) struct NewFile {
    name: Option<String>,
    content: Option<String>,
}

impl NewFile {
    pub(crate) fn new(call: &Call) -> Self {
        Self {
            name: call.arguments.text("name").map(str::to_owned),
            content: call.arguments.text("content").map(str::to_owned),
        }
    }

    pub(crate) fn look(&self, look: Look<'_>) -> Found {
        let Some(differing) = look.snapshot.differing.as_ref() else {
            return Found::Unknown;
        };
        let mut created = differing
            .iter()
            .filter(|(_, change)| **change == Happening::Created)
            .map(|(path, _)| path);
        if created.any(|path| self.is(path, look.vault)) {
            Found::exact()
        } else {
            Found::Absent
        }
    }

    /// Whether the file has the requested name, with or without a number, and the requested text.
    fn is(&self, path: &VaultPath, vault: &PinnedVault) -> bool {
        let named = self.name.as_ref().is_none_or(|name| {
            let name = name.strip_suffix(".md").unwrap_or(name);
            let rest = path.basename().strip_prefix(name);
            // The app adds a space and a number to a name that is taken.
            rest.is_some_and(|rest| {
                rest.is_empty()
                    || rest.strip_prefix(' ').is_some_and(|number| {
                        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                    })
            })
        });
        let holds = |content: &String| {
            let bytes = vault.engine.read_bytes(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(content.as_str())
        };
        named && self.content.as_ref().is_none_or(holds)
    }
}

/// `history:restore`: the note has the content that `history:read` printed for the version.
pub(crate) struct KeptVersion {
    note: VaultPath,
    text: String,
}

impl KeptVersion {
    /// Asks for the version. If it cannot be read, it is not restored, because the result could not
    /// be verified.
    pub(crate) fn ask(
        note: &VaultPath,
        call: &Call,
        questions: &Questions<'_>,
    ) -> Result<Self, Failure> {
        let version: usize = call.arguments.number("version").unwrap_or_default();
        let arguments = Args::default().with("path", note).with("version", version);
        let text = questions
            .ask("history:read", Shape::NoteText, &arguments)
            .map_err(|failure| {
                let failure = failure.begin_with(
                    "Nothing was restored, because vault-gw could not read the earlier version.",
                );
                failure.with("reason", "version-not-read")
            })?;
        Ok(Self {
            note: note.clone(),
            text,
        })
    }

    pub(crate) fn look(&self, look: Look<'_>) -> Found {
        let Some((before, now)) = look.states_of(&self.note) else {
            return Found::Unknown;
        };
        let Ok(bytes) = look.vault.engine.read_bytes(&self.note) else {
            return Found::Different;
        };
        // The program adds a line feed to its output (`official-cli.md` §5).
        let present = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let is_present = self
            .text
            .strip_suffix('\n')
            .unwrap_or(&self.text)
            .as_bytes()
            == present;
        match (is_present, same(before, now)) {
            (true, _) => Found::exact(),
            (false, true) => Found::Absent,
            (false, false) => Found::Different,
        }
    }
}

/// `daily`: today's note exists afterwards.
pub(crate) fn look_at_daily_note(note: &VaultPath, look: Look<'_>) -> Found {
    match look.states_of(note) {
        None => Found::Unknown,
        Some((State::Absent, State::File { .. })) => Found::exact(),
        Some((State::Absent, _)) => Found::Absent,
        // The note existed already, so the command only opens it.
        Some((before, now)) if same(before, now) => Found::exact(),
        Some(_) => Found::Different,
    }
}

/// `template:insert`: the active note has additional text.
pub(crate) struct ActiveNote {
    note: VaultPath,
    before: Vec<u8>,
    /// Lines of the template without placeholders.
    template: Vec<String>,
}

impl ActiveNote {
    /// Asks the app which note is active.
    pub(crate) fn ask(
        call: &Call,
        vault: &PinnedVault,
        questions: &Questions<'_>,
    ) -> Result<Self, Failure> {
        let shown = questions.ask("file", Shape::FileInfo, &Args::default())?;
        let mut rows = shown.lines().filter_map(|line| line.split_once('\t'));
        let path = rows.find(|(key, _)| *key == "path").map(|(_, path)| path);
        let note = path.and_then(|path| VaultPath::file(path).ok());
        let note = note.ok_or(Error::NoActiveNote)?;
        let before = vault.engine.read_bytes(&note);
        let before = before.map_err(|_| Error::NoActiveNote)?;
        let name = call.arguments.param("name");
        let template = fixed_lines(vault, name.unwrap_or_default());
        Ok(Self {
            note,
            before,
            template,
        })
    }

    pub(crate) fn look(&self, look: Look<'_>) -> Found {
        let Ok(now) = look.vault.engine.read_bytes(&self.note) else {
            return Found::Different;
        };
        if now == self.before {
            return Found::Absent;
        }
        let (before, now) = (
            String::from_utf8_lossy(&self.before),
            String::from_utf8_lossy(&now),
        );
        let has_template = || self.template.iter().all(|line| now.contains(line.as_str()));
        let has_more = now.trim_end().len() > before.trim_end().len();
        if has_more && holds_all_of(&now, &before) && has_template() {
            Found::exact()
        } else {
            Found::Different
        }
    }
}

/// Returns the lines of a template's body without placeholders; empty if the template is not found.
fn fixed_lines(vault: &PinnedVault, name: &str) -> Vec<String> {
    let paths = vault.engine.template_paths(name).unwrap_or_default();
    let bytes = paths
        .iter()
        .find_map(|path| vault.engine.read_bytes(path).ok());
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    let body = split(&text).map_or(0, |block| block.body);
    text.get(body..)
        .unwrap_or_default()
        .lines()
        .map(str::trim)
        // Placeholders of the app and of the Templater plugin.
        .filter(|line| !line.is_empty() && !line.contains("{{") && !line.contains("<%"))
        .map(str::to_owned)
        .collect()
}

/// Whether the body of `before` is still there, with something inserted. The properties of a
/// template are merged into the note, so they may differ.
fn holds_all_of(now: &str, before: &str) -> bool {
    let body = split(before).map_or(0, |block| block.body);
    let before = before.get(body..).unwrap_or_default();
    // Every character in order, because a template may be inserted at any place.
    let mut characters = now.chars();
    before
        .chars()
        .all(|wanted| characters.any(|character| character == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g12_an_insertion_keeps_the_text_that_was_there() {
        assert!(holds_all_of("a\nnew\nb\n", "a\nb\n"));
        assert!(holds_all_of("a inserted b\n", "a b\n"));
        assert!(holds_all_of("---\nx: 1\n---\na\n", "---\ny: 2\n---\na\n"));
        assert!(!holds_all_of("new text that is longer\n", "a b\nc\n"));
        assert!(!holds_all_of("b\na\nnew\n", "a\nb\n"));
    }
}
