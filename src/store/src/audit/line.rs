//! One line of the log, chained to the one before by its hash.
//!
//! A line is compact JSON that ends in its own hash: `{"seq":7,…,"previous":"P","hash":"H"}`. `H`
//! is the SHA-256 of `P` followed by the line without `,"hash":"H"`. So the bytes of a line can be
//! checked without formatting it again.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::record::AuditRecord;
use protocol::{digest::sha256, json};

/// `previous` of the very first line.
pub(super) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const BEFORE_HASH: &str = r#","hash":""#;
const AFTER_HASH: &str = r#""}"#;
const HASH_DIGITS: usize = 64;

/// The head of the chain: the number and the hash of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Counts lines from 1 over all files.
    pub seq: u64,
    /// The line's hash, 64 hexadecimal digits.
    pub hash: String,
}

impl Head {
    /// Returns the head before the first line: number 0 and the hash [`GENESIS`].
    pub(super) fn genesis() -> Self {
        Self {
            seq: 0,
            hash: GENESIS.to_owned(),
        }
    }
}

/// Bytes between the previous record and this one that are not a record. The writer of this line
/// found them there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gap {
    /// Number of bytes.
    pub(super) bytes: u64,
    /// SHA-256 of these bytes.
    pub(super) sha256: String,
    /// Whether a crash explains them: they are one line without its line feed. Otherwise a complete
    /// line was changed.
    pub(super) torn: bool,
}

impl Gap {
    /// Describes the bytes of a gap.
    pub(super) fn new(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u64,
            sha256: sha256(bytes),
            torn: !bytes.contains(&b'\n'),
        }
    }
}

/// Lines that are in the mark and were missing when this one was written (`threats.toml` H17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MissingLines {
    /// Number of lines; `None` if the mark was missing too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<u64>,
    /// Whether a power failure explains it.
    pub(super) power: bool,
}

/// The fields that link a line into the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChainLink {
    pub(super) seq: u64,
    pub(super) previous: String,
    pub(super) gap: Option<Gap>,
    pub(super) missing: Option<MissingLines>,
    /// The hash that the line states.
    pub(super) hash: String,
    /// Whether the line's bytes have that hash.
    pub(super) intact: bool,
}

impl ChainLink {
    pub(super) fn head(&self) -> Head {
        Head {
            seq: self.seq,
            hash: self.hash.clone(),
        }
    }
}

/// Formats the record as the line after `previous`, with its line feed. Returns its head too.
pub(super) fn write(
    record: &AuditRecord,
    previous: &Head,
    gap: Option<&Gap>,
    missing: Option<&MissingLines>,
) -> serde_json::Result<(String, Head)> {
    let mut fields = json!({ "seq": previous.seq + 1 });
    let record = serde_json::to_value(record)?;
    let chain = json!({ "gap": gap, "missing": missing, "previous": previous.hash });
    if let (Value::Object(fields), Value::Object(record), Value::Object(chain)) =
        (&mut fields, record, chain)
    {
        fields.extend(record.into_iter().chain(chain));
        fields.retain(|_, value| !value.is_null());
    }
    let mut line = json::to_line(&fields)?;
    let hash = hash_of(&previous.hash, &line);
    line.truncate(line.len() - 1);
    line += BEFORE_HASH;
    line += &hash;
    line += AFTER_HASH;
    line.push('\n');
    let seq = previous.seq + 1;
    Ok((line, Head { seq, hash }))
}

/// Parses a line without its line feed; `None` if the text is not a line of the log.
pub(super) fn read(line: &[u8]) -> Option<ChainLink> {
    #[derive(Deserialize)]
    struct Chained {
        seq: u64,
        previous: String,
        gap: Option<Gap>,
        missing: Option<MissingLines>,
    }
    let line = std::str::from_utf8(line).ok()?;
    let start = line
        .len()
        .checked_sub(BEFORE_HASH.len() + HASH_DIGITS + AFTER_HASH.len())?;
    let (body, end) = line.split_at_checked(start)?;
    let hash = end.strip_prefix(BEFORE_HASH)?.strip_suffix(AFTER_HASH)?;
    let body = format!("{body}}}");
    let chained: Chained = serde_json::from_str(&body).ok()?;
    Some(ChainLink {
        intact: hash_of(&chained.previous, &body) == hash,
        seq: chained.seq,
        previous: chained.previous,
        gap: chained.gap,
        missing: chained.missing,
        hash: hash.to_owned(),
    })
}

fn hash_of(previous: &str, body: &str) -> String {
    sha256(format!("{previous}{body}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::record;

    #[test]
    fn a_line_is_read_as_it_was_written_and_ends_in_its_hash() {
        let previous = Head {
            seq: 6,
            hash: "ab".repeat(32),
        };
        let gap = Gap::new(b"{\"seq\"");
        let (line, _) = write(&record("read"), &previous, Some(&gap), None).unwrap();
        assert!(line.starts_with(r#"{"seq":7,"time":"2026-03-14T09:26:53.000Z","phase":"#));
        let found = read(line.trim_end().as_bytes()).unwrap();
        assert!(found.intact && gap.torn);
        assert_eq!((found.seq, &found.previous), (7, &previous.hash));
        assert_eq!(found.gap.as_ref(), Some(&gap));
        assert!(line.ends_with(&format!("\"hash\":\"{}\"}}\n", found.hash)));
    }

    #[test]
    fn every_changed_byte_shows() {
        let (line, _) = write(&record("read"), &Head::genesis(), None, None).unwrap();
        let line = line.trim_end().as_bytes();
        assert!(read(line).unwrap().intact);
        for at in 0..line.len() {
            let mut changed = line.to_vec();
            changed[at] ^= 1;
            let intact = read(&changed).is_some_and(|link| link.intact);
            assert!(!intact, "byte {at} of {}", String::from_utf8_lossy(line));
        }
        for length in 0..line.len() {
            assert_eq!(read(&line[..length]), None);
        }
    }

    #[test]
    fn f06_no_text_of_a_caller_makes_another_line() {
        let evil = "a\r\n{\"seq\":2}\n\0\u{1b}[2J\u{85}\u{2028}\u{202e}\u{9b}31m";
        let mut record = record(evil);
        record.correlation_id = Some(evil.to_owned());
        record.params.insert(evil.to_owned(), evil.into());
        record.agent = Some(evil.to_owned());
        let (line, _) = write(&record, &Head::genesis(), None, None).unwrap();
        let body = line.strip_suffix('\n').unwrap();
        assert!(!body.chars().any(|character| {
            character.is_control() || matches!(character, '\u{2028}' | '\u{202e}')
        }));
        let value: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(value["command"], evil);
        assert_eq!(value["params"][evil], evil);
        assert!(read(body.as_bytes()).unwrap().intact);
    }
}
