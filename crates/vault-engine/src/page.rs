//! Pages of a list: the parameters `offset`, `limit` and `total`.

use cli_output::{Answer, AnswerItem, Arguments, List, Total};

use crate::error::EngineError;
use crate::target::given;

/// Returns one page of a list, with each item converted by `told`; with `total` only the length of
/// the list.
pub(crate) fn page<T, U: AnswerItem>(
    items: Vec<T>,
    arguments: &Arguments,
    limit: usize,
    shown: impl FnMut(T) -> U,
) -> Result<Answer, EngineError> {
    if arguments.flag("total") {
        let total = items.len();
        return Ok(Answer::from(Total { total }));
    }
    Ok(Answer::from(page_of(items, arguments, limit)?.map(shown)))
}

/// Returns the page that `offset` and `limit` ask for.
pub(crate) fn page_of<T>(
    items: Vec<T>,
    arguments: &Arguments,
    limit: usize,
) -> Result<List<T>, EngineError> {
    let offset = number(arguments, "offset", 0)?;
    let limit = number(arguments, "limit", limit)?;
    Ok(List::page(items, offset, limit))
}

/// Returns a whole number, which the catalogue has validated, or `default` if it is not given.
pub(crate) fn number(
    arguments: &Arguments,
    name: &str,
    default: usize,
) -> Result<usize, EngineError> {
    let Some(text) = given(arguments, name) else {
        return Ok(default);
    };
    text.parse()
        .map_err(|_| EngineError::Argument { name: name.to_owned(), rule: "a whole number" })
}
