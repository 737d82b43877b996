//! Changes that the engine can plan: the files must have the planned content.

use std::collections::BTreeMap;

use vault_answers::{LinkItem, List};
use vault_engine::{Args, Change, Edit, Editor, MAX_WHOLE_BYTES, State, Touched, VaultPath};

use super::Found;
use super::alike::Style;
use super::look::Look;
use crate::change::PendingChange;
use crate::change::observed::{Observer, same};
use allowlist::{Call, Placement, Target, Verification};
use backend::embedded;
use tiers::placed_file;

/// The planned content of each file, and the parts that the app may choose.
pub(crate) struct PlannedFiles {
    pub(super) contents: BTreeMap<VaultPath, Vec<u8>>,
    style: Style,
    /// The expected content if the app chooses the file's name, by its clock or a number; `None` if
    /// the call names the file.
    free_name: Option<FreeName>,
}

/// A file whose name the app chooses.
struct FreeName {
    planned: VaultPath,
    content: Option<Vec<u8>>,
}

/// Counts of the planned paths by state, and the paths of two states.
#[derive(Default)]
struct Tally {
    expected: usize,
    styled: Vec<VaultPath>,
    undone: Vec<VaultPath>,
    different: usize,
    unseen: usize,
}

impl PlannedFiles {
    pub(crate) fn new(edit: &Edit, pending: &PendingChange<'_>, observer: &Observer) -> Self {
        let call = &pending.resolved.call;
        let mut contents = BTreeMap::new();
        for change in &edit.changes {
            match change {
                Change::Create { path, after } | Change::Modify { path, after, .. } => {
                    contents.insert(path.clone(), after.clone());
                }
                Change::Move { from, to, .. } if !to.is_hidden() => {
                    let bytes = pending.vault.engine.read_bytes(from).ok();
                    contents.extend(bytes.map(|bytes| (to.clone(), bytes)));
                }
                _ => {}
            }
        }
        let fills_in = call.arguments.values.contains_key("template")
            || matches!(call.acts_on(), Target::DailyNote)
            || call.command.placement() == Some(Placement::AppFolder);
        Self {
            contents,
            style: Style {
                properties: call.command.verification() == Some(Verification::PlannedProperties),
                links: !observer.moves.is_empty(),
                time: fills_in && creates(edit),
            },
            free_name: free_name(edit, call),
        }
    }

    pub(crate) fn look(&self, look: Look<'_>) -> Found {
        let mut tally = Tally::default();
        for touched in &look.observer.touched {
            self.count(touched, look, &mut tally);
        }
        if tally.undone.is_empty() && tally.different == 0 && tally.unseen == 0 {
            // If nothing had to change, no planned form exists to differ from.
            let is_planned = tally.expected > 0;
            return Found::AsRequested {
                styled: tally.styled.into_iter().filter(|_| is_planned).collect(),
            };
        }
        if self.is_under_another_name(look) {
            return Found::exact();
        }
        if tally.unseen > 0 {
            Found::Unknown
        } else if tally.different == 0 && tally.undone.len() == tally.expected {
            Found::Absent
        } else {
            Found::Different
        }
    }

    fn count(&self, touched: &Touched, look: Look<'_>, tally: &mut Tally) {
        let path = &touched.path;
        let is_expected = !same(touched.before, touched.after);
        tally.expected += usize::from(is_expected);
        let Some(now) = look.snapshot.state_of(path) else {
            tally.unseen += 1;
            return;
        };
        if same(now, touched.after) {
            return;
        }
        if self.is_alike(touched, now, look) {
            tally.styled.push(path.clone());
        } else if is_expected && same(now, touched.before) {
            if self.still_leads_there(touched, look) {
                tally.styled.push(path.clone());
            } else {
                tally.undone.push(path.clone());
            }
        } else {
            tally.different += 1;
        }
    }

    /// Whether the file differs from the plan only in style.
    fn is_alike(&self, touched: &Touched, now: State, look: Look<'_>) -> bool {
        let path = &touched.path;
        let (Some(planned), State::File { .. }) = (self.contents.get(path), now) else {
            return false;
        };
        // A file that did not change has no "other style"; instead it is checked whether its old
        // links still lead to the file.
        !same(touched.before, now)
            && bytes_at(path, look).is_some_and(|found| self.style.allows(path, planned, &found))
    }

    /// Whether a note whose links were to be updated after a move, and which the app did not
    /// change, still links to the moved file: a link with only the file's name needs no change.
    fn still_leads_there(&self, touched: &Touched, look: Look<'_>) -> bool {
        let moves = &look.observer.moves;
        let is_moved = |path| moves.iter().any(|(from, to)| path == from || path == to);
        if !self.style.links || is_moved(&touched.path) {
            return false;
        }
        let arguments = Args::default().with("path", &touched.path);
        let links = embedded::ask(look.vault, "links", &arguments);
        let links: Option<List<LinkItem>> = links.ok().and_then(|answer| answer.downcast().ok());
        let Some(links) = links else { return false };
        let leads = |(from, to): &(VaultPath, VaultPath)| {
            let goes_there =
                |link: &LinkItem| matches!(link, LinkItem::File { path } if path == to.as_str());
            let is_stale = |link: &LinkItem| matches!(link, LinkItem::Unresolved { target } if target.contains(from.basename()));
            links.items.iter().any(goes_there) && !links.items.iter().any(is_stale)
        };
        moves.iter().any(leads)
    }

    /// Whether the file exists with the name that the program chose and printed.
    fn is_under_another_name(&self, look: Look<'_>) -> bool {
        let (Some(free), Some(shown)) = (&self.free_name, look.claims.written.as_ref()) else {
            return false;
        };
        let planned = look.snapshot.state_of(&free.planned);
        let left_alone = look
            .observer
            .touched_at(&free.planned)
            .zip(planned)
            .is_some_and(|(touched, now)| same(touched.before, now));
        let differing = look.snapshot.differing.as_ref();
        let changed = differing.is_some_and(|differing| differing.contains_key(shown));
        if !left_alone || !changed || *shown == free.planned {
            return false;
        }
        let Some(found) = bytes_at(shown, look) else {
            return false;
        };
        match &free.content {
            Some(content) => contains(&found, content),
            None => self.contents.get(&free.planned).is_some_and(|planned| {
                let style = Style {
                    time: true,
                    ..self.style
                };
                style.allows(shown, planned, &found)
            }),
        }
    }
}

/// Returns the file whose name the app chooses: today's note, a numbered file, or one named after the time.
fn free_name(edit: &Edit, call: &Call) -> Option<FreeName> {
    let planned = edit.changes.iter().find_map(|change| match change {
        Change::Create { path, .. } | Change::Modify { path, .. } if !path.is_hidden() => {
            Some(path.clone())
        }
        _ => None,
    });
    let chosen = |planned: &VaultPath| {
        call.acts_on() == Target::DailyNote
            || call.command.placement() == Some(Placement::AppFolder)
            || call.arguments.flags.contains("number")
            || placed_file(call).is_some_and(|wanted| wanted != *planned)
    };
    let content = call.arguments.text("content");
    planned.filter(chosen).map(|planned| FreeName {
        planned,
        content: content.map(|content| content.as_bytes().to_vec()),
    })
}

fn creates(edit: &Edit) -> bool {
    let mut changes = edit.changes.iter();
    changes.any(|change| matches!(change, Change::Create { .. }))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Returns the bytes of a file. Also reads the app's own settings, which commands cannot.
fn bytes_at(path: &VaultPath, look: Look<'_>) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let file = Editor(&look.vault.engine).file_at(path).ok()?;
    // No plan is that large, so the text would differ anyway.
    file.take(2 * MAX_WHOLE_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}
