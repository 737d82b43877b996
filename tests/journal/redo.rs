//! What an agent may do again, and what a person has to approve (`threats.toml` H20).

use vault_gw::gateway::{Caller, Envelope, Gateway, Options, Request};
use vault_gw::records::journal::RunPrefix;

use super::{undo, undo_as, world};
use crate::support::{Outcome as _, World, asked, checked, code, detail, dry_run_of, request};

fn grant(world: &World, id: &str) {
    let person = world.person();
    let now = person.now().timestamp();
    let channel = vault_gw::tiers::ApprovalChannel::Terminal;
    person
        .approvals()
        .store()
        .unwrap()
        .grant(id, channel, now)
        .unwrap();
}

/// The request, approved by a person once it asks for that.
fn approved(world: &World, gateway: &Gateway, request: &Request) -> Envelope {
    let wanted = checked(gateway.call(request)).fails_with("APPROVAL_REQUIRED");
    let id = detail(&wanted, "approval").as_str().unwrap().to_owned();
    grant(world, &id);
    checked(gateway.call(&Request {
        approval: Some(id),
        ..request.clone()
    }))
}

#[test]
fn h20_what_needed_an_approval_is_done_again_with_a_new_one_alone() {
    let world = world().set("backend = \"embedded\"");
    let agent = world.gateway();
    for line in [
        "delete path=b.md permanent",
        "create path=b.md content=other overwrite",
    ] {
        let done = approved(&world, &agent, &asked(line)).succeeds();
        let run = done.run_id.to_string();
        // Its own undo needs none: nothing is lost by it.
        let undone = checked(agent.undo(None, false)).succeeds();
        assert_eq!(world.read("b.md"), "two");
        let undo = undone.run_id.to_string();
        for again in [
            Request::new("redo"),
            request("redo", &[("run", &run)]),
            request("undo", &[("run", &undo)]),
        ] {
            let planned = checked(agent.call(&dry_run_of(again.clone())));
            assert_eq!(planned.data.as_map()["needsApproval"], true, "{planned:#?}");
            let wanted = checked(agent.call(&again));
            assert_eq!(code(&wanted), "APPROVAL_REQUIRED", "{line} {again:?}");
            assert_eq!(world.read("b.md"), "two");
        }
        // With a person's word it is done once, and the next time needs another.
        let redo = Request::new("redo");
        for _ in 0..2 {
            approved(&world, &agent, &redo).succeeds();
            assert_ne!(
                fs_err::read_to_string(world.vault.join("b.md"))
                    .ok()
                    .as_deref(),
                Some("two")
            );
            checked(agent.undo(None, false)).succeeds();
            assert_eq!(world.read("b.md"), "two");
        }
        // What a person has undone is the person's to do again, with an approval of their own.
        approved(&world, &agent, &redo).succeeds();
        undo_as(&world, Options::new(Caller::Person), None).succeeds();
        for again in [Request::new("redo"), request("redo", &[("run", &run)])] {
            let refused = checked(agent.call(&again));
            let shown = code(&refused);
            assert!(
                ["USAGE_ERROR", "PRECONDITION_FAILED"].contains(&shown),
                "{refused:#?}"
            );
        }
        assert_eq!(world.read("b.md"), "two");
        let wanted = world.run(&["redo", "--json"]);
        wanted.json().fails_with("APPROVAL_REQUIRED");
        assert_eq!(world.read("b.md"), "two");
        world.run(&["--yes", "redo"]).ended(0);
        world.run(&["undo"]).ended(0);
        assert_eq!(world.read("b.md"), "two");
    }
}

#[test]
fn h20_an_agent_never_does_again_what_a_person_has_undone() {
    let world = world()
        .set("backend = \"embedded\"")
        .with_tables("[agents.helper]");
    let helper = |caller| Options {
        agent: Some("helper".to_owned()),
        ..Options::new(caller)
    };
    let append = asked("append path=b.md content=more");
    for (agent, person) in [
        (Options::new(Caller::Agent), Options::new(Caller::Person)),
        (helper(Caller::Agent), Options::new(Caller::Person)),
        // Under the agent's policy a person is a person still.
        (helper(Caller::Agent), helper(Caller::Person)),
    ] {
        let gateway = world.gateway_with(agent);
        let done = checked(gateway.call(&append));
        let run = RunPrefix::from(done.run_id);
        // Its own undo it may take back.
        let own = checked(gateway.undo(None, false)).succeeds();
        checked(gateway.redo(None, false)).succeeds();
        undo_as(&world, person.clone(), None).succeeds();
        for run in [None, Some(run), Some(RunPrefix::from(own.run_id))] {
            let envelope = checked(gateway.redo(run.as_ref(), false));
            assert!(!envelope.success, "{envelope:#?}");
            let envelope = checked(gateway.undo(run.as_ref(), false));
            assert!(!envelope.success, "{envelope:#?}");
        }
        assert_eq!(world.read("b.md"), "two");
        checked(world.gateway_with(person).redo(None, false)).succeeds();
        undo(&world).succeeds();
    }
}
