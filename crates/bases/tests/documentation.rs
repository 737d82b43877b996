//! The examples of the official documentation, each with the value that it names. Numbers stand in
//! parentheses before a function, and no object is written out: the app was seen to refuse both.

use crate::language::all;

#[test]
fn every_example_gives_what_the_documentation_says() {
    all(r##"
list("value") => ["value"]
list([1, 2]) => [1, 2]
if(true, "Modified", "Unmodified") => "Modified"
if(false, 1) => null
max(1, 3, 2) => 3
min(1, 3, 2) => 1
number("3.4") => 3.4
number(true) => 1
number(false) => 0
number(date("1970-01-01 10:00:01")) => 1000
(1).isTruthy() => true
"".isTruthy() => false
"example".isType("string") => true
true.isType("boolean") => true
[1].isType("list") => true
now().isType("date") => true
(1).isType("number") => true
(123).toString() => "123"
date("2025-05-27").format("YYYY-MM-DD") => "2025-05-27"
date("2025-05-27 11:22:33").time() => "11:22:33"
date("2025-05-27 11:22:33").hour => 11
date("2025-05-27 11:22:33").minute => 22
date("2025-05-27 11:22:33").second => 33
date("2025-05-27").millisecond => 0
date("2025-05-27").year => 2025
date("2025-05-27").month => 5
date("2025-05-27").day => 27
date("2025-12-31 23:59:59").date().format("YYYY-MM-DD HH:mm:ss") => "2025-12-31 00:00:00"
date("2025-05-27").isEmpty() => false
(date("2024-12-01") + "1M" + "4h" + "3m").format("YYYY-MM-DD HH:mm:ss") => "2025-01-01 04:03:00"
(now() - "3 days").relative() => "3 days ago"
now() + "1 day" > now() => true
(today() + "7d").format("YYYY-MM-DD HH:mm") => "2026-06-17 00:00"
(now() + (duration('1d') * 2)).day => 12
(now() + "2w").day => 24
(now() + "1 year").year => 2027
(now() - "2 hours").hour => 15
(date("2024-02-29") + "1y").format("YYYY-MM-DD") => "2025-02-28"
"hello".length => 5
"hello".contains("ell") => true
"hello".containsAll("h", "e") => true
"hello".containsAny("x", "y", "e") => true
"hello".endsWith("lo") => true
"hello".startsWith("he") => true
"Hello world".isEmpty() => false
"".isEmpty() => true
"HeLLo".lower() => "hello"
"a:b:c:d".replace(/:/, "-") => "a-b:c:d"
"a:b:c:d".replace(/:/g, "-") => "a-b-c-d"
"a:b:c:d".replace(":", "-") => "a-b-c-d"
"John Smith".replace(/(\w+) (\w+)/, "$2, $1") => "Smith, John"
"123".repeat(2) => "123123"
"hello".reverse() => "olleh"
"hello".slice(1, 4) => "ell"
"hello".slice(2) => "llo"
"a,b,c,d".split(",", 3) => ["a", "b", "c"]
"a,b,c,d".split(/,/, 3) => ["a", "b", "c"]
"hello world".title() => "Hello World"
"  hi  ".trim() => "hi"
(-5).abs() => 5
(2.1).ceil() => 3
(2.9).floor() => 2
(5).isEmpty() => false
(2.5).round() => 3
(2.3333).round(2) => 2.33
(3.14159).toFixed(2) => "3.14"
[1,2,3].length => 3
[1,2,3].contains(2) => true
[1,2,3].containsAll(2,3) => true
[1,2,3].containsAny(3,4) => true
[1,2,3,4].filter(value > 2) => [3, 4]
[5,6,7].filter(index > 0) => [6, 7]
[1,[2,3]].flat() => [1, 2, 3]
[1,2,3].isEmpty() => false
[].isEmpty() => true
[1,2,3].join(",") => "1,2,3"
[1,2,3,4].map(value + 1) => [2, 3, 4, 5]
[1,2,3].reduce(acc + value, 0) => 6
[3, "x", 9, 4].filter(value.isType("number")).reduce(if(acc == null || value > acc, value, acc), null) => 9
[1,2,3].reverse() => [3, 2, 1]
[1,2,3,4].slice(1,3) => [2, 3]
[3, 1, 2].sort() => [1, 2, 3]
["c", "a", "b"].sort() => ["a", "b", "c"]
[1,2,2,3].unique() => [1, 2, 3]
[1,2,3].mean() => 2
[1,2,4].mean().round(3) => 2.333
file.properties.isEmpty() => false
file.properties.keys().contains("price") => true
file.properties.values().contains(12.5) => true
file.properties["price"] => 12.5
/abc/.matches("abcde") => true
["x", "y"][0] => "x"
7 % 4 => 3
2 * (3 + 4) => 14
!(1 == 2) => true
note.price => 12.5
note["price"] => 12.5
price.toFixed(2) + " dollars" => "12.50 dollars"
if(price, price.toFixed(2) + " dollars") => "12.50 dollars"
(price / age).toFixed(2) => "3.13"
file.name => "Emma"
file.basename => "Emma"
file.path => "Books/Emma.md"
file.folder => "Books"
file.ext => "md"
file.size => 100
file.properties.price => 12.5
file.hasProperty("price") => true
file.hasTag("nothing", "book") => true
file.hasTag("novel") => true
file.inFolder("Books") => true
file.inFolder("Boo") => false
file.tags.contains("#book") => true
random() >= 0 && random() < 1 => true
link("filename").toString() => "[[filename]]"
link("filename", "display").toString() => "[[filename|display]]"
link("Emma") == link("Books/Emma.md") => true
link("Emma") == file => true
file("Books/Emma.md").name => "Emma"
file(link("[[Emma]]")).path => "Books/Emma.md"
link("[[Emma]]").asFile().path => "Books/Emma.md"
author.isType("link") => true
escapeHTML("<b>&") => "&lt;b&gt;&amp;"
duration("1d") > duration("2h") => true
"##);
}
