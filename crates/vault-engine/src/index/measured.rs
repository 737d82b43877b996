//! How long the index takes on 10,000 notes: `cargo test -p vault-engine measured -- --ignored`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::vault::Vault;

/// Notes with links, tags, tasks and properties, the same ones each time.
fn generate(root: &Path, notes: usize) {
    let mut state = 1_u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % limit
    };
    for note in 0..notes {
        let folder = root.join(format!("area {}/topic {}", note % 20, note % 400));
        fs_err::create_dir_all(&folder).unwrap();
        let mut text = format!(
            "---\ntags: [kind/{}, year-{}]\naliases: [alias {note}]\nup: \"[[Note {}]]\"\n---\n# Note {note}\n",
            below(30),
            below(10),
            below(notes),
        );
        for paragraph in 0..8 {
            write!(
                text,
                "\n## Part {paragraph}\n\nA paragraph of plain words that stands for what people write, with a \
                 [[Note {}]] and [[topic {}/Note {}|another]] in it, #tag{} and more words after that.\n\n\
                 - [ ] something to do\n- [x] something done\n- a plain item\n",
                below(notes),
                below(400),
                below(notes * 2),
                below(200),
            )
            .unwrap();
        }
        fs_err::write(folder.join(format!("Note {note}.md")), text).unwrap();
    }
}

fn time<T>(label: &str, rounds: u32, mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            let result = work();
            let time = start.elapsed();
            drop(result);
            time
        })
        .collect();
    times.sort();
    let median = times[times.len() / 2];
    println!("{label:32} {median:?}");
    median
}

#[test]
#[ignore = "takes seconds and measures, it proves nothing"]
fn measured_on_ten_thousand_notes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("vault");
    generate(&root, 10_000);
    let vault = || {
        Vault::open(&root)
            .unwrap()
            .with_cache(folder.path().join("cache"))
    };
    time("walk, names", 5, || {
        vault().contents(&VaultPath::root(), crate::Detail::Names)
    });
    time("walk, stamps", 5, || {
        vault().contents(&VaultPath::root(), crate::Detail::Stamps)
    });
    time("without a cache", 3, || Vault::open(&root).unwrap().index());
    let wanted: Vec<usize> = (0..10_000).collect();
    let files: Vec<VaultPath> = vault()
        .contents(&VaultPath::root(), crate::Detail::Names)
        .unwrap()
        .files
        .into_iter()
        .map(|file| file.path)
        .collect();
    let started = std::time::SystemTime::now();
    time("read all", 3, || {
        reading::read_all(vault().disk(), &files, &wanted, started, None)
    });
    let records: Vec<NoteRecord> =
        reading::read_all(vault().disk(), &files, &wanted, started, None)
            .into_iter()
            .map(|read| read.record)
            .collect();
    time("graph of what was just read", 3, || {
        graph::of(&files, &records)
    });
    time("columns of what was just read", 3, || {
        <column::All as column::Column>::of(&files, &records)
    });
    time("cold, with writing the cache", 1, || vault().index());
    std::thread::sleep(Duration::from_secs(3));
    time("cold again, now settled", 1, || vault().index());
    let index = vault().index().unwrap();
    let place = cache::CachePlace::new(&folder.path().join("cache"), vault().root());
    time("cache: listing", 9, || {
        cache::CacheFile::open(&place)
            .and_then(|file| file.decode::<Vec<listing::ListedFile>>(cache::Section::Listing))
    });
    time("cache: resolved", 9, || {
        cache::CacheFile::open(&place).and_then(|file| <Resolved as column::Column>::read(&file))
    });
    time("cache: all records", 3, || {
        cache::CacheFile::open(&place).and_then(|file| column::records(&file, index.files.len()))
    });
    let records = column::records(&cache::CacheFile::open(&place).unwrap(), index.files.len());
    let records = records.unwrap();
    time("link index", 3, || {
        crate::resolve::LinkIndex::new(index.files.iter().cloned())
    });
    time("graph", 3, || graph::of(&index.files, &records));
    time("encode all", 3, || column::encoded(&index.files, &records));
    time("warm: resolved", 9, || load::<Resolved>(&vault()));
    time("warm: unresolved", 9, || load::<Unresolved>(&vault()));
    time("warm: tags", 9, || load::<Tags>(&vault()));
    time("warm: tasks", 9, || load::<Tasks>(&vault()));
    time("warm: properties", 9, || load::<Properties>(&vault()));
    let tags = load::<Tags>(&vault()).unwrap().column;
    time("tag counts", 9, || tag_counts(&tags, |_| true));
    let edited = root.join("area 0/topic 0/Note 0.md");
    time("one note changed", 5, || {
        fs_err::write(&edited, format!("[[Note 1]] {:?}", Instant::now())).unwrap();
        load::<Resolved>(&vault())
    });
    let cache = fs_err::read_dir(folder.path().join("cache")).unwrap();
    for entry in cache {
        println!("cache bytes {}", entry.unwrap().metadata().unwrap().len());
    }
}
