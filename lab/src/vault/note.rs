//! The text of one note, with links of every form and properties of every type.

use seeded_random::Random;

use super::RARE_WORD;
use super::grammar::{filled, text, text_with, texts};
use super::plan::{Kind, Plan, PlannedNote};

/// The size of a note in bytes at each rank, in thousandths of all notes: half are below 2 KB, with a long tail above.
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
/// About every n-th note contains [`RARE_WORD`].
const NOTES_A_RARE_WORD: usize = 1_000;

/// One note in a hundred is a hub, to which a third of the links lead.
const NOTES_A_HUB: usize = 100;

/// The text of the note at `index` of the plan, before anything is made wrong with it.
pub(super) fn of_note(plan: &Plan, index: usize) -> String {
    let note = &plan.notes[index];
    let mut random = Random::of_part(plan.seed, index);
    let random = &mut random;
    let mut made = match note.kind {
        Kind::Template => return text(random, "template"),
        Kind::Daily(day) => {
            let tasks = text(random, "tasks");
            format!("# {}\n\n{tasks}\n", day.strftime("%A, %B %-d, %Y"))
        }
        Kind::Ordinary => String::new(),
    };
    let size = size(random);
    let links = Links { plan, own: note };
    if note.kind == Kind::Ordinary && random.percent(55) {
        made += &links.frontmatter(random);
    }
    if random.percent(60) {
        made += &format!("# {}\n\n", note.name());
    }
    // Three templates come first, so every vault of more notes has one.
    if index % NOTES_A_RARE_WORD == 3 {
        made += &format!("The {RARE_WORD} is {}.\n\n", text(random, "title"));
    }
    while made.len() < size {
        made += &links.text(random, "block");
        made.push('\n');
    }
    made
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

/// Makes up texts with links.
pub(super) struct Links<'plan> {
    pub(super) plan: &'plan Plan,
    /// The note that contains the links.
    pub(super) own: &'plan PlannedNote,
}

impl Links<'_> {
    /// A text by a rule of the grammar, or by one of these.
    pub(super) fn text(&self, random: &mut Random, rule: &str) -> String {
        text_with(random, rule, &|random, rule| self.other(random, rule))
    }

    fn other(&self, random: &mut Random, rule: &str) -> String {
        match rule {
            "paragraph" => {
                let sentences: Vec<String> = (0..random.between(1, 6))
                    .map(|_| self.other(random, "sentence"))
                    .collect();
                sentences.join(if random.percent(15) { "\n" } else { " " })
            }
            "sentence" => {
                let mut words: Vec<String> = (0..random.between(4, 18))
                    .map(|_| text(random, "word"))
                    .collect();
                let some = ["some-link", "some-tag", "some-form", "some-phrase"];
                let some = some.map(|rule| self.text(random, rule));
                words.extend(some.into_iter().filter(|text| !text.is_empty()));
                let place = random.below(words.len());
                words.rotate_right(place);
                words.join(" ") + "."
            }
            "list" => {
                let numbered = random.percent(25);
                let mut depth = 0;
                let numbers = 1..=random.between(2, 8);
                let items = numbers.map(|number| {
                    depth = random.below(depth + 2).min(5);
                    let marker = if numbered {
                        format!("{number}.")
                    } else {
                        "-".to_owned()
                    };
                    let sentence = self.other(random, "sentence");
                    format!("{}{marker} {sentence}\n", "\t".repeat(depth))
                });
                items.collect()
            }
            "link" => self.link(random),
            "link-in-table" => self.link(random).replace('|', "\\|"),
            "target" => self.target(random).name().to_owned(),
            "attachment" => {
                let path = random.pick(&self.plan.others[0]);
                let file = path.rsplit('/').next().unwrap_or(path);
                text_with(random, "attachment-form", &|_, place| match place {
                    "file" => file.to_owned(),
                    "path" => encoded(path),
                    _ => path.clone(),
                })
            }
            // A name that no note has.
            "missing" => {
                let count = random.below(self.plan.notes.len() / 40 + 3);
                let words = texts("large");
                format!("Missing {} {count}", words[count % words.len()].concat())
            }
            _ => String::new(),
        }
    }

    /// A note of the vault.
    pub(super) fn target(&self, random: &mut Random) -> &PlannedNote {
        let notes = &self.plan.notes;
        if random.percent(33) {
            &notes[random.below(notes.len() / NOTES_A_HUB + 1)]
        } else {
            random.pick(notes)
        }
    }

    /// A link or embed in running text.
    fn link(&self, random: &mut Random) -> String {
        let note = self.target(random);
        let heading = text(random, "title");
        text_with(random, "link-form", &|random, place| match place {
            "name" => note.name().to_owned(),
            "small-name" => note.name().to_lowercase(),
            "stem" => note.stem().to_owned(),
            "path" => encoded(&note.path),
            "plain-path" => note.path.replace(['<', '>'], ""),
            "relative-path" => encoded(&self.relative(&note.path)),
            "relative-stem" => self.relative(note.stem()),
            "heading" => heading.clone(),
            "encoded-heading" => encoded(&heading),
            _ => self.other(random, place),
        })
    }

    /// A block of frontmatter with a few properties, its fences included.
    fn frontmatter(&self, random: &mut Random) -> String {
        let mut made = "---\n".to_owned();
        if random.percent(70) {
            let tags: Vec<String> = (0..random.between(1, 4))
                .map(|_| text(random, "tag"))
                .collect();
            made += &text_with(random, "tags-form", &|_, place| match place {
                "first" => tags[0].clone(),
                "commas" => tags.join(", "),
                "quoted" => tags.join("\"\n- \"#"),
                _ => tags.join("\n  - "),
            });
        }
        if random.percent(25) {
            made += &text(random, "aliases");
        }
        for property in texts("property") {
            if random.percent(22) {
                made += &filled(random, property, &[], &|random, rule| {
                    self.other(random, rule)
                });
            }
        }
        made + "---\n"
    }

    /// A path of the vault as seen from the folder of this note.
    fn relative(&self, path: &str) -> String {
        let (mut own, mut path) = (self.own.path.as_str(), path);
        while let Some(((left, own_rest), (right, rest))) =
            own.split_once('/').zip(path.split_once('/'))
            && left == right
        {
            (own, path) = (own_rest, rest);
        }
        let up = "../".repeat(own.matches('/').count());
        if up.is_empty() {
            format!("./{path}")
        } else {
            up + path
        }
    }
}

/// A path as a markdown destination: what would end it, or start an escape, is percent-encoded,
/// and so is all that is not ASCII.
fn encoded(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'&' | b',' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{COMMON_WORD, PHRASE};
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
            RARE_WORD,
            PHRASE,
        ] {
            assert!(all.contains(wanted), "{wanted}");
        }
        let common = texts
            .iter()
            .filter(|text| text.contains(COMMON_WORD))
            .count();
        assert!(common > 300, "{common}");
        let rare = texts.iter().filter(|text| text.contains(RARE_WORD)).count();
        assert_eq!(rare, 1);
    }

    #[test]
    fn destinations_are_percent_encoded() {
        assert_eq!(encoded("a b/50%.md"), "a%20b/50%25.md");
        assert_eq!(encoded("é(1)#.md"), "%C3%A9%281%29%23.md");
    }

    #[test]
    fn relative_paths_lead_back_to_their_note() {
        let plan = Plan::new(500, 3);
        for (own, target) in plan.notes.iter().zip(plan.notes.iter().rev()) {
            let relative = Links { plan: &plan, own }.relative(&target.path);
            let mut place: Vec<&str> = own.path.split('/').collect();
            place.pop();
            for part in relative.split('/') {
                match part {
                    "." => {}
                    ".." => drop(place.pop()),
                    name => place.push(name),
                }
            }
            assert_eq!(place.join("/"), target.path, "{relative} in {}", own.path);
        }
    }
}
