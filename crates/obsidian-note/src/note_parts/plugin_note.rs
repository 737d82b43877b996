//! Notes that a community plugin reads and writes as a whole: boards of Kanban and drawings of Excalidraw
//! (`vault-semantics.md` §6.5).

use super::sheet::Sheet;
use crate::frontmatter::Frontmatter;
use crate::path::VaultPath;
use crate::scan::{Section, SectionKind};

/// A note whose structure belongs to a plugin. Lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginNote {
    /// A board of Kanban: a heading for each lane, and below it a list with the cards of the lane.
    Board {
        /// The indexes of the headings that are lanes.
        lanes: Vec<usize>,
        /// The line of the `***` above the archive; `None` without an archive.
        archive: Option<usize>,
        /// The first line of the block with the settings, or the number of lines if there is none.
        settings: usize,
    },
    /// A drawing of Excalidraw, with text above its data.
    Drawing {
        /// The first line of its data. The data goes to the end of the note.
        data: usize,
    },
}

impl PluginNote {
    /// Returns the plugin's structure of a note; `None` for any other note, and for a drawing without data.
    pub fn find(sheet: &Sheet<'_>, path: &VaultPath) -> Option<Self> {
        if has_property(sheet, "kanban-plugin") {
            return Some(board(sheet));
        }
        let is_drawing =
            path.as_str().ends_with(".excalidraw.md") || has_property(sheet, "excalidraw-plugin");
        let data = is_drawing.then(|| data_line(sheet)).flatten()?;
        Some(Self::Drawing { data })
    }

    /// Returns the line before which the text below a heading ends at the latest: the line of a drawing's data or of a
    /// board's settings or archive. `start` is the line below the heading.
    pub fn end_of_text(&self, start: usize) -> usize {
        let bounds = match self {
            Self::Board {
                archive, settings, ..
            } => [*archive, Some(*settings)],
            Self::Drawing { data } => [Some(*data), None],
        };
        let after = bounds.into_iter().flatten().filter(|line| *line >= start);
        after.min().unwrap_or(usize::MAX)
    }

    /// Returns the number of blocks of a note that the plugin drops when it saves the note: on a board, blocks that are
    /// neither a lane with its cards nor the archive, and everything below the settings.
    pub fn dropped(&self, sheet: &Sheet<'_>) -> usize {
        let Self::Board { settings, .. } = self else {
            return 0;
        };
        let sections = &sheet.facts().sections;
        let is_heading = |index: Option<usize>| {
            let section = index.and_then(|index| sections.get(index));
            section.is_some_and(|section| section.kind == SectionKind::Heading)
        };
        // A line such as `**Complete**` between a lane and its cards.
        let is_mark = |index: usize| {
            let line = sheet.line(sections[index].span.start.line as usize).trim();
            is_heading(index.checked_sub(1)) && line.starts_with("**") && line.ends_with("**")
        };
        let is_dropped = |(index, section): &(usize, &Section)| {
            let line = section.span.start.line as usize;
            let above = index.checked_sub(1);
            let is_kept = match section.kind {
                SectionKind::Yaml => true,
                _ if line >= *settings => line == *settings,
                SectionKind::Heading => true,
                SectionKind::ThematicBreak => is_heading(Some(index + 1)),
                SectionKind::Paragraph => is_mark(*index),
                SectionKind::List => is_heading(above) || above.is_some_and(is_mark),
                _ => false,
            };
            !is_kept
        };
        sections.iter().enumerate().filter(is_dropped).count()
    }
}

/// Whether the properties have this key. In properties that are not valid YAML, a line that begins with it counts.
fn has_property(sheet: &Sheet<'_>, key: &str) -> bool {
    let yaml = sheet.yaml().and_then(|yaml| sheet.text.get(yaml));
    yaml.is_some_and(|yaml| match Frontmatter::parse(yaml) {
        Ok(frontmatter) => frontmatter.properties.contains_key(key),
        Err(_) => yaml.lines().any(|line| {
            let rest = line.strip_prefix(key);
            rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        }),
    })
}

/// The plugin takes every heading for a lane, but for one right below a thematic break, which is the archive. Its settings
/// are a comment at the end (`astToUnhydratedBoard` and `settingsToCodeblock` in its sources).
fn board(sheet: &Sheet<'_>) -> PluginNote {
    let facts = sheet.facts();
    let break_above = |heading_line: u32| {
        let mut above = facts.sections.iter();
        let above = above.rfind(|section| section.span.start.line < heading_line)?;
        (above.kind == SectionKind::ThematicBreak).then_some(above.span.start.line as usize)
    };
    let archive = facts
        .headings
        .iter()
        .enumerate()
        .find_map(|(index, heading)| Some((index, break_above(heading.span.start.line)?)));
    let lanes = 0..facts.headings.len();
    let settings = (sheet.first_body_line()..sheet.line_count())
        .rfind(|line| sheet.line(*line).starts_with("%% kanban:settings"));
    PluginNote::Board {
        lanes: lanes
            .filter(|index| archive.is_none_or(|(archive, _)| archive != *index))
            .collect(),
        archive: archive.map(|(_, line)| line),
        settings: settings.unwrap_or(sheet.line_count()),
    }
}

/// Returns the first line of a drawing's data: `# Excalidraw Data`, or in older drawings `# Text Elements` or `# Drawing`,
/// with the `%%` above it and the `#` that ends the text above that (`getExcalidrawMarkdownHeader` in its sources).
fn data_line(sheet: &Sheet<'_>) -> Option<usize> {
    let lines = || sheet.first_body_line()..sheet.line_count();
    let is = |line: &usize, names: &[&str]| names.contains(&sheet.line(*line).trim_end());
    let drawing = lines().find(|line| is(line, &["# Drawing", "## Drawing"]));
    let above = || lines().take_while(|line| drawing.is_none_or(|drawing| *line < drawing));
    let heading = above()
        // The user may have deleted the line break before it.
        .find(|line| sheet.line(*line).trim_end().ends_with("# Excalidraw Data"))
        .or_else(|| above().find(|line| sheet.line(*line).trim_end().ends_with("# Text Elements")))
        .or(drawing)?;
    // The marks above, the nearest first. Between them may be blank lines.
    let mut first = heading;
    for mark in ["%%", "#"] {
        let above = (sheet.first_body_line()..first).rfind(|line| !sheet.is_blank(*line));
        if let Some(line) = above
            && sheet.line(line).trim_end() == mark
        {
            first = line;
        }
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("plugin_note_cases.txt");

    fn found(path: &str, note: &str) -> Option<PluginNote> {
        let path = VaultPath::file(path).unwrap();
        PluginNote::find(&Sheet::new(note.as_bytes()), &path)
    }

    #[test]
    fn a_board_has_lanes_an_archive_and_settings() {
        let properties = "---\n\nkanban-plugin: board\n\n---\n\n";
        let settings = "\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%";
        let lanes = "## To do\n\n- [ ] a\n\n\n## Done\n\n**Complete**\n- [x] b\n\n\n";
        let archive = "***\n\n## Archive\n\n- [x] c\n";
        let board = |lanes: &[usize], archive, settings| {
            let lanes = lanes.to_vec();
            Some(PluginNote::Board {
                lanes,
                archive,
                settings,
            })
        };
        assert_eq!(
            found("b.md", &format!("{properties}{lanes}{archive}{settings}")),
            board(&[0, 1], Some(17), 24)
        );
        assert_eq!(
            found("b.md", &format!("{properties}{lanes}{settings}")),
            board(&[0, 1], None, 19)
        );
        assert_eq!(
            found("b.md", &format!("{properties}{lanes}")),
            board(&[0, 1], None, 17)
        );
        assert_eq!(found("b.md", properties), board(&[], None, 6));
        // An archive begins with a thematic break above a heading; this one is not above a heading.
        assert_eq!(
            found("b.md", &format!("{properties}## A\n***\n- b\n## C\n")),
            board(&[0, 1], None, 10)
        );
        assert_eq!(
            found("b.md", "---\nkanban-plugin: [\n---\n## A\n"),
            board(&[0], None, 4)
        );
        for other in ["## A\n", "---\nkanban: 1\n---\n", "kanban-plugin: board\n"] {
            assert_eq!(found("b.md", other), None, "{other}");
        }
    }

    #[test]
    fn the_data_of_a_drawing_begins_above_its_first_heading() {
        let properties = "---\nexcalidraw-plugin: parsed\n---\ntext\n";
        for (below, expected) in
            tables::typed::<(&str, Option<usize>)>(CASES, "the data of a drawing begins above")
        {
            let note = format!("{properties}{below}");
            let data = expected.map(|data| PluginNote::Drawing { data });
            assert_eq!(found("d.md", &note), data, "{below:?}");
        }
        assert_eq!(
            found("d.excalidraw.md", "%%\r\n# Drawing\r\n"),
            Some(PluginNote::Drawing { data: 0 })
        );
        assert_eq!(found("d.md", "%%\n# Drawing\n"), None);
    }
}
