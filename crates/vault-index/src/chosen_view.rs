//! The base and the view that a command names. A base is a file of its own, or a code block of a
//! note.

use std::borrow::Cow;

use bases::{Base, Place, View};
use obsidian_note::scan::scan;
use obsidian_note::{SectionKind, VaultPath, Warning, byte_order_mark};
use vault_files::{Args, EngineError, Refusal, Vault};

use crate::target::Target;

/// The extension of files with a base.
const EXTENSION: &str = "base";

/// A base with one of its views chosen.
pub struct ChosenView {
    /// The file with the base: `this` in its expressions.
    pub path: VaultPath,
    /// The base.
    pub base: Base,
    /// The chosen view.
    pub view: View,
    /// Warnings about the base and about the search for it.
    pub warnings: Vec<Warning>,
}

impl ChosenView {
    /// Returns the base that `path` or `file` names, and its view `view`, as [`Self::of_target`].
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn read(vault: &Vault, arguments: &Args) -> Result<Self, EngineError> {
        let target = base_target(vault, arguments)?;
        Self::of_target(vault, target, arguments.text("view"))
    }

    /// Returns the base in this file and the wanted view, or else its first view. In a note it is the first block that
    /// has such a view.
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file or no base in it; [`EngineError::Base`] if the base cannot be read;
    /// [`EngineError::BaseView`] if it has no such view; otherwise the error that keeps the vault from being read.
    pub fn of_target(
        vault: &Vault,
        target: Target,
        wanted: Option<&str>,
    ) -> Result<Self, EngineError> {
        let Target {
            path,
            requested,
            mut warnings,
        } = target;
        vault.facts_of_target(&path, &requested).map_err(no_base)?;
        if !is_base(&path) && !path.is_note() {
            return Err(not_a_base(&path));
        }
        let note = vault.note(&path, &requested).map_err(no_base)?;
        warnings.extend(note.not_utf8());
        let text = byte_order_mark::strip(&note.text);
        let bases = if is_base(&path) {
            vec![parsed(&path, text, 1)?]
        } else {
            let blocks = blocks(text);
            let bases = blocks.iter().map(|(line, text)| parsed(&path, text, *line));
            bases.collect::<Result<Vec<_>, _>>()?
        };
        if bases.is_empty() {
            return Err(not_a_base(&path));
        }
        Self::chosen(path, bases, wanted, warnings)
    }

    fn chosen(
        path: VaultPath,
        bases: Vec<Base>,
        wanted: Option<&str>,
        mut warnings: Vec<Warning>,
    ) -> Result<Self, EngineError> {
        let mut known = Vec::new();
        for base in bases {
            let view = match wanted {
                Some(name) => base.views().iter().find(|view| view.name == name).cloned(),
                // A base without views still shows its files, as a table.
                None => Some(
                    base.views()
                        .first()
                        .cloned()
                        .unwrap_or_else(|| View::named("table")),
                ),
            };
            let Some(view) = view else {
                known.extend(base.views().iter().map(|view| view.name.clone()));
                continue;
            };
            warnings.extend(faults(&path, &base, &view));
            return Ok(Self {
                path,
                base,
                view,
                warnings,
            });
        }
        Err(EngineError::BaseView {
            path,
            view: wanted.unwrap_or_default().to_owned(),
            known,
        })
    }
}

/// Returns the warnings about a base with this view that can be read in part.
pub fn faults(path: &VaultPath, base: &Base, view: &View) -> Vec<Warning> {
    let fault = |place: Place, reason: String| Warning::BaseFault {
        path: path.clone(),
        line: place.line,
        reason,
    };
    let shown = base.diagnostics().iter().chain(view.diagnostics());
    let shown = shown.map(|found| fault(found.place, found.message.clone()));
    let broken = base.broken_filters(view).into_iter().map(|statement| {
        let error = statement.expression.as_ref().err();
        let reason = error.map(ToString::to_string).unwrap_or_default();
        let text = beginning(&statement.text);
        let reason = format!("the filter `{text}` is not an expression: {reason}");
        fault(statement.place, reason)
    });
    shown.chain(broken).collect()
}

/// Returns the beginning of an expression, for messages.
pub fn beginning(text: &str) -> String {
    const MOST: usize = 80;
    let mut shown: String = text.chars().take(MOST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn parsed(path: &VaultPath, text: &str, first_line: usize) -> Result<Base, EngineError> {
    Base::parse_from_line(text, first_line).map_err(|error| EngineError::Base {
        path: path.clone(),
        line: error.place.line,
        reason: error.message,
    })
}

/// The number of levels of quotes that are searched for blocks.
const DEEPEST_QUOTE: usize = 8;

/// Returns the code blocks of a note whose language is `base`, also within quotes and callouts:
/// their texts, and the lines in which those begin.
fn blocks(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    blocks_within(text, 0, 0)
}

fn blocks_within(text: &str, lines_before: usize, depth: usize) -> Vec<(usize, Cow<'_, str>)> {
    let mut found = Vec::new();
    for section in scan(text).sections {
        let place = |byte: u32| usize::try_from(byte).unwrap_or(usize::MAX);
        let span = place(section.span.start.byte)..place(section.span.end.byte);
        let Some(block) = text.get(span) else {
            continue;
        };
        let line = lines_before + place(section.span.start.line);
        match section.kind {
            SectionKind::Code => {
                let inside = base_in(block).map(|inside| (line + 2, Cow::Borrowed(inside)));
                found.extend(inside);
            }
            SectionKind::Blockquote | SectionKind::Callout if depth < DEEPEST_QUOTE => {
                let inner = unquoted(block);
                let inner = blocks_within(&inner, line, depth + 1);
                let owned = inner
                    .into_iter()
                    .map(|(line, text)| (line, text.into_owned().into()));
                found.extend(owned);
            }
            _ => {}
        }
    }
    found
}

/// Returns the lines of a quote without their marks, line by line.
fn unquoted(quote: &str) -> String {
    let lines = quote.split('\n').map(|line| {
        let inner = line.trim_start_matches(' ').strip_prefix('>');
        let inner = inner.map(|inner| inner.strip_prefix(' ').unwrap_or(inner));
        // A line without a mark continues the paragraph before it.
        inner.unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the text of a code block, if its language is `base`.
fn base_in(block: &str) -> Option<&str> {
    let (opening, rest) = block.split_once('\n')?;
    let fence = opening.trim_start();
    let language = fence.trim_start_matches(['`', '~']);
    let mark = &fence[..fence.len() - language.len()];
    let inside = match rest.rsplit_once('\n') {
        Some((inside, closing)) if closing.trim_start().starts_with(mark) => inside,
        _ if rest.trim_start().starts_with(mark) => "",
        _ => rest,
    };
    (!mark.is_empty() && language.trim() == "base").then_some(inside)
}

/// Returns the file that a command about a base names, as for notes; a name may leave out `.base`.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn base_target(vault: &Vault, arguments: &Args) -> Result<Target, EngineError> {
    let found = Target::from_arguments(vault, arguments);
    let is_found = found.as_ref().is_ok_and(|found| is_base(&found.path));
    let is_by_name = !arguments.has("path");
    let name = arguments.text("file").filter(|_| is_by_name && !is_found);
    let Some(name) = name else { return found };
    let longer = Args::default().with("file", format!("{name}.{EXTENSION}").as_str());
    Target::from_arguments(vault, &longer)
        .or(found)
        .map_err(no_base)
}

/// Replaces "file not found" with the app's message for a missing base.
pub fn no_base(error: EngineError) -> EngineError {
    match error {
        EngineError::Refused(Refusal::FileNotFound { target: path }) => {
            EngineError::Refused(Refusal::BaseNotFound { path })
        }
        other => other,
    }
}

/// Returns the error for a file that is not a base.
pub fn not_a_base(path: &VaultPath) -> EngineError {
    let path = path.to_string();
    EngineError::Refused(Refusal::NotABase { path })
}

/// Whether the file is a base, by its extension.
pub fn is_base(path: &VaultPath) -> bool {
    path.extension().eq_ignore_ascii_case(EXTENSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_note_with_their_lines() {
        let text = "# A\n\n```base\nviews: []\n# x\n```\n\n```yaml\nviews:\n```\n~~~~ base\na\n~~~\n~~~~\n```base\n```\n```based\n```\n```base\nopen";
        assert_eq!(
            found(text),
            [
                (4, "views: []\n# x".to_owned()),
                (12, "a\n~~~".to_owned()),
                (16, String::new()),
                (20, "open".to_owned())
            ]
        );
    }

    fn found(text: &str) -> Vec<(usize, String)> {
        let found = blocks(text).into_iter();
        found
            .map(|(line, text)| (line, text.into_owned()))
            .collect()
    }

    #[test]
    fn blocks_in_quotes_and_callouts_are_found() {
        let text = "> [!note] Tasks\n> ```base\n> views:\n>   - type: table\n> ```\n\n> > ~~~base\n> > a\n> > ~~~\n";
        assert_eq!(
            found(text),
            [
                (3, "views:\n  - type: table".to_owned()),
                (8, "a".to_owned())
            ]
        );
        let deep = format!("{}```base\nx", "> ".repeat(50));
        assert_eq!(found(&deep), []);
    }
}
