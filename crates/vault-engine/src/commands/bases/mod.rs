//! `bases`, `base:views` and `base:query` (`vault-semantics.md` §1.2, §5).

mod notes;
mod properties;
mod query;
mod source;
#[cfg(test)]
mod tests;

use cli_output::{Answer, AppError, Arguments, BaseViewItem, FileItem, List};
use serde_json::Value;

pub(crate) use self::notes::BaseNotes;
pub(super) use self::query::query;
pub(crate) use self::query::{Refused, budget, kept, moment};
pub(crate) use self::source::{ChosenView, beginning};
use super::reply::Reply;
use super::target::{Target, given};
use crate::byte_order_mark;
use crate::collation::Collation;
use crate::error::EngineError;
use crate::frontmatter::{Frontmatter, FrontmatterError};
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::vault::Vault;
use crate::warning::Warning;

const EXTENSION: &str = "base";

/// Every base of the vault.
pub(super) fn bases(
    vault: &Vault,
    _arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let contents = vault.names_below(&VaultPath::root(), VaultPath::root().as_str())?;
    let mut items: Vec<FileItem> = contents
        .files
        .into_iter()
        .filter(|file| is_base(&file.path))
        .map(|file| FileItem {
            path: file.path.to_string(),
        })
        .collect();
    Collation::new()?.sort_by(&mut items, |item| &item.path);
    let answer = Answer::Files(List::new(items));
    Ok(Reply::new(answer, contents.warnings))
}

/// The views of one base in its order. The app knows those of its active base alone; here it is the
/// base that `path` or `file` names. A view without a type is a table, one without a name is called
/// after its type.
pub(super) fn views(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let Target {
        path,
        asked,
        mut warnings,
    } = target(vault, arguments)?;
    if !is_base(&path) {
        vault.facts_of_target(&path, &asked)?;
        let path = path.to_string();
        return Err(EngineError::App(AppError::ActiveFileNotBase { path }));
    }
    let note = vault.note(&path, &asked).map_err(no_base)?;
    if note.lossy {
        warnings.push(Warning::NotUtf8 { path: path.clone() });
    }
    let base = Frontmatter::parse(byte_order_mark::strip(&note.text));
    let base = base.unwrap_or_else(|FrontmatterError { line, fault }| {
        let reason = fault.to_string();
        warnings.push(Warning::InvalidBase { path, line, reason });
        Frontmatter::default()
    });
    let views = base.properties.get("views").and_then(Value::as_array);
    let view = |view: &Value| {
        let text = |key: &str| view.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text("type").unwrap_or_else(|| "table".to_owned());
        let name = text("name").unwrap_or_else(|| kind.clone());
        BaseViewItem { name, kind }
    };
    let items = views.into_iter().flatten().map(view).collect();
    Ok(Reply::new(Answer::BaseViews(List::new(items)), warnings))
}

/// As for notes; a name may leave out `.base`.
fn target(vault: &Vault, arguments: &Arguments) -> Result<Target, EngineError> {
    let found = Target::of(vault, arguments);
    let is_found = found.as_ref().is_ok_and(|found| is_base(&found.path));
    let is_by_name = given(arguments, "path").is_none();
    let name = given(arguments, "file").filter(|_| is_by_name && !is_found);
    let Some(name) = name else { return found };
    let mut longer = Arguments::default();
    let name = format!("{name}.{EXTENSION}");
    longer.params.insert("file".to_owned(), name);
    Target::of(vault, &longer).or(found).map_err(no_base)
}

/// The app's words for a base that is not there.
fn no_base(error: EngineError) -> EngineError {
    match error {
        EngineError::App(AppError::FileNotFound { target: path }) => {
            EngineError::App(AppError::BaseNotFound { path })
        }
        other => other,
    }
}

fn is_base(path: &VaultPath) -> bool {
    path.extension().eq_ignore_ascii_case(EXTENSION)
}
