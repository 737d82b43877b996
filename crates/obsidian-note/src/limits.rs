//! Bounds that several parts of the engine share.

/// The size in bytes beyond which notes are listed, but neither indexed nor scanned
/// (`vault-semantics.md` §2.1, where the app's limit is given as 2 MB).
pub const MAX_NOTE_BYTES: u64 = 2 * 1024 * 1024;

/// The maximum number of bytes of a file that are read into memory as a whole. `read` shows parts of a larger file; no
/// other command changes or shows its text (`threats.toml` F17).
pub const MAX_WHOLE_BYTES: u64 = 32 * 1024 * 1024;
