//! Size limits of one call. The app silently drops or damages larger messages, so the size is
//! checked before anything is spawned (`threats.toml` B06).

use std::path::Path;

use serde_json::json;

use super::spawn::WORKING_DIRECTORY;
use crate::error::Error;
use protocol::Failure;

/// Maximum sizes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentLimits {
    /// One argument, including `key=`.
    pub element: usize,
    /// Bytes of the command line or of the one-line JSON message that the CLI builds from it (`official-cli.md` §3),
    /// the larger of the two.
    pub message: usize,
}

impl ArgumentLimits {
    /// The kernel allows 131,072 bytes including the final NUL for one argument (`MAX_ARG_STRLEN`,
    /// `threats.toml` B06). The limit of the app on Linux is unknown. No failure has been
    /// reported; 60 KiB, just below the capacity of a pipe, is our own choice.
    pub const LINUX: Self = Self {
        element: 131_071,
        message: 61_440,
    };

    /// The app damages multi-byte characters near 8 KB (`official-cli.md` §4). 7 KiB stays below
    /// its first read of 8 KiB.
    pub const MACOS: Self = Self {
        element: 131_071,
        message: 7_168,
    };

    /// 4000 bytes of command line worked and 4001 did not; 3584 bytes in one argument always
    /// worked. Beyond that the app's listener dies (`official-cli.md` §4 and §9, point 4).
    pub const WINDOWS: Self = Self {
        element: 3_584,
        message: 3_500,
    };

    /// Returns the limits of the operating system that this program was built for.
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

/// The size of a call, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the longest argument, with its `key=`.
    pub element: usize,
    /// Bytes of the binary's path and all arguments, with one separator byte each; on Windows with their quotes.
    pub line: usize,
    /// The JSON line that the app reads.
    pub json: usize,
}

impl Size {
    /// Measures a call of `binary` with the arguments `words`.
    pub fn measure(binary: &Path, words: &[String]) -> Self {
        let length: fn(&str) -> usize = if cfg!(windows) {
            quoted_length
        } else {
            str::len
        };
        // The path is always quoted on Windows.
        let quotes = if cfg!(windows) { 2 } else { 0 };
        let line = words
            .iter()
            .fold(binary.as_os_str().len() + quotes, |sum, word| {
                sum + 1 + length(word)
            });
        let message = json!({ "argv": words, "tty": false, "cwd": WORKING_DIRECTORY });
        Self {
            element: words.iter().map(String::len).max().unwrap_or(0),
            line,
            // Plus the line feed that ends the message.
            json: message.to_string().len() + 1,
        }
    }

    /// The size that counts against [`ArgumentLimits::message`].
    pub fn message(self) -> usize {
        self.line.max(self.json)
    }

    /// Checks the size against `limits`.
    ///
    /// # Errors
    ///
    /// `ARGUMENT_TOO_LARGE`, with size and limit in `details`.
    pub fn check(self, limits: ArgumentLimits) -> Result<(), Failure> {
        let element = ("element", self.element, limits.element);
        let message = ("message", self.message(), limits.message);
        let too_large = [element, message]
            .into_iter()
            .find(|(_, size, limit)| size > limit);
        too_large.map_or(Ok(()), |(measured, size, limit)| {
            Err(Error::TooLarge(measured, size, limit).into())
        })
    }
}

/// Returns the size in bytes of an argument on a Windows command line, as the standard library writes it: in quotes if
/// it is empty or has a space or tab, with a backslash before each quote, and backslashes doubled before a quote.
fn quoted_length(word: &str) -> usize {
    let is_quoted = word.is_empty() || word.contains([' ', '\t']);
    let mut length = word.len();
    let mut backslashes = 0;
    for byte in word.bytes() {
        match byte {
            b'\\' => backslashes += 1,
            b'"' => {
                length += backslashes + 1;
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
    }
    if is_quoted {
        length += backslashes + 2;
    }
    length
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;

    const CASES: &str = include_str!("limits_cases.txt");

    fn call(content: &str) -> Vec<String> {
        vec![
            "vault=v".to_owned(),
            "append".to_owned(),
            format!("content={content}"),
        ]
    }

    /// Returns a call whose larger measure is exactly `bytes`.
    fn call_of(bytes: usize) -> Vec<String> {
        let empty = Size::measure(Path::new("/b"), &call("")).message();
        call(&"x".repeat(bytes - empty))
    }

    #[test]
    fn b06_one_less_than_the_cap_the_cap_and_one_more() {
        for limits in [
            ArgumentLimits::LINUX,
            ArgumentLimits::MACOS,
            ArgumentLimits::WINDOWS,
        ] {
            let limits = ArgumentLimits {
                element: usize::MAX,
                ..limits
            };
            for (bytes, fits) in [
                (limits.message - 1, true),
                (limits.message, true),
                (limits.message + 1, false),
            ] {
                let size = Size::measure(Path::new("/b"), &call_of(bytes));
                assert_eq!(size.message(), bytes);
                assert_eq!(size.check(limits).is_ok(), fits, "{bytes} of {limits:?}");
            }
        }
    }

    #[test]
    fn b06_the_kernel_takes_131071_bytes_in_one_element() {
        let kernel = ArgumentLimits {
            message: usize::MAX,
            ..ArgumentLimits::LINUX
        };
        let of = |bytes: usize| {
            let key = "content=".len();
            Size::measure(Path::new("/b"), &call(&"x".repeat(bytes - key)))
        };
        assert_eq!(of(131_071).check(kernel), Ok(()));
        let failure = of(131_072).check(kernel).unwrap_err();
        assert_eq!(failure.code, Code::ArgumentTooLarge);
        assert_eq!(failure.details["size"], 131_072);
        assert_eq!(failure.details["limit"], 131_071);
        assert_eq!(failure.details["measured"], "element");
    }

    #[test]
    fn b06_quotes_count_on_the_command_line_of_windows() {
        for [word, quoted] in tables::section(CASES, "b06 quotes count on the command line") {
            assert_eq!(quoted_length(word), quoted.len(), "{word}");
        }
    }

    #[test]
    fn b06_the_message_counts_as_the_app_reads_it() {
        let size = Size::measure(Path::new("/b"), &call("\n\"\\é"));
        let message = r#"{"argv":["vault=v","append","content=\n\"\\é"],"tty":false,"cwd":"/"}"#;
        assert_eq!(size.json, message.len() + 1);
        let quotes = if cfg!(windows) { 3 } else { 0 };
        assert_eq!(size.line, "/b vault=v append content=".len() + 5 + quotes);
        let long_path = "/x".repeat(4000);
        let size = Size::measure(Path::new(&long_path), &call(""));
        assert_eq!(size.message(), size.line, "the longer of the two counts");
    }
}
