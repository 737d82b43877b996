//! The two lists in `own/mod.rs` of the engine: its modules, and which of them are commands.
//!
//! Each file of that folder is a module, and each that has a `COMMAND` is a command.

use std::path::Path;

use vault_gw::program::reference::GeneratedFile;

use crate::Fault;
use crate::targets::repository;

/// The folder with one file for each own command.
const FOLDER: &str = "crates/vault-engine/src/commands/own";

/// `own/mod.rs` with both lists as its folder says.
pub(super) fn table() -> Result<GeneratedFile, Fault> {
    let path = format!("{FOLDER}/mod.rs");
    let text = fs_err::read_to_string(repository().join(&path))?;
    let text = with_lists(&text, &modules(&repository().join(FOLDER))?)
        .ok_or_else(|| format!("{path} has no block of `mod` lines, or no list `COMMANDS`"))?;
    Ok(GeneratedFile { path, text })
}

/// One module of the folder.
struct Module {
    name: String,
    is_command: bool,
}

/// The modules of the folder by name, except for `mod.rs` itself and what only tests have.
fn modules(folder: &Path) -> Result<Vec<Module>, Fault> {
    let mut modules = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name.ok_or("a module without a name")?.to_owned();
        // The folder of a module that has a file has no `mod.rs`.
        if ["mod", "testing"].contains(&&*name) || !file.exists() {
            continue;
        }
        let is_command = fs_err::read_to_string(&file)?.contains("static COMMAND: OwnCommand");
        modules.push(Module { name, is_command });
    }
    modules.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(modules)
}

/// The text of `mod.rs` with these modules in both lists; `None` if it does not have both.
fn with_lists(text: &str, modules: &[Module]) -> Option<String> {
    let declared = modules.iter().map(|module| format!("mod {};\n", module.name));
    let commands = modules.iter().filter(|module| module.is_command);
    let commands = commands.map(|module| format!("    &{}::COMMAND,\n", module.name));
    let text = replace_between(
        text,
        "\n\nmod ",
        "\n\n",
        &format!("\n\n{}\n", declared.collect::<String>()),
    )?;
    replace_between(
        &text,
        ": &[&OwnCommand] = &[\n",
        "];",
        &format!(": &[&OwnCommand] = &[\n{}];", commands.collect::<String>()),
    )
}

/// The text with `new` in the place of the first `from`, the next `to`, and what is between them.
fn replace_between(text: &str, from: &str, to: &str, new: &str) -> Option<String> {
    let (before, rest) = text.split_once(from)?;
    let (_, after) = rest.split_once(to)?;
    Some([before, new, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_follow_the_modules_and_the_rest_stays() {
        let module = |name: &str, is_command| Module { name: name.to_owned(), is_command };
        let old = "//! About.\n\nmod gone;\nmod note;\n\nuse x;\n\nstatic COMMANDS: &[&OwnCommand] = &[\n    &gone::COMMAND,\n];\n\n#[cfg(test)]\nmod testing;\n";
        let new = "//! About.\n\nmod lines;\nmod note;\n\nuse x;\n\nstatic COMMANDS: &[&OwnCommand] = &[\n    &lines::COMMAND,\n];\n\n#[cfg(test)]\nmod testing;\n";
        let modules = [module("lines", true), module("note", false)];
        assert_eq!(with_lists(old, &modules).as_deref(), Some(new));
        assert_eq!(with_lists(new, &modules).as_deref(), Some(new));
        assert_eq!(with_lists("mod note;\n", &modules), None);
    }
}
