//! Tracks the effects of a program's output on a terminal, and the sequences that undo them.
//!
//! Follows ECMA-48 and the control sequences of xterm (`ctlseqs`). Sequences that are unknown here are assumed to
//! leave no lasting change and to ask the terminal for an answer.

use std::collections::BTreeMap;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
const ENQUIRY: u8 = 0x05;
const SHIFT_OUT: u8 = 0x0e;

/// The first byte of the controls U+0080 to U+009F in UTF-8. Some terminals take them for sequences.
const CONTROL_LEAD: u8 = 0xc2;

/// The maximum number of bytes of a sequence that are looked at.
const MOST_BYTES: usize = 64;

/// The modes that a terminal has on at first: ANSI, wrapping at the margin, repeated keys, the cursor.
const ON_AT_FIRST: [&str; 4] = ["?2", "?7", "?8", "?25"];

/// The modes for the alternate screen.
const ALTERNATE: [&str; 3] = ["?47", "?1047", "?1049"];

/// The modes whose initial state differs between terminals, such as the mode of the Meta key.
const UNKNOWN_AT_FIRST: std::ops::RangeInclusive<u32> = 1034..=1046;

/// The last bytes of sequences that neither change what stays nor ask for an answer: movement, erasing, colours.
const PLAIN: &[u8] = b"ABCDEFGHIJKLMPSTXZ@`adefmgb";

/// Saves the titles, and gets them back.
const SAVE_TITLE: &[u8] = b"\x1b[22;0t";
const RESTORE_TITLE: &[u8] = b"\x1b[23;0t";
const NO_TITLE: &[u8] = b"\x1b]2;\x1b\\";

/// Maximum number of levels of the keyboard's protocol, or of saved titles, that are undone.
const MOST_LEVELS: i32 = 16;

/// The position of the output within a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    /// In plain text.
    #[default]
    Text,
    /// After the first byte of a control in UTF-8.
    ControlLead,
    /// After an escape character.
    Escape,
    /// In a control sequence.
    Sequence,
    /// In a string for the terminal, which begins with this byte after the escape.
    String(u8),
    /// After an escape in such a string.
    StringEscape(u8),
    /// After the first byte of a two-byte control character in such a string.
    StringLead(u8),
}

/// The changes of a program on a terminal.
#[derive(Debug, Default)]
pub(super) struct Screen {
    position: Position,
    bytes: Vec<u8>,
    /// Whether there was any sequence.
    is_touched: bool,
    /// Whether the terminal may send an answer to a question of the program.
    pub(super) expects_answer: bool,
    is_alternate: bool,
    /// Number of titles that the program saved.
    titles: i32,
    /// Number of keyboard modes it put on top of another, on the usual and on the alternate screen.
    keyboards: [i32; 2],
    /// The sequences that undo changes, by the kind of change.
    undo: BTreeMap<String, String>,
}

impl Screen {
    /// Notes what the program prints. Returns what to print instead: the titles are saved before its first sequence.
    pub(super) fn pass(&mut self, output: &[u8]) -> Vec<u8> {
        let mut passed = Vec::with_capacity(output.len() + SAVE_TITLE.len());
        for byte in output {
            if !self.is_touched && [ESCAPE, CONTROL_LEAD].contains(byte) {
                self.is_touched = true;
                passed.extend_from_slice(SAVE_TITLE);
            }
            self.note(*byte);
            passed.push(*byte);
        }
        passed
    }

    /// Returns the sequences that undo everything. Forgets it.
    pub(super) fn leave(&mut self) -> Vec<u8> {
        let mut left = std::mem::take(self);
        if let Position::String(_) | Position::StringEscape(_) | Position::StringLead(_) =
            left.position
        {
            left.end_string();
        }
        if !left.is_touched {
            return Vec::new();
        }
        // These have no effect outside a sequence or string.
        let mut text = vec![CANCEL, ESCAPE, b'\\'];
        let [usual, alternate] = left
            .keyboards
            .map(|levels| match levels.clamp(0, MOST_LEVELS) {
                0 => String::new(),
                levels => format!("\x1b[<{levels}u"),
            });
        text.extend(alternate.bytes());
        for undo in left.undo.values() {
            text.extend(undo.bytes());
        }
        text.extend(usual.bytes());
        // Colours and concealed text.
        text.extend(b"\x1b[0m");
        for _ in 0..left.titles.min(MOST_LEVELS) {
            text.extend(RESTORE_TITLE);
        }
        // A program that took the saved title away leaves an empty title.
        text.extend(if left.titles < 0 {
            NO_TITLE
        } else {
            RESTORE_TITLE
        });
        text
    }

    fn note(&mut self, byte: u8) {
        self.position = match self.position {
            Position::Text => match byte {
                ESCAPE => self.start(Position::Escape),
                CONTROL_LEAD => Position::ControlLead,
                ENQUIRY => {
                    self.expects_answer = true;
                    Position::Text
                }
                SHIFT_OUT => {
                    self.is_touched = true;
                    self.undo_with("(", "\x1b(B\x0f");
                    Position::Text
                }
                _ => Position::Text,
            },
            Position::ControlLead if (0x80..=0x9f).contains(&byte) => {
                self.bytes.clear();
                self.escaped(byte - 0x40)
            }
            Position::ControlLead => {
                self.position = Position::Text;
                return self.note(byte);
            }
            Position::Escape => self.escaped(byte),
            Position::Sequence => match byte {
                ESCAPE => self.start(Position::Escape),
                CANCEL | SUBSTITUTE => Position::Text,
                0x20..=0x3f => self.collect(byte, Position::Sequence),
                0x40..=0x7e => {
                    self.end_sequence(byte);
                    Position::Text
                }
                _ => Position::Sequence,
            },
            Position::String(kind) => match byte {
                ESCAPE => Position::StringEscape(kind),
                CONTROL_LEAD => Position::StringLead(kind),
                CANCEL | SUBSTITUTE | BELL => self.end_string(),
                _ => self.collect(byte, Position::String(kind)),
            },
            Position::StringEscape(_) => {
                self.end_string();
                self.bytes.clear();
                self.escaped(byte)
            }
            Position::StringLead(kind) => match byte {
                0x9c => self.end_string(),
                _ => self.collect(byte, Position::String(kind)),
            },
        };
    }

    fn start(&mut self, position: Position) -> Position {
        self.bytes.clear();
        position
    }

    fn collect(&mut self, byte: u8, position: Position) -> Position {
        if self.bytes.len() < MOST_BYTES {
            self.bytes.push(byte);
        }
        position
    }

    fn undo_with(&mut self, what: &str, undo: impl Into<String>) {
        self.undo.insert(what.to_owned(), undo.into());
    }

    /// Returns a byte after an escape, and after the bytes between that were collected.
    fn escaped(&mut self, byte: u8) -> Position {
        match (byte, self.bytes.first()) {
            (ESCAPE, _) => return self.start(Position::Escape),
            (CANCEL | SUBSTITUTE, _) => {}
            (0x00..=0x1f, _) => return Position::Escape,
            (0x20..=0x2f, _) => return self.collect(byte, Position::Escape),
            // A set of characters, and another encoding.
            (_, Some(b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/'))
            | (b'n' | b'o' | b'|' | b'}' | b'~', None) => {
                self.undo_with("(", "\x1b(B\x1b)B\x0f");
            }
            (_, Some(b'%')) => self.undo_with("%", "\x1b%G"),
            (_, Some(b' ')) => self.undo_with(" ", "\x1b F"),
            (b'[', None) => return self.start(Position::Sequence),
            (b']' | b'P' | b'X' | b'^' | b'_', None) => return self.start(Position::String(byte)),
            (b'H', None) => self.undo_with("g", "\x1b[?5W"),
            (b'=', None) => self.undo_with("=", "\x1b>"),
            // The terminal begins again.
            (b'c', None) => {
                self.undo.clear();
                (self.is_alternate, self.keyboards) = (false, [0; 2]);
            }
            (b'Z', None) => self.expects_answer = true,
            _ => {}
        }
        Position::Text
    }

    fn end_sequence(&mut self, last: u8) {
        let bytes = std::mem::take(&mut self.bytes);
        let text = String::from_utf8_lossy(&bytes);
        let start = text.len() - text.trim_start_matches(['<', '=', '>', '?']).len();
        let (kind, rest) = text.split_at(start);
        let numbers = rest.trim_end_matches(|byte: char| matches!(byte, ' '..='/'));
        let between = &rest[numbers.len()..];
        let levels: i32 = numbers
            .split(';')
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(1);
        match (kind, between, last) {
            ("" | "?", "", b'h' | b'l') => {
                for number in numbers.split(';') {
                    self.set_mode(kind, number, last == b'h');
                }
            }
            // The place of the cursor is saved and restored.
            ("", "", b's' | b'u') if numbers.is_empty() => {}
            // Margins; to remove them moves the cursor.
            ("", "", b'r' | b's') => self.undo_with("r", "\x1b7\x1b[?69l\x1b[r\x1b8"),
            ("", "", b'g') => self.undo_with("g", "\x1b[?5W"),
            ("", " ", b'q') => self.undo_with("q", "\x1b[0 q"),
            ("", "\"", b'q') => self.undo_with("\"q", "\x1b[0\"q"),
            ("" | "?", "", b'i') => self.undo_with("i", "\x1b[4i\x1b[?4i"),
            (">", "", b'm') => {
                let key = numbers.split(';').next().unwrap_or_default();
                self.undo_with(&format!(">m{key}"), format!("\x1b[>{key}m"));
            }
            (">", "", b'u') => self.keyboards[usize::from(self.is_alternate)] += 1,
            ("<", "", b'u') => self.keyboards[usize::from(self.is_alternate)] -= levels,
            ("=", "", b'u') => self.undo_with("u", "\x1b[=0u"),
            ("", "", b't') if levels == 22 => self.titles += 1,
            ("", "", b't') if levels == 23 => self.titles -= 1,
            ("", "", last) if PLAIN.contains(&last) => {}
            _ => self.expects_answer = true,
        }
    }

    fn set_mode(&mut self, kind: &str, number: &str, is_on: bool) {
        let mode = format!("{kind}{number}");
        let is_alternate = ALTERNATE.contains(&mode.as_str());
        if is_alternate {
            self.is_alternate = is_on;
        }
        // A terminal reports some changes from now on.
        self.expects_answer |= is_on && !kind.is_empty();
        let number: u32 = number.parse().unwrap_or_default();
        // The alternate screen is left first.
        let key = if is_alternate { " alternate" } else { &mode };
        if is_on == ON_AT_FIRST.contains(&mode.as_str()) {
            self.undo.remove(key);
        } else if kind.is_empty() || !UNKNOWN_AT_FIRST.contains(&number) {
            let undo = match mode.as_str() {
                "?2" => "\x1b<".to_owned(),
                _ => format!("\x1b[{mode}{}", if is_on { 'l' } else { 'h' }),
            };
            self.undo_with(key, undo);
        }
    }

    fn end_string(&mut self) -> Position {
        let bytes = std::mem::take(&mut self.bytes);
        let (Position::String(kind) | Position::StringEscape(kind) | Position::StringLead(kind)) =
            self.position
        else {
            return Position::Text;
        };
        let text = String::from_utf8_lossy(&bytes);
        let number = text.split(';').next().unwrap_or_default();
        let number: Option<u32> = number.parse().ok().filter(|_| kind == b']');
        match number {
            Some(number @ (4 | 5 | 10..=19)) => {
                self.undo_with(
                    &format!("]{number}"),
                    format!("\x1b]{}\x1b\\", number + 100),
                );
            }
            Some(8) => self.undo_with("]8", "\x1b]8;;\x1b\\"),
            Some(9) => self.undo_with("]9", "\x1b]9;4;0\x1b\\"),
            Some(22) => self.undo_with("]22", "\x1b]22;\x1b\\"),
            _ => {}
        }
        self.expects_answer |= number.is_none_or(|number| number > 2);
        Position::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("screen_cases.txt");

    /// Returns the sequences that undo this output, without the beginning and the end that are always the same.
    fn undone(output: &str) -> String {
        let mut screen = Screen::default();
        drop(screen.pass(output.as_bytes()));
        let left = String::from_utf8(screen.leave()).unwrap();
        let left = left.strip_prefix("\u{18}\x1b\\").unwrap();
        assert_eq!(screen.leave(), b"");
        left.strip_suffix("\x1b[0m\x1b[23;0t")
            .unwrap_or(left)
            .to_owned()
    }

    #[test]
    fn m06_each_change_of_a_terminal_is_undone() {
        for [output, undo] in tables::section(CASES, "m06 each change of a terminal is undone") {
            assert_eq!(undone(output), undo, "{output:?}");
        }
    }

    #[test]
    fn m06_text_is_passed_unchanged_and_leaves_nothing() {
        let mut screen = Screen::default();
        assert_eq!(
            screen.pass("plain\r\nüber\t".as_bytes()),
            "plain\r\nüber\t".as_bytes()
        );
        assert_eq!(screen.leave(), b"");
    }

    #[test]
    fn m06_the_title_is_saved_before_the_first_sequence_and_restored() {
        let mut screen = Screen::default();
        assert_eq!(screen.pass(b"a\x1b"), b"a\x1b[22;0t\x1b");
        assert_eq!(screen.pass(b"]2;title\x07b\x1b[m"), b"]2;title\x07b\x1b[m");
        assert!(screen.leave().ends_with(b"\x1b[0m\x1b[23;0t"));
        // A program that keeps more titles, and one that takes ours.
        drop(screen.pass(b"\x1b[22t\x1b[22;2t"));
        assert!(screen.leave().ends_with(b"m\x1b[23;0t\x1b[23;0t\x1b[23;0t"));
        drop(screen.pass(b"\x1b[23;0t\x1b]0;stays\x07"));
        assert!(screen.leave().ends_with(b"\x1b[0m\x1b]2;\x1b\\"));
    }

    #[test]
    fn m06_only_what_asks_the_terminal_expects_an_answer() {
        for (output, expects) in
            tables::typed::<(&str, bool)>(CASES, "m06 only what asks the terminal expects")
        {
            let mut screen = Screen::default();
            drop(screen.pass(output.as_bytes()));
            assert_eq!(screen.expects_answer, expects, "{output:?}");
        }
    }
}
