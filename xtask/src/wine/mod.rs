//! `cargo xtask wine`: the Windows program under Wine, a line a check (`design.md` §19).
//!
//! Everything happens in `wine/` of the target folder: a Wine prefix without a way to the rest of the
//! machine, the programs, the vaults, and a home for the Linux program whose answers are compared.

mod answers;
mod desk;
mod names;
mod official;
mod places;
mod writes;

use self::desk::Desk;
use crate::Fault;

/// What a check found, in a few words; or why it failed.
type Found = Result<String, Fault>;

/// A check, by what it is called in the table.
type Check = (&'static str, fn(&Desk) -> Found);

const CHECKS: [Check; 24] = [
    ("starts", places::starts),
    ("demo", places::demo),
    ("read commands", answers::examples),
    ("made-up vault", answers::made_up_vault),
    ("write and undo", writes::write_and_undo),
    ("MCP over stdio", writes::mcp),
    ("CRLF notes", writes::carriage_returns),
    ("two writers", writes::two_writers),
    ("held notes", writes::held_notes),
    ("read-only notes", writes::read_only_notes),
    ("settings and state", places::folders),
    ("doctor", places::doctor),
    ("case of names", names::case),
    ("device names", names::devices),
    ("paths out of the vault", names::ways_out),
    ("long paths", names::long_paths),
    ("locate", official::locate),
    ("batch files", official::batch_files),
    ("files that run instead", official::shadows),
    ("probe of the pipe", official::probe),
    ("official read and write", official::answers),
    ("arguments byte for byte", official::arguments),
    ("length of a command line", official::lengths),
    ("job ends grandchildren", official::jobs),
];

/// Builds, tries everything, and returns the table.
///
/// # Errors
///
/// If a check fails, or the programs cannot be built.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    if let Some(missing) = desk::missing() {
        return Ok(format!("skipped: {missing}"));
    }
    let desk = Desk::make()?;
    let mut table = String::new();
    let mut failed = 0;
    for (name, check) in CHECKS {
        if !words.is_empty() && !words.contains(&name) {
            continue;
        }
        let (result, found) = match check(&desk) {
            Ok(found) => ("ok", found),
            Err(why) => {
                failed += 1;
                ("FAILED", why.to_string())
            }
        };
        table += &format!("{name:26} {result:7} {found}\n");
    }
    if failed == 0 {
        Ok(table.trim_end().to_owned())
    } else {
        Err(format!("{failed} checks failed\n{table}").into())
    }
}
