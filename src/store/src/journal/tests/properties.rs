//! Undoing a run restores the tree, whatever the run did.

use proptest::prelude::*;
use vault_engine::Change;

use super::world::{World, create, make_folder, modify, relocate, remove};

/// A step on one of a few paths. A step that is impossible after the earlier ones is skipped.
#[derive(Clone, Debug)]
enum Wish {
    Create(usize, String),
    Modify(usize, String),
    Move(usize, usize),
    Remove(usize),
}

const PLACES: [&str; 5] = ["a.md", "b.md", "new/x.md", "new/y.md", ".trash/b.md"];

fn wish() -> impl Strategy<Value = Wish> {
    let place = || 0..PLACES.len();
    // Few different texts, so that the same content occurs at several paths.
    let text = || "[xy]{0,2}";
    prop_oneof![
        (place(), text()).prop_map(|(place, text)| Wish::Create(place, text)),
        (place(), text()).prop_map(|(place, text)| Wish::Modify(place, text)),
        (place(), place()).prop_map(|(from, to)| Wish::Move(from, to)),
        place().prop_map(Wish::Remove),
    ]
}

fn changes(wishes: Vec<Wish>) -> Vec<Change> {
    let mut texts = [
        Some("one\r\n[[b]]".to_owned()),
        Some("two".to_owned()),
        None,
        None,
        None,
    ];
    let mut changes = vec![make_folder("new"), make_folder(".trash")];
    // No command removes a file that it has created in the same run.
    for wish in wishes {
        match wish {
            Wish::Create(place, text) if texts[place].is_none() => {
                changes.push(create(PLACES[place], &text));
                texts[place] = Some(text);
            }
            Wish::Modify(place, text) => {
                if let Some(before) = texts[place].replace(text.clone()) {
                    changes.push(modify(PLACES[place], &before, &text));
                } else {
                    texts[place] = None;
                }
            }
            Wish::Move(from, to) if texts[to].is_none() => {
                if let Some(text) = texts[from].take() {
                    changes.push(relocate(PLACES[from], PLACES[to], &text));
                    texts[to] = Some(text);
                }
            }
            Wish::Remove(place) => {
                if let Some(text) = texts[place].take() {
                    changes.push(remove(PLACES[place], &text));
                }
            }
            Wish::Create(..) | Wish::Move(..) => {}
        }
    }
    changes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn undoing_any_run_restores_the_tree_and_redoing_it_the_result(
        wishes in prop::collection::vec(wish(), 0..7),
    ) {
        let world = World::new();
        let before = world.tree();
        let changes = changes(wishes);
        let run = world.run(&changes);
        let after = world.tree();
        let undo = world.undo(Some(run)).unwrap();
        prop_assert_eq!(world.tree(), before);
        world.undo(Some(undo)).unwrap();
        prop_assert_eq!(world.tree(), after);
    }
}
