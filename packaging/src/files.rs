//! Archives whose bytes depend on nothing but what is in them: sorted, of one time, owned by root.

use std::collections::BTreeSet;
use std::io::{Cursor, Write as _};

use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;

use crate::Fault;
use crate::facts::Facts;
use crate::system::System;

/// A file of a package.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its path, with `/` between folders and none before the first.
    pub(crate) path: String,
    /// Its permissions.
    pub(crate) mode: u32,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

impl Entry {
    /// A file that everyone may read.
    pub(crate) fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            mode: 0o644,
            bytes: bytes.into(),
        }
    }

    /// A program that everyone may run.
    pub(crate) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            mode: 0o755,
            ..Self::file(path, bytes)
        }
    }
}

/// The program, its page and its completions, where a Linux has them; `zsh` is the folder for those of zsh.
pub(crate) fn installed(facts: &Facts, system: &System, zsh: &str) -> Result<Vec<Entry>, Fault> {
    let name = &facts.name;
    let completion = |script: &str, place: &str| {
        let part = facts.part(&format!("completions/{script}"))?;
        Ok::<_, Fault>(Entry::file(format!("usr/share/{place}"), part))
    };
    let page = gzip(&facts.part(&format!("man/{name}.1"))?)?;
    let (bash, fish) = (format!("{name}.bash"), format!("{name}.fish"));
    Ok(vec![
        Entry::program(format!("usr/bin/{name}"), facts.program(system)?),
        Entry::file(format!("usr/share/man/man1/{name}.1.gz"), page),
        completion(&bash, &format!("bash-completion/completions/{name}"))?,
        completion(&format!("_{name}"), &format!("zsh/{zsh}/_{name}"))?,
        completion(&fish, &format!("fish/vendor_completions.d/{fish}"))?,
    ])
}

/// Compresses bytes as `gzip -9n` does: without name and time.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// A `tar` archive. `prefix` goes before each path; with `folders` the folders have entries too.
pub(crate) fn tar(
    facts: &Facts,
    entries: &[Entry],
    prefix: &str,
    folders: bool,
) -> Result<Vec<u8>, Fault> {
    let mut archive = tar::Builder::new(Vec::new());
    if folders {
        for folder in folders_of(entries) {
            let mut header = header(facts, 0o755, 0);
            header.set_entry_type(tar::EntryType::Directory);
            archive.append_data(&mut header, format!("{prefix}{folder}"), &[][..])?;
        }
    }
    for entry in sorted(entries) {
        let mut header = header(facts, entry.mode, entry.bytes.len() as u64);
        let path = format!("{prefix}{}", entry.path);
        archive.append_data(&mut header, path, entry.bytes.as_slice())?;
    }
    Ok(archive.into_inner()?)
}

fn header(facts: &Facts, mode: u32, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(u64::from(facts.epoch));
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// Each folder above an entry with `/` behind it, each after the one above it.
fn folders_of(entries: &[Entry]) -> BTreeSet<String> {
    let mut folders = BTreeSet::from([String::new()]);
    for entry in entries {
        let ends = entry.path.match_indices('/');
        folders.extend(ends.map(|(end, _)| entry.path[..=end].to_owned()));
    }
    folders
}

/// A `zip` archive in the order given, which some formats prescribe.
pub(crate) fn zip(facts: &Facts, entries: &[Entry]) -> Result<Vec<u8>, Fault> {
    let time = facts.time()?;
    let [month, day, hour, minute, second] = [
        time.month(),
        time.day(),
        time.hour(),
        time.minute(),
        time.second(),
    ]
    .map(i8::cast_unsigned);
    let year = u16::try_from(time.year())?;
    let time = zip::DateTime::from_date_and_time(year, month, day, hour, minute, second)?;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(time)
            .unix_permissions(entry.mode);
        archive.start_file(&entry.path, options)?;
        archive.write_all(&entry.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The entries by path.
pub(crate) fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    entries
}

/// The SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_comes_before_what_is_in_it() {
        let entries = [
            Entry::file("usr/share/doc/a", ""),
            Entry::file("usr/bin/b", ""),
        ];
        let folders: Vec<String> = folders_of(&entries).into_iter().collect();
        assert_eq!(
            folders,
            ["", "usr/", "usr/bin/", "usr/share/", "usr/share/doc/"]
        );
    }

    #[test]
    fn compressed_bytes_hold_no_time_and_no_name() {
        let bytes = gzip(b"text").unwrap();
        assert_eq!(bytes[4..8], [0; 4], "time");
        assert_eq!(bytes[3], 0, "flags: no name");
        assert_eq!(
            bytes[8], 2,
            "the strongest compression, which lintian asks for"
        );
    }
}
