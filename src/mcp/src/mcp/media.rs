//! Files that are not text: images are sent to a model as images, others are refused (`docs/agents.md`).

use std::path::Path;

use crate::error::Error;
use vault_answers::NoteText;
use vault_engine::ReadImage;

use allowlist::RawValue;
use gateway::{Data, Envelope, Request};

/// The command that reads a text.
pub(super) const READ: &str = "read";
/// The command that reads an image.
pub(super) const READ_IMAGE: &str = "image:read";
/// The code of the warning about replaced bytes in a text.
const NOT_UTF8: &str = "NOT_UTF8";

/// Whether a file of this name is an image that models can see. An SVG is text.
pub(super) fn is_image(path: &str) -> bool {
    let extension = Path::new(path).extension();
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    ["png", "jpg", "jpeg", "gif", "webp"]
        .into_iter()
        .any(|known| extension == known)
}

/// Turns a request to read a file with the name of an image into one for the image.
pub(super) fn ask_for_image(request: &mut Request) {
    let is_named = |key: &str| match request.params.0.get(key) {
        Some(RawValue::Text(name)) => is_image(name),
        _ => false,
    };
    if request.command == READ && (is_named("path") || is_named("file")) {
        READ_IMAGE.clone_into(&mut request.command);
    }
}

/// Returns the answer, or a failure if its text is the content of a binary file: it contains both invalid UTF-8 and
/// control characters, which text in other encodings does not contain.
pub(super) fn without_binary(answered: Envelope) -> Envelope {
    let Some(note) = answered.data.own::<NoteText>() else {
        return answered;
    };
    let mut warnings = answered.warnings.iter();
    let is_lossy = warnings.any(|warning| warning.code == NOT_UTF8);
    let is_spacing = |character| matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}');
    let is_control = |character: char| character.is_ascii_control() && !is_spacing(character);
    if answered.command == READ && is_lossy && note.content.contains(is_control) {
        return Envelope::from_failure(READ, Error::NotText(note.path.clone()).into());
    }
    answered
}

/// Removes the image from an answer, and returns its base64 and its media type; `None` if the answer has none.
pub(super) fn take_image(data: &mut Data) -> Option<(String, String)> {
    let image: &mut ReadImage = data.answer_mut()?.downcast_mut()?;
    Some((std::mem::take(&mut image.base64), image.mime_type.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Code, Issue};

    fn answered(content: &str, warnings: &[&'static str]) -> Envelope {
        let failure = Code::IoError.failure("x");
        let mut envelope = Envelope::from_failure(READ, failure);
        envelope.success = true;
        envelope.error = None;
        let note = NoteText::new(Some("a.bin".to_owned()), content.to_owned());
        envelope.data = Data::from_answer(note);
        let warnings = warnings.iter().map(|code| Issue::new(code, "m"));
        envelope.warnings = warnings.collect();
        envelope
    }

    #[test]
    fn a_file_is_requested_as_an_image_by_its_name() {
        for (key, name, command) in [
            ("path", "a/b.PNG", READ_IMAGE),
            ("file", "b.webp", READ_IMAGE),
            ("path", "a.svg", READ),
            ("path", "png", READ),
            ("file", "Note", READ),
        ] {
            let mut request = Request::new(READ);
            let name = RawValue::Text(name.to_owned());
            request.params.0.insert(key.to_owned(), name);
            ask_for_image(&mut request);
            assert_eq!(request.command, command);
        }
        let mut other = Request::new("append");
        let name = RawValue::Text("a.png".to_owned());
        other.params.0.insert("path".to_owned(), name);
        ask_for_image(&mut other);
        assert_eq!(other.command, "append");
    }

    #[test]
    fn bytes_are_refused_and_old_texts_are_not() {
        let code = |content, warnings: &[&'static str]| {
            let answered = without_binary(answered(content, warnings));
            answered.error.map(|error| error.code)
        };
        assert_eq!(
            code("%PDF\u{fffd}\0", &[NOT_UTF8]),
            Some(Code::ValidationError)
        );
        assert_eq!(code("caf\u{fffd}\r\n\tx", &[NOT_UTF8]), None, "Latin-1");
        assert_eq!(code("x\0y", &[]), None, "UTF-8, whatever it holds");
    }
}
