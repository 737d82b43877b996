//! The place and the reason of each fault of a query, all at once. The app only reports that there is a fault.

use vault_engine::search::{Query, QueryError};
use vault_engine::shown;

use crate::error::Error;
use allowlist::meant_or_nearest;
use protocol::{Failure, Message, Reader, did_you_mean};

/// The maximum number of faults of a query in a message.
const MOST: usize = 3;

/// Explains what is wrong with a query; `None` if it is valid.
pub(crate) fn explained(query: &str) -> Option<Failure> {
    let faults = faults(query);
    let reasons: Vec<String> = faults
        .iter()
        .map(|fault| shown::row(&fault.to_string()).into_owned())
        .collect();
    if reasons.is_empty() {
        return None;
    }
    let mut failure = Failure::from(Error::InvalidQuery(reasons.join("; ")));
    let unknown = faults.iter().filter_map(|fault| match fault {
        QueryError::UnknownOperator(at) => Some(*at),
        _ => None,
    });
    for at in unknown.clone() {
        failure.add_hint(meant(query, at));
    }
    let corrected = Query::corrected(query).filter(|_| !failure.has_hints(Reader::Program));
    if let Some(corrected) = corrected {
        failure.add_hint(format!("Pass `{}` as `query`.", shown::row(&corrected)));
    } else if unknown.count() > 0 {
        failure.add_hint(format!(
            "The valid operators are `{}:`. To search for a property, use `[name:value]`.",
            QueryError::OPERATORS.join(":`, `")
        ));
    }
    Some(failure)
}

/// Returns the operator that the word before a colon may mean.
fn meant(query: &str, at: usize) -> Message {
    let before: String = query.chars().take(at).collect();
    let word = before.rsplit([' ', '(', '-']).next().unwrap_or_default();
    let near = meant_or_nearest(word, QueryError::OPERATORS).into_iter();
    let near: Vec<String> = near.map(|meant| format!("{meant}:")).collect();
    did_you_mean(&near)
}

/// Returns the faults of a query in their order. Each fault is found as if the faults before it were fixed, and its
/// place is that in the query as sent.
fn faults(query: &str) -> Vec<QueryError> {
    let mut letters: Vec<char> = query.chars().collect();
    let mut found = Vec::new();
    while found.len() < MOST {
        let text: String = letters.iter().collect();
        let Err(fault) = Query::parse(&text, false) else {
            break;
        };
        let is_replaced = replace_fault(&mut letters, &fault);
        found.push(fault);
        if !is_replaced {
            break;
        }
    }
    found
}

/// Replaces what is wrong by a word. Not where its end is unknown, behind which nothing is certain.
fn replace_fault(letters: &mut [char], fault: &QueryError) -> bool {
    let (at, end) = match fault {
        QueryError::UnknownOperator(at) | QueryError::BracketOpen(at) => (*at, *at),
        QueryError::Regex { at, .. } => {
            let rest = letters.iter().skip(at + 1);
            let mut escaped = false;
            let close = rest.clone().position(|letter| {
                let is_end = *letter == '/' && !escaped;
                escaped = *letter == '\\' && !escaped;
                is_end
            });
            match close {
                Some(close) => (*at, at + 1 + close),
                None => return false,
            }
        }
        _ => return false,
    };
    let Some(wrong) = letters.get_mut(at..=end) else {
        return false;
    };
    wrong.fill('x');
    true
}

#[cfg(test)]
mod tests {
    use super::faults;

    const CASES: &str = include_str!("query_faults_cases.txt");

    #[test]
    fn the_faults_of_a_query_are_found_one_behind_the_other() {
        for (query, count) in
            tables::typed::<(&str, usize)>(CASES, "the faults of a query are found one")
        {
            assert_eq!(faults(query).len(), count, "{query}");
        }
    }
}
