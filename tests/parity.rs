//! One contract, with or without the app: the same request gives the same `data`.

use fake_obsidian::scenario::Scenario;
use vault_gw::gateway::{Caller, Envelope, Options};
use vault_gw::settings::BackendChoice;

use crate::support::{World, checked, request};

/// The same call on both backends.
fn both(world: &World, command: &str, params: &[(&str, &str)]) -> (Envelope, Envelope) {
    let through = |backend| {
        let mut options = Options::new(Caller::Agent);
        options.backend = Some(backend);
        checked(world.gateway_with(options).call(&request(command, params)))
    };
    (
        through(BackendChoice::Embedded),
        through(BackendChoice::Obsidian),
    )
}

#[test]
fn a_note_is_the_same_from_both_backends() {
    let world = World::with_fixture_vault().with_fake(&Scenario::logged());
    let (embedded, official) = both(&world, "read", &[("path", "Home.md")]);
    assert!(embedded.success, "{embedded:#?}");
    assert!(official.success, "{official:#?}");
    assert_eq!(embedded.data, official.data);
    assert_eq!(world.argvs(), [["vault=Notes", "read", "path=Home.md"]]);
}
