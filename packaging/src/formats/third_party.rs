//! The licences of the crates that are linked into the program, which whoever passes it on must pass on too.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Fault;
use crate::facts::Facts;
use crate::files::Entry;
use crate::formats::sbom;
use crate::system::System;

/// The file name in packages.
const FILE: &str = "THIRD-PARTY-LICENSES.txt";

/// How the files are called in which crates keep their licences.
const BEGINNINGS: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// The file for a package, in a folder of it.
pub(crate) fn entry(facts: &Facts, system: &System, folder: &str) -> Result<Entry, Fault> {
    Ok(Entry::file(
        format!("{folder}{FILE}"),
        texts(facts, system)?,
    ))
}

/// The texts of all licences, each once, with the crates that it belongs to.
fn texts(facts: &Facts, system: &System) -> Result<String, Fault> {
    let mut owners = BTreeMap::<String, Vec<String>>::new();
    for (linked, _) in sbom::linked(facts, system)? {
        if linked.source.is_none() {
            continue;
        }
        let license = sbom::license(&linked);
        let name = format!("{} {} ({license})", linked.name, linked.version);
        let folder = linked.manifest_path.parent();
        for text in of_crate(folder.ok_or("a manifest without a folder")?.as_ref())? {
            owners.entry(text).or_default().push(name.clone());
        }
    }
    let mut report = format!(
        "{} holds code of these crates, under the licences below.\n",
        facts.name
    );
    for (text, crates) in owners {
        report += &format!("\n{}\n{}\n\n{text}\n", "-".repeat(80), crates.join("\n"));
    }
    Ok(report)
}

/// The licences in the folder of one crate.
fn of_crate(folder: &Path) -> Result<Vec<String>, Fault> {
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_file() && BEGINNINGS.iter().any(|it| name.starts_with(it)) {
            let bytes = fs_err::read(entry.path())?;
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
            texts.push(text.trim().to_owned());
        }
    }
    texts.sort_unstable();
    Ok(texts)
}
