//! Tests which runs may push out which entries.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::journal::name::Stage;

const MOST: u64 = 100 * BLOCK;

fn agent(name: &str) -> Owner {
    Owner::Named(name.to_owned())
}

fn name(order: u64) -> EntryName {
    EntryName {
        order,
        run: Uuid::from_u128(u128::from(order)),
        stage: Stage::Ended,
    }
}

/// A journal with one entry for each owner in the list, of so many blocks.
fn journal(entries: &[(Owner, bool, u64)]) -> Weight {
    let mut weight = Weight::default();
    for (order, (owner, is_pinned, blocks)) in entries.iter().enumerate() {
        let weighed = Weighed {
            size: blocks * BLOCK,
            charged: blocks * BLOCK,
            needs: BTreeSet::new(),
            owner: owner.clone(),
            is_pinned: *is_pinned,
        };
        weight.insert(name(order as u64), weighed);
    }
    weight
}

/// Frees space for `runs` runs of an owner and records each run. Returns whether all were accepted.
fn flood(weight: &mut Weight, owner: &Owner, loses_content: bool, runs: u64, blocks: u64) -> bool {
    let origin = RunOrigin {
        owner: owner.clone(),
        loses_content,
        ..RunOrigin::default()
    };
    (0..runs).all(|run| {
        let incoming = Incoming {
            origin: &origin,
            bytes: blocks * BLOCK,
        };
        let has_room = weight.make_room(MOST, &incoming).is_ok();
        if has_room {
            let weighed = Weighed {
                size: incoming.bytes,
                charged: incoming.bytes,
                needs: BTreeSet::new(),
                owner: owner.clone(),
                is_pinned: loses_content,
            };
            weight.insert(
                name(1_000_000 + weight.entries.len() as u64 + run * 1000),
                weighed,
            );
        }
        has_room
    })
}

fn holds(weight: &Weight, order: u64) -> bool {
    weight.entries.contains_key(&name(order))
}

#[test]
fn h17_an_agents_flood_leaves_the_runs_that_lost_content_and_those_of_people() {
    let mut weight = journal(&[
        (Owner::Person, false, 20),
        (Owner::Agent, true, 10),
        (agent("other"), true, 10),
        (Owner::Agent, false, 10),
    ]);
    assert!(flood(&mut weight, &Owner::Agent, false, 500, 7));
    assert!(holds(&weight, 0) && holds(&weight, 1) && holds(&weight, 2));
    assert!(!holds(&weight, 3), "its own go first");
    assert!(weight.used_by(|owner| *owner == Owner::Agent) <= MOST / 2);
    assert!(weight.total <= MOST);
}

#[test]
fn h17_a_flood_of_runs_that_lose_content_is_refused_and_pushes_nothing_out() {
    let mut weight = journal(&[(Owner::Person, true, 10), (Owner::Agent, true, 10)]);
    assert!(!flood(&mut weight, &Owner::Agent, true, 500, 7));
    assert!(holds(&weight, 0) && holds(&weight, 1));
    assert!(weight.removed_by(|owner| *owner == Owner::Agent) <= MOST / 4);
    // It may continue with runs that only add. Another agent and the person may still remove.
    assert!(flood(&mut weight, &Owner::Agent, false, 50, 20));
    assert!(!flood(&mut weight, &agent("other"), true, 500, 5));
    assert!(!flood(&mut weight, &agent("third"), true, 500, 5));
    assert!(weight.removed_by(|owner| !owner.is_person()) <= MOST / 2);
    assert!(weight.removed_by(|owner| *owner == agent("other")) > MOST / 5);
    assert!(holds(&weight, 0) && holds(&weight, 1));
    assert!(flood(&mut weight, &Owner::Person, true, 50, 5));
    assert!(holds(&weight, 1), "what the agent lost is there");
}

#[test]
fn h17_what_agents_fill_costs_a_person_nothing_that_the_person_removed() {
    let mut weight = journal(&[
        (Owner::Person, true, 20),
        (agent("a"), true, 25),
        (agent("b"), true, 25),
        (agent("c"), false, 30),
    ]);
    assert!(flood(&mut weight, &Owner::Person, true, 5, 5));
    assert!(holds(&weight, 0), "people use less than their half");
    assert!(flood(&mut weight, &Owner::Person, true, 5, 5));
    assert!(!holds(&weight, 0), "and now more");
    assert!(weight.removed_by(Owner::is_person) <= MOST / 2);
    assert!(holds(&weight, 1) && holds(&weight, 2));
}

#[test]
fn h17_what_people_removed_leaves_agents_their_half() {
    let mut weight = journal(&[(Owner::Person, true, 95)]);
    assert!(flood(&mut weight, &agent("a"), true, 5, 5));
    assert!(holds(&weight, 0), "an agent pushes out nothing of it");
    assert!(!flood(&mut weight, &agent("a"), true, 1, 1));
    assert!(flood(&mut weight, &Owner::Person, false, 1, 1));
    assert!(weight.total <= MOST, "the next change by a person does");
}

#[test]
fn h17_what_is_larger_than_half_of_the_journal_is_refused_to_an_agent_alone() {
    let mut weight = journal(&[(Owner::Person, false, 40)]);
    assert!(!flood(&mut weight, &Owner::Agent, false, 1, 51));
    assert!(!flood(&mut weight, &Owner::Agent, true, 1, 26));
    assert!(flood(&mut weight, &Owner::Agent, false, 1, 50));
    assert!(flood(&mut weight, &Owner::Person, false, 1, 120));
}

proptest! {
    #[test]
    fn h17_an_agents_run_never_pushes_out_what_is_pinned_or_what_fits_into_a_persons_half(
        entries in proptest::collection::vec(
            (
                prop_oneof![
                    Just(Owner::Person),
                    Just(Owner::Agent),
                    Just(agent("a")),
                    Just(agent("b")),
                ],
                any::<bool>(),
                1..30_u64,
            ),
            0..12,
        ),
        runs in 1..40_u64,
        blocks in 1..60_u64,
        loses_content in any::<bool>(),
    ) {
        let mut weight = journal(&entries);
        let before = weight.used_by(Owner::is_person);
        flood(&mut weight, &agent("a"), loses_content, runs, blocks);
        for (order, (_, is_pinned, _)) in entries.iter().enumerate() {
            prop_assert!(!is_pinned || holds(&weight, order as u64));
        }
        prop_assert!(weight.used_by(Owner::is_person) >= before.min(MOST / 2).saturating_sub(30 * BLOCK));
    }
}
