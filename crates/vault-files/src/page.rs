//! Pages of a list: the parameters `offset`, `limit` and `total`.

use vault_answers::{Answer, AnswerItem, List, Total};

use crate::args::Args;

/// Returns one page of a list, with each item converted by `shown`; with `total` only the length of
/// the list.
pub fn page<T, U: AnswerItem>(
    items: Vec<T>,
    arguments: &Args,
    limit: usize,
    shown: impl FnMut(T) -> U,
) -> Answer {
    if arguments.flag("total") {
        return Total { total: items.len() }.into();
    }
    page_of(items, arguments, limit).map(shown).into()
}

/// Returns the page that `offset` and `limit` ask for.
pub fn page_of<T>(items: Vec<T>, arguments: &Args, limit: usize) -> List<T> {
    let offset = arguments.number("offset").unwrap_or(0);
    List::page(items, offset, arguments.number("limit").unwrap_or(limit))
}
