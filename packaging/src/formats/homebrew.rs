//! The formula of Homebrew, for a tap of the project's own: it takes the finished archives.

use crate::Fault;
use crate::facts::Facts;
use crate::pack::Package;
use crate::system::System;

/// Writes the formula for the archives among the packages.
pub(crate) fn pack(facts: &Facts, packages: &[Package]) -> Result<Package, Fault> {
    let name = &facts.name;
    let homepage = facts
        .repository
        .as_deref()
        .ok_or("the formula needs a repository")?;
    let mut formula = format!(
        "class {} < Formula\n  desc \"{}\"\n  homepage \"{homepage}\"\n  version \"{}\"\n  license any_of: [{}]\n",
        class_name(name),
        capitalised(facts.synopsis()),
        facts.version,
        licenses(&facts.license),
    );
    for (platform, block) in [("darwin", "on_macos"), ("linux", "on_linux")] {
        let systems: Vec<_> = facts
            .systems()?
            .into_iter()
            .filter(|it| it.platform() == platform)
            .collect();
        if systems.is_empty() {
            continue;
        }
        formula += &format!("\n  {block} do\n");
        for system in systems {
            formula += &source(facts, system, packages)?;
        }
        formula += "  end\n";
    }
    formula += &format!(
        "\n  def install\n    bin.install \"{name}\"\n    man1.install \"man/{name}.1\"\n    \
         bash_completion.install \"completions/{name}.bash\" => \"{name}\"\n    \
         zsh_completion.install \"completions/_{name}\"\n    \
         fish_completion.install \"completions/{name}.fish\"\n  end\n\n  \
         test do\n    assert_match \"Read today's daily note\", shell_output(\"#{{bin}}/{name} demo\")\n  end\nend\n"
    );
    Ok(Package::new(format!("{name}.rb"), formula))
}

fn source(facts: &Facts, system: &System, packages: &[Package]) -> Result<String, Fault> {
    let file = format!("{}.tar.gz", facts.stem(system));
    let archive = packages.iter().find(|package| package.name == file);
    let archive = archive.ok_or_else(|| format!("{file} is not among the packages"))?;
    let url = facts
        .download(&file)
        .ok_or("the formula needs a repository")?;
    let block = if system.cpu() == "arm64" {
        "on_arm"
    } else {
        "on_intel"
    };
    Ok(format!(
        "    {block} do\n      url \"{url}\"\n      sha256 \"{}\"\n    end\n",
        archive.hash()
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

fn licenses(expression: &str) -> String {
    let quoted: Vec<String> = expression
        .split(" OR ")
        .map(|it| format!("\"{it}\""))
        .collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_licences_are_in_the_form_of_ruby() {
        assert_eq!(class_name("vault-gw"), "VaultGw");
        assert_eq!(licenses("MIT OR Apache-2.0"), "\"MIT\", \"Apache-2.0\"");
    }
}
