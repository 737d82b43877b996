//! The types of files that are not text, by their extensions and first bytes.

/// Whether bytes begin like a file of some type.
type Begins = fn(&[u8]) -> bool;

/// The file types that the app embeds and that are not notes, by their extension in lower case:
/// media type, and a check of the first bytes.
const EMBEDDED: [(&str, &str, Begins); 20] = [
    ("3gp", "video/3gpp", is_iso_media),
    ("avif", "image/avif", is_avif),
    ("bmp", "image/bmp", |bytes| bytes.starts_with(b"BM")),
    ("flac", "audio/flac", |bytes| bytes.starts_with(b"fLaC")),
    ("gif", "image/gif", |bytes| is_image(bytes, "image/gif")),
    ("jpeg", "image/jpeg", |bytes| is_image(bytes, "image/jpeg")),
    ("jpg", "image/jpeg", |bytes| is_image(bytes, "image/jpeg")),
    ("m4a", "audio/mp4", is_iso_media),
    ("mkv", "video/x-matroska", is_matroska),
    ("mov", "video/quicktime", is_quicktime),
    ("mp3", "audio/mpeg", is_mpeg_audio),
    ("mp4", "video/mp4", is_iso_media),
    ("ogg", "audio/ogg", |bytes| bytes.starts_with(b"OggS")),
    ("ogv", "video/ogg", |bytes| bytes.starts_with(b"OggS")),
    ("pdf", "application/pdf", |bytes| {
        bytes.starts_with(b"%PDF-")
    }),
    ("png", "image/png", |bytes| is_image(bytes, "image/png")),
    ("svg", "image/svg+xml", is_svg),
    ("wav", "audio/wav", |bytes| is_riff(bytes, b"WAVE")),
    ("webm", "video/webm", is_matroska),
    ("webp", "image/webp", |bytes| is_image(bytes, "image/webp")),
];

/// Extensions of other files that are never texts, in lower case.
const OTHER: [&str; 38] = [
    "7z", "aac", "aiff", "avi", "bz2", "dll", "dmg", "doc", "docx", "dylib", "epub", "exe", "gz",
    "heic", "heif", "ico", "m4v", "odp", "ods", "odt", "opus", "otf", "ppt", "pptx", "psd", "rar",
    "sqlite", "tgz", "tif", "tiff", "ttf", "wmv", "woff", "woff2", "xls", "xlsx", "xz", "zip",
];

/// Returns the media type, by the first bytes, of an image that models can read; `None` for any other file.
pub fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        _ if is_riff(bytes, b"WEBP") => Some("image/webp"),
        _ => None,
    }
}

/// Whether files with this extension, in any case, are never texts.
pub fn is_binary_extension(extension: &str) -> bool {
    let extension = extension.to_ascii_lowercase();
    let is_embedded = |(known, ..): &(&str, &str, Begins)| *known == extension;
    extension != "svg" && (EMBEDDED.iter().any(is_embedded) || OTHER.contains(&extension.as_str()))
}

/// Returns the media type of files with this extension, if the app embeds them and the bytes begin
/// accordingly.
///
/// # Errors
///
/// The fault, as the end of a sentence about the file.
pub fn embedded_type(extension: &str, bytes: &[u8]) -> Result<&'static str, String> {
    let extension = extension.to_ascii_lowercase();
    let known = |(known, ..): &&(&str, &str, Begins)| *known == extension;
    let Some((_, mime_type, begins)) = EMBEDDED.iter().find(known) else {
        let known: Vec<&str> = EMBEDDED.iter().map(|(known, ..)| *known).collect();
        return Err(format!(
            "does not have one of the extensions that Obsidian embeds: {}",
            known.join(", ")
        ));
    };
    if begins(bytes) {
        return Ok(mime_type);
    }
    let other = EMBEDDED.iter().find(|(.., begins)| begins(bytes));
    Err(match other {
        Some((_, other, _)) => {
            format!("has the extension of {mime_type}, but the content of {other}")
        }
        None => {
            format!("has the extension of {mime_type}, but other content")
        }
    })
}

fn is_image(bytes: &[u8], mime_type: &str) -> bool {
    image_type(bytes) == Some(mime_type)
}

fn is_riff(bytes: &[u8], form: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(form)
}

/// The ISO base media format: a box of the type `ftyp` comes first.
fn is_iso_media(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some(b"ftyp") && !is_avif(bytes)
}

/// Whether one of the brands in the first box is the brand of AVIF.
fn is_avif(bytes: &[u8]) -> bool {
    let size = bytes
        .first_chunk()
        .map_or(0, |size| u32::from_be_bytes(*size));
    let end = usize::try_from(size).unwrap_or(0).min(256);
    let brands = bytes.get(8..end).unwrap_or_default();
    bytes.get(4..8) == Some(b"ftyp")
        && brands
            .chunks(4)
            .any(|brand| matches!(brand, b"avif" | b"avis"))
}

/// As [`is_iso_media`]; older files begin with another type of box.
fn is_quicktime(bytes: &[u8]) -> bool {
    let first: Option<&[u8]> = bytes.get(4..8);
    is_iso_media(bytes)
        || first.is_some_and(|first| [&b"moov"[..], b"mdat", b"wide", b"free"].contains(&first))
}

fn is_matroska(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1a, 0x45, 0xdf, 0xa3])
}

/// Whether the bytes begin with tags, or with the header of a frame of layer I to III.
fn is_mpeg_audio(bytes: &[u8]) -> bool {
    let is_frame =
        matches!(bytes, [0xff, second, ..] if second & 0xe0 == 0xe0 && second & 0x06 != 0);
    bytes.starts_with(b"ID3") || is_frame
}

/// The number of characters in which the root element must begin.
const HEAD: usize = 4096;

/// Whether a text begins with markup and has the root element `svg`.
fn is_svg(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let text = obsidian_note::byte_order_mark::strip(text).trim_start();
    let end = text
        .char_indices()
        .nth(HEAD)
        .map_or(text.len(), |(end, _)| end);
    let head = text.get(..end).unwrap_or_default();
    text.starts_with('<') && head.contains("<svg") && !head.contains("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginnings of real files.
    const BEGINNINGS: [(&str, &[u8]); 17] = [
        ("3gp", b"\0\0\0\x14ftyp3gp4\0\0\0\0"),
        ("avif", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"),
        ("bmp", b"BM\x3a\0\0\0\0\0\0\0"),
        ("flac", b"fLaC\0\0\0\x22"),
        ("gif", b"GIF89a\x01\0\x01\0"),
        ("jpg", b"\xff\xd8\xff\xe0\0\x10JFIF"),
        ("m4a", b"\0\0\0\x1cftypM4A \0\0\0\0"),
        ("mkv", b"\x1a\x45\xdf\xa3\xa3\x42\x86"),
        ("mov", b"\0\0\0\x08wide\0\0\0\0mdat"),
        ("mp3", b"ID3\x03\0\0\0\0\0\x21"),
        ("mp4", b"\0\0\0\x20ftypisom\0\0\x02\0"),
        ("ogg", b"OggS\0\x02\0\0"),
        ("pdf", b"%PDF-1.7\n%\xe2\xe3"),
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("svg", b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- x -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        ("wav", b"RIFF\x24\0\0\0WAVEfmt "),
        ("webp", b"RIFF\x04\0\0\0WEBPVP8 "),
    ];

    #[test]
    fn each_type_is_known_by_its_first_bytes_and_no_other_is_taken_for_it() {
        fn family(extension: &str) -> &str {
            match extension {
                "3gp" | "m4a" | "mp4" | "mov" => "iso",
                "jpeg" => "jpg",
                "ogv" => "ogg",
                "webm" => "mkv",
                other => other,
            }
        }
        for (named, ..) in EMBEDDED {
            for (is, bytes) in BEGINNINGS {
                let fits = embedded_type(named, bytes).is_ok();
                // Old QuickTime films match no other type.
                let is_old = is == "mov" && named != "mov";
                assert_eq!(fits, family(named) == family(is) && !is_old, "{named} {is}");
            }
            for bytes in [&b""[..], b"text", b"<html><svg></svg>", b"iVBORw0KGgo="] {
                assert!(embedded_type(named, bytes).is_err(), "{named} {bytes:?}");
            }
        }
        assert!(embedded_type("PNG", BEGINNINGS[13].1).is_ok());
        assert!(embedded_type("mp3", b"\xff\xfb\x90\x00").is_ok());
        let wrong = embedded_type("png", BEGINNINGS[5].1).unwrap_err();
        assert_eq!(
            wrong,
            "has the extension of image/png, but the content of image/jpeg"
        );
        assert!(
            embedded_type("exe", b"MZ")
                .unwrap_err()
                .contains("one of the extensions")
        );
    }

    #[test]
    fn texts_are_no_binaries() {
        assert!(OTHER.is_sorted());
        for text in ["md", "svg", "csv", "canvas", "base", "json", "2", ""] {
            assert!(!is_binary_extension(text), "{text}");
        }
        for binary in ["png", "PNG", "pdf", "mp4", "zip", "docx", "heic"] {
            assert!(is_binary_extension(binary), "{binary}");
        }
    }
}
