//! `cargo xtask contracts`: the rows of the five source documents, run one by one.

use std::process::Command;

/// The test that runs the rows and prints the table.
const TEST: &str = "contracts::every_row_of_the_five_documents_is_shown";

/// Runs the rows; the table goes to standard output.
///
/// # Errors
///
/// If a row is not shown.
#[expect(clippy::disallowed_methods, reason = "a chore starts cargo")]
pub(crate) fn run() -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = [
        "test",
        "-q",
        "--test",
        "integration",
        TEST,
        "--",
        "--nocapture",
    ];
    let ended = Command::new(cargo).args(words).status();
    match ended {
        Ok(status) if status.success() => Ok("every row is shown".to_owned()),
        Ok(_) => Err("a row is not shown".to_owned()),
        Err(error) => Err(format!("cargo does not start: {error}")),
    }
}
