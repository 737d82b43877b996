//! The cache file: a header, then sections, each with a checksum.
//!
//! It is replaced atomically, by a rename: a reader sees the old or the new file (`threats.toml` H11). The last of two
//! concurrent writers wins; both files are valid. After a power failure the file may be torn, which the checksums
//! reveal. A file that is damaged, of another format or version, or of another vault counts as absent.

use std::borrow::Cow;
use std::fs::File;
use std::hash::BuildHasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use foldhash::quality::FixedState;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use vault_files::Vault;
use vault_files::disk::{create_private, make_private_folder, open_any_place};

use super::pieces::PieceFile;
use crate::lock;

const MAGIC: &[u8; 16] = b"vault-gw index\r\n";
/// The format version. Increment it when the layout of a section changes, or what is extracted from
/// a note.
pub(super) const FORMAT: u32 = 13;
/// Magic, format, the header's length and its checksum.
const PREFIX_BYTES: usize = 16 + 4 + 4 + 8;
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// Temporary files older than this were left behind by a killed process.
const ABANDONED_AFTER: Duration = Duration::from_secs(600);

/// A part of the file that can be read on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CacheSection {
    Listing,
    Links,
    Anchors,
    Resolved,
    Unresolved,
    Tags,
    Tasks,
    PictureBases,
    Properties,
    RankedListing,
    RankedTables,
    RankedChecksums,
    RankedPostings,
}

/// A source of sections: the cache file, or sections that were just encoded.
pub trait CacheSections {
    /// Returns the bytes of a section; `None` if they are missing or damaged.
    fn section(&self, section: CacheSection) -> Option<Cow<'_, [u8]>>;
}

impl CacheSections for Vec<(CacheSection, Vec<u8>)> {
    fn section(&self, section: CacheSection) -> Option<Cow<'_, [u8]>> {
        self.iter()
            .find(|(name, _)| *name == section)
            .map(|(_, bytes)| Cow::Borrowed(bytes.as_slice()))
    }
}

/// The location of one of a vault's cache files.
pub(super) struct CachePlace {
    folder: PathBuf,
    name: String,
    extension: &'static str,
    vault: [u8; 32],
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: String,
    vault: [u8; 32],
    sections: Vec<SectionPlace>,
}

/// The location of a section, in bytes from the end of the header.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct SectionPlace {
    section: CacheSection,
    offset: u64,
    length: u64,
    checksum: u64,
}

impl CachePlace {
    /// Returns the cache of a vault's index; `None` if it is not cached.
    pub(super) fn of_index(vault: &Vault) -> Option<Self> {
        let folder = vault.cache_folder()?.to_owned();
        let name = vault.cache_name();
        Some(Self {
            folder,
            name,
            extension: "index",
            vault: Sha256::digest(vault.root().as_os_str().as_encoded_bytes()).into(),
        })
    }

    /// Returns the cache of a vault's ranked index. It is a file of its own: it is many times larger, and other
    /// commands do not need it.
    pub(super) fn of_ranking(vault: &Vault) -> Option<Self> {
        Some(Self {
            extension: "ranking",
            ..Self::of_index(vault)?
        })
    }

    /// Whether the file exists, usable or not.
    pub(super) fn is_there(&self) -> bool {
        self.file().exists()
    }

    /// Returns the parts of this cache while it is not complete.
    pub(super) fn pieces(&self) -> PieceFile {
        let name = format!("{}.{}-pieces", self.name, self.extension);
        PieceFile::new(self.folder.join(name), self.vault)
    }

    /// Removes the cache file.
    pub(super) fn remove(&self) {
        fs_err::remove_file(self.file()).ok();
    }

    fn file(&self) -> PathBuf {
        self.folder
            .join(format!("{}.{}", self.name, self.extension))
    }

    /// Replaces the cache file. No `fsync`: the content need not survive a power failure.
    pub(super) fn write(&self, sections: &[(CacheSection, Vec<u8>)]) -> io::Result<()> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let mut offset = 0;
        let mut places = Vec::new();
        for (section, bytes) in sections {
            let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
            places.push(SectionPlace {
                section: *section,
                offset,
                length,
                checksum: checksum(bytes),
            });
            offset += length;
        }
        let header = postcard::to_stdvec(&Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            vault: self.vault,
            sections: places,
        })
        .map_err(io::Error::other)?;
        make_private_folder(&self.folder)?;
        // Only writers clean up, so that readers stay fast.
        self.remove_abandoned();
        let process = std::process::id();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = self
            .folder
            .join(format!("{}.{process}.{number}.tmp", self.name));
        // The name contains this process's id. A file of that name was left by a killed process whose id has been
        // reused.
        fs_err::remove_file(&temporary).ok();
        // A closure, so that every error below removes the temporary file.
        let written = (|| {
            let mut file = create_private(&temporary)?;
            let length = u32::try_from(header.len()).map_err(io::Error::other)?;
            let mut start = MAGIC.to_vec();
            start.extend(FORMAT.to_le_bytes());
            start.extend(length.to_le_bytes());
            start.extend(checksum(&header).to_le_bytes());
            start.extend(&header);
            file.write_all(&start)?;
            for (_, bytes) in sections {
                file.write_all(bytes)?;
            }
            // Windows cannot rename an open file.
            drop(file);
            fs_err::rename(&temporary, self.file())
        })();
        if written.is_err() {
            fs_err::remove_file(&temporary).ok();
        }
        written
    }

    /// Removes temporary files that killed processes left for this vault.
    fn remove_abandoned(&self) {
        let Ok(entries) = fs_err::read_dir(&self.folder) else {
            return;
        };
        let beginning = format!("{}.", self.name);
        for entry in entries.flatten() {
            let name = entry.file_name();
            let ours = name
                .to_str()
                .and_then(|name| name.strip_prefix(&beginning))
                .is_some_and(|rest| rest.strip_suffix(".tmp").is_some());
            let age = entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .ok()
                .and_then(|time| SystemTime::now().duration_since(time).ok());
            if ours && age.is_some_and(|age| age > ABANDONED_AFTER) {
                fs_err::remove_file(entry.path()).ok();
            }
        }
    }
}

/// An open cache file. All reads see one version, even if another process replaces the file in between.
pub(super) struct CacheFile {
    file: File,
    /// The offset of the sections, in bytes.
    start: u64,
    length: u64,
    places: Vec<SectionPlace>,
}

impl CacheFile {
    /// Opens the cache; `None` if there is no usable one.
    pub(super) fn open(place: &CachePlace) -> Option<Self> {
        let mut file = open_any_place(&place.file()).ok()?;
        let length = file.metadata().ok()?.len();
        let mut prefix = [0; PREFIX_BYTES];
        file.read_exact(&mut prefix).ok()?;
        let (magic, rest) = prefix.split_first_chunk::<16>()?;
        let (format, rest) = rest.split_first_chunk::<4>()?;
        let (header_length, rest) = rest.split_first_chunk::<4>()?;
        let (header_checksum, _) = rest.split_first_chunk::<8>()?;
        let header_length = usize::try_from(u32::from_le_bytes(*header_length)).ok()?;
        if magic != MAGIC
            || u32::from_le_bytes(*format) != FORMAT
            || header_length > MAX_HEADER_BYTES
        {
            return None;
        }
        let mut header = vec![0; header_length];
        file.read_exact(&mut header).ok()?;
        if checksum(&header) != u64::from_le_bytes(*header_checksum) {
            return None;
        }
        let header: Header = postcard::from_bytes(&header).ok()?;
        if header.version != env!("CARGO_PKG_VERSION") || header.vault != place.vault {
            return None;
        }
        Some(Self {
            file,
            start: u64::try_from(PREFIX_BYTES + header_length).ok()?,
            length,
            places: header.sections,
        })
    }

    /// Returns a section's value; `None` if it is damaged.
    pub(super) fn decode<T: DeserializeOwned>(&self, section: CacheSection) -> Option<T> {
        postcard::from_bytes(&self.section(section)?).ok()
    }

    /// Returns every section but the listing; `None` if one is damaged.
    pub(super) fn all(&self) -> Option<Vec<(CacheSection, Vec<u8>)>> {
        self.places
            .iter()
            .map(|place| place.section)
            .filter(|section| *section != CacheSection::Listing)
            .map(|section| Some((section, self.section(section)?.into_owned())))
            .collect()
    }
}

/// A section that is read in parts.
pub(super) struct SectionReader {
    file: Mutex<File>,
    start: u64,
    /// The length of the section in bytes.
    pub(super) length: u64,
}

impl SectionReader {
    /// Some bytes of the section, as they are in the file; `None` if it has fewer.
    pub(super) fn read(&self, range: Range<u64>) -> Option<Vec<u8>> {
        let length = range.end.checked_sub(range.start)?;
        // Checked before allocating, as for whole sections.
        if range.end > self.length {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        let mut file = lock(&self.file);
        file.seek(SeekFrom::Start(self.start.checked_add(range.start)?))
            .ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl CacheFile {
    /// Returns a section to be read in parts; `None` if the file lacks a part of it. Its checksum, which covers all of
    /// it, is not checked.
    pub(super) fn into_reader(self, section: CacheSection) -> Option<SectionReader> {
        let (start, SectionPlace { length, .. }) = self.place(section)?;
        let file = Mutex::new(self.file);
        Some(SectionReader {
            file,
            start,
            length,
        })
    }

    /// Returns where a section begins in the file; `None` if the file lacks a part of it. Checked before allocating: a
    /// damaged length must not exhaust memory.
    fn place(&self, section: CacheSection) -> Option<(u64, SectionPlace)> {
        let place = *self.places.iter().find(|place| place.section == section)?;
        let start = self.start.checked_add(place.offset)?;
        (start.checked_add(place.length)? <= self.length).then_some((start, place))
    }
}

impl CacheSections for CacheFile {
    fn section(&self, section: CacheSection) -> Option<Cow<'_, [u8]>> {
        let (start, place) = self.place(section)?;
        let mut bytes = vec![0; usize::try_from(place.length).ok()?];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        (checksum(&bytes) == place.checksum).then_some(Cow::Owned(bytes))
    }
}

/// Detects damage, not forgery. The algorithm may change with a version of the program; files of other
/// versions are not used.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(bytes)
}
