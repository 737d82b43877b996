//! The formula of Homebrew, for a tap of the project's own: it takes the finished archives.

use serde_json::json;

use crate::Fault;
use crate::facts::Facts;
use crate::pack::{Package, named};
use crate::system::System;

/// The formula, with places to be filled.
const FORMULA: &str = include_str!("formula.rb");

/// Writes the formula for the archives among the packages.
pub(crate) fn pack(facts: &Facts, packages: &[Package]) -> Result<Package, Fault> {
    let mut sources = String::new();
    for (platform, block) in [("darwin", "on_macos"), ("linux", "on_linux")] {
        let systems = facts.targets.iter().filter(|it| it.platform() == platform);
        let found = systems.map(|it| source(facts, it, packages));
        let found = found.collect::<Result<String, Fault>>()?;
        if !found.is_empty() {
            sources += &format!("\n  {block} do\n{found}  end\n");
        }
    }
    let more = json!({
        "class": class_name(&facts.name),
        "synopsis": capitalised(facts.synopsis()),
        "licenses": licenses(&facts.license),
        "sources": sources,
    });
    let formula = facts.filled(FORMULA, more)?;
    Ok(Package::new(format!("{}.rb", facts.name), formula))
}

fn source(facts: &Facts, system: &System, packages: &[Package]) -> Result<String, Fault> {
    let file = format!("{}.tar.gz", facts.stem(system));
    let hash = named(packages, &file)?.hash();
    let url = facts.download(&file);
    let url = url.ok_or("the formula needs a repository")?;
    let block = match system.cpu() {
        "arm64" => "on_arm",
        _ => "on_intel",
    };
    Ok(format!(
        "    {block} do\n      url \"{url}\"\n      sha256 \"{hash}\"\n    end\n"
    ))
}

/// `vault-gw` is the class `VaultGw`.
fn class_name(name: &str) -> String {
    name.split('-').map(capitalised).collect()
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at_checked(1).unwrap_or((text, ""));
    first.to_uppercase() + rest
}

/// The licences between quotes, of which the formula has the first and the last.
fn licenses(expression: &str) -> String {
    expression.replace(" OR ", "\", \"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_licences_are_in_the_form_of_ruby() {
        assert_eq!(class_name("vault-gw"), "VaultGw");
        assert_eq!(licenses("MIT OR Apache-2.0"), "MIT\", \"Apache-2.0");
    }
}
