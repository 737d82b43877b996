//! The examples of the official documentation, each with the value that it names. Numbers stand in
//! parentheses before a function, and no object is written out: the app was seen to refuse both.

use serde_json::{Value as Json, json};

use crate::notes::{books, value};

fn of(text: &str) -> Json {
    let mut vault = books();
    vault.files.swap(0, 1);
    vault.backlinks.clear();
    match value(&vault, text) {
        Ok(value) => value,
        Err(error) => json!({ "error": error.message }),
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn every_example_gives_what_the_documentation_says() {
    let mut faults = Vec::new();
    for (text, expected) in [
        ("list(\"value\")", json!(["value"])),
        ("list([1, 2])", json!([1, 2])),
        ("if(true, \"Modified\", \"Unmodified\")", json!("Modified")),
        ("if(false, 1)", json!(null)),
        ("max(1, 3, 2)", json!(3)),
        ("min(1, 3, 2)", json!(1)),
        ("number(\"3.4\")", json!(3.4)),
        ("number(true)", json!(1)),
        ("number(false)", json!(0)),
        ("number(date(\"1970-01-01 10:00:01\"))", json!(1000)),
        ("(1).isTruthy()", json!(true)),
        ("\"\".isTruthy()", json!(false)),
        ("\"example\".isType(\"string\")", json!(true)),
        ("true.isType(\"boolean\")", json!(true)),
        ("[1].isType(\"list\")", json!(true)),
        ("now().isType(\"date\")", json!(true)),
        ("(1).isType(\"number\")", json!(true)),
        ("(123).toString()", json!("123")),
        (
            "date(\"2025-05-27\").format(\"YYYY-MM-DD\")",
            json!("2025-05-27"),
        ),
        ("date(\"2025-05-27 11:22:33\").time()", json!("11:22:33")),
        ("date(\"2025-05-27 11:22:33\").hour", json!(11)),
        ("date(\"2025-05-27 11:22:33\").minute", json!(22)),
        ("date(\"2025-05-27 11:22:33\").second", json!(33)),
        ("date(\"2025-05-27\").millisecond", json!(0)),
        ("date(\"2025-05-27\").year", json!(2025)),
        ("date(\"2025-05-27\").month", json!(5)),
        ("date(\"2025-05-27\").day", json!(27)),
        (
            "date(\"2025-12-31 23:59:59\").date().format(\"YYYY-MM-DD HH:mm:ss\")",
            json!("2025-12-31 00:00:00"),
        ),
        ("date(\"2025-05-27\").isEmpty()", json!(false)),
        (
            "(date(\"2024-12-01\") + \"1M\" + \"4h\" + \"3m\").format(\"YYYY-MM-DD HH:mm:ss\")",
            json!("2025-01-01 04:03:00"),
        ),
        ("(now() - \"3 days\").relative()", json!("3 days ago")),
        ("now() + \"1 day\" > now()", json!(true)),
        (
            "(today() + \"7d\").format(\"YYYY-MM-DD HH:mm\")",
            json!("2026-06-17 00:00"),
        ),
        ("(now() + (duration('1d') * 2)).day", json!(12)),
        ("(now() + \"2w\").day", json!(24)),
        ("(now() + \"1 year\").year", json!(2027)),
        ("(now() - \"2 hours\").hour", json!(15)),
        (
            "(date(\"2024-02-29\") + \"1y\").format(\"YYYY-MM-DD\")",
            json!("2025-02-28"),
        ),
        ("\"hello\".length", json!(5)),
        ("\"hello\".contains(\"ell\")", json!(true)),
        ("\"hello\".containsAll(\"h\", \"e\")", json!(true)),
        ("\"hello\".containsAny(\"x\", \"y\", \"e\")", json!(true)),
        ("\"hello\".endsWith(\"lo\")", json!(true)),
        ("\"hello\".startsWith(\"he\")", json!(true)),
        ("\"Hello world\".isEmpty()", json!(false)),
        ("\"\".isEmpty()", json!(true)),
        ("\"HeLLo\".lower()", json!("hello")),
        ("\"a:b:c:d\".replace(/:/, \"-\")", json!("a-b:c:d")),
        ("\"a:b:c:d\".replace(/:/g, \"-\")", json!("a-b-c-d")),
        ("\"a:b:c:d\".replace(\":\", \"-\")", json!("a-b-c-d")),
        (
            "\"John Smith\".replace(/(\\w+) (\\w+)/, \"$2, $1\")",
            json!("Smith, John"),
        ),
        ("\"123\".repeat(2)", json!("123123")),
        ("\"hello\".reverse()", json!("olleh")),
        ("\"hello\".slice(1, 4)", json!("ell")),
        ("\"hello\".slice(2)", json!("llo")),
        ("\"a,b,c,d\".split(\",\", 3)", json!(["a", "b", "c"])),
        ("\"a,b,c,d\".split(/,/, 3)", json!(["a", "b", "c"])),
        ("\"hello world\".title()", json!("Hello World")),
        ("\"  hi  \".trim()", json!("hi")),
        ("(-5).abs()", json!(5)),
        ("(2.1).ceil()", json!(3)),
        ("(2.9).floor()", json!(2)),
        ("(5).isEmpty()", json!(false)),
        ("(2.5).round()", json!(3)),
        ("(2.3333).round(2)", json!(2.33)),
        ("(3.14159).toFixed(2)", json!("3.14")),
        ("[1,2,3].length", json!(3)),
        ("[1,2,3].contains(2)", json!(true)),
        ("[1,2,3].containsAll(2,3)", json!(true)),
        ("[1,2,3].containsAny(3,4)", json!(true)),
        ("[1,2,3,4].filter(value > 2)", json!([3, 4])),
        ("[5,6,7].filter(index > 0)", json!([6, 7])),
        ("[1,[2,3]].flat()", json!([1, 2, 3])),
        ("[1,2,3].isEmpty()", json!(false)),
        ("[].isEmpty()", json!(true)),
        ("[1,2,3].join(\",\")", json!("1,2,3")),
        ("[1,2,3,4].map(value + 1)", json!([2, 3, 4, 5])),
        ("[1,2,3].reduce(acc + value, 0)", json!(6)),
        (
            "[3, \"x\", 9, 4].filter(value.isType(\"number\")).reduce(if(acc == null || value > acc, value, acc), null)",
            json!(9),
        ),
        ("[1,2,3].reverse()", json!([3, 2, 1])),
        ("[1,2,3,4].slice(1,3)", json!([2, 3])),
        ("[3, 1, 2].sort()", json!([1, 2, 3])),
        ("[\"c\", \"a\", \"b\"].sort()", json!(["a", "b", "c"])),
        ("[1,2,2,3].unique()", json!([1, 2, 3])),
        ("[1,2,3].mean()", json!(2)),
        ("[1,2,4].mean().round(3)", json!(2.333)),
        ("file.properties.isEmpty()", json!(false)),
        ("file.properties.keys().contains(\"price\")", json!(true)),
        ("file.properties.values().contains(12.5)", json!(true)),
        ("file.properties[\"price\"]", json!(12.5)),
        ("/abc/.matches(\"abcde\")", json!(true)),
        ("[\"x\", \"y\"][0]", json!("x")),
        ("7 % 4", json!(3)),
        ("2 * (3 + 4)", json!(14)),
        ("!(1 == 2)", json!(true)),
        ("note.price", json!(12.5)),
        ("note[\"price\"]", json!(12.5)),
        ("price.toFixed(2) + \" dollars\"", json!("12.50 dollars")),
        (
            "if(price, price.toFixed(2) + \" dollars\")",
            json!("12.50 dollars"),
        ),
        ("(price / age).toFixed(2)", json!("3.13")),
        ("file.name", json!("Emma")),
        ("file.basename", json!("Emma")),
        ("file.path", json!("Books/Emma.md")),
        ("file.folder", json!("Books")),
        ("file.ext", json!("md")),
        ("file.size", json!(100)),
        ("file.properties.price", json!(12.5)),
        ("file.hasProperty(\"price\")", json!(true)),
        ("file.hasTag(\"nothing\", \"book\")", json!(true)),
        ("file.hasTag(\"novel\")", json!(true)),
        ("file.inFolder(\"Books\")", json!(true)),
        ("file.inFolder(\"Boo\")", json!(false)),
        ("file.tags.contains(\"#book\")", json!(true)),
        ("random() >= 0 && random() < 1", json!(true)),
        ("link(\"filename\").toString()", json!("[[filename]]")),
        (
            "link(\"filename\", \"display\").toString()",
            json!("[[filename|display]]"),
        ),
        ("link(\"Emma\") == link(\"Books/Emma.md\")", json!(true)),
        ("link(\"Emma\") == file", json!(true)),
        ("file(\"Books/Emma.md\").name", json!("Emma")),
        ("file(link(\"[[Emma]]\")).path", json!("Books/Emma.md")),
        ("link(\"[[Emma]]\").asFile().path", json!("Books/Emma.md")),
        ("author.isType(\"link\")", json!(true)),
        ("escapeHTML(\"<b>&\")", json!("&lt;b&gt;&amp;")),
        ("duration(\"1d\") > duration(\"2h\")", json!(true)),
    ] {
        let found = of(text);
        if found != expected {
            faults.push(format!("{text}: {found}, not {expected}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
