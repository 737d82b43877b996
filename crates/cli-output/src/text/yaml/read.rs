//! YAML to properties.

use serde_json::{Map, Value};

use super::{flow, scalar};
use crate::text::body::{Body, without_return};
use crate::text::error::{Fault, Reason};

/// The deepest nesting of collections; deeper texts are refused, because they could exhaust the stack.
pub(super) const DEEPEST: usize = 64;

/// White space inside a YAML line; the wider spaces of Unicode are text.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// Reads a mapping. A line `---` at its head is passed over.
pub(crate) fn read(body: Body<'_>) -> Result<Map<String, Value>, Fault> {
    let mut lines: Vec<YamlLine<'_>> =
        body.lines().map(|(number, text)| YamlLine::new(number, text)).collect();
    if lines.first().is_some_and(|line| line.indent == 0 && line.text == "---") {
        lines.remove(0);
    }
    let mut reader = YamlReader { lines, next: 0 };
    let value = match reader.peek() {
        Some(line) => reader.block(line.indent, 0)?,
        None => return Ok(Map::new()),
    };
    match (value, reader.peek()) {
        (_, Some(line)) => Err(line.fault("a line out of place")),
        (Value::Object(map), None) => Ok(map),
        (_, None) => Err(body.fault(Reason::Yaml { what: "no mapping" })),
    }
}

/// One line, from its first character on.
#[derive(Clone, Copy)]
struct YamlLine<'a> {
    number: usize,
    /// The column, in characters of white space, where `text` begins.
    indent: usize,
    text: &'a str,
}

impl<'a> YamlLine<'a> {
    fn new(number: usize, whole: &'a str) -> Self {
        let text = whole.trim_start_matches(' ');
        Self { number, indent: whole.len() - text.len(), text }
    }

    fn is_blank(self) -> bool {
        self.text.trim_matches(BLANKS).is_empty()
    }

    fn fault(self, what: &'static str) -> Fault {
        Fault::at_line(self.number, Reason::Yaml { what })
    }

    /// Returns the text after the dash of a list item.
    fn after_dash(self) -> Option<&'a str> {
        let rest = self.text.strip_prefix('-')?;
        (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
    }
}

struct YamlReader<'a> {
    lines: Vec<YamlLine<'a>>,
    next: usize,
}

impl<'a> YamlReader<'a> {
    /// The next line that is neither blank nor a comment; those before it are passed over.
    fn peek(&mut self) -> Option<YamlLine<'a>> {
        while let Some(line) = self.lines.get(self.next) {
            if !line.is_blank() && !line.text.starts_with('#') {
                return Some(*line);
            }
            self.next += 1;
        }
        None
    }

    /// The collection whose lines begin at a column.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Value, Fault> {
        match self.peek() {
            Some(line) if depth > DEEPEST => Err(line.fault("too deep nesting")),
            Some(line) if line.after_dash().is_some() => self.sequence(indent, depth),
            _ => self.mapping(indent, depth),
        }
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Result<Value, Fault> {
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent) {
            let Some(rest) = line.after_dash() else { break };
            let text = rest.trim_start_matches(BLANKS);
            let inner = YamlLine { indent: indent + 1 + rest.len() - text.len(), text, ..line };
            let is_collection = inner.after_dash().is_some() || key(inner)?.is_some();
            items.push(if is_collection {
                // What follows the dash is the first line of a collection of its own.
                if let Some(line) = self.lines.get_mut(self.next) {
                    *line = inner;
                }
                self.block(inner.indent, depth + 1)?
            } else {
                self.next += 1;
                self.value(inner, indent, false, depth)?
            });
        }
        Ok(Value::from(items))
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Value, Fault> {
        let mut map = Map::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent) {
            if line.after_dash().is_some() {
                break;
            }
            let (key, text) = key(line)?.ok_or_else(|| line.fault("a line without a key"))?;
            self.next += 1;
            let value = self.value(YamlLine { text, ..line }, indent, true, depth)?;
            if map.insert(key, value).is_some() {
                return Err(line.fault("a key that stands twice"));
            }
        }
        Ok(Value::Object(map))
    }

    /// The value that begins after a key or dash, whose own line begins at column `edge`. A list may begin at the same
    /// column as the key it belongs to.
    fn value(
        &mut self,
        line: YamlLine<'a>,
        edge: usize,
        is_member: bool,
        depth: usize,
    ) -> Result<Value, Fault> {
        let text = line.text.trim_start_matches(BLANKS);
        let Some(first) = text.chars().next().filter(|first| *first != '#') else {
            return match self.peek() {
                Some(next)
                    if next.indent > edge
                        || (is_member && next.indent == edge && next.after_dash().is_some()) =>
                {
                    self.block(next.indent, depth + 1)
                }
                _ => Ok(Value::Null),
            };
        };
        match first {
            '"' | '\'' => {
                let (value, rest) =
                    scalar::quoted(text).ok_or_else(|| line.fault("a quoted text without end"))?;
                only_comment(line, rest).map(|()| Value::from(value))
            }
            '[' | '{' => {
                let (value, rest) = flow::collection(text).map_err(|what| line.fault(what))?;
                only_comment(line, rest).map(|()| value)
            }
            '|' | '>' => self.literal(line, text, edge),
            '&' | '*' | '!' => Err(line.fault("an anchor, an alias or a type")),
            '%' | '@' | '`' | ',' | ']' | '}' => Err(line.fault("a reserved character")),
            _ if (YamlLine { text, ..line }).after_dash().is_some() => {
                Err(line.fault("a list on the line of its key"))
            }
            _ => Ok(scalar::plain_value(without_comment(text).trim_end_matches(BLANKS))),
        }
    }

    /// A block of lines deeper than `edge`: literal (`|`) or folded (`>`).
    fn literal(&mut self, line: YamlLine<'a>, header: &str, edge: usize) -> Result<Value, Fault> {
        let signs = without_comment(header).trim_end_matches(BLANKS);
        let (folded, signs) = match signs.strip_prefix('>') {
            Some(signs) => (true, signs),
            None => (false, signs.get(1..).unwrap_or_default()),
        };
        let mut indicated = None;
        let mut chomp = None;
        for sign in signs.chars() {
            match sign {
                '1'..='9' if indicated.is_none() => {
                    indicated = sign.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                }
                '-' | '+' if chomp.is_none() => chomp = Some(sign),
                _ => return Err(line.fault("an unknown block header")),
            }
        }
        let inside = self.lines.get(self.next..).unwrap_or_default();
        let first = inside.iter().find(|line| !line.text.is_empty());
        let column = match (indicated, first) {
            (Some(indicated), _) => edge + indicated,
            (None, Some(first)) => first.indent.max(edge + 1),
            (None, None) => edge + 1,
        };
        let is_inside = |line: &&YamlLine<'_>| line.text.is_empty() || line.indent >= column;
        let mut lines: Vec<String> = inside
            .iter()
            .take_while(is_inside)
            .map(|line| format!("{}{}", " ".repeat(line.indent.saturating_sub(column)), line.text))
            .collect();
        self.next += lines.len();
        let blank = lines.iter().rev().take_while(|line| line.is_empty()).count();
        lines.truncate(lines.len() - blank);
        let mut text = if folded { fold(&lines) } else { lines.join("\n") };
        match chomp {
            Some('-') => {}
            Some(_) => text.push_str(&"\n".repeat(blank + usize::from(!lines.is_empty()))),
            None if lines.is_empty() => {}
            None => text.push('\n'),
        }
        Ok(Value::from(text))
    }
}

/// Folded lines: one break becomes a space, more become one fewer; deeper lines keep theirs.
fn fold(lines: &[String]) -> String {
    let mut text = String::new();
    let mut breaks = 0;
    let mut was_deeper = false;
    for line in lines {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        let deeper = line.starts_with([' ', '\t']);
        if !text.is_empty() || breaks > 0 {
            let kept = if text.is_empty() {
                breaks
            } else if deeper || was_deeper {
                breaks + 1
            } else {
                breaks
            };
            text.push_str(&if kept == 0 { " ".to_owned() } else { "\n".repeat(kept) });
        }
        text.push_str(line);
        breaks = 0;
        was_deeper = deeper;
    }
    text
}

/// The key at the head of a line and what follows its colon; `None` if there is none.
fn key(line: YamlLine<'_>) -> Result<Option<(String, &str)>, Fault> {
    let text = without_return(line.text);
    let is_colon = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    if text.starts_with(['"', '\'']) {
        let (key, rest) =
            scalar::quoted(text).ok_or_else(|| line.fault("a quoted text without end"))?;
        let value = rest.trim_start_matches(BLANKS).strip_prefix(':').filter(|rest| is_colon(rest));
        return Ok(value.map(|value| (key, value)));
    }
    if text.starts_with(['[', '{', '|', '>', '#']) {
        return Ok(None);
    }
    let mut colons = text.match_indices(':');
    let found = colons.find_map(|(at, _)| {
        let rest = text.get(at + 1..).filter(|rest| is_colon(rest))?;
        Some((text.get(..at)?.trim_end_matches(BLANKS), rest))
    });
    match found {
        Some((key, _))
            if key.starts_with(['&', '*', '!', '%', '@', '`'])
                || key == "?"
                || key.starts_with("? ") =>
        {
            Err(line.fault("an anchor, an alias, a type or a reserved character"))
        }
        Some((key, rest)) => Ok(Some((key.to_owned(), rest))),
        None => Ok(None),
    }
}

/// A plain text up to its comment.
fn without_comment(text: &str) -> &str {
    let mut hashes = text.match_indices('#');
    let comment = hashes.find(|(at, _)| {
        text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']))
    });
    comment.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// Nothing but a comment may follow a quoted text or a flow collection.
fn only_comment(line: YamlLine<'_>, rest: &str) -> Result<(), Fault> {
    let is_comment = rest.trim_matches(BLANKS).is_empty()
        || (rest.starts_with([' ', '\t']) && rest.trim_start_matches(BLANKS).starts_with('#'));
    if is_comment { Ok(()) } else { Err(line.fault("text after a quoted value")) }
}
