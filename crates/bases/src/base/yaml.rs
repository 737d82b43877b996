//! The YAML of a base, with the place of every value.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::{BaseError, Place};
use crate::limits::{MAX_BASE_BYTES, MAX_BASE_DEPTH, MAX_BASE_VALUES};

/// A value of the file.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) place: Place,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A plain scalar that says that there is nothing.
    Null,
    Scalar(String),
    List(Vec<Located>),
    Mapping(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) value: Located,
}

/// The value of a whole text; none where there is none. Lines count from `first_line`.
pub(super) fn parse(text: &str, first_line: usize) -> Result<Option<Located>, BaseError> {
    let start = Place {
        line: first_line,
        column: 1,
    };
    if text.len() > MAX_BASE_BYTES {
        let message = format!("the base is larger than {MAX_BASE_BYTES} bytes");
        return Err(BaseError::new(start, message));
    }
    let mut builder = Builder {
        first_line,
        documents: 0,
        values: 0,
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
    };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => builder.take(event, span.start)?,
            Err(error) => {
                let place = builder.place(*error.marker());
                return Err(BaseError::new(place, error.info().to_owned()));
            }
        }
    }
    Ok(builder.root)
}

struct Builder {
    first_line: usize,
    documents: usize,
    values: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, (Located, usize)>,
    root: Option<Located>,
}

/// A list or mapping that has not ended.
struct Open {
    anchor: usize,
    /// Values before it.
    before: usize,
    place: Place,
    content: OpenContent,
}

enum OpenContent {
    List(Vec<Located>),
    Mapping(Vec<Entry>, Option<(String, Place)>),
}

impl Builder {
    fn place(&self, marker: Marker) -> Place {
        Place {
            line: marker.line() + self.first_line - 1,
            column: marker.col() + 1,
        }
    }

    fn take(&mut self, event: Event<'_>, marker: Marker) -> Result<(), BaseError> {
        let place = self.place(marker);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(BaseError::new(place, "a base is one YAML document")),
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                self.count(1, place)?;
                let is_nothing = matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let content = if style == ScalarStyle::Plain && is_nothing {
                    Content::Null
                } else {
                    Content::Scalar(text.into_owned())
                };
                self.ended(Located { place, content }, anchor, 1)
            }
            Event::Alias(anchor) => {
                // Only complete values have an entry, so nothing holds itself.
                let Some((value, count)) = self.anchors.get(&anchor).cloned() else {
                    return Err(BaseError::new(
                        place,
                        "an alias stands inside what it repeats",
                    ));
                };
                self.count(count, place)?;
                self.put(value)
            }
            Event::SequenceStart(anchor, _) => {
                self.begin(anchor, place, OpenContent::List(Vec::new()))
            }
            Event::MappingStart(anchor, _) => {
                self.begin(anchor, place, OpenContent::Mapping(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else {
                    return Ok(());
                };
                let content = match open.content {
                    OpenContent::List(items) => Content::List(items),
                    OpenContent::Mapping(entries, _) => Content::Mapping(entries),
                };
                let value = Located {
                    place: open.place,
                    content,
                };
                let count = self.values - open.before;
                self.ended(value, open.anchor, count)
            }
        }
    }

    fn count(&mut self, count: usize, place: Place) -> Result<(), BaseError> {
        self.values = self.values.saturating_add(count);
        if self.values > MAX_BASE_VALUES {
            let message = format!("the base holds more than {MAX_BASE_VALUES} values");
            return Err(BaseError::new(place, message));
        }
        Ok(())
    }

    fn begin(
        &mut self,
        anchor: usize,
        place: Place,
        content: OpenContent,
    ) -> Result<(), BaseError> {
        if self.open.len() >= MAX_BASE_DEPTH {
            let message = format!("the base is nested more than {MAX_BASE_DEPTH} levels deep");
            return Err(BaseError::new(place, message));
        }
        let before = self.values;
        self.count(1, place)?;
        self.open.push(Open {
            anchor,
            before,
            place,
            content,
        });
        Ok(())
    }

    fn ended(&mut self, value: Located, anchor: usize, count: usize) -> Result<(), BaseError> {
        if anchor != 0 {
            // The copy takes memory too.
            self.count(count, value.place)?;
            self.anchors.insert(anchor, (value.clone(), count));
        }
        self.put(value)
    }

    fn put(&mut self, value: Located) -> Result<(), BaseError> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(value),
            Some(OpenContent::List(items)) => items.push(value),
            Some(OpenContent::Mapping(entries, key)) => {
                if let Some((key, place)) = key.take() {
                    entries.push(Entry { key, place, value });
                    return Ok(());
                }
                let text = match value.content {
                    Content::Scalar(text) => text,
                    Content::Null => "null".to_owned(),
                    Content::List(_) | Content::Mapping(_) => {
                        return Err(BaseError::new(value.place, "a key must be a text"));
                    }
                };
                if entries.iter().any(|entry| entry.key == text) {
                    let message = format!("the key \"{text}\" stands here twice");
                    return Err(BaseError::new(value.place, message));
                }
                *key = Some((text, value.place));
            }
        }
        Ok(())
    }
}
