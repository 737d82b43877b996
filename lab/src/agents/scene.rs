//! A program with a home, a vault and a model of its own, and what is checked of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use chores::{Fault, below, command, ensure, printed};
use serde_json::Value;

use super::model::Model;
use super::programs::{Program, Programs};
use super::tasks::{Plan, Step, filters, hunt};
use crate::world::{World, installed};

/// The files of a vault.
type Bytes = BTreeMap<PathBuf, Vec<u8>>;

/// The scene.
pub(super) struct Scene<'play> {
    programs: &'play Programs,
    plan: &'play Plan,
    program: &'play Program,
    /// The path of the program's file.
    file: PathBuf,
    path: OsString,
    world: World,
    model: Model,
    /// Whether its own sandbox is to be on: the program has one, with all that this needs.
    has_sandbox: bool,
}

impl<'play> Scene<'play> {
    /// Makes it in a new world, with the folders of programs.
    pub(super) fn make(
        programs: &'play Programs,
        plan: &'play Plan,
        program: &'play Program,
        file: PathBuf,
        world: World,
        path: &[PathBuf],
    ) -> Result<Self, Fault> {
        plan.fill(&world.vault())?;
        let model = Model::start()?;
        program.prepare(&world.folder, &model.address)?;
        let is_root = printed(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
        let is_there = |name: &String| installed(name, path).is_some();
        let needs = program.sandbox_needs(is_root);
        let has_sandbox = needs.is_some_and(|needs| needs.iter().all(is_there));
        let path = std::env::join_paths(path)?;
        Ok(Self {
            programs,
            plan,
            program,
            file,
            path,
            world,
            model,
            has_sandbox,
        })
    }

    /// Does all of it; the row of the table, and what is wrong.
    pub(super) fn play(&self) -> (String, Vec<String>) {
        let started = Instant::now();
        let mut faults = Vec::new();
        let mut holds = |what: &str, result: Result<(), Fault>| match result {
            Ok(()) => "yes",
            Err(fault) => {
                faults.push(format!("{what}: {fault}"));
                "NO"
            }
        };
        let before = self.bytes().unwrap_or_default();
        let (mut requests, mut done, mut nested) = (0, 0, None);
        let mut shown_in = |steps: &[Step], nested| {
            let shown = self.does(steps, nested)?;
            requests += shown.len();
            self.check_not_revealed(&shown).map(|()| shown)
        };
        for (name, steps) in &self.plan.tasks {
            let shown = shown_in(steps, self.has_sandbox);
            let result = shown.map(|shown| nested = nested.max(filters(&shown)));
            done += usize::from(holds(name, result) == "yes");
        }
        let hunt = shown_in(&hunt(), false);
        let plain = hunt.as_ref().ok().and_then(|shown| filters(shown));
        let filtered = ensure(nested > plain, "its commands had no filter of their own");
        let sandbox = if self.has_sandbox {
            holds("its own sandbox", filtered)
        } else {
            "-"
        };
        let closed = hunt.and_then(|shown| {
            let is_searched = shown.iter().any(|text| text.contains(&self.plan.open));
            ensure(is_searched, "it did not even find what is open")
        });
        let closed = holds("the closed folder", closed);
        let unchanged = self.bytes().and_then(|now| same(&before, &now));
        let unchanged = holds("the vault before the review", unchanged);
        // No draft is a draft without changes.
        let draft = self.draft().unwrap_or_default();
        let review = holds("the review", self.is_expected(&draft));
        let landed = holds("one hunk", self.accept_one(&draft, before));
        let row = format!(
            "{:<8} {done:>3}/{} {sandbox:>11} {unchanged:>9} {review:>6} {landed:>8} {closed:>6} \
             {requests:>8} {:>7} {}\n",
            self.program.name,
            self.plan.tasks.len(),
            started.elapsed().as_secs(),
            self.version(),
        );
        (row, faults)
    }

    /// Has the program do the steps in the fence; returns all requests to its model, and its output.
    fn does(&self, steps: &[Step], nested: bool) -> Result<Vec<String>, Fault> {
        let vault = self.world.vault();
        let whole = |step| self.programs.whole(step, &vault);
        let steps: Vec<Step> = steps.iter().map(whole).collect();
        let calls = steps.iter().flat_map(|step| self.program.calls(step));
        self.model.expect(calls.collect());
        let request = if self.program.tools.is_empty() {
            steps
                .iter()
                .map(|step| format!("{}\n", step["line"]))
                .collect()
        } else {
            "Do the next task.".to_owned()
        };
        let mut fenced = self.world.command();
        fenced
            .env("PATH", &self.path)
            .envs(self.program.variables(&self.model.address))
            .args(["run", "--agent", &self.program.name, "--"])
            .arg(&self.file)
            .args(self.program.words(&request, nested))
            .current_dir(&vault)
            .stdin(Stdio::null());
        let output = fenced.output()?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let (left, mut shown) = self.model.end();
        if left > 0 || !output.status.success() {
            let end = said.char_indices().rev().nth(1_000).map_or(0, |(at, _)| at);
            return Err(format!("{left} calls are left, and it says: {}", &said[end..]).into());
        }
        shown.push(said);
        Ok(shown)
    }

    /// The agent's draft, as `review` shows it.
    fn draft(&self) -> Result<Value, Fault> {
        let shown = printed(self.world.command().args(["review", "-o", "json"]))?;
        let shown: Value = serde_json::from_str(&shown)?;
        match shown["data"]["drafts"].as_array().map(Vec::as_slice) {
            Some([draft]) => Ok(draft.clone()),
            _ => Err(format!("not one draft: {}", shown["data"]).into()),
        }
    }

    /// Accepts the second hunk of a note, and checks that it alone is in the vault then.
    fn accept_one(&self, draft: &Value, mut expected: Bytes) -> Result<(), Fault> {
        let [id, state] = ["draft", "state"].map(|key| draft[key].as_str().unwrap_or_default());
        let accepted = &self.plan.accepted;
        let mut accept = self.world.command();
        accept.args(["review", "accept", id, "--state", state, "--yes"]);
        printed(accept.args(["--note", &accepted["note"], "--hunk", "2"]))?;
        let note = expected.entry((&accepted["note"]).into()).or_default();
        let text = String::from_utf8(note.clone())?;
        *note = text
            .replace(&accepted["old"], &accepted["new"])
            .into_bytes();
        same(&expected, &self.bytes()?)
    }

    fn bytes(&self) -> Result<Bytes, Fault> {
        let vault = self.world.vault();
        let files = below(&vault, true)?.into_iter();
        files
            .map(|path| Ok((path.clone(), fs_err::read(vault.join(path))?)))
            .collect()
    }

    /// Returns its version; empty for a shell that has no such option.
    fn version(&self) -> String {
        let mut wanted = command(&self.file);
        wanted
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", &self.world.folder);
        let shown = printed(wanted.arg("--version")).unwrap_or_default();
        shown.lines().next().unwrap_or_default().to_owned()
    }

    /// Fails if a text contains the closed note.
    fn check_not_revealed(&self, shown: &[String]) -> Result<(), Fault> {
        let found = shown
            .iter()
            .find_map(|text| text.split_once(&self.plan.closed));
        let Some((before, _)) = found else {
            return Ok(());
        };
        let start = before.char_indices().rev().nth(200).map_or(0, |(at, _)| at);
        Err(format!("it got the closed note: {}", &before[start..]).into())
    }

    /// Fails unless the draft has the changes of the tasks and no others.
    fn is_expected(&self, draft: &Value) -> Result<(), Fault> {
        let files = draft["files"].as_array().into_iter().flatten();
        let pair = |file: &Value| format!("{} {}", file["change"], file["path"]).replace('"', "");
        let mut changes: Vec<String> = files.map(pair).collect();
        changes.sort_unstable();
        ensure(
            changes == self.plan.changes,
            &format!("the draft has {changes:?}"),
        )
    }
}

/// Fails unless the vaults have the same files with the same bytes.
fn same(expected: &Bytes, now: &Bytes) -> Result<(), Fault> {
    let paths = expected.keys().chain(now.keys());
    let differing: Vec<_> = paths
        .filter(|path| expected.get(*path) != now.get(*path))
        .collect();
    ensure(differing.is_empty(), &format!("differs: {differing:?}"))
}
