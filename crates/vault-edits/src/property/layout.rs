//! The places of the properties in the text of a block.

use std::ops::Range;

use obsidian_note::frontmatter::{repaired, scalar_key};
use yaml_events::{Event, ScalarStyle, events};

use super::lexical;

/// The places of all properties in the text of a block, as byte offsets.
pub(super) struct Layout {
    pub(super) root: Root,
    /// One for each property, in the order of the text.
    pub(super) entries: Vec<Entry>,
}

/// The syntax of the properties as a whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// No properties, only blank lines and comments.
    Nothing,
    /// One key per line, as the app writes them.
    Block,
    /// `{…}`, as in JSON.
    Flow {
        /// The byte offset of `{`.
        open: usize,
        /// The byte offset of `}`.
        close: usize,
    },
    /// A null value such as `~` in place of a mapping.
    Word,
}

/// The places of one property: its key and its value.
pub(super) struct Entry {
    /// The name; `None` for a key that is not a scalar.
    pub(super) name: Option<String>,
    /// The range of the key, with anchor and type.
    pub(super) key: Range<usize>,
    /// The offset after the colon, if that is on the line of the key.
    pub(super) after_colon: Option<usize>,
    pub(super) value: Node,
}

/// The place of one value.
pub(super) struct Node {
    /// The start, with anchor and type.
    pub(super) start: usize,
    /// The end of anchor and type; equal to `start` without them.
    pub(super) properties_end: usize,
    /// The start of the value itself. For a block scalar that is its `|` or `>`.
    pub(super) content: usize,
    /// The end of its last character.
    pub(super) end: usize,
    pub(super) form: Form,
}

/// The syntax of a value.
pub(super) enum Form {
    /// No text at all, which means null.
    Nothing,
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// A block scalar: the offset where its `|` or `>` with indicators ends.
    Text {
        header_end: usize,
    },
    Alias,
    BlockList(Vec<Node>),
    FlowList(Vec<Node>),
    BlockMap,
    FlowMap,
    /// A block scalar whose `|` or `>` was not found.
    Unknown,
}

impl Layout {
    /// Finds the properties in a text that is known to be a mapping; `None` if the positions that
    /// the parser reports are not plausible.
    pub(super) fn parse(yaml: &str) -> Option<Self> {
        let repaired = repaired(yaml);
        // The positions fit the original text only if repairs have not changed its length.
        if repaired.len() != yaml.len() {
            return None;
        }
        let is_structure = |event: &Event<'_>| {
            matches!(
                event,
                Event::Nothing
                    | Event::StreamStart
                    | Event::StreamEnd
                    | Event::DocumentStart(_)
                    | Event::DocumentEnd
            )
        };
        let mut values = Vec::new();
        for event in events(&repaired) {
            let (event, bytes) = event.ok()?;
            if !is_structure(&event) {
                values.push((event, bytes));
            }
        }
        let mut reader = LayoutReader {
            yaml,
            events: values.into_iter(),
        };
        reader.root()
    }

    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.name.as_deref() == Some(name))
    }
}

struct LayoutReader<'yaml> {
    yaml: &'yaml str,
    events: std::vec::IntoIter<(Event<'yaml>, Range<usize>)>,
}

impl<'yaml> LayoutReader<'yaml> {
    fn root(&mut self) -> Option<Layout> {
        let Some((event, place)) = self.events.next() else {
            return Some(Layout {
                root: Root::Nothing,
                entries: Vec::new(),
            });
        };
        if !matches!(event, Event::MappingStart(..)) {
            return Some(Layout {
                root: Root::Word,
                entries: Vec::new(),
            });
        }
        let open = self.bracket(&place, '{');
        let mut entries = Vec::new();
        let end = loop {
            if let Some((Event::MappingEnd, place)) = self.peek() {
                break place.start;
            }
            entries.push(self.entry()?);
        };
        let root = match open {
            Some(open) => Root::Flow {
                open,
                close: lexical::closing_bracket(self.yaml, end, '}')?,
            },
            None => Root::Block,
        };
        Some(Layout { root, entries })
    }

    fn entry(&mut self) -> Option<Entry> {
        let name = match &self.peek()?.0 {
            Event::Scalar(text, style, _, tag) => Some(scalar_key(text, *style, tag.as_deref())),
            _ => None,
        };
        let key = self.node(None)?;
        let colon = lexical::skip_blanks(self.yaml, key.end);
        let after_colon = self.yaml[colon..].starts_with(':').then_some(colon + 1);
        let value = self.node(Some(after_colon.unwrap_or(key.end)))?;
        Some(Entry {
            name,
            key: key.start..key.end,
            after_colon,
            value,
        })
    }

    fn peek(&self) -> Option<&(Event<'yaml>, Range<usize>)> {
        self.events.as_slice().first()
    }

    /// Returns the offset of the bracket of a collection that starts at `place`; `None` for one without brackets, which
    /// begins after its start.
    fn bracket(&self, place: &Range<usize>, bracket: char) -> Option<usize> {
        let (_, content) = lexical::skip_properties(self.yaml, place.start);
        let is_bracket = self.yaml.get(content..)?.starts_with(bracket);
        (is_bracket && content < place.end).then_some(content)
    }

    /// Reads one value. `after` is the offset after the colon before it.
    fn node(&mut self, after: Option<usize>) -> Option<Node> {
        let (event, place) = self.events.next()?;
        let node = match event {
            Event::Alias(_) => {
                let end = lexical::end_of_word(self.yaml, place.start);
                plain_node(place.start, end, Form::Alias)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let has_properties = anchor != 0 || tag.is_some();
                self.scalar(&text, style, has_properties, &place, after)?
            }
            Event::SequenceStart(..) => {
                let open = self.bracket(&place, '[');
                let mut items = Vec::new();
                let end = loop {
                    if let Some((Event::SequenceEnd, place)) = self.peek() {
                        break place.start;
                    }
                    items.push(self.node(None)?);
                };
                self.events.next();
                let last = items.last().map_or(place.end, |item| item.end);
                match open {
                    Some(open) => {
                        let close = lexical::closing_bracket(self.yaml, end, ']')?;
                        self.collection(&place, open..close + 1, Form::FlowList(items))
                    }
                    None => self.collection(&place, place.end..last, Form::BlockList(items)),
                }
            }
            Event::MappingStart(..) => {
                let open = self.bracket(&place, '{');
                let mut last = place.end;
                let end = loop {
                    if let Some((Event::MappingEnd, place)) = self.peek() {
                        break place.start;
                    }
                    last = last.max(self.node(None)?.end).max(self.node(None)?.end);
                };
                self.events.next();
                match open {
                    Some(open) => {
                        let close = lexical::closing_bracket(self.yaml, end, '}')?;
                        self.collection(&place, open..close + 1, Form::FlowMap)
                    }
                    None => self.collection(&place, place.end..last, Form::BlockMap),
                }
            }
            _ => return None,
        };
        let is_sound = node.start <= node.properties_end
            && node.properties_end <= node.content
            && node.content <= node.end
            && [node.start, node.properties_end, node.content, node.end]
                .iter()
                .all(|&at| self.yaml.is_char_boundary(at));
        is_sound.then_some(node)
    }

    fn collection(&self, start: &Range<usize>, content: Range<usize>, form: Form) -> Node {
        let (properties_end, _) = lexical::skip_properties(self.yaml, start.start);
        Node {
            start: start.start,
            properties_end: properties_end.min(content.start),
            content: content.start,
            end: content.end,
            form,
        }
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        has_properties: bool,
        place: &Range<usize>,
        after: Option<usize>,
    ) -> Option<Node> {
        let (properties_end, content) = if has_properties {
            lexical::skip_properties(self.yaml, place.start)
        } else {
            (place.start, place.start)
        };
        let node = |content: usize, end: usize, form: Form| Node {
            start: place.start,
            properties_end,
            content,
            end,
            form,
        };
        Some(match style {
            ScalarStyle::Plain if text.is_empty() && has_properties => {
                node(properties_end, properties_end, Form::Nothing)
            }
            ScalarStyle::Plain if text.is_empty() => {
                let at = after.unwrap_or(place.start);
                plain_node(at, at, Form::Nothing)
            }
            ScalarStyle::Plain => {
                let text = self.yaml.get(content..place.end)?.trim_end();
                node(content, content + text.len(), Form::Plain)
            }
            ScalarStyle::SingleQuoted => {
                let end = lexical::end_of_quotes(self.yaml, content)?;
                node(content, end, Form::SingleQuoted)
            }
            ScalarStyle::DoubleQuoted => {
                let end = lexical::end_of_quotes(self.yaml, content)?;
                node(content, end, Form::DoubleQuoted)
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let Some(after) = after else {
                    let end = self.yaml.get(..place.end)?.trim_end().len();
                    return Some(plain_node(place.start, end.max(place.start), Form::Unknown));
                };
                let start = lexical::skip_blanks(self.yaml, after);
                let (properties_end, header) = lexical::skip_properties(self.yaml, start);
                let indicators = self.yaml.get(header..)?;
                if !indicators.starts_with(['|', '>']) {
                    return None;
                }
                let kept = indicators.trim_start_matches(|character: char| {
                    matches!(character, '|' | '>' | '+' | '-') || character.is_ascii_digit()
                });
                let header_end = self.yaml.len() - kept.len();
                let text = self.yaml.get(..place.end.max(header_end))?;
                // Blank lines below belong to a block scalar with `+`; otherwise they belong to no
                // property.
                let end = if self.yaml[header..header_end].contains('+') {
                    text.len()
                } else {
                    text.trim_end().len()
                };
                Node {
                    start,
                    properties_end,
                    content: header,
                    end: end.max(header_end),
                    form: Form::Text { header_end },
                }
            }
        })
    }
}

/// Returns a value without anchor and type.
fn plain_node(start: usize, end: usize, form: Form) -> Node {
    Node {
        start,
        properties_end: start,
        content: start,
        end,
        form,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("layout_cases.txt");

    fn values(yaml: &str) -> Vec<(String, &str, &str)> {
        let layout = Layout::parse(yaml).unwrap();
        let value = |entry: &Entry| {
            let name = entry.name.clone().unwrap_or_else(|| "?".to_owned());
            let value = &entry.value;
            (
                name,
                &yaml[value.start..value.properties_end],
                &yaml[value.content..value.end],
            )
        };
        layout.entries.iter().map(value).collect()
    }

    #[test]
    fn values_end_where_they_end() {
        for [yaml, properties, value] in tables::section(CASES, "values end where they end") {
            let found = values(yaml);
            let expected = ("k".to_owned(), properties, value);
            assert_eq!(found.first(), Some(&expected), "{yaml:?}");
        }
    }

    #[test]
    fn keys_are_named_as_properties_are() {
        let names =
            |yaml| -> Vec<String> { values(yaml).into_iter().map(|(name, _, _)| name).collect() };
        assert_eq!(
            names("é: 1\n\"a\\tb\": 2\n'c': 3\n1.0: 4\n&x d: 5\n? e\n: 6\n[f]: 7\n"),
            ["é", "a\tb", "c", "1", "d", "e", "?"]
        );
        assert_eq!(names("{a: 1, \"b\":[x], c}\n"), ["a", "b", "c"]);
    }

    #[test]
    fn roots_are_distinguished() {
        let root = |yaml| Layout::parse(yaml).unwrap().root;
        assert_eq!(root(" # c\n\n"), Root::Nothing);
        assert_eq!(root("a: 1\n"), Root::Block);
        assert_eq!(root("~\n"), Root::Word);
        assert_eq!(root("{\n a: {}\n}\n"), Root::Flow { open: 0, close: 9 });
    }
}
