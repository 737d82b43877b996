//! The templates of a vault, and their variables (`vault-semantics.md` §6.3).

use jiff::Zoned;
use obsidian_note::{VaultPath, Warning};
use serde::Deserialize;
use vault_files::{ConfigFile, EngineError, Refusal, Vault};

use crate::indexed_vault::IndexedVault;

/// The name of the settings file in the configuration folder.
const FILE: &str = "templates.json";

/// The keys of `templates.json`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TemplateSettings {
    folder: Option<String>,
    date_format: Option<String>,
    time_format: Option<String>,
}

/// One markdown file below the template folder.
pub struct Template {
    /// Its path below that folder, without extension.
    pub name: String,
    /// Its path in the vault.
    pub path: VaultPath,
}

/// The files of the template folder, unsorted.
pub struct Templates {
    settings: TemplateSettings,
    /// The templates.
    pub all: Vec<Template>,
    /// Warnings about what could not be read or was left out.
    pub warnings: Vec<Warning>,
}

/// Returns the text of a new note called `title` from the template with this name, with its
/// variables replaced (`vault-semantics.md` §6.3). A template that is not UTF-8 is an error.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn filled(
    vault: &Vault,
    name: &str,
    title: &str,
    now: &Zoned,
) -> Result<(String, Vec<Warning>), EngineError> {
    let templates = Templates::of(vault, ConfigFile::read_for_change(vault, FILE)?)?;
    let text = whole_text(vault, &templates.find(name)?.path)?;
    let text = templates.fill(&text, Some(title), now);
    Ok((text, templates.warnings))
}

/// As [`filled`], from any file: other plugins name templates by path. It need not be in the
/// template folder, which may not exist.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn filled_from(
    vault: &Vault,
    file: &VaultPath,
    title: &str,
    now: &Zoned,
) -> Result<(String, Vec<Warning>), EngineError> {
    let settings: ConfigFile<TemplateSettings> = ConfigFile::read_for_change(vault, FILE)?;
    let text = whole_text(vault, file)?;
    let text = settings.value.fill(&text, Some(title), now);
    Ok((text, settings.warnings))
}

/// Returns the reason why the template that the app's settings name is not used. To a caller who does not see the whole
/// vault it does not name the template, which may be closed (`threats.toml` D13).
pub fn missing(vault: &Vault, template: &str) -> String {
    if vault.is_limited() {
        "there is no such template".to_owned()
    } else {
        format!("there is no template `{template}`")
    }
}

fn whole_text(vault: &Vault, file: &VaultPath) -> Result<String, EngineError> {
    String::from_utf8(vault.read_bytes(file)?)
        .map_err(|_| EngineError::NotText { path: file.clone() })
}

impl Templates {
    /// Reads the folder that the settings name; an error if they name none.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn read(vault: &Vault) -> Result<Self, EngineError> {
        Self::of(vault, ConfigFile::read(vault, FILE)?)
    }

    fn of(vault: &Vault, file: ConfigFile<TemplateSettings>) -> Result<Self, EngineError> {
        let (settings, mut warnings) = (file.value, file.warnings);
        let wanted = settings.folder.as_deref().unwrap_or_default();
        if wanted.is_empty() {
            return Err(EngineError::Refused(Refusal::NoTemplateFolder));
        }
        let missing = || {
            EngineError::Refused(Refusal::TemplateFolderNotFound {
                folder: wanted.to_owned(),
            })
        };
        let parts: Vec<&str> = wanted.split('/').filter(|part| !part.is_empty()).collect();
        let folder = match parts.as_slice() {
            [] => VaultPath::root(),
            // A setting cannot point outside of the vault: such a folder counts as missing
            // (`threats.toml` D01).
            parts => VaultPath::folder(&parts.join("/")).map_err(|_| missing())?,
        };
        let contents = match IndexedVault(vault).names_below(&folder) {
            Err(EngineError::Refused(
                Refusal::FolderNotFound { .. } | Refusal::NotAFolder { .. },
            )) => {
                return Err(missing());
            }
            other => other?,
        };
        warnings.extend(contents.warnings);
        let below = if folder.is_root() {
            0
        } else {
            folder.as_str().len() + 1
        };
        let template = |path: VaultPath| {
            let name = path.as_str().get(below..)?.rsplit_once('.')?.0.to_owned();
            Some(Template { name, path })
        };
        let all = contents
            .files
            .into_iter()
            .filter(|file| file.path.is_note())
            .filter_map(|file| template(file.path))
            .collect();
        Ok(Self {
            settings,
            all,
            warnings,
        })
    }

    /// Returns the template with this name, with or without `.md`: in its exact case or else in any.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn find(&self, name: &str) -> Result<&Template, EngineError> {
        let bare = match name.rsplit_once('.') {
            Some((bare, extension)) if extension.eq_ignore_ascii_case("md") => bare,
            _ => name,
        };
        let names = [name, bare];
        let exact = |template: &&Template| names.contains(&template.name.as_str());
        let folded = names.map(str::to_lowercase);
        let in_any_case = |template: &&Template| folded.contains(&template.name.to_lowercase());
        let all = &self.all;
        all.iter()
            .find(exact)
            .or_else(|| all.iter().find(in_any_case))
            .ok_or_else(|| {
                EngineError::Refused(Refusal::TemplateNotFound {
                    name: name.to_owned(),
                })
            })
    }

    /// Returns a text with its variables replaced. Without a title `{{title}}` stays.
    pub fn fill(&self, text: &str, title: Option<&str>, now: &Zoned) -> String {
        self.settings.fill(text, title, now)
    }
}

impl TemplateSettings {
    /// Replaces all variables in one pass, so variables within a title are not replaced.
    fn fill(&self, text: &str, title: Option<&str>, now: &Zoned) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let (before, variable) = rest.split_at(start);
            filled.push_str(before);
            let end = variable.find("}}");
            let value = end.and_then(|end| self.value(&variable[2..end], title, now));
            if let (Some(value), Some(end)) = (value, end) {
                filled.push_str(&value);
                rest = &variable[end + 2..];
            } else {
                // Another variable may begin at the second brace.
                filled.push('{');
                rest = &variable[1..];
            }
        }
        filled.push_str(rest);
        filled
    }

    fn value(&self, variable: &str, title: Option<&str>, now: &Zoned) -> Option<String> {
        let (name, format) = match variable.split_once(':') {
            Some((name, format)) => (name, Some(format)),
            None => (variable, None),
        };
        let date = |set: &Option<String>, default: &str| {
            let set = set
                .as_deref()
                .filter(|set| !set.is_empty())
                .unwrap_or(default);
            moment_format::format(now, format.unwrap_or(set))
        };
        match name.to_ascii_lowercase().as_str() {
            "title" if format.is_none() => title.map(str::to_owned),
            "date" => Some(date(&self.date_format, "YYYY-MM-DD")),
            "time" => Some(date(&self.time_format, "HH:mm")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("template_cases.txt");

    fn fill(text: &str, title: Option<&str>) -> String {
        let now = date(2026, 3, 7)
            .at(9, 5, 0, 0)
            .to_zoned(TimeZone::UTC)
            .unwrap();
        let settings = TemplateSettings {
            date_format: Some("DD.MM.YYYY".to_owned()),
            ..TemplateSettings::default()
        };
        settings.fill(text, title, &now)
    }

    #[test]
    fn variables_are_filled_in_once() {
        for [text, expected] in tables::section(CASES, "variables are filled in once") {
            assert_eq!(fill(text, Some("A {{date}}")), expected, "{text}");
        }
        assert_eq!(fill("{{title}}", None), "{{title}}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn text_without_variables_is_kept(text in "([{}:a ]|é|title|\n){0,20}") {
            prop_assert_eq!(fill(&text, None), text);
        }
    }
}
