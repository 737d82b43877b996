//! The expression language beyond what the app was seen to do (`vault-semantics.md` §5.3).

use bases::Expression;
use serde_json::{Value as Json, json};

use crate::notes::{books, evaluated, of};

fn all(cases: &[(&str, Json)]) {
    for (text, expected) in cases {
        assert_eq!(of(text), *expected, "{text}");
    }
}

#[test]
fn operators_bind_as_in_javascript() {
    all(&[
        ("1 + 2 * 3 - 4 / 2", json!(5)),
        ("2 * 3 % 4", json!(2)),
        ("1 < 2 == true", json!(true)),
        ("false && true || true", json!(true)),
        ("true || missing.x.y", json!(true)),
        ("!price && price", json!(false)),
        ("-price * -1", json!(12.5)),
        ("'a' + 1 + 2", json!("a12")),
        ("1 + 2 + 'a'", json!("3a")),
        ("'a' < 'b'", json!(true)),
        ("'b' > 'B'", json!(true)),
        ("[1] + [2, [3]]", json!([1, 2, [3]])),
        ("'1' == 1", json!(false)),
        ("'10' > 9", json!(true)),
        ("'abc' > 1 || 'abc' < 1 || 1 >= 'abc'", json!(false)),
        ("due > 'soon' || due < 'soon'", json!(false)),
        ("true + true", json!(2)),
        ("1 / 0 > 5", json!(true)),
        ("null == missing", json!(true)),
        ("[1, [2]] == [1, [2]]", json!(true)),
        ("10 - 2 - 3", json!(5)),
        ("'it\\'s' + \"\\n\"", json!("it's\n")),
        (
            "[] + 1",
            json!({"error": "Invalid operator between List and Number"}),
        ),
        (
            "'a' - 1",
            json!({"error": "Unable to parse \"a\" as a number."}),
        ),
    ]);
}

#[test]
fn texts() {
    all(&[
        ("'😀é'.length", json!(3)),
        ("'hello'.slice(-3, -1)", json!("ll")),
        ("'a😀b'.slice(1, 2)", json!("\u{fffd}")),
        ("'a😀b'.reverse()", json!("b😀a")),
        (
            "'ab'.containsAll('a', 'b') && !'ab'.containsAll('a', 'c')",
            json!(true),
        ),
        (
            "'ab'.containsAny('x', 'b') && !'ab'.containsAny('x')",
            json!(true),
        ),
        ("'abc'.startsWith('ab')", json!(true)),
        ("'ÄB'.lower()", json!("äb")),
        ("'a-b c'.title()", json!("A-b C")),
        ("'abc'.split('')", json!(["a", "b", "c"])),
        ("'a1b22c'.split(/\\d+/)", json!(["a", "b", "c"])),
        ("'a1b'.split(/(\\d)/)", json!(["a", "1", "b"])),
        ("'abc'.split(/(?:)/)", json!(["a", "b", "c"])),
        ("''.split(/x/)", json!([""])),
        ("'a,b,c'.split(',', 0)", json!([])),
        (
            "'John Smith'.replace(/(\\w+) (\\w+)/, '$2, $1')",
            json!("Smith, John"),
        ),
        (
            "'aaa'.replace(/a/g, '[$&$$$2]')",
            json!("[a$$2][a$$2][a$$2]"),
        ),
        ("'abc'.replace(/(?:)/g, '-')", json!("-a-b-c-")),
        ("'a.b'.replace('.', '$&')", json!("a$&b")),
        ("/^b$/m.matches('a\\nb')", json!(true)),
        ("/A/i.matches('a')", json!(true)),
        ("'x'.repeat(0)", json!("")),
        (
            "'x'.repeat(-1)",
            json!({"error": "Invalid count value: -1"}),
        ),
        ("'12px'.isType('string')", json!(true)),
        ("escapeHTML('\"a\\'&')", json!("&quot;a&#39;&amp;")),
        (
            "missing.asdf()",
            json!({"error": "Cannot find function \"asdf\" on type Null"}),
        ),
        ("missing.isEmpty()", json!(true)),
        ("missing.anything.more", json!(null)),
    ]);
}

/// `vault-semantics.md` §5.3: what a note lacks has no value of any function, and no comparison with
/// it holds.
#[test]
fn what_is_not_there_is_no_error() {
    all(&[
        ("missing.lower()", json!(null)),
        ("missing.contains(link('People'))", json!(null)),
        ("!missing.containsAny('a', 'b')", json!(true)),
        ("missing.map(value + 1).length", json!(null)),
        ("missing.round()", json!(null)),
        ("missing.toString()", json!("")),
        (
            "missing.isTruthy() || missing.isType('string')",
            json!(false),
        ),
        ("file.name.contains(missing)", json!(false)),
        ("file.name.startsWith(missing)", json!(false)),
        ("'abc'.containsAny(missing, 'b')", json!(true)),
        ("'abc'.containsAll('a', missing)", json!(false)),
        ("missing < 10", json!(null)),
        ("missing >= 0 || missing <= 0", json!(false)),
        ("!(10 > missing)", json!(true)),
        ("missing == null && missing != 0", json!(true)),
        ("now() - missing", json!(null)),
        ("(now() - missing).years.floor()", json!(null)),
        ("missing + '1d'", json!("1d")),
    ]);
}

/// As [A] `obsidian.d.ts` has it: links, tags, images and the like are kinds of text.
#[test]
fn texts_of_other_kinds() {
    all(&[
        ("author.contains('Austen')", json!(true)),
        ("author.lower()", json!("jane austen")),
        ("author.length", json!(11)),
        ("'Jane Austen and others'.contains(author)", json!(true)),
        ("file.embeds[9].containsAny('jpg', 'gif')", json!(null)),
        ("link('a.JPG').containsAny('JPG')", json!(true)),
        ("tags[0].startsWith('bo')", json!(true)),
        ("html('<b>').contains('b')", json!(true)),
        ("image('a.png').endsWith('.png')", json!(true)),
        ("date(link('2025-01-15', 'x')).day", json!(15)),
        (
            "date('[[2025-01-15]]').isEmpty()",
            json!({"error": "Unable to parse \"[[2025-01-15]]\" as a date."}),
        ),
        ("link('a').toString().lower()", json!("[[a]]")),
        ("link('2026-06-01') > now() - '60d'", json!(true)),
        ("link('Someday') > now() || author < now()", json!(false)),
        ("author > 'Jane'", json!(true)),
        (
            "author.round()",
            json!({"error": "Cannot find function \"round\" on type Link"}),
        ),
        (
            "author.path",
            json!({"error": "Cannot find \"path\" on type Link"}),
        ),
    ]);
    for (text, function, parameter, given) in [
        ("'abc'.contains(1)", "contains", "value", "Number"),
        ("'abc'.contains(file)", "contains", "value", "File"),
        (
            "'abc'.containsAny(true)",
            "containsAny",
            "values",
            "Boolean",
        ),
        ("'abc'.containsAll([1])", "containsAll", "values", "List"),
        ("'abc'.startsWith(today())", "startsWith", "query", "Date"),
        (
            "'abc'.endsWith(duration('1d'))",
            "endsWith",
            "query",
            "Duration",
        ),
        ("author.contains(/a/)", "contains", "value", "RegExp"),
    ] {
        let error = format!(
            "Type error in \"{function}\", parameter \"{parameter}\". Expected String not, given {given}."
        );
        assert_eq!(of(text), json!({ "error": error }), "{text}");
    }
}

#[test]
fn numbers() {
    all(&[
        ("(-5).abs()", json!(5)),
        ("(2.1).ceil()", json!(3)),
        ("(2.5).round()", json!(3)),
        ("(3.14159).toFixed(2)", json!("3.14")),
        (
            "(1).toFixed(101)",
            json!({"error": "toFixed() digits argument must be between 0 and 100"}),
        ),
        ("max(1, '3', true)", json!(3)),
        ("number('0x10') + number('')", json!(16)),
        (
            "number([1])",
            json!({"error": "Unable to parse \"1\" as a number."}),
        ),
        (
            "number(duration('1d'))",
            json!({"error": "Unable to parse \"a day\" as a number."}),
        ),
        ("(0.1 + 0.2).toString()", json!("0.30000000000000004")),
        ("random() == random()", json!(false)),
    ]);
}

#[test]
fn dates() {
    all(&[
        ("now().toString()", json!("2026-06-10T17:17:08")),
        ("today().toString()", json!("2026-06-10")),
        ("now().date() == today()", json!(true)),
        ("now().time()", json!("17:17:08")),
        ("now().millisecond", json!(70)),
        ("due.isType('date') && due > today()", json!(true)),
        ("due - today()", json!("21 days")),
        ("due - today() > '20d'", json!(true)),
        ("(due - today()) / 86400000", json!(21)),
        ("due < '2026-07-02' && '2026-06-30' < due", json!(true)),
        ("due == '2026-07-01'", json!(true)),
        ("due == date('2026-07-01 12:00:00')", json!(true)),
        ("date('2026-07-01 12:00:00') != due", json!(false)),
        ("[due].contains(date('2026-07-01 09:00:00'))", json!(true)),
        ("due == date('2026-07-02 00:00:00')", json!(false)),
        ("date('2026-07-01 12:00:00') == '2026-07-01'", json!(true)),
        (
            "date('2026-07-01 12:00:00') == date('2026-07-01 12:00:01')",
            json!(false),
        ),
        ("due == 'soon'", json!(false)),
        ("date('202505271030')", json!("2025-05-27T10:30:00")),
        ("date('01/02/2025')", json!("2025-01-02")),
        ("date('01/01/2025') + '1 year'", json!("2026-01-01")),
        (
            "date('2024-12-01') + '1M' + '4h' + '3m'",
            json!("2025-01-01T04:03:00"),
        ),
        (
            "date('2024-12-01') - '1h' + '1h'",
            json!("2024-12-01T00:00:00"),
        ),
        ("(due - today()).days", json!(21)),
        ("(due - today()).hours", json!(504)),
        ("(due - now()).days.round(2)", json!(20.28)),
        ("(now() - due).minutes", json!(-29202.8655)),
        (
            "duration('90m').seconds + duration('1d').milliseconds",
            json!(86_405_400),
        ),
        ("(today() - date('2020-01-01')).years.floor()", json!(6)),
        ("((today() - date('2026-01-01')).months).round()", json!(5)),
        ("duration('1y').months + duration('18M').years", json!(13.5)),
        ("duration('1M').days", json!(30)),
        (
            "duration('1d').round()",
            json!({"error": "Cannot find function \"round\" on type Duration"}),
        ),
        (
            "duration('1d').weeks",
            json!({"error": "Cannot find \"weeks\" on type Duration"}),
        ),
        ("(due + '1M').format('MMM Do')", json!("Aug 1st")),
        ("(date('2024-12-01') + '1M' + '4h' + '3m').hour", json!(4)),
        (
            "now() + (duration('1d') * 2) > now() + '1d 23h'",
            json!(true),
        ),
        (
            "(duration('1h') + duration('30m')).toString()",
            json!("2 hours"),
        ),
        (
            "(duration('2d') - duration('1d')).toString()",
            json!("a day"),
        ),
        ("file.mtime.relative()", json!("an hour ago")),
        ("file.ctime.year", json!(2026)),
        (
            "date('nope')",
            json!({"error": "Unable to parse \"nope\" as a date."}),
        ),
        (
            "duration('1 fortnight')",
            json!({"error": "Unable to parse \"1 fortnight\" as a duration."}),
        ),
        ("today() + 'x'", json!("2026-06-10x")),
        (
            "date('2026-01-01') + '9999999y'",
            json!({"error": "The date is out of range"}),
        ),
    ]);
}

#[test]
fn lists_and_objects() {
    all(&[
        ("[1,2,3].contains(2)", json!(true)),
        (
            "[1,2,3].containsAll(2, 3) && ![1].containsAll(1, 2)",
            json!(true),
        ),
        ("[1].containsAny(0, 1)", json!(true)),
        ("[1,2,3,4].filter(value > 2)", json!([3, 4])),
        ("['a','b'].map(index + value)", json!(["0a", "1b"])),
        (
            "[[1,2],[3]].map(value.map(value * 10))",
            json!([[10, 20], [30]]),
        ),
        (
            "[3,5].reduce(if(acc == null || value > acc, value, acc), null)",
            json!(5),
        ),
        (
            "[1,2].reduce(acc + [3,4].map(value * acc).length, 0)",
            json!(4),
        ),
        ("[1,2].join()", json!("1,2")),
        ("[1,[2,'a']].toString()", json!("1, 2, a")),
        ("[1,[2,[3]]].flat()", json!([1, 2, [3]])),
        ("['b','A','c'].sort()", json!(["A", "b", "c"])),
        ("[10, 9, null, 1].sort()", json!([1, 9, 10, null])),
        ("[1, '1', 1].unique()", json!([1, "1"])),
        ("[1,2,3].slice(-2)", json!([2, 3])),
        ("[1,2,3][1] + [1,2,3][9]", json!(2)),
        ("[1,2,6].mean()", json!(3)),
        ("[1,2,'x'].sum()", json!(3)),
        ("[4,1,3,2].median()", json!(2.5)),
        ("[2,4].stddev()", json!(1)),
        ("[].mean()", json!(null)),
        ("file.properties.keys().contains('price')", json!(true)),
        ("note['price'] + note.price", json!(25)),
        ("note.values().length == note.keys().length", json!(true)),
        ("file.properties.isEmpty()", json!(false)),
        (
            "[1].asdf",
            json!({"error": "Cannot find \"asdf\" on type List"}),
        ),
    ]);
}

#[test]
fn files_and_links() {
    all(&[
        ("file.folder", json!("Books")),
        ("file('cover.png').folder", json!("/")),
        ("file('cover.png').name", json!("cover.png")),
        ("file('cover.png').basename", json!("cover")),
        ("file.tags", json!(["book", "novel/classic"])),
        (
            "file.hasTag('novel') && file.hasTag('#BOOK') && !file.hasTag('nov')",
            json!(true),
        ),
        (
            "file.tags.contains('novel') && tags.contains('NOVEL/classic')",
            json!(true),
        ),
        (
            "file.inFolder('Books') && file.inFolder('/') && !file.inFolder('Book')",
            json!(true),
        ),
        ("file('Persuasion').inFolder('Books')", json!(true)),
        (
            "author == file('Jane Austen') && author.asFile().status == 'open'",
            json!({"error": "Cannot find \"status\" on type File"}),
        ),
        ("author.asFile().properties.status", json!("open")),
        ("author == link('jane austen')", json!(true)),
        ("link('Nobody') == link('Nobody', 'shown')", json!(true)),
        ("link('Nobody').asFile()", json!(null)),
        (
            "link('Nobody').linksTo(file)",
            json!({"error": "Could not coerce link to file"}),
        ),
        ("link('Emma').linksTo(author.asFile())", json!(true)),
        (
            "file.hasLink(author) && file.hasLink('Jane Austen.md')",
            json!(true),
        ),
        (
            "link('https://obsidian.md', 'x').toString()",
            json!("https://obsidian.md"),
        ),
        ("link('a', icon('plus')).toString()", json!("[[a|plus]]")),
        ("file.asLink().asFile() == file", json!(true)),
        (
            "list(author).map(value.asFile().path)",
            json!(["Jane Austen.md"]),
        ),
        (
            "image(file('cover.png')).toString()",
            json!("![](cover.png)"),
        ),
        (
            "html('<b>').isType('html') && icon('x').isType('icon')",
            json!(true),
        ),
        (
            "file.hasProperty('price') && !file.hasProperty('x')",
            json!(true),
        ),
        ("file.size", json!(100)),
        ("this.file.name + this.price", json!("Emma12.5")),
        ("this == file && file.file == file", json!(true)),
        (
            "file.nothing",
            json!({"error": "Cannot find \"nothing\" on type File"}),
        ),
    ]);
}

#[test]
fn formulas_refer_to_others_and_not_to_themselves() {
    let base = "formulas: {total: price * 2, 'a b': formula.total + 1, x: formula.y, y: formula.x, z: 1 +}";
    let mut vault = books();
    vault.files.swap(0, 1);
    let of = |text: &str| match evaluated(&vault, &Expression::parse(text).unwrap(), base) {
        Ok(value) => value,
        Err(error) => json!({ "error": error.message }),
    };
    assert_eq!(of("formula['a b'] - formula.total"), json!(1));
    assert_eq!(of("formula.none"), json!(null));
    assert_eq!(
        of("formula.x"),
        json!({"error": "Circular reference in formula \"x\""})
    );
    assert_eq!(
        of("formula.z"),
        json!({"error": "The expression ends where a value is expected (at character 4)"})
    );
}

#[test]
fn what_is_no_expression_says_why_and_where() {
    for (text, expected) in [
        (
            "",
            "The expression ends where a value is expected (at character 1)",
        ),
        (
            "é ==",
            "The expression ends where a value is expected (at character 5)",
        ),
        (
            "1.isTruthy()",
            "A number needs parentheses before a function: (1).round() (at character 2)",
        ),
        (
            "{\"a\": 1}",
            "Object literals are documented, but the app does not take them (at character 1)",
        ),
        (
            "+1",
            "The app knows no \"+\" before a value (at character 1)",
        ),
        ("'a", "A text is not closed (at character 1)"),
        ("/a", "A regular expression is not closed (at character 1)"),
        (
            "/(/",
            "Invalid regular expression: a parenthesis has no partner (at character 1)",
        ),
        (
            "/a/x",
            "Invalid regular expression flag \"x\" (at character 1)",
        ),
        (
            "a b",
            "Something follows the expression that does not belong to it (at character 3)",
        ),
        ("(1", "\")\" is missing (at character 3)"),
        (
            "a.1",
            "Something follows the expression that does not belong to it (at character 2)",
        ),
        (
            "a.'b'",
            "A name is missing after the point (at character 3)",
        ),
        ("[1](2)", "Expression is not callable (at character 4)"),
        ("a = 1", "Unexpected character \"=\" (at character 3)"),
        ("a ? b", "Unexpected character \"?\" (at character 3)"),
    ] {
        let error = Expression::parse(text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    for text in [
        "цена > 5",
        "file.ext == 'md'",
        "a[/x/.matches(b)]",
        "6 / 2 / 3",
        "$x_1",
    ] {
        Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}
