//! The places of a fence as rules for the existing files, if it has no file tree of its own.

use std::path::{Path, PathBuf};

use super::place::{Access, Content, Place};
use super::rules::AccessRules;

/// Paths that every program may use. The folder of terminals is not included: rules cannot distinguish a terminal
/// that the program makes from the terminals of the person's other windows. Its own terminal is `/dev/tty`.
const READ: [&str; 1] = ["/proc"];
const WRITE: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// Returns the rules for these places. Rules only open, so a folder that contains a closed path is opened entry by
/// entry; a path that is only protected inside a folder that may be changed stays open.
pub(super) fn rules(places: &[Place]) -> AccessRules {
    let real = |path: &Path| fs_err::canonicalize(path).ok();
    let with = |wanted: fn(&Content) -> bool| -> Vec<PathBuf> {
        let places = places.iter().filter(|place| wanted(&place.content));
        places.filter_map(|place| real(&place.at)).collect()
    };
    let hidden = with(|content| *content == Content::Hidden);
    let ours = with(|content| matches!(content, Content::Private(_) | Content::Kept { .. }));
    let closed = [hidden.clone(), ours].concat();
    let mut rules = AccessRules {
        read: READ.map(PathBuf::from).to_vec(),
        write: WRITE.map(PathBuf::from).to_vec(),
        ..AccessRules::default()
    };
    for place in places {
        let (from, access, is_ours) = match &place.content {
            Content::Same(access) => (&place.at, access, false),
            Content::Lent { from } => (from, &Access::Read, false),
            Content::Kept { from } => (from, &Access::Write, true),
            Content::Other { from, access } => (from, access, true),
            Content::Private(_) | Content::Hidden => continue,
        };
        let Some(from) = real(from) else {
            continue;
        };
        let list = match access {
            Access::Read => &mut rules.read,
            Access::Write => &mut rules.write,
        };
        if is_ours {
            list.push(from);
        } else if !hidden.iter().any(|folder| from.starts_with(folder)) {
            open(&from, &closed, list);
        }
    }
    rules
}

fn open(path: &Path, closed: &[PathBuf], list: &mut Vec<PathBuf>) {
    let is_around = |it: &&PathBuf| it.starts_with(path) && *it != path;
    if !closed.iter().any(|it| is_around(&it)) {
        list.push(path.to_owned());
        return;
    }
    for entry in fs_err::read_dir(path).into_iter().flatten().flatten() {
        let entry = entry.path();
        // A link leads to a file that either has its own rule or is closed.
        if !closed.contains(&entry) && !entry.is_symlink() {
            open(&entry, closed, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("place_rules_cases.txt");

    #[test]
    fn nothing_closed_is_below_what_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for name in tables::lines(CASES, "nothing closed is below what is opened") {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        let at = |name: &str| root.join(name);
        let found = rules(&[
            Place::kept(at("state/kept"), at("home")),
            Place::lent(at("home/x"), at("home/y")),
            Place::same(at("a"), Access::Read),
            Place::same(at("home/x"), Access::Write),
            Place::same(at("a/b/secret"), Access::Read),
            Place::same(at("absent"), Access::Read),
            Place::hidden(at("a/b/secret")),
            Place::hidden(at("state")),
            Place::other(&at("state/copy"), at("w"), Access::Write),
        ]);
        assert_eq!(found.read[READ.len()..], [at("home/x"), at("a/c")]);
        let written = ["state/kept", "home/x", "state/copy"].map(at);
        assert_eq!(found.write[WRITE.len()..], written);
    }
}
