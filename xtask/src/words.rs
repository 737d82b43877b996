//! Reads `--option value` pairs from the command line.

use crate::Fault;

/// The words of a chore: options with their values, and the rest.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Words<'words> {
    options: Vec<(&'words str, &'words str)>,
    /// Words that belong to no option.
    pub(crate) rest: Vec<&'words str>,
}

impl<'words> Words<'words> {
    /// Splits the words. Every option has one value. An option that is unknown, has no value or is
    /// repeated is an error.
    pub(crate) fn read(words: &[&'words str], known: &[&str]) -> Result<Self, Fault> {
        let mut read = Self::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if !word.starts_with("--") {
                read.rest.push(word);
                continue;
            }
            if !known.contains(&word) {
                let known = known.join(", ");
                return Err(format!("no option is called `{word}`: {known}").into());
            }
            let value = words
                .next()
                .ok_or_else(|| format!("`{word}` needs a value"))?;
            if read.option(word).is_some() {
                return Err(format!("`{word}` is given twice").into());
            }
            read.options.push((word, value));
        }
        Ok(read)
    }

    /// The value of an option; `None` if it is not given.
    pub(crate) fn option(&self, name: &str) -> Option<&'words str> {
        self.options
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    /// Fails if a word belongs to no option.
    pub(crate) fn expect_no_rest(&self) -> Result<(), Fault> {
        let word = self.rest.first();
        word.map_or(Ok(()), |word| {
            Err(format!("`{word}` belongs to no option").into())
        })
    }

    /// An option's value as a number, or `default` where it is not given.
    pub(crate) fn number<N: std::str::FromStr>(&self, name: &str, default: N) -> Result<N, Fault> {
        match self.option(name) {
            None => Ok(default),
            Some(value) => number(name, value),
        }
    }
}

/// A number, or an error that names what it is for.
pub(crate) fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, Fault> {
    let wrong = || format!("`{name}` takes numbers, not `{value}`").into();
    value.parse().map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values_and_the_rest_is_kept() {
        let words = Words::read(&["--notes", "12", "dir"], &["--notes", "--seed"]).unwrap();
        assert_eq!(words.number("--notes", 1_usize).unwrap(), 12);
        assert_eq!(words.number("--seed", 7_u64).unwrap(), 7);
        assert_eq!(words.rest, ["dir"]);
    }

    #[test]
    fn mistakes_are_errors() {
        for words in [
            &["--note", "1"][..],
            &["--notes"],
            &["--notes", "1", "--notes", "2"],
        ] {
            assert!(Words::read(words, &["--notes"]).is_err(), "{words:?}");
        }
        let words = Words::read(&["--notes", "many"], &["--notes"]).unwrap();
        assert!(words.number("--notes", 1_usize).is_err());
    }
}
