//! A SHA-256 in the JSON of an entry: 64 lower-case hexadecimal digits. For `#[serde(with)]`.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

use protocol::digest::{from_hexadecimal, hexadecimal};

pub(crate) fn serialize<S: Serializer>(
    sha256: &[u8; 32],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hexadecimal(sha256))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[u8; 32], D::Error> {
    let text = String::deserialize(deserializer)?;
    from_hexadecimal(&text).ok_or_else(|| D::Error::custom("not a SHA-256"))
}
