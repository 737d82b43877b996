use obsidian_note::CancellationToken;
use proptest::prelude::*;

use super::super::expression::Bound;
use super::*;

const CASES: &str = include_str!("cases.txt");

/// Reads a query to its end.
fn read(query: &str, case_sensitive: bool) -> Result<QueryExpression, QueryError> {
    parse(query, case_sensitive, &CancellationToken::default())
}

/// Writes an expression without ambiguity. A word is `word`, or `=word` if its case matters.
fn show(expression: &QueryExpression) -> String {
    let list = |name: &str, parts: &[QueryExpression]| {
        let mut parts: Vec<_> = parts.iter().map(show).collect();
        parts.sort();
        format!("{name}({})", parts.join(" "))
    };
    match expression {
        QueryExpression::All(parts) => list("all", parts),
        QueryExpression::Any(parts) => list("any", parts),
        QueryExpression::Not(inner) => format!("not({})", show(inner)),
        QueryExpression::Term(Term::Literal(literal)) => {
            let text = literal.text();
            if literal.is_in(&text.to_uppercase()) || text.is_empty() {
                format!("`{text}`")
            } else {
                format!("=`{text}`")
            }
        }
        QueryExpression::Term(Term::Regex(_)) => "regex".to_owned(),
        QueryExpression::In(field, inner) => format!("{field:?}({})", show(inner)),
        QueryExpression::Tag(inner) => format!("Tag({})", show(inner)),
        QueryExpression::Part(NotePart::Task(state), inner) => {
            format!("Task{state:?}({})", show(inner))
        }
        QueryExpression::Part(part, inner) => format!("{part:?}({})", show(inner)),
        QueryExpression::Property { name, value: None } => format!("[{}]", show(name)),
        QueryExpression::Property {
            name,
            value: Some(value),
        } => {
            format!("[{}:{}]", show(name), show(value))
        }
        QueryExpression::Null => "null".to_owned(),
        QueryExpression::Compare { greater, with } => {
            let sign = if *greater { '>' } else { '<' };
            match with {
                Bound::Number(number) => format!("{sign}{number}"),
                Bound::Date { date, .. } => format!("{sign}{date}"),
            }
        }
    }
}

fn parsed(query: &str) -> String {
    read(query, false).map_or_else(|error| error.to_string(), |expression| show(&expression))
}

#[test]
fn queries_and_what_they_mean() {
    for [query, expected] in tables::section(CASES, "queries and what they mean") {
        let parsed = parsed(query);
        if expected == "a bracket" {
            // The class in the regular expression is not closed, but the query's `]` is in it.
            assert!(parsed.contains("regex"), "{query}: {parsed}");
        } else {
            assert_eq!(parsed, expected, "{query}");
        }
    }
    assert_eq!(read("A", true).map(|query| show(&query)).unwrap(), "`A`");
    assert_eq!(read("a", true).map(|query| show(&query)).unwrap(), "=`a`");
}

#[test]
fn what_is_no_query() {
    let deep = "(".repeat(101);
    for (query, error) in [
        ("", QueryError::TermMissing(0)),
        ("  ", QueryError::TermMissing(2)),
        ("()", QueryError::TermMissing(1)),
        ("OR a", QueryError::TermMissing(0)),
        ("a OR", QueryError::TermMissing(4)),
        ("a OR OR b", QueryError::TermMissing(5)),
        ("path:", QueryError::TermMissing(5)),
        ("path: OR a", QueryError::TermMissing(6)),
        ("(path:)", QueryError::TermMissing(6)),
        ("[]", QueryError::TermMissing(1)),
        ("[a:]", QueryError::TermMissing(3)),
        ("a \"b", QueryError::QuoteOpen(2)),
        ("a (b", QueryError::ParenthesisOpen(2)),
        ("a) b", QueryError::ParenthesisClosesNothing(1)),
        ("é [b", QueryError::BracketOpen(2)),
        ("[a:b", QueryError::BracketOpen(0)),
        ("a /b", QueryError::RegexOpen(2)),
        (r"/b\/", QueryError::RegexOpen(0)),
        ("/[/", QueryError::RegexOpen(0)),
        ("tags:a", QueryError::UnknownOperator(4)),
        (
            "/(/",
            QueryError::Regex {
                at: 0,
                reason: super::super::error::RegexError::Parenthesis,
            },
        ),
        (deep.as_str(), QueryError::TooDeep(100)),
    ] {
        assert_eq!(read(query, false).unwrap_err(), error, "{query}");
    }
}

#[test]
fn hostile_queries_are_read_in_linear_time() {
    for unit in [
        "a ", "-", "(", "\"a\" ", "a OR ", "line:", "[a] ", "/a/ ", "[a b c ", "\\", "a:",
    ] {
        let query = unit.repeat(20_000);
        // It may be a query or not: the parser must only end.
        drop(read(&query, false));
    }
    let words = format!("[{}]", "a ".repeat(50_000));
    assert!(read(&words, false).is_ok());
}

#[test]
fn e16_a_very_long_query_is_read_or_refused_soon() {
    let nested = format!(
        "{}{}{}",
        "(".repeat(90),
        "-a ".repeat(20_000),
        "b)".repeat(90)
    );
    let long = "x".repeat(200_000);
    for query in [nested, format!("\"{long}\""), long] {
        assert!(read(&query, false).is_ok());
    }
    // Terms that cost hardly any memory; others take 300 bytes each.
    let many = format!("[a:{}]", "null ".repeat(MAX_TERMS));
    let error = QueryError::TooManyTerms(MAX_TERMS);
    assert_eq!(read(&many, false).unwrap_err(), error);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_is_a_query_or_an_error(
        query in "([ab\"\\\\/()\\[\\]:<>é -]|OR|null|path:|line:|task-todo:|tag:#|match-case:){0,16}",
    ) {
        drop(read(&query, false));
    }
}
