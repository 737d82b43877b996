//! Frontmatter with properties of every type (`vault-semantics.md` §3.2).

use seeded_random::Random;

use super::links::Links;
use super::names;

/// A block of frontmatter with a few properties, its fences included.
pub(super) fn frontmatter(random: &mut Random, links: &Links<'_>) -> String {
    let mut text = "---\n".to_owned();
    if random.percent(70) {
        text += &tags(random);
    }
    if random.percent(25) {
        text += &aliases(random);
    }
    for property in PROPERTIES {
        if random.percent(22) {
            text += &property(random, links);
        }
    }
    text + "---\n"
}

type Property = fn(&mut Random, &Links<'_>) -> String;

const PROPERTIES: [Property; 16] = [
    |random, _| {
        format!(
            "status: {}\n",
            random.pick(&["open", "done", "in progress", "Draft"])
        )
    },
    |random, _| {
        format!(
            "rating: {}\n",
            random.pick(&["1", "2", "3.5", "-4", "1e3", "0x1F", "007"])
        )
    },
    |random, _| {
        format!(
            "done: {}\n",
            random.pick(&["true", "false", "True", "yes", "no"])
        )
    },
    |random, _| format!("date: {}\n", day(random)),
    |random, _| format!("created: {}T{:02}:30:00\n", day(random), random.below(24)),
    |random, links| format!("up: \"{}\"\n", links.property(random)),
    |random, links| {
        let items: String = (0..random.between(1, 4))
            .map(|_| format!("  - \"{}\"\n", links.property(random)))
            .collect();
        format!("related:\n{items}")
    },
    |random, _| format!("author: {}\n", names::title(random)),
    |random, _| {
        format!(
            "title: '{}: it''s {}'\n",
            names::title(random),
            names::title(random)
        )
    },
    |random, _| format!("cssclasses: [wide, {}]\n", random.pick(&["cards", "dark"])),
    |random, _| {
        format!(
            "summary: >-\n  {} {}\n  {}\n",
            names::title(random),
            names::emoji(random),
            names::title(random)
        )
    },
    |random, _| format!("source: https://example.org/{}?a=1#b\n", random.below(1000)),
    |_, _| "empty:\n".to_owned(),
    |random, _| {
        format!(
            "meta:\n  depth: {}\n  parts: [a, {{b: c}}]\n",
            random.below(9)
        )
    },
    |random, _| format!("数量: {}\n", random.below(100)),
    |random, _| format!("\"quoted key\": {}   # a comment\n", random.below(100)),
];

fn tags(random: &mut Random) -> String {
    let tags: Vec<String> = (0..random.between(1, 4))
        .map(|_| names::tag(random))
        .collect();
    match random.below(5) {
        0 => format!("tags: [{}]\n", tags.join(", ")),
        1 => format!("tags: {}\n", tags.join(", ")),
        2 => format!("tag: {}\n", tags[0]),
        3 => format!("tags:\n- \"#{}\"\n", tags.join("\"\n- \"#")),
        _ => format!("tags:\n  - {}\n", tags.join("\n  - ")),
    }
}

fn aliases(random: &mut Random) -> String {
    let (one, two) = (names::title(random), names::title(random));
    match random.below(3) {
        0 => format!("aliases: [{one}, \"{two}\"]\n"),
        1 => format!("alias: {one}\n"),
        _ => format!("aliases:\n  - {one}\n  - {two}\n"),
    }
}

/// A date of the last few years.
pub(super) fn day(random: &mut Random) -> String {
    format!(
        "{}-{:02}-{:02}",
        random.between(2021, 2026),
        random.between(1, 12),
        random.between(1, 28)
    )
}
