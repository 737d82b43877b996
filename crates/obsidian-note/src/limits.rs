//! Bounds that several parts of the engine share.

/// The maximum number of bytes of a file that are read into memory as a whole. `read` shows parts of a larger file; no
/// other command changes or shows its text (`threats.toml` F17), and a larger note is listed but not indexed. The app
/// stops to index at 2 MB (`vault-semantics.md` §2.1). Here that would leave links in such notes unchanged by a move.
pub const MAX_WHOLE_BYTES: u64 = 32 * 1024 * 1024;
