//! The arguments that this program accepts after `vault-gw mcp`. An entry with other arguments
//! cannot start the server.

use clap::FromArgMatches as _;

use frontend::CommandLineOptions;

/// The verb that an entry starts.
pub(super) const VERB: &str = "mcp";

/// The grammar of the command line.
pub struct ServerGrammar {
    line: clap::Command,
}

impl ServerGrammar {
    /// `line` is the whole command line, with the verbs as subcommands.
    pub fn new(line: clap::Command) -> Self {
        Self { line }
    }

    /// Returns the number of words of the option that begins with `word`, itself included; `None`
    /// if it is not an option of this program. Before the verb, only the global options are valid.
    pub(super) fn words_of_option(&self, word: &str, is_after_verb: bool) -> Option<usize> {
        if let Some(long) = word.strip_prefix("--") {
            let (name, has_value) = match long.split_once('=') {
                Some((name, _)) => (name, true),
                None => (long, false),
            };
            let is_named = |option: &clap::Arg| {
                let aliases = option.get_all_aliases().unwrap_or_default();
                option.get_long() == Some(name) || aliases.contains(&name)
            };
            return match (self.takes_value(is_named, is_after_verb)?, has_value) {
                (true, false) => Some(2),
                (false, true) => None,
                (true, true) | (false, false) => Some(1),
            };
        }
        let mut letters = word.strip_prefix('-')?.chars().peekable();
        letters.peek()?;
        while let Some(letter) = letters.next() {
            let is_named = |option: &clap::Arg| option.get_short() == Some(letter);
            if self.takes_value(is_named, is_after_verb)? {
                // The rest of the word, or else the next word, is the value.
                return Some(if letters.peek().is_some() { 1 } else { 2 });
            }
        }
        Some(1)
    }

    fn takes_value(
        &self,
        is_named: impl Fn(&clap::Arg) -> bool,
        is_after_verb: bool,
    ) -> Option<bool> {
        let verb = self.line.find_subcommand(VERB).filter(|_| is_after_verb);
        let own = verb.into_iter().flat_map(clap::Command::get_arguments);
        let mut options = self.line.get_arguments().chain(own);
        let option = options.find(|option| is_named(option))?;
        Some(option.get_action().takes_values())
    }

    /// Parses these words to the options of the server.
    ///
    /// # Errors
    ///
    /// The reason why the program refuses them, in the words of its command line.
    pub(super) fn options(&self, words: &[String]) -> Result<CommandLineOptions, String> {
        let line = std::iter::once("vault-gw").chain(words.iter().map(String::as_str));
        let read = self.line.clone().try_get_matches_from(line);
        let read = read.and_then(|matches| CommandLineOptions::from_arg_matches(&matches));
        read.map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            reason.strip_prefix("error: ").unwrap_or(reason).to_owned()
        })
    }
}
