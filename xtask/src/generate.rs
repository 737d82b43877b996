//! `cargo xtask generate [--check]`: the checked-in generated files.

mod own_commands;
pub(crate) mod pages;

use chores::{Fault, cargo, ensure, repository, succeeds, write};
use vault_gw::program::reference::GeneratedFile;

/// Writes the files that are stale; with `check` writes nothing and fails if one is.
pub(crate) fn run(check: bool) -> Result<String, Fault> {
    let table = own_commands::table()?;
    let (stale_table, stale) = (is_stale(&table), "the list of own commands was stale");
    if stale_table && !check {
        write(&repository().join(&table.path), &table.text)?;
        // This program was built without the new list, and so does not know the commands in it.
        let again =
            succeeds(cargo().args(["run", "--quiet", "--package", "xtask", "--", "generate"]))?;
        return if again {
            Ok(stale.to_owned())
        } else {
            Err(stale.into())
        };
    }
    let mut files = pages::checked_in()?;
    files.push(table);
    let stale: Vec<&GeneratedFile> = files.iter().filter(|file| is_stale(file)).collect();
    let count = stale.len();
    let paths: Vec<&str> = stale.iter().map(|file| file.path.as_str()).collect();
    let hint = "these generated files are stale; run `cargo xtask generate`";
    ensure(
        !check || count == 0,
        &format!("{hint}: {}", paths.join(", ")),
    )?;
    for file in stale {
        write(&repository().join(&file.path), &file.text)?;
    }
    Ok(format!(
        "{} generated files, {count} were stale",
        files.len()
    ))
}

fn is_stale(file: &GeneratedFile) -> bool {
    let text = fs_err::read_to_string(repository().join(&file.path));
    !text.is_ok_and(|text| text == file.text)
}

#[test]
fn generated_files_are_checked_in_and_current() {
    run(true).unwrap();
}
