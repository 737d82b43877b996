//! Random edits between two requests.

use obsidian_note::VaultPath;
use proptest::prelude::*;
use vault_index::IndexedVault;

use super::*;

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

const TEXTS: [&str; 6] = [
    "[[a]] bread #t",
    "[[d]] flour #u",
    "[[none]] Bread\n- [ ] knead\n",
    "---\naliases: [Loaf]\n---\n[[x/c]]",
    "---\na: [\n---\n",
    "",
];
const FOLDERS: [&str; 5] = ["", "x/", "x/y/", "z/", "z/w/"];

/// One edit in a way that other programs use.
fn edit(world: &World, files: &[VaultPath], numbers: &mut Numbers) {
    let some = files.get(numbers.below(files.len().max(1)));
    let name = format!(
        "{}{}.{}",
        FOLDERS[numbers.below(FOLDERS.len())],
        ["a", "b", "c", "d", "e f"][numbers.below(5)],
        ["md", "md", "md", "png"][numbers.below(4)],
    );
    let text = TEXTS[numbers.below(TEXTS.len())];
    let free = !world.path(&name).exists();
    match (numbers.below(9), some) {
        (0 | 1, _) if !world.path(&name).is_dir() => world.write(&name, text),
        // Same size and modification time, as sync programs leave them.
        (2 | 3, Some(path)) => {
            let path = world.path(path.as_str());
            let times = fs_err::metadata(&path).unwrap().modified().unwrap();
            let mut bytes = fs_err::read(&path).unwrap();
            for byte in &mut bytes {
                *byte = match *byte {
                    b'a' => b'b',
                    b'b' => b'a',
                    other => other,
                };
            }
            fs_err::write(&path, bytes).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(times).unwrap();
        }
        // Replaces the file by a rename, as editors do.
        (4, Some(path)) => {
            let aside = world.path("x.tmp");
            fs_err::write(&aside, text).unwrap();
            fs_err::rename(aside, world.path(path.as_str())).unwrap();
        }
        (5, Some(path)) if free => {
            fs_err::create_dir_all(world.path(&name).parent().unwrap()).unwrap();
            fs_err::rename(world.path(path.as_str()), world.path(&name)).unwrap();
        }
        (6, Some(path)) => fs_err::remove_file(world.path(path.as_str())).unwrap(),
        (7, _) => {
            let places = ["x", "x/y", "z", "z/w", "v", "v/x"];
            let from = world.path(places[numbers.below(places.len())]);
            let to = world.path(places[numbers.below(places.len())]);
            let fits = from.is_dir() && !to.exists() && !to.starts_with(&from);
            if fits && to.parent().unwrap().is_dir() {
                fs_err::rename(&from, &to).unwrap();
                fs_err::write(to.join("moved.md"), "[[moved]] bread").unwrap();
            }
        }
        (8, _) => {
            let folder = world.path(["z", "v/x", "x/y"][numbers.below(3)]);
            if folder.is_dir() && numbers.below(3) == 0 {
                fs_err::remove_dir_all(folder).unwrap();
            } else {
                fs_err::create_dir_all(folder.join("new")).unwrap();
            }
        }
        _ => {}
    }
}

fn hundreds_of_edits(world: &World, seed: u64) {
    let mut numbers = Numbers(seed);
    let mut files = world.check(0);
    for round in 1..=400 {
        edit(world, &files, &mut numbers);
        files = world.check(round);
    }
}

#[test]
fn hundreds_of_edits_between_questions_are_all_seen() {
    let world = World::new(Followed::new());
    hundreds_of_edits(&world, 1);
    assert_eq!(world.is_watching(), cfg!(target_os = "linux"));
}

#[test]
fn hundreds_of_edits_are_all_seen_without_a_watcher() {
    let world = World::new(Followed::new().unwatched());
    hundreds_of_edits(&world, 2);
    assert!(!world.is_watching());
}

#[test]
fn edits_deletions_and_renames_show_in_the_next_answers() {
    let edits: [fn(&World); 11] = [
        |world| world.write("b.md", "bread, [[c]]"),
        |world| world.write("new/d.md", "[[a]] flour"),
        |world| world.remove("x/c.md"),
        |world| world.rename("a.md", "moved/e.md"),
        |world| world.rename("moved", "gone"),
        |world| fs_err::create_dir_all(world.path("bare/folder")).unwrap(),
        |world| world.rename("bare", "a\tb"),
        |world| fs_err::remove_dir_all(world.path("a\tb")).unwrap(),
        |world| {
            world.remove("b.md");
            world.write("b.md/x.md", "[[none]]");
        },
        |world| fs_err::remove_dir_all(world.path("gone")).unwrap(),
        |world| world.write(".obsidian/app.json", r#"{"userIgnoreFilters":["x/"]}"#),
    ];
    for followed in [Followed::new(), Followed::new().unwatched()] {
        let world = World::new(followed);
        world.check_all();
        for edit in edits {
            edit(&world);
            world.check_all();
        }
    }
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
    /// Makes the edit if it is possible.
    fn make(&self, world: &World) {
        let files = IndexedVault(&world.fresh())
            .index()
            .unwrap()
            .files()
            .to_vec();
        let chosen = |which: &usize| files.get(which % files.len().max(1));
        match self {
            Self::Write(name, text) => world.write(name, text),
            Self::Remove(which) => {
                if let Some(path) = chosen(which) {
                    world.remove(path.as_str());
                }
            }
            Self::Rename(which, to) => {
                if let Some(path) = chosen(which) {
                    world.rename(path.as_str(), to);
                }
            }
            Self::RenameFolder(forth) => {
                let (from, to) = if *forth { ("a", "z/y") } else { ("z", "a") };
                if world.path(from).exists() && !world.path(to).exists() {
                    world.rename(from, to);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn as_a_vault_opened_anew_after_any_edits(
        is_watched in any::<bool>(),
        batches in proptest::collection::vec(
            proptest::collection::vec(any_edit(), 1..4),
            1..5,
        ),
    ) {
        let followed = if is_watched { Followed::new() } else { Followed::new().unwatched() };
        let world = World::with(followed, &[]);
        world.check_all();
        for edits in batches {
            for edit in edits {
                edit.make(&world);
            }
            world.check_all();
        }
    }
}
