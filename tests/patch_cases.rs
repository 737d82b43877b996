//! The cases of another editor of notes, as data: `tests/data/patch_cases.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use vault_gw::gateway::{Params, Request, Status};

use crate::support::{World, checked, code};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    note: String,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    note: Option<String>,
    #[serde(default = "note_edit")]
    command: String,
    params: BTreeMap<String, Value>,
    was: Option<String>,
    is: Option<String>,
    refused: Option<String>,
}

fn note_edit() -> String {
    "note:edit".to_owned()
}

impl Case {
    fn request(&self) -> Request {
        let mut request = Request::new(&self.command);
        let params = (self.params.iter()).map(|(key, value)| (key.clone(), value.clone().into()));
        let path = ("path".to_owned(), Value::from("n.md").into());
        request.params = Params(params.chain([path]).collect());
        request
    }

    /// What the note must be afterwards.
    fn expected(&self, note: &str) -> String {
        match (&self.was, &self.is) {
            (Some(was), Some(is)) => {
                assert_eq!(note.matches(was.as_str()).count(), 1, "{}", self.name);
                note.replacen(was.as_str(), is, 1)
            }
            _ => note.to_owned(),
        }
    }
}

#[test]
fn each_case_gives_the_right_bytes_or_a_clear_refusal() {
    let text = include_str!("data/patch_cases.toml");
    let cases: Cases = toml::from_str(text).unwrap();
    assert!(cases.case.len() >= 66);
    let world = World::empty().set("backend = \"embedded\"\nallow_mutations = true");
    let gateway = world.gateway();
    let mut wrong = Vec::new();
    for case in &cases.case {
        let note = case.note.as_deref().unwrap_or(&cases.note);
        world.write("n.md", note);
        let answer = checked(gateway.call(&case.request()));
        let said = answer.error.as_ref().map(|error| error.code.name());
        let after = world.read("n.md");
        if said != case.refused.as_deref() || after != case.expected(note) {
            wrong.push(format!(
                "{}: {said:?}\n{:?}\n{after}",
                case.name, answer.error
            ));
            continue;
        }
        if after != note {
            // Nothing but these bytes has changed, and the undo takes back just that.
            let undone = checked(gateway.call(&Request::new("undo")));
            assert_eq!(
                undone.status,
                Status::Ok,
                "{}: {}",
                case.name,
                code(&undone)
            );
            assert_eq!(world.read("n.md"), note, "{}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
