//! The package of `PyPI`: a wheel with nothing but the program, so that no Python runs.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::json;

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, sha256, zip};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// The description, with places to be filled.
const METADATA: &str = include_str!("wheel_metadata");

/// Packs the wheel. Its names and files are those of the binary distribution format, PEP 427 and PEP 639.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let stem = format!("{}-{}", facts.name.replace('-', "_"), facts.version);
    let info = format!("{stem}.dist-info");
    let name = facts.program_name(system);
    let licenses = format!("{info}/licenses/");
    let mut entries = vec![
        Entry::program(
            format!("{stem}.data/scripts/{name}"),
            facts.program(system)?,
        ),
        Entry::file(format!("{info}/METADATA"), metadata(facts)?),
        Entry::file(format!("{info}/WHEEL"), description(system)),
    ];
    entries.extend(facts.entries(&["LICENSE-MIT", "LICENSE-APACHE"], &licenses)?);
    entries.push(third_party::entry(facts, system, &licenses)?);
    let record = format!("{info}/RECORD");
    let lines = entries.iter().map(record_line);
    let lines = format!("{}{record},,\n", lines.collect::<String>());
    entries.push(Entry::file(record, lines));
    let name = format!("{stem}-py3-none-{}.whl", system.wheel_tag);
    Ok(Package::new(name, zip(facts, &entries)?))
}

fn metadata(facts: &Facts) -> Result<String, Fault> {
    // The MCP registry takes this as the proof that both have one owner.
    let proof = facts
        .server_name()
        .map(|server| format!("\n<!-- mcp-name: {server} -->"));
    let readme = facts.text("README.md")?;
    let words = facts.keywords.join(",");
    let more = json!({"words": words, "readme": readme.trim_end(), "proof": proof});
    facts.filled(METADATA, more)
}

/// The file `WHEEL`, with a line for each of the tags that the file name joins.
fn description(system: &System) -> String {
    let tags = system.wheel_tag.split('.');
    let tags: String = tags.map(|tag| format!("Tag: py3-none-{tag}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: vault-gw-packaging\nRoot-Is-Purelib: false\n{tags}")
}

fn record_line(entry: &Entry) -> String {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(sha256(&entry.bytes));
    format!("{},sha256={hash},{}\n", entry.path, entry.bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_program_has_a_line_for_each_c_library() {
        let system = System::try_from("x86_64-unknown-linux-musl".to_owned()).unwrap();
        let text = description(&system);
        assert!(
            text.contains(
                "Tag: py3-none-manylinux_2_17_x86_64\nTag: py3-none-musllinux_1_1_x86_64\n"
            )
        );
    }

    #[test]
    fn a_line_of_the_record_is_that_of_the_format() {
        // `printf x | sha256sum`, in the alphabet for URLs and without `=`.
        let line = record_line(&Entry::file("a/b", "x"));
        assert_eq!(
            line,
            "a/b,sha256=LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE,1\n"
        );
    }
}
