//! Symlinked folders whose reading the owner allows (`vault-semantics.md` §2.1, `threats.toml` D03).

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use obsidian_note::{Resolution, VaultPath};
use vault_files::vault::testing::{path, vault};
use vault_files::{Detail, EngineError, FileFacts, Note, Refusal, Registry, Surroundings, Vault};
use vault_index::IndexedVault;
use vault_questions::Reply;

/// A vault with one note, and next to it a folder of notes.
struct World {
    folder: tempfile::TempDir,
    vault: Vault,
}

impl World {
    fn new() -> Self {
        let (folder, vault) = vault(&[("in.md", "[[out]] [[shared/deep/note]] needle")]);
        let world = Self {
            folder,
            vault: vault.with_symlinked_folders(true),
        };
        world.write("outside/out.md", "needle #shared\n- [ ] task\n");
        world.write("outside/deep/note.md", "[[in]]");
        world
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let place = self.place(name);
        fs_err::create_dir_all(place.parent().unwrap()).unwrap();
        fs_err::write(place, text).unwrap();
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.vault.root().join(name)).unwrap();
    }

    /// Files and folders below a folder, and how many symlinks were not followed.
    fn below(&self, folder: &VaultPath) -> (Vec<String>, Vec<String>, usize) {
        let contents = self.vault.contents(folder, Detail::Stamps).unwrap();
        let skipped = contents.warnings.iter().map(|warning| match warning {
            obsidian_note::Warning::SymlinksSkipped { count, .. } => *count,
            other => panic!("{other}"),
        });
        let skipped = skipped.sum();
        let texts = |paths: Vec<VaultPath>| paths.iter().map(ToString::to_string).collect();
        let files = contents.files.into_iter().map(|file| file.path).collect();
        (texts(files), texts(contents.folders), skipped)
    }

    fn listed(&self) -> Vec<String> {
        self.below(&VaultPath::root()).0
    }

    fn text(&self, command: &str, params: &[(&str, &str)]) -> String {
        let arguments = vault_files::testing::given(command, params, &[]);
        let surroundings = Surroundings {
            now: jiff::civil::date(2026, 3, 7)
                .to_zoned(jiff::tz::TimeZone::UTC)
                .unwrap(),
            random: 0,
            registry: Registry::parse("{}").unwrap(),
        };
        let Reply { answer, .. } =
            vault_questions::reply(&self.vault, command, &arguments, &surroundings).unwrap();
        format!("{answer:?}")
    }
}

/// Returns the file that `file=` resolves to.
fn found(vault: &Vault, linkpath: &str) -> Option<String> {
    match IndexedVault(vault).resolve(linkpath).unwrap().resolution {
        Resolution::Found(found) => Some(found.path.to_string()),
        Resolution::Missing => None,
    }
}

#[test]
fn a_folder_outside_is_part_of_the_vault_under_the_links_name() {
    let world = World::new();
    world.link(world.place("outside"), "shared");
    let (files, folders, skipped) = world.below(&VaultPath::root());
    assert_eq!(files, ["in.md", "shared/deep/note.md", "shared/out.md"]);
    assert_eq!(
        (folders, skipped),
        (vec!["shared".into(), "shared/deep".into()], 0)
    );
    let Note { text, .. } = world.vault.read_note(&path("shared/out.md")).unwrap();
    assert!(text.starts_with("needle"));
    let FileFacts { size, .. } = world.vault.facts(&path("shared/deep/note.md")).unwrap();
    assert_eq!(size, 6);
    assert_eq!(found(&world.vault, "out"), Some("shared/out.md".into()));
    assert_eq!(
        found(&world.vault, "shared/out"),
        Some("shared/out.md".into())
    );
    assert_eq!(
        world.below(&VaultPath::folder("shared/deep").unwrap()).0,
        ["shared/deep/note.md"]
    );
    let error = world.vault.read_bytes(&path("shared")).unwrap_err();
    assert!(matches!(
        error,
        EngineError::Refused(Refusal::NotAFile { .. })
    ));
    for (command, params, expected) in [
        ("search", &[("query", "needle")][..], "shared/out.md"),
        ("tags", &[], "#shared"),
        ("tasks", &[], "shared/out.md"),
        ("backlinks", &[("path", "in.md")], "shared/deep/note.md"),
        ("links", &[("path", "in.md")], "shared/out.md"),
        ("outline", &[("path", "shared/out.md")], "total: 0"),
    ] {
        let answer = world.text(command, params);
        assert!(answer.contains(expected), "{command}: {answer}");
    }
}

#[test]
fn the_cache_knows_notes_behind_a_link_and_forgets_them_without_it() {
    let world = World::new();
    world.link(world.place("outside"), "shared");
    let open = |reads_links| {
        IndexedVault(
            &Vault::open(world.vault.root())
                .unwrap()
                .with_cache(world.place("cache"))
                .with_symlinked_folders(reads_links),
        )
        .index()
        .unwrap()
    };
    for reads_links in [true, true, false, true] {
        let index = open(reads_links);
        assert_eq!(index.files().len(), if reads_links { 3 } else { 1 });
    }
}

#[test]
fn d03_links_into_the_vault_around_it_and_to_hidden_folders_are_not_followed() {
    let world = World::new();
    fs_err::create_dir(world.vault.root().join("sub")).unwrap();
    world.write(".secret/key.md", "secret");
    world.link(".", "itself");
    world.link("sub", "inside");
    world.link("..", "around");
    world.link("/", "everything");
    world.link(world.place(".secret"), "hidden");
    world.link("second", "first");
    world.link("first", "second");
    world.link(world.place("nowhere"), "dangling");
    let (files, folders, skipped) = world.below(&VaultPath::root());
    assert_eq!((files.len(), folders.len(), skipped), (1, 1, 8));
    for name in [
        "itself/in.md",
        "around/outside/out.md",
        "hidden/key.md",
        "first/x.md",
    ] {
        let error = world.vault.read_bytes(&path(name)).unwrap_err();
        assert!(
            matches!(error, EngineError::Symlink { .. }),
            "{name}: {error}"
        );
    }
}

#[test]
fn d03_links_to_files_and_links_behind_links_are_not_followed() {
    let world = World::new();
    world.write("third/far.md", "");
    symlink(world.place("third"), world.place("outside/chain")).unwrap();
    symlink(world.vault.root(), world.place("outside/back")).unwrap();
    symlink(".", world.place("outside/circle")).unwrap();
    world.link(world.place("outside"), "shared");
    world.link(world.place("outside/out.md"), "file.md");
    let (files, _, skipped) = world.below(&VaultPath::root());
    assert_eq!(files, ["in.md", "shared/deep/note.md", "shared/out.md"]);
    assert_eq!(skipped, 4);
    for (name, at) in [
        ("file.md", "file.md"),
        ("shared/chain/far.md", "shared/chain"),
        ("shared/back/in.md", "shared/back"),
    ] {
        let error = world.vault.read_bytes(&path(name)).unwrap_err();
        let named = matches!(&error, EngineError::Symlink { path } if path.as_str() == at);
        assert!(named, "{name}: {error:?}");
    }
}

#[test]
fn of_links_to_folders_that_overlap_the_first_is_listed() {
    let world = World::new();
    world.link(world.place("outside/deep"), "z");
    world.link(world.place("outside"), "b");
    world.link(world.place("outside"), "c");
    let files = ["b/deep/note.md", "b/out.md", "in.md"];
    assert_eq!(world.listed(), files);
    assert_eq!(world.below(&VaultPath::root()).2, 2);
    // The same text under another path counts as another note.
    assert!(world.vault.read_bytes(&path("z/note.md")).is_ok());
}

#[test]
fn d03_without_the_setting_no_link_is_followed_and_nothing_is_written_through_one_ever() {
    let world = World::new();
    world.link(world.place("outside"), "shared");
    let note = path("shared/out.md");
    let strict = Vault::open(world.vault.root()).unwrap();
    assert!(matches!(
        strict.read_bytes(&note),
        Err(EngineError::Symlink { .. })
    ));
    assert!(matches!(
        strict.refuse_symlinks(&note),
        Err(EngineError::Symlink { .. })
    ));
    assert!(world.vault.read_bytes(&note).is_ok());
    for name in ["shared/out.md", "shared/new.md", "shared"] {
        let refused = world.vault.refuse_symlinks(&path(name));
        assert!(
            matches!(refused, Err(EngineError::Symlink { .. })),
            "{name}"
        );
    }
    assert!(world.vault.disk().folder(&path("shared")).is_err());
    assert!(world.vault.refuse_symlinks(&path("in.md")).is_ok());
    assert!(world.vault.refuse_symlinks(&path("new.md")).is_ok());
}

#[test]
fn d04_a_link_that_is_swapped_never_leads_into_a_hidden_folder() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let world = World::new();
    world.write(".secret/out.md", "secret");
    world.link(world.place("outside"), "shared");
    symlink(world.place(".secret"), world.place("other-link")).unwrap();
    let link = world.vault.root().join("shared");
    let (other, spare) = (world.place("other-link"), world.place("spare"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The two links swap places.
            while !done.load(Ordering::Relaxed) {
                fs_err::rename(&link, &spare).unwrap();
                fs_err::rename(&other, &link).unwrap();
                fs_err::rename(&spare, &other).unwrap();
            }
        });
        // A scheduler may stop the other thread between two renames for longer
        // than 2,000 reads take, so this reads on until one succeeds.
        let (mut attempts, mut read, mut other_text) = (0, 0, None);
        while (attempts < 2_000 || read == 0) && other_text.is_none() {
            attempts += 1;
            if let Ok(bytes) = world.vault.read_bytes(&path("shared/out.md")) {
                read += 1;
                other_text = (!bytes.starts_with(b"needle")).then_some(bytes);
            }
        }
        done.store(true, Ordering::Relaxed);
        assert_eq!(other_text, None);
    });
}
