//! The sentences of the app for calls that the engine refuses.

use vault_files::Refusal;

use super::AppError;

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoActiveFile => Self::NoActiveFile,
            Refusal::DestinationExists => Self::DestinationExists,
            Refusal::InvalidDate => Self::InvalidDate,
            Refusal::InvalidDateTime => Self::InvalidDateTime,
            Refusal::InvalidSearchQuery => Self::InvalidSearchQuery,
            Refusal::NotMarkdown => Self::NotMarkdown,
            Refusal::WordCountNotMarkdown => Self::WordCountNotMarkdown,
            Refusal::NoTemplateFolder => Self::NoTemplateFolder,
            Refusal::NameContainsSlash => Self::NameContainsSlash,
            Refusal::FileNotFound { target } => Self::FileNotFound { target },
            Refusal::FolderNotFound { target } => Self::FolderNotFound { target },
            Refusal::TagNotFound { tag } => Self::TagNotFound { tag },
            Refusal::PropertyNotFound { name } => Self::PropertyNotFound { name },
            Refusal::TemplateFolderNotFound { folder } => Self::TemplateFolderNotFound { folder },
            Refusal::TemplateNotFound { name } => Self::TemplateNotFound { name },
            Refusal::PluginNotFound { id } => Self::PluginNotFound { id },
            Refusal::ThemeNotFound { name } => Self::ThemeNotFound { name },
            Refusal::NotAFile { target } => Self::NotAFile { target },
            Refusal::NotAFolder { target } => Self::NotAFolder { target },
            Refusal::BaseNotFound { path } => Self::BaseNotFound { path },
            Refusal::NotABase { path } => Self::ActiveFileNotBase { path },
            Refusal::InvalidNumber { value } => Self::InvalidNumber { value },
            Refusal::MissingParameter { name, usage } => Self::MissingParameter {
                name,
                usage: Some(usage),
            },
        }
    }
}
