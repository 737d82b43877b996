//! Bounds the size of a line, so that no caller can fill the log with long values (`threats.toml` H17).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::record::AuditRecord;
use protocol::digest::sha256;

/// Longest text stored in full, in bytes: of a parameter, a vault's name, an id.
const LONGEST_TEXT: usize = 1024;
/// Longest command and longest parameter key, in bytes. Every existing one is shorter.
const LONGEST_NAME: usize = 64;
/// Most bytes for all parameters of a call.
const ALL_PARAMS: usize = 8 << 10;
/// Most bytes for all files of a record.
const ALL_FILES: usize = 48 << 10;
/// Bytes of a file's hashes and keys, without its path.
const FILE_BESIDES_PATH: usize = 200;

/// Files that do not fit into a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Number of files left out.
    pub files: usize,
    /// SHA-256 of the JSON of all files left out. The journal lists each of them.
    pub sha256: String,
}

/// Returns the record with every part within its bounds.
pub(super) fn bounded(record: &AuditRecord) -> AuditRecord {
    let mut record = record.clone();
    record.command = shortened(&record.command, LONGEST_NAME);
    for text in [
        &mut record.vault,
        &mut record.agent,
        &mut record.correlation_id,
        &mut record.approval,
    ] {
        *text = text.as_deref().map(|text| shortened(text, LONGEST_TEXT));
    }
    record.params = bounded_params(&record.params);
    let mut room = ALL_FILES;
    let kept = record.files.iter().take_while(|file| {
        let size = size_of_file(file);
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    let kept = kept.count();
    if kept < record.files.len() {
        let omitted = record.files.split_off(kept);
        record.files_omitted = Some(Omitted {
            files: omitted.len(),
            sha256: sha256(json!(omitted).to_string().as_bytes()),
        });
    }
    record
}

fn size_of_file(file: &super::LoggedFile) -> usize {
    // A control character takes six bytes in JSON (`\u0000`), so this is an upper bound.
    6 * file.path.len() + FILE_BESIDES_PATH
}

fn size_of(params: &Map<String, Value>) -> usize {
    params
        .iter()
        .map(|(key, value)| key.len() + value.to_string().len() + 4)
        .sum()
}

/// Returns the parameters with long texts replaced by size and hash; all of them if they are too large together.
fn bounded_params(params: &Map<String, Value>) -> Map<String, Value> {
    let bounded: Map<String, Value> = params
        .iter()
        .map(|(key, value)| {
            let value = match value {
                Value::String(text) if text.len() > LONGEST_TEXT => fingerprint(text),
                other => other.clone(),
            };
            (shortened(key, LONGEST_NAME), value)
        })
        .collect();
    if size_of(&bounded) <= ALL_PARAMS {
        return bounded;
    }
    let all = Value::from(params.clone()).to_string();
    let whole = json!({
        "keys": params.len(),
        "bytes": all.len(),
        "sha256": sha256(all.as_bytes()),
    });
    Map::from_iter([("…".to_owned(), whole)])
}

/// Returns a withheld text as its size and hash.
pub(super) fn fingerprint(text: &str) -> Value {
    json!({ "bytes": text.len(), "sha256": sha256(text.as_bytes()) })
}

/// Returns the beginning of a text that is too long, with the size and hash of the whole.
fn shortened(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let mut start = longest / 2;
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    format!(
        "{}… ({} bytes, sha256 {})",
        &text[..start],
        text.len(),
        sha256(text.as_bytes())
    )
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::super::line::Head;
    use super::super::testing::record;
    use super::*;

    #[test]
    fn h17_no_line_is_longer_than_64_kib_whatever_was_asked() {
        let evil = "\u{1}".repeat(256 << 10);
        let mut long = record(&evil);
        long.correlation_id = Some(evil.clone());
        long.agent = Some(evil.clone());
        long.vault = Some(evil.clone());
        long.approval = Some(evil.clone());
        for number in 0..1_000 {
            long.params
                .insert(format!("{number}"), json!(evil.get(..2000)));
            long.files.push(super::super::LoggedFile {
                path: format!("{}/{number}", evil.get(..500).unwrap_or_default()),
                before_sha256: Some("a".repeat(64)),
                after_sha256: Some("b".repeat(64)),
            });
        }
        long.params.insert(evil.clone(), json!(evil));
        let (written, _) = line::write(&bounded(&long), &Head::genesis(), None, None).unwrap();
        assert!(written.len() <= 64 << 10, "{}", written.len());
        let value: Value = serde_json::from_str(&written).unwrap();
        let kept = value["files"].as_array().unwrap().len();
        assert_eq!(value["filesOmitted"]["files"], 1_000 - kept);
        assert_eq!(value["params"]["…"]["keys"], 1_002);
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let short = record("read");
        assert_eq!(bounded(&short), short);
        let mut path = record("read");
        path.params
            .insert("path".to_owned(), json!("a/".repeat(600)));
        let bounded = bounded(&path);
        assert_eq!(bounded.params["path"]["bytes"], 1200);
        assert_eq!(bounded.command, "read");
    }
}
