//! `attachment:add` (`design/tasks.md`): adds a file that is not text to the vault, where the app
//! would put it. The answer is the link that embeds it.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use obsidian_note::VaultPath;
use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{AnswerData, OwnForm};
use vault_files::file_type::embedded_type;
use vault_files::link_text::{embed_of_new_file, unlinkable};
use vault_files::{
    ATTACHMENT_KEY, AppSettings, Args, AttachmentPlace, Call, EngineError, LINK_KEYS, Vault,
    Version,
};
use vault_index::target::{file_path, folder_path};

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::new_file::{made_as_named, new_path};
use crate::Editor;

pub(super) const ADD: EditCommand = EditCommand::own("attachment:add", add, &FORM);

static FORM: OwnForm = OwnForm::new::<AddedAttachment>("added-attachment");

/// The maximum number of bytes of an attachment. In a parameter the limit of values is lower (`threats.toml` A10).
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file that was added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AddedAttachment {
    /// The file.
    pub(super) path: String,
    /// The link that embeds it, in the form that the vault's settings ask for.
    pub(super) embed: String,
    /// The media type by its first bytes.
    pub(super) mime_type: String,
    /// Its bytes.
    pub(super) size: u64,
    /// Whether the file was made now; false where the very same was there already.
    pub(super) written: bool,
}

impl AnswerData for AddedAttachment {
    /// Returns a line such as `Added Files/mill.png: ![[mill.png]]`.
    fn text(&self) -> String {
        use obsidian_note::shown::row;
        let word = if self.written {
            "Added"
        } else {
            "Already there:"
        };
        format!("{word} {}: {}", row(&self.path), row(&self.embed))
    }
}

fn add(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let (bytes, source) = content(vault, arguments)?;
    let note = arguments.path("note");
    let keys = [&LINK_KEYS[..], &[ATTACHMENT_KEY]].concat();
    let (settings, mut warnings) = AppSettings::read_for_change(vault, &keys)?;
    warnings.extend(vault.missing_folder("app.json"));
    let wanted = place(arguments, source.as_ref(), &settings.attachments, note)?;
    let mime_type = embedded_type(wanted.extension(), &bytes).map_err(|reason| {
        EngineError::NotAnAttachment {
            path: wanted.clone(),
            reason,
        }
    })?;
    let version = Version::from_bytes(&bytes);
    let is_there = vault.has_file(&wanted) && Editor(vault).planned_version(&wanted)? == version;
    let path = if is_there {
        wanted
    } else {
        Editor(vault).path_for_name(wanted, &mut warnings)?
    };
    warnings.extend(unlinkable(&path));
    let answer = AddedAttachment {
        embed: embed_of_new_file(vault, &path, note, &settings)?,
        path: path.to_string(),
        mime_type: mime_type.to_owned(),
        size: version.size,
        written: !is_there,
    };
    let changes: Vec<Change> = if is_there {
        Vec::new()
    } else {
        made_as_named(vault, &path, bytes)?
    };
    Ok(Edit::new(answer, changes, warnings))
}

/// Returns the bytes, and the path in the import folder that they come from.
fn content(vault: &Vault, arguments: &Args) -> Result<(Vec<u8>, Option<VaultPath>), EngineError> {
    let wrong = EngineError::argument;
    let (bytes, source) = match (arguments.text("data"), arguments.text("from")) {
        (Some(data), None) => {
            let bytes = decoded(data).ok_or_else(|| wrong("data", "the file in base64"))?;
            (bytes, None)
        }
        (None, Some(from)) => {
            let folder = vault.import_folder.as_ref().ok_or_else(|| {
                wrong(
                    "from",
                    "omitted, because the owner of the vault has not set an import folder",
                )
            })?;
            let path = file_path(from)?;
            if path.is_hidden() {
                return Err(EngineError::file_not_found(from));
            }
            let read = folder.read_up_to(&path, from, MAX_BYTES)?;
            (read.ok_or_else(|| too_large(&path))?, Some(path))
        }
        _ => return Err(wrong("data", "given, or `from` instead")),
    };
    if bytes.is_empty() {
        let name = if source.is_some() { "from" } else { "data" };
        return Err(wrong(name, "not empty"));
    }
    Ok((bytes, source))
}

fn too_large(path: &VaultPath) -> EngineError {
    EngineError::TooLarge {
        path: path.clone(),
        limit: MAX_BYTES,
    }
}

/// Decodes base64 with or without padding and line breaks, also after a `data:` prefix.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text = match text.strip_prefix("data:") {
        Some(address) => address.split_once(";base64,")?.1,
        None => text,
    };
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_ascii_whitespace())
        .collect();
    GeneralPurpose::new(&STANDARD, config).decode(text).ok()
}

/// Returns the path of the new file. A path with a folder is used exactly; a plain name is put into the attachment
/// folder of the vault's settings (`attachmentFolderPath`; `vault-semantics.md` §1.1).
fn place(
    arguments: &Args,
    source: Option<&VaultPath>,
    setting: &AttachmentPlace,
    note: Option<&VaultPath>,
) -> Result<VaultPath, EngineError> {
    let wanted = match (arguments.path("path"), source) {
        (Some(path), _) if !path.parent().is_root() => return new_path(path.as_str()),
        (Some(path), _) => path.as_str(),
        (None, Some(source)) => source.name(),
        (None, None) => {
            return Err(EngineError::argument(
                "path",
                "given with `data`: the name of the file",
            ));
        }
    };
    let beside = || {
        note.map(VaultPath::parent).ok_or_else(|| {
            EngineError::argument(
                "note",
                "given: this vault stores attachments next to the note that embeds them",
            )
        })
    };
    let below = |folder: &VaultPath, name: &str| {
        EngineError::path_below(folder, folder_path(name)?.components())
    };
    let folder = match setting {
        AttachmentPlace::Root => VaultPath::root(),
        AttachmentPlace::Folder(folder) => below(&VaultPath::root(), folder)?,
        AttachmentPlace::BesideNote => beside()?,
        AttachmentPlace::BelowNote(folder) => below(&beside()?, folder)?,
    };
    new_path(EngineError::path_below(&folder, [wanted])?.as_str())
}

#[cfg(test)]
mod tests {
    use base64::prelude::BASE64_STANDARD;
    use obsidian_note::Warning;
    use serde_json::{Value, json};
    use vault_files::vault::testing::{vault, without_sight_of};

    use super::*;
    use crate::apply::testing::picture;
    use crate::testing::{done, error, plan};

    const CASES: &str = include_str!("attachment_cases.txt");

    const GIF: &[u8] = b"GIF89a\x01\0\x01\0";

    fn data() -> String {
        BASE64_STANDARD.encode(GIF)
    }

    fn describe(vault: &Vault, wanted: &[(&str, &str)]) -> Value {
        let edit = done(vault, "attachment:add", wanted, &[]);
        serde_json::to_value(&edit.answer).unwrap()
    }

    #[test]
    fn a_name_that_no_link_can_contain_is_warned_of() {
        let (_folder, vault) = vault(&[(".obsidian/app.json", "{}")]);
        let data = data();
        for (path, expected) in [("a [b] ^c.gif", &[][..]), ("a#b.gif", &["NAME_UNLINKABLE"])] {
            let wanted = [("path", path), ("data", data.as_str())];
            let edit = done(&vault, "attachment:add", &wanted, &[]);
            let codes: Vec<_> = edit.warnings.iter().map(Warning::code).collect();
            assert_eq!(codes, expected, "{path}");
        }
    }

    #[test]
    fn the_folder_is_that_of_the_settings() {
        for [setting, note, wanted, expected, embed] in
            tables::section(CASES, "the folder is that of the settings")
        {
            let settings = json!({ "attachmentFolderPath": setting }).to_string();
            let (_folder, vault) = vault(&[
                (".obsidian/app.json", &settings),
                ("Old/taken.gif", "other"),
                ("N/b.md", ""),
            ]);
            let data = data();
            let mut given = vec![("path", wanted), ("data", data.as_str())];
            if !note.is_empty() {
                given.push(("note", note));
            }
            let shown = describe(&vault, &given);
            assert_eq!(
                (&shown["path"], &shown["embed"]),
                (&json!(expected), &json!(embed)),
                "{setting}"
            );
            assert_eq!(
                (&shown["mimeType"], &shown["size"]),
                (&json!("image/gif"), &json!(10))
            );
            let bytes = fs_err::read(vault.root().join(expected)).unwrap();
            assert_eq!(bytes, GIF);
        }
        let beside = r#"{"attachmentFolderPath":"./x"}"#;
        let (_folder, vault) = vault(&[(".obsidian/app.json", beside)]);
        let refused = error(
            &vault,
            "attachment:add",
            &[("path", "a.gif"), ("data", &data())],
            &[],
        );
        assert!(
            refused.to_string().starts_with("`note` must be given"),
            "{refused}"
        );
    }

    #[test]
    fn the_link_has_the_form_of_the_settings() {
        let settings = r#"{"useMarkdownLinks":true,"newLinkFormat":"relative","attachmentFolderPath":"My files"}"#;
        let (_folder, vault) = vault(&[(".obsidian/app.json", settings), ("N/b.md", "")]);
        let data = data();
        let arguments = [
            ("path", "a.gif"),
            ("data", data.as_str()),
            ("note", "N/b.md"),
        ];
        assert_eq!(
            describe(&vault, &arguments)["embed"],
            "![](../My%20files/a.gif)"
        );
    }

    #[test]
    fn a_taken_name_gets_a_number_and_the_same_file_is_left() {
        let (_folder, vault) = vault(&[("A.GIF", "other"), ("a 1.gif", "other")]);
        let data = data();
        let arguments = [("path", "a.gif"), ("data", data.as_str())];
        let first = describe(&vault, &arguments);
        assert_eq!(
            (&first["path"], &first["embed"]),
            (&json!("a 2.gif"), &json!("![[a 2.gif]]"))
        );
        assert_eq!(picture(vault.root())["A.GIF"].1, "other");
        let arguments = [("path", "a 2.gif"), ("data", data.as_str())];
        let again = plan(&vault, "attachment:add", &arguments, &[]);
        assert_eq!(again.changes, []);
        let again = serde_json::to_value(&again.answer).unwrap();
        assert_eq!(
            (&again["path"], &again["written"]),
            (&json!("a 2.gif"), &json!(false))
        );
    }

    #[test]
    fn only_the_bytes_of_the_named_type_come_in() {
        let (_folder, vault) = vault(&[]);
        let png = BASE64_STANDARD.encode(b"\x89PNG\r\n\x1a\n....");
        for (path, data, says) in [
            ("a.png", data(), "but the content of image/gif"),
            ("a.gif", png.clone(), "but the content of image/png"),
            (
                "a.gif",
                BASE64_STANDARD.encode("#!/bin/sh"),
                "but other content",
            ),
            ("a.exe", data(), "one of the extensions"),
            ("a.md", data(), "one of the extensions"),
            ("a", data(), "one of the extensions"),
            (
                "a.gif",
                "not base64!".to_owned(),
                "`data` must be the file in base64",
            ),
            ("a.gif", "====".to_owned(), "`data` must be"),
            (
                ".obsidian/a.gif",
                data(),
                "`.obsidian/a.gif` is not a valid path",
            ),
            (".a.gif", data(), "`.a.gif` is not a valid path"),
            ("a?.gif", data(), "`a?.gif` is not a valid path"),
        ] {
            // On some systems a caller cannot even name it.
            if VaultPath::file(path).is_err() {
                continue;
            }
            let refused = error(
                &vault,
                "attachment:add",
                &[("path", path), ("data", &data)],
                &[],
            );
            assert!(refused.to_string().contains(says), "{path}: {refused}");
        }
        // In lines, as some clients send base64.
        let lines =
            format!("data:image/png;base64,{}\n", png.trim_end_matches('=')).replace("bk", "b\nk");
        assert_eq!(
            describe(&vault, &[("path", "b.PNG"), ("data", &lines)])["path"],
            "b.PNG"
        );
        let neither = error(&vault, "attachment:add", &[("path", "a.gif")], &[]);
        assert!(neither.to_string().contains("`from` instead"), "{neither}");
        let nameless = error(&vault, "attachment:add", &[("data", &data())], &[]);
        assert!(
            nameless.to_string().contains("the name of the file"),
            "{nameless}"
        );
    }

    #[test]
    fn d13_a_closed_file_makes_no_name_longer() {
        let (_folder, vault) = vault(&[("hidden/a.gif", "other"), ("b.md", "")]);
        let limited = without_sight_of(&vault, "hidden");
        let data = data();
        let edit = plan(
            &limited,
            "attachment:add",
            &[("path", "a.gif"), ("data", &data)],
            &[],
        );
        let shown = serde_json::to_value(&edit.answer).unwrap();
        assert_eq!(shown["embed"], "![[a.gif]]");
    }
}
