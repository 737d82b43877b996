//! The package of Debian and its kin. It needs no other package: the program is static.

use md5::{Digest as _, Md5};
use serde_json::json;

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, gzip, hex, installed, sorted, tar};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

// Texts with places to be filled.
const CONTROL: &str = include_str!("control");
const COPYRIGHT: &str = include_str!("copyright");
const OVERRIDES: &str = include_str!("lintian_overrides");
const CHANGELOG: &str = include_str!("changelog");

/// Packs it for a Linux.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let architecture = system.debian();
    let entries = entries(facts, system)?;
    let size: usize = entries
        .iter()
        .map(|entry| entry.bytes.len().div_ceil(1024))
        .sum();
    let control = [
        Entry::file("control", control(facts, architecture, size)?),
        Entry::file("md5sums", sums(&entries)),
    ];
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzip(&tar(facts, &control, "./", true)?)?),
        ("data.tar.gz", gzip(&tar(facts, &entries, "./", true)?)?),
    ];
    let mut archive = ar::Builder::new(Vec::new());
    for (name, bytes) in parts {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(u64::from(facts.epoch));
        archive.append(&header, bytes.as_slice())?;
    }
    let name = format!("{}_{}_{architecture}.deb", facts.name, facts.version);
    Ok(Package::new(name, archive.into_inner()?))
}

fn entries(facts: &Facts, system: &System) -> Result<Vec<Entry>, Fault> {
    let name = &facts.name;
    let doc = format!("usr/share/doc/{name}");
    let mut entries = installed(facts, system, "vendor-completions")?;
    let third_party = third_party::entry(facts, system, &format!("{doc}/"))?;
    let compressed = [
        Entry::file(format!("{doc}/changelog"), changelog(facts)?),
        third_party,
    ];
    for Entry { path, bytes, .. } in compressed {
        entries.push(Entry::file(format!("{path}.gz"), gzip(&bytes)?));
    }
    entries.push(Entry::file(format!("{doc}/copyright"), copyright(facts)?));
    let overrides = format!("usr/share/lintian/overrides/{name}");
    entries.push(Entry::file(overrides, facts.filled(OVERRIDES, json!({}))?));
    Ok(entries)
}

/// `size` is in KiB.
fn control(facts: &Facts, architecture: &str, size: usize) -> Result<String, Fault> {
    let about = folded(&facts.about, 76);
    let more = json!({"architecture": architecture, "size": size, "about": about});
    facts.filled(CONTROL, more)
}

/// A paragraph in lines of at most `width` characters that begin with a space.
fn folded(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines += &format!("{line}\n");
            line.clear();
        }
        line += &format!(" {word}");
    }
    format!("{lines}{line}\n")
}

fn sums(entries: &[Entry]) -> String {
    let line = |entry: &&Entry| format!("{}  {}\n", hex(&Md5::digest(&entry.bytes)), entry.path);
    sorted(entries).iter().map(line).collect()
}

/// The licence in the machine-readable form of Debian. The text of Apache-2.0 is on every Debian.
fn copyright(facts: &Facts) -> Result<String, Fault> {
    let mit = facts.text("LICENSE-MIT")?;
    let (_, mit) = mit.split_once("\n\n").ok_or("LICENSE-MIT has no heading")?;
    let (holder, mit) = mit
        .split_once("\n\n")
        .ok_or("LICENSE-MIT names no holder")?;
    let holder = holder.trim_start_matches("Copyright (c) ");
    let line = |line: &str| format!(" {}\n", if line.is_empty() { "." } else { line });
    let mit: String = mit.lines().map(line).collect();
    facts.filled(COPYRIGHT, json!({"holder": holder, "mit": mit}))
}

/// One entry that points to the project's own, which is not by version and urgency.
fn changelog(facts: &Facts) -> Result<String, Fault> {
    let date = facts.time()?.strftime("%a, %d %b %Y %H:%M:%S +0000");
    facts.filled(CHANGELOG, json!({"date": date.to_string()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_folded_between_words() {
        assert_eq!(folded("one two three", 8), " one two\n three\n");
        // An empty line would end the control file.
        assert_eq!(folded("unbreakable", 4), " unbreakable\n");
    }
}
