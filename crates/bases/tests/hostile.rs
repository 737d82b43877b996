//! Bases that are made to do harm: bombs, extremes, and what refers to itself.

use std::time::Instant;

use bases::{Base, Table};
use serde_json::json;

use crate::notes::{Vault, books, note, table, value};

const CASES: &str = include_str!("hostile_cases.txt");

/// The tables of all views of a base, or why it is none. Ends soon.
fn tables(vault: &Vault, text: &str) -> Result<Vec<Table>, String> {
    let started = Instant::now();
    let base = Base::parse(text).map_err(|error| error.to_string());
    let tables = base.map(|base| {
        let shown = base
            .views()
            .iter()
            .filter(|view| base.broken_filters(view).is_empty());
        shown.map(|view| table(vault, &base, &view.name)).collect()
    });
    assert!(started.elapsed().as_secs() < 120, "{text:.200}");
    tables
}

fn refusal(text: &str) -> String {
    match tables(&books(), text) {
        Ok(_) => panic!("{text:.200}"),
        Err(message) => message,
    }
}

#[test]
fn files_that_grow_when_they_are_read_are_refused() {
    // A billion laughs: ten aliases of ten aliases.
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let before = level - 1;
        let many = vec![format!("*a{before}"); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{many}]\n");
    }
    assert!(refusal(&bomb).contains("20000"), "{}", refusal(&bomb));
    let large = format!("views: []\n# {}", "x".repeat(10 << 20));
    assert!(refusal(&large).contains("bytes"));
    let many = format!("views:\n{}", "  - {type: table}\n".repeat(50_000));
    assert!(refusal(&many).contains("20000"));
}

#[test]
fn depth_does_not_reach_the_stack() {
    for [open, close] in tables::section(CASES, "depth does not reach the stack") {
        for levels in [100, 5_000, 100_000] {
            let text = format!(
                "filters: {}true{}\nviews: [{{type: table}}]",
                open.repeat(levels),
                close.repeat(levels)
            );
            let _refused_or_shown = tables(&books(), &text);
        }
    }
    let mut text = String::from("filters:\n");
    for level in 0..2_000 {
        text += &format!(
            "{}and:\n{}-\n",
            " ".repeat(level * 2 + 2),
            " ".repeat(level * 2 + 2)
        );
    }
    let _refused_or_shown = tables(&books(), &text);
}

#[test]
fn formulas_that_lead_to_themselves_are_errors_in_their_cells() {
    let text = "formulas: {a: formula.b, b: formula.c + 1, c: '[1].map(formula.a)', whole: formula, text: 'formula.toString()', own: 'file.properties.length + this.nothing'}
views: [{type: table, order: [formula.a, formula.b, formula.c, formula.whole, formula.text, formula.own], sort: [{property: formula.a}], groupBy: {property: formula.whole}, summaries: {formula.a: Sum}}]";
    let tables = tables(&books(), text).unwrap();
    assert_eq!(tables[0].rows.len(), books().files.len());
    let first = tables[0].rows[0].cells[0].text.clone().unwrap();
    assert!(first.contains("Circular reference"), "{first}");
}

#[test]
fn views_that_name_what_is_not_there_are_shown_without_it() {
    for view in tables::lines(CASES, "views that name what is not there") {
        let text = format!("views: [{view}, {{type: table, name: Twice}}]");
        let shown = tables(&books(), &text).unwrap_or_default();
        for table in shown {
            let labels: Vec<&str> = table
                .columns
                .iter()
                .map(|column| column.label.as_str())
                .collect();
            let mut unique = labels.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), labels.len(), "{view}");
        }
    }
    for wrong in tables::lines(CASES, "views that name what is not there, 2") {
        let _refused_or_shown = tables(&books(), wrong);
    }
}

/// Notes whose property `x` has values of every kind.
fn mixed() -> Vault {
    let values = [
        json!(null),
        json!(1),
        json!(-0.0),
        json!(0),
        json!(1e308),
        json!(-1e308),
        json!("10"),
        json!("9"),
        json!("é"),
        json!(""),
        json!("2026-01-01"),
        json!("9999-12-31"),
        json!("0000-01-01"),
        json!("-000001-01-01"),
        json!("+275760-09-13"),
        json!(true),
        json!(false),
        json!([]),
        json!([1, [2, [3]]]),
        json!({"a": {"b": null}}),
        json!("[[Books/Emma]]"),
        json!("😀".repeat(2_000)),
        json!("\u{202e}x\u{0}"),
    ];
    let files = values.iter().enumerate();
    let files = files.map(|(number, value)| note(&format!("{number}.md"), json!({ "x": value })));
    Vault {
        files: files.collect(),
        ..Vault::default()
    }
}

#[test]
fn values_of_every_kind_are_sorted_grouped_and_summed_up() {
    let summaries = tables::lines(CASES, "values of every kind are sorted grouped");
    let keys = tables::lines(CASES, "values of every kind are sorted grouped, 2");
    for key in keys {
        let mut text = String::from("formulas: {nan: 'x * 0 / 0', date: date(x), length: x.length, text: 'x.toString()', list: '[x, x]', link: 'link(x)'}
summaries: {own: 'values.map(value * 1).sum()', broken: 'values.reduce(acc + values, [])'}
views:\n");
        for (number, summary) in summaries.iter().enumerate() {
            text += &format!(
                "  - {{type: table, name: v{number}, order: [{key}, file.name], sort: [{{property: {key}, direction: DESC}}, {{property: x}}], groupBy: {{property: {key}}}, summaries: {{{key}: {summary}}}}}\n"
            );
        }
        for table in tables(&mixed(), &text).unwrap() {
            assert_eq!(table.rows.len(), mixed().files.len(), "{key}");
            assert_eq!(
                table.groups.iter().map(|group| group.rows).sum::<usize>(),
                table.rows.len()
            );
        }
    }
}

#[test]
fn the_order_does_not_depend_on_the_order_before() {
    let text = "formulas: {nan: 'number(x) / 0'}\nviews: [{type: table, order: [file.name], sort: [{property: formula.nan, direction: DESC}, {property: x}]}]";
    let vault = mixed();
    let mut turned = mixed();
    turned.files.reverse();
    let kinds = |vault: &Vault| -> Vec<Option<serde_json::Value>> {
        let table = tables(vault, text).unwrap().remove(0);
        table
            .rows
            .iter()
            .map(|row| vault.files[row.file.0].properties.get("x").cloned())
            .collect()
    };
    let is_empty = |value: &Option<serde_json::Value>| {
        value
            .as_ref()
            .is_none_or(|value| value.is_null() || *value == json!("") || *value == json!([]))
    };
    let (one, other) = (kinds(&vault), kinds(&turned));
    // Values that are the same for the sort keep their order, and nothing else does.
    let places =
        |all: &[Option<serde_json::Value>]| -> Vec<bool> { all.iter().map(is_empty).collect() };
    assert_eq!(places(&one), places(&other));
}

#[test]
fn extremes_of_numbers_dates_and_texts_are_values_or_errors() {
    let vault = books();
    for text in include_str!("data/hostile.txt").lines() {
        let started = Instant::now();
        if bases::Expression::parse(text).is_ok()
            && let Err(error) = value(&vault, text)
        {
            assert!(!error.message.is_empty(), "{text}");
        }
        assert!(started.elapsed().as_secs() < 120, "{text}");
    }
}
