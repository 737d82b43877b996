//! The text of one note.

use seeded_random::Random;

use super::links::Links;
use super::names;
use super::plan::{Kind, Plan};
use super::properties::{day, frontmatter};

/// How many bytes a note has at that many thousandths of all notes: half of them below 2 KB, a
/// long tail above.
const SIZES: [(usize, usize); 10] = [
    (0, 40),
    (50, 150),
    (250, 800),
    (500, 2_048),
    (750, 4_500),
    (900, 10_000),
    (970, 18_000),
    (990, 35_000),
    (999, 100_000),
    (1_000, 300_000),
];
/// Every n-th note, or so, holds [`names::RARE_WORD`].
const NOTES_A_RARE_WORD: usize = 1_000;

/// The text of the note at `index` of the plan, before anything is made wrong with it.
pub(super) fn of_note(plan: &Plan, index: usize) -> String {
    let note = &plan.notes[index];
    let mut random = Random::of_part(plan.seed, index);
    let mut text = match note.kind {
        Kind::Template => return template(),
        Kind::Daily(day) => format!(
            "# {}\n\n{}\n",
            day.strftime("%A, %B %-d, %Y"),
            tasks(&mut random)
        ),
        Kind::Ordinary => String::new(),
    };
    let size = size(&mut random);
    let links = Links::of(plan, note);
    if note.kind == Kind::Ordinary && random.percent(55) {
        text += &frontmatter(&mut random, &links);
    }
    if random.percent(60) {
        text += &format!("# {}\n\n", note.name());
    }
    // Three templates come first, so every vault of more notes has one.
    if index % NOTES_A_RARE_WORD == 3 {
        text += &format!(
            "The {} is {}.\n\n",
            names::RARE_WORD,
            names::title(&mut random)
        );
    }
    while text.len() < size {
        text += &block(&mut random, &links);
        text.push('\n');
    }
    text
}

fn size(random: &mut Random) -> usize {
    let place = random.below(1_000);
    let above = SIZES.partition_point(|(thousandths, _)| *thousandths <= place);
    let ((from, least), (to, most)) = (SIZES[above - 1], SIZES[above]);
    random.between(
        least,
        least + (most - least) * (place + 1 - from) / (to - from),
    )
}

fn template() -> String {
    "---\ntags: [template]\n---\n# {{title}}\n\nCreated {{date:YYYY-MM-DD}} {{time}}\n".to_owned()
}

/// One block of Markdown, which ends in a line feed.
fn block(random: &mut Random, links: &Links<'_>) -> String {
    match random.below(100) {
        0..14 => format!(
            "{} {}\n",
            "#".repeat(random.between(1, 6)),
            names::title(random)
        ),
        14..62 => paragraph(random, links) + "\n",
        62..70 => list(random, links),
        70..78 => tasks(random),
        78..81 => table(random, links),
        81..86 => code(random),
        86..89 => callout(random, links),
        89..91 => format!("> {}\n", sentence(random, links)),
        91..93 => format!("{} ^block-{}\n", sentence(random, links), random.below(20)),
        93..94 => format!(
            "$$\nx_{{1}} = [[no link]] #notag + {}\n$$\n",
            random.below(100)
        ),
        94..95 => format!("%% {} #hidden/tag %%\n", links.any(random, "|")),
        95..96 => format!(
            "%%\n# No heading\n- [ ] no task\n{}\n%%\n",
            sentence(random, links)
        ),
        96..97 => format!("<div>\n{} #nottag\n</div>\n", names::title(random)),
        97..98 => format!("<!-- {} -->\n", names::title(random)),
        98..99 => format!(
            "A note[^1] {}.\n\n[^1]: {}\n",
            names::title(random),
            sentence(random, links)
        ),
        _ => "***\n".to_owned(),
    }
}

fn paragraph(random: &mut Random, links: &Links<'_>) -> String {
    let sentences: Vec<String> = (0..random.between(1, 6))
        .map(|_| sentence(random, links))
        .collect();
    sentences.join(if random.percent(15) { "\n" } else { " " })
}

fn sentence(random: &mut Random, links: &Links<'_>) -> String {
    let mut words: Vec<String> = (0..random.between(4, 18))
        .map(|_| names::word(random))
        .collect();
    if random.percent(28) {
        words.push(links.any(random, "|"));
    }
    if random.percent(7) {
        words.push(format!("#{}", names::tag(random)));
    }
    if random.percent(4) {
        words.push(inline(random));
    }
    if random.percent(1) {
        words.push(names::PHRASE.to_owned());
    }
    let place = random.below(words.len());
    words.rotate_right(place);
    words.join(" ") + "."
}

/// Emphasis, code, math, an escape, an emoji.
fn inline(random: &mut Random) -> String {
    let title = names::title(random);
    match random.below(8) {
        0 => format!("**{title}**"),
        1 => format!("_{title}_"),
        2 => format!("`[[{title}]] #no`"),
        3 => format!("=={title}=="),
        4 => format!("~~{title}~~"),
        5 => format!("$a_{{{}}}$", random.below(9)),
        6 => format!("\\#notag \\[[{title}]]"),
        _ => names::emoji(random).to_owned(),
    }
}

fn list(random: &mut Random, links: &Links<'_>) -> String {
    let numbered = random.percent(25);
    let mut depth = 0;
    (1..=random.between(2, 8))
        .map(|number| {
            depth = random.below(depth + 2).min(5);
            let marker = if numbered {
                format!("{number}.")
            } else {
                "-".to_owned()
            };
            format!(
                "{}{marker} {}\n",
                "\t".repeat(depth),
                sentence(random, links)
            )
        })
        .collect()
}

fn tasks(random: &mut Random) -> String {
    const STATES: [&str; 14] = [
        " ", " ", " ", " ", "x", "x", "x", "X", "-", "/", ">", "?", "!", "<",
    ];
    (0..random.between(1, 6))
        .map(|_| {
            let indent = random.pick(&["", "", "", "\t", "    "]);
            let marker = random.pick(&["-", "-", "-", "*", "+", "1."]);
            let state = random.pick(&STATES);
            let due = if random.percent(25) {
                format!(" 📅 {}", day(random))
            } else {
                String::new()
            };
            let tag = if random.percent(15) {
                format!(" #{}", names::tag(random))
            } else {
                String::new()
            };
            format!(
                "{indent}{marker} [{state}] {}{due}{tag}\n",
                names::title(random)
            )
        })
        .collect()
}

fn table(random: &mut Random, links: &Links<'_>) -> String {
    let rows: String = (0..random.between(1, 6))
        .map(|_| {
            format!(
                "| {} | {} |\n",
                names::title(random),
                links.any(random, "\\|")
            )
        })
        .collect();
    format!("| Name | Link |\n| --- | :-: |\n{rows}")
}

fn code(random: &mut Random) -> String {
    let fence = random.pick(&["```", "```", "~~~~"]);
    let lines: String = (0..random.between(1, 12))
        .map(|_| {
            format!(
                "{}(\"[[{}]]\") # no heading #notag\n",
                names::word(random),
                names::title(random)
            )
        })
        .collect();
    format!(
        "{fence}{}\n{lines}{fence}\n",
        random.pick(&["rust", "dataview", ""])
    )
}

fn callout(random: &mut Random, links: &Links<'_>) -> String {
    format!(
        "> [!{}]{} {}\n> {}\n> - [ ] {}\n",
        random.pick(&["note", "tip", "WARNING"]),
        random.pick(&["", "-", "+"]),
        names::title(random),
        sentence(random, links),
        names::title(random)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_note_has_two_kilobytes_and_the_tail_is_long() {
        let plan = Plan::new(1_000, 5);
        let mut sizes: Vec<usize> = (0..1_000)
            .map(|index| of_note(&plan, index).len())
            .collect();
        sizes.sort_unstable();
        assert!((1_600..2_600).contains(&sizes[500]), "{}", sizes[500]);
        assert!(sizes[0] < 200, "{}", sizes[0]);
        assert!(sizes[999] > 30_000, "{}", sizes[999]);
    }

    #[test]
    fn notes_hold_every_construct() {
        let plan = Plan::new(600, 5);
        let texts: Vec<String> = (0..600).map(|index| of_note(&plan, index)).collect();
        let all = texts.join("\n");
        for wanted in [
            "[[",
            "![[",
            "|",
            "](<",
            "%20",
            "](../",
            "](./",
            "[[../",
            "[[Missing",
            "#^block-",
            "[[#",
            "\\|",
            "- [ ] ",
            "- [x] ",
            "[-] ",
            "[/] ",
            "📅",
            "tags: [",
            "tags:\n",
            "tag: ",
            "aliases:",
            "alias: ",
            "rating: ",
            "done: ",
            "created: ",
            "related:\n",
            "数量: ",
            "```",
            "~~~~",
            "> [!",
            "$$",
            "%%",
            "日記",
            "🌱",
            "<div>",
            "<!--",
            "[^1]:",
            " ^block-",
            "#project/beta/launch",
            "cssclasses",
            names::RARE_WORD,
            names::PHRASE,
        ] {
            assert!(all.contains(wanted), "{wanted}");
        }
        let common = texts
            .iter()
            .filter(|text| text.contains(names::COMMON_WORD))
            .count();
        assert!(common > 300, "{common}");
        let rare = texts
            .iter()
            .filter(|text| text.contains(names::RARE_WORD))
            .count();
        assert_eq!(rare, 1);
    }
}
