//! The markup that the rest of the scan leaves out of its facts, to find active content in a note: the text
//! that some reader of Markdown renders, code, and the links and images that lead out of the vault.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::doubt::{self, Doubt};
use super::lines::{NoteLines, with_line_feeds};
use super::walk;
use crate::frontmatter;

/// The character that replaces literal text. It is part of no markup.
pub(super) const BLANK: u8 = 1;

/// The maximum number of bytes before the end of a link in which its destination is searched.
const LONGEST_DESTINATION: usize = 4096;

/// The beginnings and ends of text that browsers do not read as markup: a comment that begins in such text ends with
/// it.
const RAW_TEXT: [(&str, &str); 11] = [
    ("<![cdata[", "]]>"),
    ("<iframe", "</iframe"),
    ("<noembed", "</noembed"),
    ("<noframes", "</noframes"),
    ("<noscript", "</noscript"),
    ("<script", "</script"),
    ("<style", "</style"),
    ("<template", "</template"),
    ("<textarea", "</textarea"),
    ("<title", "</title"),
    ("<xmp", "</xmp"),
];

/// Code in a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeText {
    /// The byte at which its first mark begins.
    pub at: usize,
    /// The text behind the first marks of a fenced block, which begins with the language; `None` for code
    /// within a line.
    pub info: Option<String>,
    /// The code, without the marks of quotes and lists around it.
    pub content: String,
}

/// A link or an image with its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLink {
    /// Whether it is an image.
    pub is_image: bool,
    /// The byte at which its destination begins, or the link if that is somewhere else.
    pub at: usize,
    /// Its destination.
    pub target: String,
}

/// A definition: `[label]: destination "title"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkDefinition {
    /// The byte at which it begins.
    pub at: usize,
    /// Its label as written.
    pub label: String,
    /// Its destination.
    pub destination: String,
}

/// The markup of a note for all of its readers, in no particular order. A part that several readers see is
/// there more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text with everything blank that all readers take literally or hide. Each byte keeps its place.
    pub live: String,
    /// Fenced code blocks, and code within lines.
    pub code: Vec<CodeText>,
    /// Links and images.
    pub links: Vec<WrittenLink>,
    /// Definitions of links.
    pub definitions: Vec<LinkDefinition>,
    /// The bytes of code.
    literals: Vec<Range<usize>>,
    /// The bytes of code blocks.
    blocks: Vec<Range<usize>>,
    /// Whether `%%`, any two `$` and `^[` hide the marks of code between them, and a tag can begin behind any mark.
    pub(super) hides_marks: bool,
    /// The bytes of comments of HTML.
    html_comments: Vec<Range<usize>>,
    /// The bytes of blocks between `%%`, which only the app knows.
    pub(super) comments: Vec<Range<usize>>,
}

/// Finds the markup of a note for every reader: by the rules of [`scan`](super::scan()), and by those of
/// `CommonMark`, with and without the properties; a lone carriage return ends a line or does not. A reader may know
/// comments, formulas and footnotes before it knows code.
///
/// ```
/// use obsidian_note::scan::written;
///
/// let text = "![](https://example.org/a.png) and `![](b)`";
/// let markup = written(text);
/// assert_eq!(markup.links[0].target, "https://example.org/a.png");
/// assert!(markup.live.contains("https:") && !markup.live.contains("(b)"));
/// ```
pub fn written(text: &str) -> Written {
    if u32::try_from(text.len()).is_err() {
        return Written {
            live: text.to_owned(),
            ..Written::default()
        };
    }
    let lines = with_line_feeds(text);
    let mut readings = vec![
        walk::walk_written(NoteLines::split(text), false),
        commonmark(&lines, 0),
    ];
    if *lines != *text {
        readings.push(walk::walk_written(NoteLines::split(&lines), false));
    }
    if walk::hides_marks(&lines) {
        readings.push(walk::walk_written(NoteLines::split(&lines), true));
    }
    if let Some(properties) = frontmatter::split_unmarked(text) {
        readings.push(commonmark(&lines, properties.yaml.end + "---".len()));
    }
    let body = frontmatter::split_unmarked(text).map_or(0, |properties| properties.body);
    let mut no_block = vec![false; text.len()];
    for reading in &readings {
        for range in gaps(reading.blocks.clone(), text.len()) {
            no_block.get_mut(range).unwrap_or_default().fill(true);
        }
    }
    let is_block = |at: usize| no_block.get(at) == Some(&false);
    if let Some(Doubt {
        without_marks,
        code,
    }) = doubt::find(&lines, body, &is_block)
    {
        let mut reading = commonmark(&without_marks, body);
        reading.code.extend(code);
        readings.push(reading);
    }
    let hidden = readings
        .first()
        .map(|app| app.comments.clone())
        .unwrap_or_default();
    let lower = text.to_ascii_lowercase();
    let raw: Vec<(usize, &str)> = RAW_TEXT
        .iter()
        .filter_map(|(open, end)| Some((lower.find(open)?, *end)))
        .collect();
    let is_comment = |range: &Range<usize>| {
        let inside = lower.get(range.clone()).unwrap_or_default();
        !raw.iter()
            .any(|(open, end)| *open < range.start && inside.contains(end))
    };
    let mut live = vec![false; text.len()];
    let mut all = Written::default();
    for mut reading in readings {
        reading
            .literals
            .extend(reading.html_comments.into_iter().filter(&is_comment));
        reading.literals.extend(hidden.iter().cloned());
        for range in gaps(reading.literals, text.len()) {
            live.get_mut(range).unwrap_or_default().fill(true);
        }
        all.code.extend(reading.code);
        all.links.extend(reading.links);
        all.definitions.extend(reading.definitions);
    }
    let is_blank = |(byte, is_live): (u8, bool)| {
        if is_live || byte == b'\n' {
            byte
        } else {
            BLANK
        }
    };
    let bytes = text
        .bytes()
        .zip(live.iter().copied())
        .map(is_blank)
        .collect();
    // The parts begin and end between characters.
    all.live = String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
    let is_blank = |at: usize| live.get(at) == Some(&false);
    all.links.retain(|link| !is_blank(link.at));
    all.definitions
        .retain(|definition| !is_blank(definition.at));
    all
}

/// Returns the ranges between these, up to `end`.
fn gaps(mut ranges: Vec<Range<usize>>, end: usize) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let (mut gaps, mut from) = (Vec::new(), 0);
    for range in ranges {
        if range.start > from {
            gaps.push(from..range.start);
        }
        from = from.max(range.end);
    }
    gaps.push(from..end.max(from));
    gaps
}

/// Returns the markup by `CommonMark`, without extensions, of the text from a byte on.
fn commonmark(text: &str, from: usize) -> Written {
    let mut found = Written::default();
    let parser = Parser::new_ext(text.get(from..).unwrap_or_default(), Options::empty());
    found.definitions.extend(
        parser
            .reference_definitions()
            .iter()
            .map(|(label, definition)| LinkDefinition {
                at: from + definition.span.start,
                label: label.to_owned(),
                destination: definition.dest.to_string(),
            }),
    );
    let mut block: Option<CodeText> = None;
    for (event, range) in parser.into_offset_iter() {
        let range = from + range.start..from + range.end;
        let written = text.get(range.clone()).unwrap_or_default();
        let mut link = |is_image, target: String| {
            let from = written.len().saturating_sub(LONGEST_DESTINATION);
            let end = written.as_bytes().get(from..).unwrap_or_default();
            let place = memmem::rfind(end, target.as_bytes()).filter(|_| !target.is_empty());
            let at = range.start + place.map_or(0, |place| from + place);
            found.links.push(WrittenLink {
                is_image,
                at,
                target,
            });
        };
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => link(false, dest_url.into_string()),
            Event::Start(Tag::Image { dest_url, .. }) => link(true, dest_url.into_string()),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let info = Some(info.into_string());
                block = Some(CodeText {
                    at: range.start,
                    info,
                    content: String::new(),
                });
                found.blocks.push(range.clone());
                found.literals.push(range);
            }
            Event::Text(text) => {
                if let Some(block) = &mut block {
                    block.content.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => found.code.extend(block.take()),
            Event::Code(_) => found.inline_code(text, range),
            Event::InlineHtml(_) if !is_old_comment(written) => {}
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) if written.starts_with("<!--") => {
                found.html_comment(text, range);
            }
            _ => {}
        }
    }
    found
}

/// Whether readers before `CommonMark` 0.31 know this comment within a line.
pub(super) fn is_old_comment(comment: &str) -> bool {
    let inside = comment.strip_prefix("<!--").unwrap_or_default();
    let inside = inside.strip_suffix("-->").unwrap_or(inside);
    !(inside.starts_with('>')
        || inside.starts_with("->")
        || inside.ends_with('-')
        || inside.contains("--"))
}

impl Written {
    /// Returns an empty record for a reader.
    pub(super) fn of_reader(hides_marks: bool) -> Self {
        Self {
            hides_marks,
            ..Self::default()
        }
    }

    /// A fenced code block with its marks: its first line, and the lines after that.
    pub(super) fn fence<'l>(
        &mut self,
        first: &str,
        lines: impl Iterator<Item = &'l str>,
        range: Range<usize>,
    ) {
        let marks: &[char] = &['`', '~'];
        let info = first.trim_start().trim_start_matches(marks).trim();
        let mut content: Vec<&str> = lines.collect();
        content.pop_if(|last| last.trim().len() > 2 && last.trim().trim_matches(marks).is_empty());
        let info = Some(info.to_owned());
        self.code.push(CodeText {
            at: range.start,
            info,
            content: content.join("\n"),
        });
        self.blocks.push(range.clone());
        self.literals.push(range);
    }

    /// Code within a line, with its marks.
    pub(super) fn inline_code(&mut self, text: &str, range: Range<usize>) {
        let content = text
            .get(range.clone())
            .unwrap_or_default()
            .trim_matches('`')
            .to_owned();
        self.code.push(CodeText {
            at: range.start,
            info: None,
            content,
        });
        self.literals.push(range);
    }

    /// A comment between `%%` within a paragraph.
    pub(super) fn inline_comment(&mut self, range: Range<usize>) {
        self.literals.push(range);
    }

    /// A comment of HTML, as long as a browser reads it as one: it can end earlier than by the rules of
    /// Markdown.
    pub(super) fn html_comment(&mut self, text: &str, range: Range<usize>) {
        let inside = range.start + "<!--".len();
        let rest = text.get(inside..range.end).unwrap_or_default();
        // Live preview reads formulas and tables in comments.
        if rest.starts_with('>') || rest.starts_with("->") || rest.contains(['$', '|']) {
            return;
        }
        let ends = ["-->", "--!>"].into_iter();
        let end = ends
            .filter_map(|end| Some(rest.find(end)? + end.len()))
            .min();
        self.html_comments
            .extend(end.map(|end| range.start..inside + end));
    }

    /// A definition in these bytes.
    pub(super) fn definition(&mut self, text: &str, range: Range<usize>) {
        let written = text.get(range.clone()).unwrap_or_default();
        let parts = written
            .trim_start()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]:"));
        let Some((label, rest)) = parts else {
            return;
        };
        let target = rest.trim_start();
        let destination = match target.strip_prefix('<') {
            Some(inside) => inside.split(['>', '\n']).next(),
            None => target.split_whitespace().next(),
        };
        self.definitions.push(LinkDefinition {
            at: range.start,
            label: label.to_owned(),
            destination: destination.unwrap_or_default().to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("written_cases.txt");

    /// Returns the text without what all readers take literally.
    fn live(text: &str) -> String {
        written(text).live.replace(char::from(BLANK), "")
    }

    fn code(text: &str) -> Vec<(Option<String>, String)> {
        let mut code = written(text).code;
        code.sort_by_key(|code| code.at);
        code.dedup();
        code.into_iter()
            .map(|code| (code.info, code.content))
            .collect()
    }

    #[test]
    fn literal_text_is_blank_with_its_marks() {
        for [text, expected] in tables::section(CASES, "literal text is blank with its marks") {
            assert_eq!(live(text), expected, "{text}");
        }
    }

    #[test]
    fn text_is_live_if_one_reader_renders_it() {
        for text in tables::lines(CASES, "text is live if one reader renders") {
            assert!(live(text).contains('z'), "{text:?} {:?}", live(text));
        }
    }

    #[test]
    fn code_has_its_language_and_no_marks_of_containers() {
        let block = |info: &str, content: &str| (Some(info.to_owned()), content.to_owned());
        assert!(code("> ~~~~ a&#98; c\n> x\n> ~~~~\ny").contains(&block("ab c", "x\n")));
        assert!(code("- a\n\n  ```js\n  x\n  ```").contains(&block("js", "x")));
        assert_eq!(code("`` a` ``"), [(None, " a` ".to_owned())]);
    }

    #[test]
    fn links_lead_anywhere() {
        let links = |text: &str| {
            let mut links = written(text).links;
            links.dedup();
            let link = |link: WrittenLink| (link.is_image, link.target);
            links.into_iter().map(link).collect::<Vec<_>>()
        };
        let one = |is_image, target: &str| vec![(is_image, target.to_owned())];
        assert_eq!(links("![a](<b c>)"), one(true, "b c"));
        assert_eq!(links("- | [a](https://b)"), one(false, "https://b"));
        assert_eq!(links("<ab:c>"), one(false, "ab:c"));
        assert_eq!(links("![a][b]\n\n[b]: c"), one(true, "c"));
        assert_eq!(links("![[a]] [a] \\![b](c) `![d](e)`"), one(false, "c"));
        assert_eq!(links("%%\n![a](b)\n%%"), []);
        let definition = written("[a]: https://b 'c'\n").definitions.remove(0);
        assert_eq!((definition.at, &*definition.destination), (0, "https://b"));
    }
}
