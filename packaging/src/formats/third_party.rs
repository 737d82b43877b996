//! The licences of the crates that are linked into the program, which whoever passes it on must pass on too.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Fault;
use crate::facts::Facts;
use crate::formats::sbom;
use crate::system::System;

/// The file name in packages.
pub(crate) const FILE: &str = "THIRD-PARTY-LICENSES.txt";

/// How the files are called in which crates keep their licences.
const BEGINNINGS: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// The texts of all licences, each once, with the crates that it belongs to.
pub(crate) fn texts(facts: &Facts, system: &System) -> Result<String, Fault> {
    let mut owners = BTreeMap::<String, Vec<String>>::new();
    for linked in sbom::linked(facts, system)? {
        if linked.is_ours {
            continue;
        }
        let name = format!("{} {} ({})", linked.name, linked.version, linked.license);
        for text in of_crate(&linked.folder)? {
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
