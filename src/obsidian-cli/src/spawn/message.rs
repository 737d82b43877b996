//! Messages between this program and its helpers: the length of a JSON text, and the text.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest JSON text, in bytes. The kernel limits arguments to about 2 MiB, and JSON may escape
/// each byte of them.
const LONGEST: u64 = 16 << 20;

/// Sends one message: its length as 8 bytes, little-endian, then the JSON text.
///
/// # Errors
///
/// If the message cannot be written.
pub fn send(connection: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message).map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(8 + text.len());
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    connection.write_all(&bytes)
}

/// Receives one message.
///
/// # Errors
///
/// If the message is longer than 16 MiB or not of this type, or the connection closes.
pub fn receive<T: DeserializeOwned>(connection: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 8];
    connection.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = Vec::with_capacity(usize::try_from(length.min(1 << 16)).unwrap_or_default());
    connection.take(length).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(io::Error::other)
}
