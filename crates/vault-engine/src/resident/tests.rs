//! What is answered from memory against what a vault opened anew answers.

use std::path::PathBuf;

use jiff::civil::date;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::disk::trace;
use crate::registry::Registry;

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            world.write(name, text);
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn remove(&self, name: &str) {
        fs_err::remove_file(self.path(name)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        let target = self.path(to);
        fs_err::create_dir_all(target.parent().unwrap()).unwrap();
        fs_err::rename(self.path(from), target).unwrap();
    }

    fn vault(&self) -> Vault {
        Vault::open(self.folder.path()).unwrap()
    }

    fn resident(&self) -> Resident {
        Resident::open(self.vault()).unwrap()
    }

    /// Every answer from memory is the one that a look at the disk gives.
    fn check(&self, resident: &Resident) {
        let vault = self.vault();
        let files = vault.index().unwrap().files().to_vec();
        for words in questions(&files) {
            assert_eq!(
                answer(&resident.vault(), &words),
                answer(&vault, &words),
                "{words:?}"
            );
        }
        assert_eq!(resident.vault().index().unwrap(), vault.index().unwrap());
    }
}

fn answer(vault: &Vault, words: &[String]) -> Result<Reply, String> {
    let params = words[1..].iter().filter_map(|word| word.split_once('='));
    let flags = words[1..].iter().filter(|word| !word.contains('='));
    let arguments = Arguments {
        params: params
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        flags: flags.cloned().collect(),
    };
    let surroundings = Surroundings {
        now: date(2026, 3, 7)
            .at(9, 0, 0, 0)
            .to_zoned(TimeZone::UTC)
            .unwrap(),
        random: 0,
        registry: Registry::parse("{}").unwrap(),
    };
    let replied = crate::commands::reply(vault, &words[0], &arguments, &surroundings);
    replied.map_err(|error| error.to_string())
}

fn questions(files: &[VaultPath]) -> Vec<Vec<String>> {
    let mut questions: Vec<Vec<String>> = [
        &["tags", "counts"][..],
        &["tag", "name=t", "verbose"],
        &["tasks"],
        &["tasks", "total"],
        &["orphans"],
        &["deadends"],
        &["unresolved", "verbose"],
        &["unresolved", "total"],
        &["properties", "counts"],
        &["aliases"],
        &["backlinks", "file=a"],
        &["links", "file=b"],
        &["search", "query=bread"],
        &["search", "query=BREAD -flour"],
        &["search", "query=path:a OR r\u{e9}sum\u{c9}"],
        &["search", "query=/br.ad/ OR line:(flour bread)"],
        &["search", "query=tag:#t -bread"],
        &["search", "query=[up] OR task:bread"],
        &["search", "query=bread", "path=a", "case"],
        &["search", "query=zz", "path=none"],
        &["search:context", "query=bread OR \"a f\""],
    ]
    .iter()
    .map(|words| words.iter().map(ToString::to_string).collect())
    .collect();
    for file in files {
        for command in ["backlinks", "links"] {
            questions.push(vec![command.to_owned(), format!("path={file}")]);
        }
    }
    questions
}

fn paths(names: &[&str]) -> Vec<VaultPath> {
    let path = |name: &&str| VaultPath::folder(name).unwrap();
    names.iter().map(path).collect()
}

const FILES: &[(&str, &str)] = &[
    ("a.md", "[[b]] [[none]] #t/x bread\n- [ ] bake bread"),
    ("b.md", "---\nup: \"[[a]]\"\ntags: [T]\n---\nflour"),
    ("a/c.md", "[[b]] Bread and flour, r\u{e9}sum\u{e9}"),
    ("a/pic.png", "bread"),
    (
        "board.canvas",
        r#"{"nodes":[{"type":"file","file":"b.md"}]}"#,
    ),
];

#[test]
fn edits_deletions_and_renames_show_after_a_refresh() {
    let world = World::new(FILES);
    let resident = world.resident();
    world.check(&resident);
    world.write("b.md", "bread, [[c]]");
    world.write("new/d.md", "[[a]] flour #t");
    world.remove("a/c.md");
    world.rename("a.md", "moved/e.md");
    assert!(resident.refresh().unwrap());
    world.check(&resident);
}

#[test]
fn edits_deletions_and_renames_show_where_a_look_is_asked_for() {
    let world = World::new(FILES);
    let resident = world.resident();
    world.check(&resident);
    for (edit, changed) in [
        (
            (|world: &World| world.write("b.md", "bread, [[c]]")) as fn(&World),
            &["b.md"][..],
        ),
        (
            |world| world.write("new/d.md", "[[a]] flour"),
            &["new/d.md"],
        ),
        (|world| world.remove("a/c.md"), &["a/c.md"]),
        (
            |world| world.rename("a.md", "moved/e.md"),
            &["a.md", "moved/e.md"],
        ),
        (|world| world.rename("moved", "gone"), &["moved", "gone"]),
        (
            |world| {
                world.remove("b.md");
                world.write("b.md/x.md", "[[none]]");
            },
            &["b.md"],
        ),
        (
            |world| fs_err::remove_dir_all(world.path("gone")).unwrap(),
            &["gone", "gone/e.md", ".obsidian", "never.md"],
        ),
        (|world| world.write("f.md", "bread"), &["/"]),
    ] {
        edit(&world);
        assert!(resident.refresh_paths(&paths(changed)).unwrap());
        world.check(&resident);
    }
}

#[test]
fn until_it_looks_it_answers_about_the_vault_as_it_was() {
    let world = World::new(FILES);
    let resident = world.resident();
    let words = ["orphans".to_owned()];
    let before = answer(&resident.vault(), &words).unwrap();
    let held = resident.vault();
    world.write("new.md", "");
    assert_eq!(answer(&resident.vault(), &words).unwrap(), before);
    resident.refresh_paths(&paths(&["new.md"])).unwrap();
    assert_ne!(answer(&resident.vault(), &words).unwrap(), before);
    assert_eq!(answer(&held, &words).unwrap(), before);
}

#[test]
fn questions_about_the_whole_vault_need_no_walk() {
    let world = World::new(FILES);
    let resident = world.resident();
    // The first search reads the notes.
    answer(&resident.vault(), &["search".into(), "query=zebra".into()]).unwrap();
    for words in [
        &["tags", "counts"][..],
        &["tasks"],
        &["orphans"],
        &["unresolved"],
        &["search", "query=zebra"],
        &["search", "query=path:a"],
    ] {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let (_, listed, read) = trace::of(|| answer(&resident.vault(), &words).unwrap());
        assert_eq!((listed, read), (0, 0), "{words:?}");
    }
    for command in ["backlinks", "links"] {
        let words = [command.to_owned(), "path=a.md".to_owned()];
        let (_, listed, read) = trace::of(|| answer(&resident.vault(), &words).unwrap());
        assert_eq!((listed, read), (0, 1), "{command}");
    }
    // One note may hold it.
    let words = ["search".into(), "query=\"bake bread\"".into()];
    let (_, listed, read) = trace::of(|| answer(&resident.vault(), &words).unwrap());
    assert_eq!((listed, read), (0, 1));
}

#[test]
fn a_look_at_one_path_reads_that_note_alone() {
    let world = World::new(FILES);
    let resident = world.resident();
    world.write("b.md", "x");
    let (changed, listed, _) = trace::of(|| resident.refresh_paths(&paths(&["b.md"])).unwrap());
    assert_eq!((changed, listed), (true, 0));
    let (changed, ..) = trace::of(|| resident.refresh_paths(&paths(&["none.md"])).unwrap());
    assert!(!changed);
}

#[test]
fn warnings_are_those_of_a_vault_opened_anew() {
    let world = World::new(FILES);
    let resident = world.resident();
    world.write("b.md", "---\na: [\n---\n");
    resident.refresh_paths(&paths(&["b.md"])).unwrap();
    world.check(&resident);
    world.write("b.md", "good");
    world.write("latin.md", b"caf\xe9 bread");
    resident
        .refresh_paths(&paths(&["b.md", "latin.md"]))
        .unwrap();
    world.check(&resident);
}

#[cfg(unix)]
#[test]
fn symlinks_are_counted_anew_when_they_come_and_go() {
    let world = World::new(FILES);
    let resident = world.resident();
    let link = world.path("link.md");
    std::os::unix::fs::symlink("a.md", &link).unwrap();
    resident.refresh_paths(&paths(&["link.md"])).unwrap();
    world.check(&resident);
    world.write("b.md", "x");
    resident.refresh_paths(&paths(&["b.md"])).unwrap();
    world.check(&resident);
    fs_err::remove_file(&link).unwrap();
    resident.refresh_paths(&paths(&["link.md"])).unwrap();
    world.check(&resident);
    std::os::unix::fs::symlink("a", world.path("folder")).unwrap();
    resident.refresh_paths(&paths(&["folder/c.md"])).unwrap();
    world.check(&resident);
}

#[test]
fn many_may_ask_while_one_refreshes() {
    let world = World::new(FILES);
    let resident = world.resident();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..50 {
                    for words in [&["orphans"][..], &["search", "query=bread"]] {
                        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
                        answer(&resident.vault(), &words).unwrap();
                    }
                }
            });
        }
        for number in 0..20 {
            let name = format!("{number}.md");
            world.write(&name, "[[a]] bread");
            resident.refresh_paths(&paths(&[&name])).unwrap();
        }
    });
    world.check(&resident);
}

#[derive(Clone, Debug)]
enum Edit {
    Write(String, String),
    Remove(usize),
    Rename(usize, String),
    RenameFolder(bool),
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let name = || "([ab]/)?([ab]/)?[abc](\\.md|\\.md|\\.md|\\.png)";
    let text = "((\\[\\[([ab]/)?[abc]\\]\\]|#t/?[ab]|bread|Flour|\u{212a}|\n- \\[ \\] bread|\u{e9}) ){0,5}";
    prop_oneof![
        4 => (name(), text).prop_map(|(name, text)| Edit::Write(name, text)),
        2 => any::<usize>().prop_map(Edit::Remove),
        2 => (any::<usize>(), name()).prop_map(|(which, name)| Edit::Rename(which, name)),
        1 => any::<bool>().prop_map(Edit::RenameFolder),
    ]
}

impl Edit {
    /// Makes the edit where that can be done, and gives the paths that a watcher would name.
    fn make(&self, world: &World) -> Vec<VaultPath> {
        let files = world.vault().index().unwrap().files().to_vec();
        let chosen = |which: &usize| files.get(which % files.len().max(1)).cloned();
        match self {
            Self::Write(name, text) => {
                world.write(name, text);
                paths(&[name])
            }
            Self::Remove(which) => {
                let Some(path) = chosen(which) else {
                    return Vec::new();
                };
                world.remove(path.as_str());
                vec![path]
            }
            Self::Rename(which, to) => {
                let Some(path) = chosen(which) else {
                    return Vec::new();
                };
                world.rename(path.as_str(), to);
                [vec![path], paths(&[to])].concat()
            }
            Self::RenameFolder(forth) => {
                let (from, to) = if *forth { ("a", "z/y") } else { ("z", "a") };
                if !world.path(from).exists() || world.path(to).exists() {
                    return Vec::new();
                }
                world.rename(from, to);
                paths(&[from, to])
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn as_a_vault_opened_anew_after_any_edits(
        batches in proptest::collection::vec(
            (any::<bool>(), proptest::collection::vec(any_edit(), 1..4)),
            1..5,
        ),
    ) {
        let world = World::new(&[]);
        let resident = world.resident();
        for (whole, edits) in batches {
            let touched: Vec<VaultPath> =
                edits.iter().flat_map(|edit| edit.make(&world)).collect();
            if whole {
                resident.refresh().unwrap();
            } else {
                resident.refresh_paths(&touched).unwrap();
            }
            world.check(&resident);
        }
    }
}
