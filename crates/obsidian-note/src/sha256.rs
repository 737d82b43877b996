//! SHA-256 in hexadecimal, as answers give it.

use sha2::{Digest as _, Sha256};

/// Returns the hash of these bytes in lower-case hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
