//! `image:read` (`docs/agents.md`): an image of the vault, for models that see.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use obsidian_note::sha256::sha256;
use obsidian_note::shown;
use vault_files::file_type::image_type;
use vault_index::Target;

use super::prelude::*;

pub(super) static COMMAND: OwnCommand = OwnCommand::new::<ReadImage>("image:read", "image", read);

/// The largest image in bytes. In base64 it has 5,000,000 characters, and models take no larger one.
const MAX_BYTES: u64 = 3_750_000;

/// One image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadImage {
    /// The file.
    pub path: String,
    /// The media type by its first bytes, whatever its name says.
    pub mime_type: String,
    /// Its bytes.
    pub size: usize,
    /// Lower-case hexadecimal SHA-256 of the file.
    pub sha256: String,
    /// The file in base64.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base64: String,
}

impl AnswerData for ReadImage {
    /// Path, media type and size. The image itself cannot be shown as text.
    fn text(&self) -> String {
        format!(
            "{}: {}, {} bytes",
            shown::row(&self.path),
            self.mime_type,
            self.size
        )
    }
}

/// Returns the image; an error if it is too large, or no image.
fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let target = Target::from_arguments(vault, call.arguments)?;
    let bytes = vault.read_up_to(&target.path, &target.requested, MAX_BYTES)?;
    let Some(bytes) = bytes else {
        let size = vault.facts_of_target(&target.path, &target.requested)?.size;
        return Err(EngineError::ImageTooLarge {
            path: target.path,
            size,
            limit: MAX_BYTES,
        });
    };
    let Some(mime_type) = image_type(&bytes) else {
        return Err(EngineError::NotAnImage { path: target.path });
    };
    let answer = ReadImage {
        path: target.path.to_string(),
        mime_type: mime_type.to_owned(),
        size: bytes.len(),
        sha256: sha256(&bytes),
        base64: BASE64_STANDARD.encode(&bytes),
    };
    Ok(Reply::new(answer, target.warnings))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;
    use serde_json::json;
    use vault_files::EngineError;
    use vault_files::file_type::image_type;
    use vault_files::vault::testing::{vault, without_sight_of};

    use super::MAX_BYTES;
    use crate::own::testing::{ask, fails, reply, text};

    const GIF: &str = "GIF89a\u{1}\u{0}\u{1}\u{0}";

    #[test]
    fn the_first_bytes_tell_what_an_image_is() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0JFIF", Some("image/jpeg")),
            (b"GIF87a", Some("image/gif")),
            (b"RIFF\x04\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\x04\0\0\0WAVEfmt ", None),
            (b"\x89PNG\n\x1a\n", None),
            (b"<svg/>", None),
            (b"", None),
        ] {
            assert_eq!(image_type(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn an_image_is_returned_with_its_bytes() {
        let (_folder, vault) = vault(&[("pic/a.png", GIF), ("Note.md", "![[a.png]]")]);
        let data = ask(&vault, "image:read file=a.png");
        assert_eq!(
            data["base64"],
            json!(BASE64_STANDARD.encode(GIF)),
            "by its name"
        );
        assert_eq!(data["mimeType"], "image/gif");
        assert_eq!(
            (&data["path"], &data["size"]),
            (&json!("pic/a.png"), &json!(10))
        );
        assert_eq!(
            text(&vault, "image:read path=pic/a.png"),
            "pic/a.png: image/gif, 10 bytes\n"
        );
    }

    #[test]
    fn what_is_no_image_or_too_large_is_refused_with_sizes() {
        let most = usize::try_from(MAX_BYTES).unwrap();
        let fits = format!("{GIF}{}", "x".repeat(most - GIF.len()));
        let large = format!("{fits}x");
        let (_folder, vault) = vault(&[
            ("fits.gif", &fits),
            ("large.gif", &large),
            ("a.svg", "<svg/>"),
        ]);
        assert_eq!(
            ask(&vault, "image:read path=fits.gif")["base64"]
                .as_str()
                .unwrap()
                .len(),
            5_000_000
        );
        let error = reply(&vault, "image:read path=large.gif").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the image `large.gif` is too large: it has 3750001 bytes, and the limit is 3750000"
        );
        let error = reply(&vault, "image:read path=a.svg").unwrap_err();
        assert!(matches!(error, EngineError::NotAnImage { .. }), "{error}");
        assert!(reply(&vault, "image:read path=none.gif").is_err());
    }

    #[test]
    fn d13_a_closed_image_is_not_there() {
        let (_folder, vault) = vault(&[("hidden/a.gif", GIF), ("b.md", "")]);
        let limited = without_sight_of(&vault, "hidden");
        let closed = fails(&limited, "image:read path=hidden/a.gif").to_string();
        let missing = fails(&limited, "image:read path=hidden/b.gif").to_string();
        assert_eq!(closed.replace("a.gif", "b.gif"), missing);
        fails(&limited, "image:read file=a.gif");
    }
}
