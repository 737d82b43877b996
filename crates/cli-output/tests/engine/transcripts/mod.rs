//! The output of commands for small vaults.

mod notes;
mod properties;
mod settings;
mod templates;

use cli_output::{AppError, Shape, render};
use vault_files::{Args, EngineError, Vault, testing};
use vault_questions::{Reply, reply};

use crate::shape;

struct Fixture {
    vault: Vault,
    _folder: tempfile::TempDir,
}

fn vault(files: &[(&str, &str)]) -> Fixture {
    let (folder, vault) = vault_files::vault::testing::vault(files);
    Fixture {
        vault,
        _folder: folder,
    }
}

impl Fixture {
    fn reply(&self, line: &str) -> (Shape, Args, Result<Reply, EngineError>) {
        let mut words = line.split(' ');
        let command = words.next().unwrap();
        let arguments = testing::arguments(command, words.map(|word| word.replace('+', " ")));
        let reply = reply(&self.vault, command, &arguments, &testing::surroundings());
        (shape(command), arguments, reply)
    }

    /// The expected output of the app, including errors.
    fn prints(&self, line: &str) -> String {
        match self.reply(line) {
            (shape, arguments, Ok(reply)) => render(&reply.answer, shape, &arguments),
            (_, _, Err(EngineError::Refused(refusal))) => format!("{}\n", AppError::from(refusal)),
            (_, _, Err(error)) => panic!("{line}: {error}"),
        }
    }

    /// Code, path and line of each warning.
    fn warnings(&self, line: &str) -> Vec<(&'static str, String, Option<usize>)> {
        let warnings = self.reply(line).2.unwrap().warnings;
        warnings
            .iter()
            .map(|warning| (warning.code(), warning.path().to_string(), warning.line()))
            .collect()
    }

    #[track_caller]
    fn check(&self, table: &str) {
        for [line, text] in tables::rows(table) {
            assert_eq!(self.prints(line), text, "{line}");
        }
    }
}
