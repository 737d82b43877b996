//! The expression language beyond what the app was seen to do (`vault-semantics.md` §5.3).

use bases::Expression;
use serde_json::{Value as Json, json};

use crate::notes::{books, evaluated, of};

/// Each row is `expression => value as JSON`.
pub(crate) fn all(table: &str) {
    for row in table.trim().lines() {
        let (text, expected) = row.split_once(" => ").unwrap();
        let expected: Json = serde_json::from_str(expected).unwrap();
        assert_eq!(of(text), expected, "{text}");
    }
}

#[test]
fn operators_bind_as_in_javascript() {
    all(r#"
1 + 2 * 3 - 4 / 2 => 5
2 * 3 % 4 => 2
1 < 2 == true => true
false && true || true => true
true || missing.x.y => true
!price && price => false
-price * -1 => 12.5
'a' + 1 + 2 => "a12"
1 + 2 + 'a' => "3a"
'a' < 'b' => true
'b' > 'B' => true
[1] + [2, [3]] => [1, 2, [3]]
'1' == 1 => false
'10' > 9 => true
'abc' > 1 || 'abc' < 1 || 1 >= 'abc' => false
due > 'soon' || due < 'soon' => false
true + true => 2
1 / 0 > 5 => true
null == missing => true
[1, [2]] == [1, [2]] => true
10 - 2 - 3 => 5
'it\'s' + "\n" => "it's\n"
[] + 1 => {"error": "Invalid operator between List and Number"}
'a' - 1 => {"error": "Unable to parse \"a\" as a number."}
"#);
}

#[test]
fn texts() {
    all(r#"
'😀é'.length => 3
'hello'.slice(-3, -1) => "ll"
'a😀b'.slice(1, 2) => "�"
'a😀b'.reverse() => "b😀a"
'ab'.containsAll('a', 'b') && !'ab'.containsAll('a', 'c') => true
'ab'.containsAny('x', 'b') && !'ab'.containsAny('x') => true
'abc'.startsWith('ab') => true
'ÄB'.lower() => "äb"
'a-b c'.title() => "A-b C"
'abc'.split('') => ["a", "b", "c"]
'a1b22c'.split(/\d+/) => ["a", "b", "c"]
'a1b'.split(/(\d)/) => ["a", "1", "b"]
'abc'.split(/(?:)/) => ["a", "b", "c"]
''.split(/x/) => [""]
'a,b,c'.split(',', 0) => []
'John Smith'.replace(/(\w+) (\w+)/, '$2, $1') => "Smith, John"
'aaa'.replace(/a/g, '[$&$$$2]') => "[a$$2][a$$2][a$$2]"
'abc'.replace(/(?:)/g, '-') => "-a-b-c-"
'a.b'.replace('.', '$&') => "a$&b"
/^b$/m.matches('a\nb') => true
/A/i.matches('a') => true
'x'.repeat(0) => ""
'x'.repeat(-1) => {"error": "Invalid count value: -1"}
'12px'.isType('string') => true
escapeHTML('"a\'&') => "&quot;a&#39;&amp;"
missing.asdf() => {"error": "Cannot find function \"asdf\" on type Null"}
missing.isEmpty() => true
missing.anything.more => null
"#);
}

/// `vault-semantics.md` §5.3: what a note lacks has no value of any function, and no comparison with
/// it holds.
#[test]
fn what_is_not_there_is_no_error() {
    all(r#"
missing.lower() => null
missing.contains(link('People')) => null
!missing.containsAny('a', 'b') => true
missing.map(value + 1).length => null
missing.round() => null
missing.toString() => ""
missing.isTruthy() || missing.isType('string') => false
file.name.contains(missing) => false
file.name.startsWith(missing) => false
'abc'.containsAny(missing, 'b') => true
'abc'.containsAll('a', missing) => false
missing < 10 => null
missing >= 0 || missing <= 0 => false
!(10 > missing) => true
missing == null && missing != 0 => true
now() - missing => null
(now() - missing).years.floor() => null
missing + '1d' => "1d"
"#);
}

/// As [A] `obsidian.d.ts` has it: links, tags, images and the like are kinds of text.
#[test]
fn texts_of_other_kinds() {
    all(r#"
author.contains('Austen') => true
author.lower() => "jane austen"
author.length => 11
'Jane Austen and others'.contains(author) => true
file.embeds[9].containsAny('jpg', 'gif') => null
link('a.JPG').containsAny('JPG') => true
tags[0].startsWith('bo') => true
html('<b>').contains('b') => true
image('a.png').endsWith('.png') => true
date(link('2025-01-15', 'x')).day => 15
date('[[2025-01-15]]').isEmpty() => {"error": "Unable to parse \"[[2025-01-15]]\" as a date."}
link('a').toString().lower() => "[[a]]"
link('2026-06-01') > now() - '60d' => true
link('Someday') > now() || author < now() => false
author > 'Jane' => true
author.round() => {"error": "Cannot find function \"round\" on type Link"}
author.path => {"error": "Cannot find \"path\" on type Link"}
'abc'.contains(1) => {"error": "Type error in \"contains\", parameter \"value\". Expected String not, given Number."}
'abc'.contains(file) => {"error": "Type error in \"contains\", parameter \"value\". Expected String not, given File."}
'abc'.containsAny(true) => {"error": "Type error in \"containsAny\", parameter \"values\". Expected String not, given Boolean."}
'abc'.containsAll([1]) => {"error": "Type error in \"containsAll\", parameter \"values\". Expected String not, given List."}
'abc'.startsWith(today()) => {"error": "Type error in \"startsWith\", parameter \"query\". Expected String not, given Date."}
'abc'.endsWith(duration('1d')) => {"error": "Type error in \"endsWith\", parameter \"query\". Expected String not, given Duration."}
author.contains(/a/) => {"error": "Type error in \"contains\", parameter \"value\". Expected String not, given RegExp."}
"#);
}

#[test]
fn numbers() {
    all(r#"
(-5).abs() => 5
(2.1).ceil() => 3
(2.5).round() => 3
(3.14159).toFixed(2) => "3.14"
(1).toFixed(101) => {"error": "toFixed() digits argument must be between 0 and 100"}
max(1, '3', true) => 3
number('0x10') + number('') => 16
number([1]) => {"error": "Unable to parse \"1\" as a number."}
number(duration('1d')) => {"error": "Unable to parse \"a day\" as a number."}
(0.1 + 0.2).toString() => "0.30000000000000004"
random() == random() => false
"#);
}

#[test]
fn dates() {
    all(r#"
now().toString() => "2026-06-10T17:17:08"
today().toString() => "2026-06-10"
now().date() == today() => true
now().time() => "17:17:08"
now().millisecond => 70
due.isType('date') && due > today() => true
due - today() => "21 days"
due - today() > '20d' => true
(due - today()) / 86400000 => 21
due < '2026-07-02' && '2026-06-30' < due => true
due == '2026-07-01' => true
due == date('2026-07-01 12:00:00') => true
date('2026-07-01 12:00:00') != due => false
[due].contains(date('2026-07-01 09:00:00')) => true
due == date('2026-07-02 00:00:00') => false
date('2026-07-01 12:00:00') == '2026-07-01' => true
date('2026-07-01 12:00:00') == date('2026-07-01 12:00:01') => false
due == 'soon' => false
date('202505271030') => "2025-05-27T10:30:00"
date('01/02/2025') => "2025-01-02"
date('01/01/2025') + '1 year' => "2026-01-01"
date('2024-12-01') + '1M' + '4h' + '3m' => "2025-01-01T04:03:00"
date('2024-12-01') - '1h' + '1h' => "2024-12-01T00:00:00"
(due - today()).days => 21
(due - today()).hours => 504
(due - now()).days.round(2) => 20.28
(now() - due).minutes => -29202.8655
duration('90m').seconds + duration('1d').milliseconds => 86405400
(today() - date('2020-01-01')).years.floor() => 6
((today() - date('2026-01-01')).months).round() => 5
duration('1y').months + duration('18M').years => 13.5
duration('1M').days => 30
duration('1d').round() => {"error": "Cannot find function \"round\" on type Duration"}
duration('1d').weeks => {"error": "Cannot find \"weeks\" on type Duration"}
(due + '1M').format('MMM Do') => "Aug 1st"
(date('2024-12-01') + '1M' + '4h' + '3m').hour => 4
now() + (duration('1d') * 2) > now() + '1d 23h' => true
(duration('1h') + duration('30m')).toString() => "2 hours"
(duration('2d') - duration('1d')).toString() => "a day"
file.mtime.relative() => "an hour ago"
file.ctime.year => 2026
date('nope') => {"error": "Unable to parse \"nope\" as a date."}
duration('1 fortnight') => {"error": "Unable to parse \"1 fortnight\" as a duration."}
today() + 'x' => "2026-06-10x"
date('2026-01-01') + '9999999y' => {"error": "The date is out of range"}
"#);
}

#[test]
fn lists_and_objects() {
    all(r#"
[1,2,3].contains(2) => true
[1,2,3].containsAll(2, 3) && ![1].containsAll(1, 2) => true
[1].containsAny(0, 1) => true
[1,2,3,4].filter(value > 2) => [3, 4]
['a','b'].map(index + value) => ["0a", "1b"]
[[1,2],[3]].map(value.map(value * 10)) => [[10, 20], [30]]
[3,5].reduce(if(acc == null || value > acc, value, acc), null) => 5
[1,2].reduce(acc + [3,4].map(value * acc).length, 0) => 4
[1,2].join() => "1,2"
[1,[2,'a']].toString() => "1, 2, a"
[1,[2,[3]]].flat() => [1, 2, [3]]
['b','A','c'].sort() => ["A", "b", "c"]
[10, 9, null, 1].sort() => [1, 9, 10, null]
[1, '1', 1].unique() => [1, "1"]
[1,2,3].slice(-2) => [2, 3]
[1,2,3][1] + [1,2,3][9] => 2
[1,2,6].mean() => 3
[1,2,'x'].sum() => 3
[4,1,3,2].median() => 2.5
[2,4].stddev() => 1
[].mean() => null
file.properties.keys().contains('price') => true
note['price'] + note.price => 25
note.values().length == note.keys().length => true
file.properties.isEmpty() => false
[1].asdf => {"error": "Cannot find \"asdf\" on type List"}
"#);
}

#[test]
fn files_and_links() {
    all(r#"
file.folder => "Books"
file('cover.png').folder => "/"
file('cover.png').name => "cover.png"
file('cover.png').basename => "cover"
file.tags => ["book", "novel/classic"]
file.hasTag('novel') && file.hasTag('#BOOK') && !file.hasTag('nov') => true
file.tags.contains('novel') && tags.contains('NOVEL/classic') => true
file.inFolder('Books') && file.inFolder('/') && !file.inFolder('Book') => true
file('Persuasion').inFolder('Books') => true
author == file('Jane Austen') && author.asFile().status == 'open' => {"error": "Cannot find \"status\" on type File"}
author.asFile().properties.status => "open"
author == link('jane austen') => true
link('Nobody') == link('Nobody', 'shown') => true
link('Nobody').asFile() => null
link('Nobody').linksTo(file) => {"error": "Could not coerce link to file"}
link('Emma').linksTo(author.asFile()) => true
file.hasLink(author) && file.hasLink('Jane Austen.md') => true
link('https://obsidian.md', 'x').toString() => "https://obsidian.md"
link('a', icon('plus')).toString() => "[[a|plus]]"
file.asLink().asFile() == file => true
list(author).map(value.asFile().path) => ["Jane Austen.md"]
image(file('cover.png')).toString() => "![](cover.png)"
html('<b>').isType('html') && icon('x').isType('icon') => true
file.hasProperty('price') && !file.hasProperty('x') => true
file.size => 100
this.file.name + this.price => "Emma12.5"
this == file && file.file == file => true
file.nothing => {"error": "Cannot find \"nothing\" on type File"}
"#);
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
    for row in r#"
 => The expression ends where a value is expected (at character 1)
é == => The expression ends where a value is expected (at character 5)
1.isTruthy() => A number needs parentheses before a function: (1).round() (at character 2)
{"a": 1} => Object literals are documented, but the app does not take them (at character 1)
+1 => The app knows no "+" before a value (at character 1)
'a => A text is not closed (at character 1)
/a => A regular expression is not closed (at character 1)
/(/ => Invalid regular expression: a parenthesis is not closed or not opened (at character 1)
/a/x => Invalid regular expression flag "x" (at character 1)
a b => Something follows the expression that does not belong to it (at character 3)
(1 => ")" is missing (at character 3)
a.1 => Something follows the expression that does not belong to it (at character 2)
a.'b' => A name is missing after the point (at character 3)
[1](2) => Expression is not callable (at character 4)
a = 1 => Unexpected character "=" (at character 3)
a ? b => Unexpected character "?" (at character 3)
"#
    .trim_start_matches('\n')
    .lines()
    {
        let (text, expected) = row.split_once(" => ").unwrap();
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
