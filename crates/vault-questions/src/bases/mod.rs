//! `bases`, `base:views` and `base:query` (`vault-semantics.md` §1.2, §5).

mod notes;
mod properties;
mod query;
#[cfg(test)]
mod tests;

use obsidian_note::{Frontmatter, FrontmatterError, VaultPath, Warning, byte_order_mark};
use serde_json::Value;
use vault_answers::{Answer, BaseViewItem, FileItem, List};
use vault_files::{Call, Collation, EngineError};
use vault_index::chosen_view::{base_target, is_base, no_base, not_a_base};
use vault_index::{IndexedVault, Target};

pub(crate) use self::notes::BaseNotes;
pub(super) use self::query::query;
pub use self::query::{BaseTable, base_table};
pub(crate) use self::query::{Refused, budget, evaluate_all_files, moment};
use super::reply::Reply;

/// Returns every base of the vault.
pub(super) fn bases(call: &Call<'_>) -> Result<Reply, EngineError> {
    let contents = IndexedVault(call.vault).names_below(&VaultPath::root())?;
    let paths = contents.files.iter().map(|file| &file.path);
    let bases = paths.filter(|path| is_base(path));
    let mut items: Vec<FileItem> = bases.map(FileItem::new).collect();
    Collation::new()?.sort_by(&mut items, |item| &item.path);
    let answer = Answer::from(List::new(items));
    Ok(Reply::new(answer, contents.warnings))
}

/// Returns the views of one base in its order. The app lists the views of its active base; here it uses the base that
/// `path` or `file` names. A view without a type is a table; a view without a name is called after its type.
pub(super) fn views(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let Target {
        path,
        requested,
        mut warnings,
    } = base_target(vault, call.arguments)?;
    if !is_base(&path) {
        vault.facts_of_target(&path, &requested)?;
        return Err(not_a_base(&path));
    }
    let note = vault.note(&path, &requested).map_err(no_base)?;
    warnings.extend(note.not_utf8());
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
    Ok(Reply::new(List::new(items), warnings))
}
