//! No expression panics, loops or takes memory without bound.

use std::sync::LazyLock;
use std::time::Instant;

use bases::limits::{MAX_EXPRESSION_BYTES, MAX_FILE_STEPS};
use bases::{Base, Expression};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};

use crate::notes::{books, evaluated, table, value};

const CASES: &str = include_str!("bounds_cases.txt");

fn message(text: &str) -> String {
    let vault = books();
    let started = Instant::now();
    let message = match Expression::parse(text) {
        Err(error) => error.to_string(),
        Ok(expression) => match evaluated(&vault, &expression, "") {
            Ok(_) => String::new(),
            Err(error) => error.message,
        },
    };
    assert!(started.elapsed().as_secs() < 120, "{text:.80}");
    message
}

#[test]
fn depth_is_bounded_in_every_direction() {
    for [open, close] in tables::section(CASES, "depth is bounded in every direction") {
        let deep = |levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
        assert!(
            message(&deep(5_000)).contains("nested more than 64"),
            "{open}"
        );
        Expression::parse(&deep(15)).unwrap();
        // As deep as it may be, on the stack of a test.
        message(&deep(31));
        message(&deep(62));
    }
    // A long expression is not a deep one.
    assert_eq!(message(&format!("1{}", " + 1".repeat(10_000))), "");
    assert_eq!(message(&format!("'a'{}", ".trim()".repeat(5_000))), "");
    assert!(message(&"a".repeat(MAX_EXPRESSION_BYTES + 1)).contains("longer than"));
}

#[test]
fn values_and_steps_are_bounded() {
    for text in tables::lines(CASES, "values and steps are bounded") {
        message(text);
    }
    let nested = "'x'.repeat(1000).split('').filter('x'.repeat(1000).split('').filter(value == 'y').length > 1)";
    assert!(message(nested).contains(&MAX_FILE_STEPS.to_string()));
}

#[test]
fn formulas_that_nest_or_repeat_are_bounded() {
    let vault = books();
    let mut base = String::from("formulas:\n  f0: '1'\n");
    for level in 1..400 {
        base.push_str(&format!(
            "  f{level}: formula.f{} + formula.f{}\n",
            level - 1,
            level - 1
        ));
    }
    let of = |text: &str| evaluated(&vault, &Expression::parse(text).unwrap(), &base);
    assert_eq!(of("formula.f20"), Ok(1_048_576.into()));
    assert!(
        of("formula.f399")
            .unwrap_err()
            .message
            .contains("levels deep")
    );
}

#[test]
fn a_whole_query_is_bounded() {
    let mut vault = books();
    let file = vault.files[1].clone();
    for number in 0..2_000 {
        let mut file = file.clone();
        file.path = format!("{number}.md");
        vault.files.push(file);
    }
    let base = Base::parse("filters: \"'x'.repeat(1000).split('').map('x'.repeat(1000).split('').map(1))\"\nviews: [{type: table}]").unwrap();
    let budget = bases::QueryBudget::of_steps(3_000_000, || false);
    let moment = crate::notes::moment();
    let this = bases::This::Unknown;
    let query = bases::Query::new(&base, &base.views()[0], &vault, &moment, this, &budget);
    let files = (0..vault.files.len()).map(bases::FileNumber);
    let started = Instant::now();
    let outcome: Result<Vec<_>, _> = files
        .map(|file| query.keeps(file, &query.meter()))
        .collect();
    assert_eq!(outcome, Err(bases::Spent));
    assert!(started.elapsed().as_secs() < 120);
    let stopped = bases::QueryBudget::new(|| true);
    assert_eq!(stopped.check(), Err(bases::Spent));
}

/// The operands at the ends of an expression.
fn leaf() -> impl Strategy<Value = String> {
    let fixed = tables::lines(CASES, "leaf");
    prop_oneof![
        10 => one_of(&fixed),
        1 => "[0-9]{1,4}",
        1 => "'[a-c \\\\|\\[\\]$1&]{0,6}'",
    ]
}

fn one_of(words: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    proptest::sample::select(words.to_vec()).prop_map(str::to_owned)
}

const OPERATORS: &[&str] = &["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||"];
static METHODS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "methods"));
static GLOBALS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "globals"));
static FIELDS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "fields"));

/// Expressions of everything that there is.
fn expression() -> impl Strategy<Value = String> {
    leaf().prop_recursive(5, 40, 3, |inner| {
        let some = |range| proptest::collection::vec(inner.clone(), range);
        prop_oneof![
            (inner.clone(), one_of(OPERATORS), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            (inner.clone(), one_of(&METHODS), some(0..3))
                .prop_map(|(on, method, with)| format!("{on}.{method}({})", with.join(", "))),
            (one_of(&GLOBALS), some(0..4))
                .prop_map(|(global, with)| format!("{global}({})", with.join(", "))),
            (inner.clone(), one_of(&FIELDS)).prop_map(|(on, field)| format!("({on}).{field}")),
            (inner.clone(), inner.clone()).prop_map(|(on, at)| format!("({on})[{at}]")),
            some(0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            inner.clone().prop_map(|inner| format!("!{inner}")),
            inner.prop_map(|inner| format!("-({inner})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn an_expression_has_a_value_or_an_error(text in expression()) {
        let vault = books();
        if let Ok(expression) = Expression::parse(&text) {
            let _value = evaluated(&vault, &expression, "formulas: {f: 'price * 2 + formula.f'}");
        }
    }

    #[test]
    fn any_text_is_an_expression_or_an_error(text in "[a-c0-2.,()\\[\\]{}+*/%!<>=&|'\"\\\\ é😀-]{0,40}") {
        let vault = books();
        if let Ok(expression) = Expression::parse(&text) {
            let _value = evaluated(&vault, &expression, "");
        }
    }

    #[test]
    fn any_text_is_a_base_or_an_error(text in "((filters|views|formulas|order|sort|and|limit|name|a|- |  |\\[|\\]|\\{|\\}|: |:|\n|&a |\\*a|'|#|é|1){0,30})") {
        if let Ok(base) = Base::parse(&text) {
            for view in base.views() {
                if base.broken_filters(view).is_empty() {
                    let _table = table(&books(), &base, &view.name);
                }
            }
        }
    }
}

/// Takes minutes: `cargo test -p obsidian-bases --release -- --ignored`.
#[test]
#[ignore = "a million expressions"]
fn a_million_expressions_have_values_or_errors() {
    let vault = books();
    let (mut values, mut errors, mut longest) = (0_u32, 0_u32, std::time::Duration::ZERO);
    let mut runner = TestRunner::new(Config::default());
    let strategy = expression();
    for _ in 0..1_000_000 {
        let text = strategy.new_tree(&mut runner).unwrap().current();
        let started = Instant::now();
        let Ok(expression) = Expression::parse(&text) else {
            errors += 1;
            continue;
        };
        match evaluated(
            &vault,
            &expression,
            "formulas: {f: 'price * 2 + formula.f'}",
        ) {
            Ok(_) => values += 1,
            Err(error) => {
                errors += 1;
                assert!(!error.message.is_empty());
            }
        }
        longest = longest.max(started.elapsed());
    }
    assert_eq!(values + errors, 1_000_000);
    assert!(
        values > 100_000 && longest.as_secs() < 10,
        "{values} values, longest {longest:?}"
    );
    assert!(value(&vault, "1 + 1").is_ok());
}
