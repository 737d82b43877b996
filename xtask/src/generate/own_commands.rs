//! The two lists in `own/mod.rs` of the engine: its modules, and which of them are commands.
//!
//! Each file of that folder is a module, and each that has a `COMMAND` is a command.

use std::path::Path;

use chores::{Fault, repository};
use vault_gw::program::reference::GeneratedFile;

/// The folder with one file for each own command.
const FOLDER: &str = "crates/vault-questions/src/own";

/// `own/mod.rs` with both lists as its folder says.
pub(super) fn table() -> Result<GeneratedFile, Fault> {
    let path = format!("{FOLDER}/mod.rs");
    let text = fs_err::read_to_string(repository().join(&path))?;
    let text = with_lists(&text, &modules(&repository().join(FOLDER))?)
        .ok_or_else(|| format!("{path} has no block of `mod` lines, or no list `COMMANDS`"))?;
    Ok(GeneratedFile { path, text })
}

/// The modules of the folder by name, each with whether it is a command, except for `mod.rs` itself and what only
/// tests have.
fn modules(folder: &Path) -> Result<Vec<(String, bool)>, Fault> {
    let mut modules = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let file = if path.is_dir() {
            path.join("mod.rs")
        } else {
            path.clone()
        };
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name.ok_or("a module without a name")?.to_owned();
        // The folder of a module that has a file has no `mod.rs`, and the cases of tests are other files.
        let is_code = file.extension() == Some("rs".as_ref()) && file.exists();
        if ["mod", "testing"].contains(&&*name) || !is_code {
            continue;
        }
        let is_command = fs_err::read_to_string(&file)?.contains("static COMMAND: OwnCommand");
        modules.push((name, is_command));
    }
    modules.sort_unstable();
    Ok(modules)
}

/// The text of `mod.rs` with these modules in both lists; `None` if it does not have both.
fn with_lists(text: &str, modules: &[(String, bool)]) -> Option<String> {
    let declared: Vec<&str> = modules.iter().map(|(name, _)| name.as_str()).collect();
    let commands = modules.iter().filter(|(_, is_command)| *is_command);
    let commands = commands.map(|(name, _)| format!("    &{name}::COMMAND,\n"));
    let text = replace_between(text, "\n\nmod ", ";\n\n", &declared.join(";\nmod "))?;
    replace_between(
        &text,
        ": &[&OwnCommand] = &[\n",
        "];",
        &commands.collect::<String>(),
    )
}

/// The text with `new` between the first `from` and the next `to`.
fn replace_between(text: &str, from: &str, to: &str, new: &str) -> Option<String> {
    let (before, rest) = text.split_once(from)?;
    let (_, after) = rest.split_once(to)?;
    Some([before, from, new, to, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_follow_the_modules_and_the_rest_stays() {
        let old = "//! About.\n\nmod gone;\nmod note;\n\nuse x;\n\nstatic COMMANDS: &[&OwnCommand] = &[\n    &gone::COMMAND,\n];\n\n#[cfg(test)]\nmod testing;\n";
        let new = "//! About.\n\nmod lines;\nmod note;\n\nuse x;\n\nstatic COMMANDS: &[&OwnCommand] = &[\n    &lines::COMMAND,\n];\n\n#[cfg(test)]\nmod testing;\n";
        let modules = [("lines".to_owned(), true), ("note".to_owned(), false)];
        assert_eq!(with_lists(old, &modules).as_deref(), Some(new));
        assert_eq!(with_lists(new, &modules).as_deref(), Some(new));
        assert_eq!(with_lists("mod note;\n", &modules), None);
    }
}
