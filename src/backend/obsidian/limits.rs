//! How much may be sent in one call. Past these sizes the app drops or damages the message
//! without a word, so they are checked before anything is spawned (`faults.md` B06, finding 8).

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use super::spawn::WORKING_DIRECTORY;
use crate::code::Code;
use crate::failure::Failure;

/// The largest sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// One word, `key=` included.
    pub element: usize,
    /// The whole command line, and the one-line JSON message that the CLI makes of it
    /// (`official-cli.md` §3); the larger of the two counts.
    pub message: usize,
}

impl Limits {
    /// The kernel takes 131 072 bytes with the closing NUL for one element (`MAX_ARG_STRLEN`,
    /// `faults.md` finding 8). What the app takes on Linux is not known: no failure has been
    /// reported, and 60 KiB, just under one pipe buffer, is our own choice.
    pub const LINUX: Self = Self {
        element: 131_071,
        message: 61_440,
    };

    /// Multi-byte characters were damaged near 8 KB (`official-cli.md` §4); 7 KiB stays below
    /// the first 8 KiB read.
    pub const MACOS: Self = Self {
        element: 131_071,
        message: 7_168,
    };

    /// 4000 bytes of command line worked and 4001 did not, 3584 in one element always worked;
    /// past that the app's listener is dead (`official-cli.md` §4 and §9, point 4).
    pub const WINDOWS: Self = Self {
        element: 3_584,
        message: 3_500,
    };

    /// The ones of the system this program was built for.
    pub const fn here() -> Self {
        if cfg!(windows) {
            Self::WINDOWS
        } else if cfg!(target_os = "macos") {
            Self::MACOS
        } else {
            Self::LINUX
        }
    }
}

/// How large a call is, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The longest word.
    pub element: usize,
    /// The binary's path and every word, each with one byte between.
    pub line: usize,
    /// The JSON line that the app reads.
    pub json: usize,
}

impl Size {
    /// Measures a call of `binary` with `words`.
    pub fn of(binary: &Path, words: &[String]) -> Self {
        let line = words
            .iter()
            .fold(binary.as_os_str().len(), |sum, word| sum + 1 + word.len());
        let message = json!({ "argv": words, "tty": false, "cwd": WORKING_DIRECTORY });
        Self {
            element: words.iter().map(String::len).max().unwrap_or(0),
            line,
            json: json_size(&message) + 1,
        }
    }

    /// What counts against [`Limits::message`].
    pub fn message(self) -> usize {
        self.line.max(self.json)
    }

    /// Refuses a call that is past `limits`, with `ARGUMENT_TOO_LARGE`, the size and the limit.
    pub fn check(self, limits: Limits) -> Result<(), Failure> {
        if self.element > limits.element {
            return Err(too_large("element", self.element, limits.element));
        }
        if self.message() > limits.message {
            return Err(too_large("message", self.message(), limits.message));
        }
        Ok(())
    }
}

/// The refusal: what was measured, its size and the limit, in bytes.
pub(super) fn too_large(measured: &'static str, size: usize, limit: usize) -> Failure {
    Failure::new(
        Code::ArgumentTooLarge,
        format!(
            "The arguments take {size} bytes, and Obsidian's command line loses messages over \
             {limit} bytes on this system. Send less at a time."
        ),
    )
    .with("measured", measured)
    .with("size", size)
    .with("limit", limit)
}

/// Counts what is written and keeps nothing.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The size of a value as compact JSON, in bytes.
pub(super) fn json_size(value: &serde_json::Value) -> usize {
    let mut counter = Counter(0);
    // A `Value` always serialises, and the counter never fails; a wrong answer of this kind
    // must refuse, so it counts as endless.
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_impossible) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(content: &str) -> Vec<String> {
        vec![
            "vault=v".to_owned(),
            "append".to_owned(),
            format!("content={content}"),
        ]
    }

    /// A call whose larger measure is exactly `bytes`.
    fn call_of(bytes: usize) -> Vec<String> {
        let empty = Size::of(Path::new("/b"), &call("")).message();
        call(&"x".repeat(bytes - empty))
    }

    #[test]
    fn b06_one_less_than_the_cap_the_cap_and_one_more() {
        for limits in [Limits::LINUX, Limits::MACOS, Limits::WINDOWS] {
            let limits = Limits {
                element: usize::MAX,
                ..limits
            };
            for (bytes, fits) in [
                (limits.message - 1, true),
                (limits.message, true),
                (limits.message + 1, false),
            ] {
                let size = Size::of(Path::new("/b"), &call_of(bytes));
                assert_eq!(size.message(), bytes);
                assert_eq!(size.check(limits).is_ok(), fits, "{bytes} of {limits:?}");
            }
        }
    }

    #[test]
    fn b06_the_kernel_takes_131071_bytes_in_one_element() {
        let kernel = Limits {
            message: usize::MAX,
            ..Limits::LINUX
        };
        let of = |bytes: usize| {
            let key = "content=".len();
            Size::of(Path::new("/b"), &call(&"x".repeat(bytes - key)))
        };
        assert_eq!(of(131_071).check(kernel), Ok(()));
        let failure = of(131_072).check(kernel).unwrap_err();
        assert_eq!(failure.code, Code::ArgumentTooLarge);
        assert_eq!(failure.details["size"], 131_072);
        assert_eq!(failure.details["limit"], 131_071);
        assert_eq!(failure.details["measured"], "element");
    }

    #[test]
    fn b06_the_message_counts_as_the_app_reads_it() {
        let size = Size::of(Path::new("/b"), &call("\n\"\\é"));
        let message = r#"{"argv":["vault=v","append","content=\n\"\\é"],"tty":false,"cwd":"/"}"#;
        assert_eq!(size.json, message.len() + 1);
        assert_eq!(size.line, "/b vault=v append content=".len() + 5);
        let long_path = "/x".repeat(4000);
        let size = Size::of(Path::new(&long_path), &call(""));
        assert_eq!(size.message(), size.line, "the longer of the two counts");
    }
}
