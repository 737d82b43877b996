//! Regular expressions as values: JavaScript's, with bounded work.

use bounded_regex::{Regex, RegexOptions};

/// A compiled regular expression with its flags.
#[derive(Debug)]
pub(crate) struct Regexp {
    pattern: String,
    flags: String,
    /// Flag `g`: replace all matches, not only the first.
    pub(crate) is_global: bool,
    pub(crate) regex: Regex,
}

impl Regexp {
    /// Compiles a pattern. Fails with a message if the pattern or the flags are invalid.
    pub(crate) fn new(pattern: &str, flags: &str) -> Result<Self, String> {
        let is_known = |flag: char| "gimsuy".contains(flag);
        let is_twice = |flag: char| flags.matches(flag).count() > 1;
        if let Some(flag) = flags
            .chars()
            .find(|flag| !is_known(*flag) || is_twice(*flag))
        {
            return Err(format!("Invalid regular expression flag \"{flag}\""));
        }
        if flags.contains(['u', 'y']) {
            return Err(
                "Regular expressions with the flags \"u\" and \"y\" need the app".to_owned(),
            );
        }
        let options = RegexOptions {
            ignore_case: flags.contains('i'),
            multiline: flags.contains('m'),
            dot_is_any: flags.contains('s'),
            keeps_groups: true,
        };
        let regex = Regex::new(pattern, options, &|| false)
            .map_err(|error| format!("Invalid regular expression: {error}"))?;
        Ok(Self {
            pattern: pattern.to_owned(),
            flags: flags.to_owned(),
            is_global: flags.contains('g'),
            regex,
        })
    }

    /// As it is written: `/a+/g`.
    pub(crate) fn text(&self) -> String {
        format!("/{}/{}", self.pattern, self.flags)
    }
}
