use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const CASES: &str = include_str!("cases.txt");

const STEPS: u64 = 1_000_000;

fn compiled(pattern: &str, ignore_case: bool) -> Result<Regex, RegexError> {
    let options = RegexOptions {
        ignore_case,
        ..RegexOptions::default()
    };
    Regex::new(pattern, options, &|| false)
}

fn all_hits(regex: &Regex, text: &str, fuel: &Fuel) -> Result<Vec<Range<usize>>, Exhausted> {
    let mut hits = Vec::new();
    regex.each_hit(text, fuel, |hit| hits.push(hit))?;
    Ok(hits)
}

fn hits(pattern: &str, ignore_case: bool, text: &str) -> Vec<Range<usize>> {
    let regex = compiled(pattern, ignore_case).unwrap();
    let hits = all_hits(&regex, text, &Fuel::new(STEPS)).unwrap();
    let is_in = regex.is_in(text, &Fuel::new(STEPS)).unwrap();
    assert!(is_in || hits.is_empty());
    if !ignore_case && !text.contains(regex.required_text()) {
        assert!(!is_in, "/{pattern}/ in {text:?}");
    }
    hits
}

fn texts<'text>(pattern: &str, text: &'text str) -> Vec<&'text str> {
    hits(pattern, true, text)
        .into_iter()
        .map(|hit| &text[hit])
        .collect()
}

#[test]
fn everyday_expressions() {
    assert_eq!(
        texts(r"\d{4}-\d{2}-\d{2}", "on 2022-01-01, 2023-12-31"),
        ["2022-01-01", "2023-12-31"]
    );
    assert_eq!(
        texts("dail(y|ies)", "Daily dailies dail"),
        ["Daily", "dailies"]
    );
    assert_eq!(texts(r"\bnote\b", "note notes note."), ["note", "note"]);
    assert_eq!(texts(r"[^\s,]+", "a, b-c"), ["a", "b-c"]);
    assert_eq!(texts("<.*?>", "<a><b>"), ["<a>", "<b>"]);
    assert_eq!(texts(r"(\w)\1", "Frankly, Miss Piggy"), ["ss", "gg"]);
    assert_eq!(texts(r"(?<=#)\w+(?!\w|/)", "#tag #a/b"), ["tag"]);
    assert_eq!(texts(r"(?<q>['`]).*?\k<q>", "'a`b' `c`"), ["'a`b'", "`c`"]);
    assert_eq!(texts("a{2,3}", "a aa aaa aaaa"), ["aa", "aaa", "aaa"]);
    assert_eq!(texts("a{,3}", "a{,3}"), ["a{,3}"]);
    assert_eq!(texts(r"[\]\-a]+", "]-a b"), ["]-a"]);
    assert_eq!(texts(r"\u0041\x42\cJ?", "ab"), ["ab"]);
    assert_eq!(texts(r"\ud83d\ude00", "😀"), ["😀"]);
    assert_eq!(texts("読.", "読書メモ"), ["読書"]);
    // A round of a loop that matches nothing fails, so that an alternative within it is tried
    // first.
    assert_eq!(texts("(?:(?:.)*?){2,}", "ab"), ["ab"]);
    assert_eq!(texts("^a|b$", "ab\nab"), ["a", "b"]);
    assert_eq!(texts(r"x*", "axxb"), ["xx"]);
    assert_eq!(texts("É", "é É"), ["é", "É"]);
    assert_eq!(hits("a", false, "Aa").first(), Some(&(1..2)));
}

#[test]
fn what_is_no_expression() {
    for (pattern, error) in [
        ("(", RegexError::Parenthesis),
        (")", RegexError::Parenthesis),
        ("[a", RegexError::Class),
        ("[b-a]", RegexError::Range),
        ("*", RegexError::NothingToRepeat),
        ("a**", RegexError::NothingToRepeat),
        ("^*", RegexError::NothingToRepeat),
        ("{1}", RegexError::NothingToRepeat),
        ("a{2,1}", RegexError::Quantifier),
        ("(?#a)", RegexError::Group),
        (r"(?<a>)\k<b>", RegexError::Name),
        ("(?<1>a)", RegexError::Name),
        ("\\", RegexError::Backslash),
        ("(?:(?:(?:ab){100}){100}){100}", RegexError::TooLarge),
    ] {
        assert_eq!(compiled(pattern, false).unwrap_err(), error, "{pattern}");
    }
    assert_eq!(
        compiled(&"(".repeat(100_000), false).unwrap_err(),
        RegexError::TooDeep
    );
}

#[test]
fn hostile_expressions_end_within_their_steps() {
    let long = format!("{}!", "a".repeat(20_000));
    // A matcher that only backtracks would not finish these in a lifetime. Here they take a few
    // steps per letter.
    for pattern in tables::lines(CASES, "hostile expressions end within") {
        let regex = compiled(pattern, true).unwrap();
        let fuel = Fuel::new(200 * 20_000);
        assert_eq!(regex.is_in(&long, &fuel), Ok(false), "{pattern}");
    }
    // These cannot be memoised, and run out of steps.
    for pattern in [
        r"(a+)+\1$",
        r"(?=(a+)+$)a",
        r"a(?=(a|a)*b)",
        r"(?<=^b(a|a)*)!",
    ] {
        let regex = compiled(pattern, true).unwrap();
        assert_eq!(
            regex.is_in(&long, &Fuel::new(200_000)),
            Err(Exhausted),
            "{pattern}"
        );
    }
    let regex = compiled("(?:ab|a)*", true).unwrap();
    let all = "ab".repeat(3_000_000);
    assert_eq!(
        all_hits(&regex, &all, &Fuel::new(u64::MAX)),
        Err(Exhausted),
        "the stack is bounded"
    );
}

#[test]
fn a_text_that_every_match_contains() {
    for (pattern, ignore_case, required) in
        tables::typed::<(&str, bool, &str)>(CASES, "a text that every match contains")
    {
        let regex = compiled(pattern, ignore_case).unwrap();
        assert_eq!(regex.required_text(), required, "{pattern}");
    }
}

/// The same cases in each run: `regress` has no limit, and now and then a random expression, such
/// as `(?:((?:\S|^)){2}){2}` with the flags `ims` in "c\n ab c", never ends in it.
fn same_cases() -> ProptestConfig {
    ProptestConfig {
        cases: 1_500,
        rng_seed: RngSeed::Fixed(28),
        ..ProptestConfig::default()
    }
}

/// A pattern made of parts that both matchers understand in the same way.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[abc]",
        Just(".".to_owned()),
        Just(r"\w".to_owned()),
        Just(r"\S".to_owned()),
        Just("[^a]".to_owned()),
        Just("[a-bé]".to_owned()),
        Just("é".to_owned()),
        Just("B".to_owned()),
        Just("^".to_owned()),
        Just("$".to_owned()),
        Just(r"\b".to_owned()),
        Just(r"\1".to_owned()),
        Just(String::new()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            3 => proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
            2 => (inner.clone(), quantifier()).prop_map(|(a, q)| format!("(?:{a}){q}")),
            1 => (inner.clone(), quantifier()).prop_map(|(a, q)| format!("({a}){q}")),
            1 => inner.clone().prop_map(|a| format!("({a})")),
            1 => ("[ab.]", quantifier()).prop_map(|(a, q)| format!("{a}{q}")),
            1 => (prop_oneof![Just("?="), Just("?!"), Just("?<="), Just("?<!")], inner)
                .prop_map(|(mark, a)| format!("({mark}{a})")),
        ]
    })
}

fn quantifier() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("*"),
        Just("+"),
        Just("?"),
        Just("*?"),
        Just("+?"),
        Just("??"),
        Just("{2}"),
        Just("{1,2}"),
        Just("{0,2}?"),
        Just("{2,}"),
    ]
}

/// Whether the first group refers to itself. In `regress` such a group contains its match so far; in ECMA-262 a group
/// is empty before it is closed.
fn refers_to_itself(pattern: &str) -> bool {
    let characters: Vec<char> = pattern.chars().collect();
    let mut depth = 0;
    let mut opened_at = None;
    for (index, character) in characters.iter().enumerate() {
        match character {
            '(' => {
                depth += 1;
                if opened_at.is_none() && characters.get(index + 1) != Some(&'?') {
                    opened_at = Some(depth);
                }
            }
            ')' => {
                if opened_at == Some(depth) {
                    return false;
                }
                depth -= 1;
            }
            '\\' if opened_at.is_some() && characters.get(index + 1) == Some(&'1') => return true,
            _ => {}
        }
    }
    false
}

#[test]
fn a_group_that_is_not_closed_holds_nothing() {
    assert_eq!(texts(r"((?:.|\1))(.)", "x"), ["x"]);
    assert_eq!(texts(r"(a\1)+", "aaa"), ["aaa"]);
    assert_eq!(texts(r"(?:(a)|b\1)+", "abab"), ["abab"]);
}

proptest! {
    #![proptest_config(same_cases())]

    #[test]
    fn matches_are_those_of_another_javascript_matcher(
        pattern in pattern(),
        text in "[abcéB \n]{0,8}",
        ignore_case in any::<bool>(),
    ) {
        if refers_to_itself(&pattern) {
            return Ok(());
        }
        let flags = if ignore_case { "i" } else { "" };
        let Ok(other) = regress::Regex::with_flags(&pattern, flags) else {
            return Ok(());
        };
        let Ok(regex) = compiled(&pattern, ignore_case) else {
            return Err(TestCaseError::fail(format!("/{pattern}/ is refused")));
        };
        let is_in = regex.is_in(&text, &Fuel::new(STEPS));
        let expected: Vec<_> = other.find_iter(&text).map(|hit| hit.range()).collect();
        prop_assert_eq!(is_in, Ok(!expected.is_empty()), "/{}/ in {:?}", pattern, text);
        if !ignore_case && !text.contains(regex.required_text()) {
            prop_assert!(expected.is_empty());
        }
        let hits = all_hits(&regex, &text, &Fuel::new(STEPS));
        let expected: Vec<_> = expected.into_iter().filter(|hit| !hit.is_empty()).collect();
        prop_assert_eq!(hits, Ok(expected), "/{}/ in {:?}", pattern, text);
    }

    #[test]
    fn any_text_is_an_expression_or_an_error(pattern in "[a-c(){}\\[\\]|*+?^$.\\\\1:=!<>k,x-]{0,16}", text in "[a-c]{0,8}") {
        if let Ok(regex) = compiled(&pattern, true) {
            let found = regex.is_in(&text, &Fuel::new(STEPS));
            prop_assert!(found.is_ok() || found == Err(Exhausted));
        }
    }
}

#[test]
fn e16_an_expression_of_any_length_is_compiled_or_refused_soon() {
    let groups: String = (0..300_000)
        .map(|number| format!("(?<a{number}>)"))
        .collect();
    let unused = format!("(?:{}){{0}}\\1", "()".repeat(300_000));
    for pattern in [
        groups,
        unused,
        "\\w".repeat(400_000),
        "|".repeat(400_000),
        format!("[{}]", "a".repeat(2_000_000)),
    ] {
        assert_eq!(compiled(&pattern, true).unwrap_err(), RegexError::TooLarge);
    }
}

#[test]
fn e16_a_compilation_ends_when_it_is_called_off() {
    let class: String = (0x4e00..0x9f00)
        .step_by(2)
        .filter_map(char::from_u32)
        .collect();
    let pattern = format!("(?:[{class}]x){{9000}}");
    let stopped = Regex::new(&pattern, RegexOptions::default(), &|| true);
    assert_eq!(stopped.unwrap_err(), RegexError::Stopped);
}

/// The texts of the whole match and of each group; empty without a match.
fn groups(pattern: &str, flags: &str, text: &str) -> Vec<Option<String>> {
    let options = RegexOptions {
        ignore_case: flags.contains('i'),
        multiline: flags.contains('m'),
        dot_is_any: flags.contains('s'),
        keeps_groups: true,
    };
    let regex = Regex::new(pattern, options, &|| false).unwrap();
    let found = regex.find(text, 0, &Fuel::new(STEPS)).unwrap();
    let Some(RegexMatch { whole, groups }) = found else {
        return Vec::new();
    };
    std::iter::once(Some(whole))
        .chain(groups)
        .map(|range| range.map(|range| text[range].to_owned()))
        .collect()
}

#[test]
fn groups_and_the_flags_for_lines() {
    let keep = |texts: &[Option<&str>]| -> Vec<Option<String>> {
        texts.iter().map(|text| text.map(str::to_owned)).collect()
    };
    assert_eq!(
        groups(r"(\w+) (\w+)(x)?", "", "to John Smith"),
        keep(&[Some("to John"), Some("to"), Some("John"), None])
    );
    assert_eq!(groups("(?:(a)|b)+", "", "ab"), keep(&[Some("ab"), None]));
    assert_eq!(groups("^b$", "", "a\nb\nc"), keep(&[]));
    assert_eq!(groups("^b$", "m", "a\nb\nc"), keep(&[Some("b")]));
    assert_eq!(groups("a.b", "", "a\nb"), keep(&[]));
    assert_eq!(groups("A.b", "si", "a\nb"), keep(&[Some("a\nb")]));
    assert_eq!(groups("(?=(a))", "", "ba"), keep(&[Some(""), Some("a")]));
}

proptest! {
    #![proptest_config(same_cases())]

    #[test]
    fn groups_are_those_of_another_javascript_matcher(
        pattern in pattern(),
        text in "[abcéB \n]{0,8}",
        flags in prop_oneof![Just(""), Just("m"), Just("s"), Just("ims")],
    ) {
        if refers_to_itself(&pattern) {
            return Ok(());
        }
        let Ok(other) = regress::Regex::with_flags(&pattern, flags) else {
            return Ok(());
        };
        let keep = |range: Option<Range<usize>>| range.map(|range| text[range].to_owned());
        let expected = other.find(&text).map_or_else(Vec::new, |hit| {
            hit.groups().map(keep).collect::<Vec<_>>()
        });
        prop_assert_eq!(groups(&pattern, flags, &text), expected, "/{}/{} in {:?}", pattern, flags, text);
    }
}
