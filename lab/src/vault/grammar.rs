//! The rules in `grammar.txt`, by which texts are made up.

use std::collections::HashMap;
use std::sync::LazyLock;

use seeded_random::Random;

/// A list of texts, of which one is chosen.
#[derive(Default)]
struct Rule {
    /// The rules that are drawn first.
    drawn: Vec<&'static str>,
    /// Each as often as its weight says.
    texts: Vec<Text>,
}

/// The text outside of places and inside them, in turn.
pub(super) type Text = Vec<String>;

/// The text for a rule that the grammar does not have.
pub(super) type Other<'other> = &'other dyn Fn(&mut Random, &str) -> String;

static RULES: LazyLock<HashMap<&str, Rule>> = LazyLock::new(|| {
    let mut rules = HashMap::<&str, Rule>::new();
    let mut last = "";
    let lines = include_str!("grammar.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let read = |text: &str| -> Text {
            let text = text.replace("\\n", "\n").replace("\\t", "\t");
            text.split('@').map(str::to_owned).collect()
        };
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        if let Ok(weight) = first.parse() {
            let rule = rules.entry(last).or_default();
            rule.texts.extend(vec![read(rest); weight]);
            continue;
        }
        let (head, texts) = line.split_once(" = ").unzip();
        let head = head.unwrap_or(line).trim_end_matches([')', ':']);
        let (name, drawn) = head.split_once('(').unzip();
        last = name.unwrap_or(head);
        let rule = rules.entry(last).or_default();
        rule.drawn = drawn
            .into_iter()
            .flat_map(|drawn| drawn.split(", "))
            .collect();
        let texts = texts.into_iter().flat_map(|texts| texts.split('|'));
        rule.texts = texts.map(read).collect();
    }
    rules
});

/// The texts of a rule, each as often as its weight says.
pub(super) fn texts(rule: &str) -> &'static [Text] {
    RULES.get(rule).map_or(&[], |rule| &rule.texts)
}

/// A text by a rule that needs none besides those of the grammar.
pub(super) fn text(random: &mut Random, rule: &str) -> String {
    text_with(random, rule, &|_, _| String::new())
}

/// A text by a rule.
pub(super) fn text_with(random: &mut Random, rule: &str, other: Other<'_>) -> String {
    let Some(Rule { drawn, texts }) = RULES.get(rule) else {
        return other(random, rule);
    };
    let drawn = drawn
        .iter()
        .map(|rule| (*rule, text_with(random, rule, other)));
    let drawn: Vec<(&str, String)> = drawn.collect();
    let text = match texts.as_slice() {
        [text] => text,
        texts => random.pick(texts),
    };
    filled(random, text, &drawn, other)
}

/// A text with its places filled.
pub(super) fn filled(
    random: &mut Random,
    text: &[String],
    drawn: &[(&str, String)],
    other: Other<'_>,
) -> String {
    let mut filled = String::new();
    for (index, part) in text.iter().enumerate() {
        match drawn.iter().find(|(rule, _)| rule == part) {
            _ if index % 2 == 0 => filled += part,
            Some((_, value)) => filled += value,
            None => filled += &in_place(random, part, other),
        }
    }
    filled
}

/// Returns the text for a place.
fn in_place(random: &mut Random, place: &str, other: Other<'_>) -> String {
    match place.as_bytes() {
        [] => String::new(),
        [b'^', ..] => {
            let text = in_place(random, &place[1..], other);
            let mut letters = text.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect()
        }
        [b'0'..=b'9', ..] => {
            let (range, rule) = place.split_once([' ', '*']).unwrap_or((place, ""));
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let bound = |text: &str| text.parse().unwrap_or_default();
            let number = random.between(bound(first), bound(last));
            if rule.is_empty() {
                return format!("{number:0width$}", width = first.len());
            }
            let texts = (0..number).map(|_| text_with(random, rule, other));
            let texts: Vec<String> = texts.collect();
            texts.join(if place.contains(' ') { " " } else { "" })
        }
        _ => text_with(random, place, other),
    }
}
