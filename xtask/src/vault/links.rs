//! Links in every form that the app knows (`vault-semantics.md` §2.2).

use seeded_random::Random;

use super::names;
use super::plan::{Plan, PlannedNote};

/// One note in a hundred is a hub, to which a third of the links lead.
const NOTES_A_HUB: usize = 100;

/// Makes up the links of one note.
pub(super) struct Links<'plan> {
    plan: &'plan Plan,
    /// The note that the links stand in.
    own: &'plan PlannedNote,
}

impl<'plan> Links<'plan> {
    pub(super) fn of(plan: &'plan Plan, own: &'plan PlannedNote) -> Self {
        Self { plan, own }
    }

    /// A note of the vault.
    fn target(&self, random: &mut Random) -> &'plan PlannedNote {
        let notes = &self.plan.notes;
        if random.percent(33) {
            &notes[random.below(notes.len() / NOTES_A_HUB + 1)]
        } else {
            random.pick(notes)
        }
    }

    /// A link or embed in running text; `pipe` is what stands between target and text.
    pub(super) fn any(&self, random: &mut Random, pipe: &str) -> String {
        let note = self.target(random);
        let (name, stem) = (note.name(), note.stem());
        let heading = names::title(random);
        match random.below(100) {
            0..26 => format!("[[{name}]]"),
            26..40 => format!("[[{name}{pipe}{heading}]]"),
            40..48 => format!("[[{stem}]]"),
            48..52 => format!("[[{stem}.md{pipe}{heading}]]"),
            52..57 => format!("[[{name}#{heading}]]"),
            57..59 => format!("[[{name}#^block-{}]]", random.below(20)),
            59..61 => format!("[[#{heading}]]"),
            61..64 => format!("![[{name}]]"),
            64..68 => self.attachment(random, pipe),
            68..75 => format!("[{heading}]({})", encoded(&note.path)),
            75..78 => format!(
                "[{heading}](<{}> \"{name}\")",
                note.path.replace(['<', '>'], "")
            ),
            78..82 => format!("[{heading}]({})", encoded(&self.relative(&note.path))),
            82..84 => format!("[[{}{pipe}{heading}]]", self.relative(stem)),
            84..86 => format!("[{heading}]({}#{})", encoded(&note.path), encoded(&heading)),
            86..94 => format!("[[{}]]", names::missing(random, self.plan.notes.len())),
            94..95 => format!("[{heading}](missing/{}.md)", encoded(&heading)),
            95..98 => format!("[{heading}](https://example.org/{})", random.below(1000)),
            _ => format!("[[{}]]", name.to_lowercase()),
        }
    }

    /// A link for a property, without brackets around it in YAML's sense.
    pub(super) fn property(&self, random: &mut Random) -> String {
        let name = self.target(random).name();
        if random.percent(20) {
            format!("[[{name}|{}]]", names::title(random))
        } else {
            format!("[[{name}]]")
        }
    }

    /// The path of a note of the vault.
    pub(super) fn path(&self, random: &mut Random) -> &'plan str {
        &self.target(random).path
    }

    fn attachment(&self, random: &mut Random, pipe: &str) -> String {
        let path = random.pick(&self.plan.attachments).as_str();
        let file = path.rsplit('/').next().unwrap_or(path);
        match random.below(4) {
            0 => format!("![[{file}{pipe}{}]]", random.between(50, 900)),
            1 => format!("![a picture]({})", encoded(path)),
            2 => format!("[[{path}]]"),
            _ => format!("![[{file}]]"),
        }
    }

    /// A path of the vault as seen from the folder of this note.
    fn relative(&self, path: &str) -> String {
        let own: Vec<&str> = self
            .own
            .folder()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let parts: Vec<&str> = path.split('/').collect();
        let folders = &parts[..parts.len() - 1];
        let shared = own.iter().zip(folders).take_while(|(a, b)| a == b).count();
        let start = if own.len() == shared {
            "./".to_owned()
        } else {
            "../".repeat(own.len() - shared)
        };
        format!("{start}{}", parts[shared..].join("/"))
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
    use super::*;

    #[test]
    fn destinations_are_percent_encoded() {
        assert_eq!(encoded("a b/50%.md"), "a%20b/50%25.md");
        assert_eq!(encoded("é(1)#.md"), "%C3%A9%281%29%23.md");
    }

    #[test]
    fn relative_paths_lead_back_to_their_note() {
        let plan = Plan::new(500, 3);
        for (own, target) in plan.notes.iter().zip(plan.notes.iter().rev()) {
            let relative = Links::of(&plan, own).relative(&target.path);
            let mut place: Vec<&str> = own.folder().split('/').filter(|s| !s.is_empty()).collect();
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
