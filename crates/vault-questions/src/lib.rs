//! The commands that can be answered from the folder: one table from command id to function.

mod aliases;
mod answer;
mod appearance;
mod backlinks;
mod bases;
mod bookmarks;
mod daily;
mod deadends;
mod files;
mod folders;
mod links;
mod manifests;
mod notes;
mod orphans;
mod outline;
mod own;
mod periodic;
mod plugins;
mod properties;
mod random;
mod recents;
mod reply;
mod search;
mod tag;
mod tags;
mod task;
mod tasks;
mod templates;
mod unresolved;
mod vaults;
mod word_count;
mod workspaces;

pub use self::answer::{answer, commands, own_forms, reply, serves};
pub use self::backlinks::{Backlink, backlinks_of};
pub use self::bases::{BaseTable, base_table};
pub use self::links::{LinkDestination, links_of};
pub use self::notes::properties_of;
pub use self::outline::outline_of;
pub use self::own::{
    AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, FoundNotes, IndexReport,
    LinkKind, ListedLink, ListedNote, Neighborhood, NoteFacets, NoteHit, NoteOutline, NoteParts,
    NoteRequest, NoteSectionText, NoteSections, NoteTree, ReadError, ReadImage, ReadNotes,
    Severity, TreeNode, VaultStats, near_words,
};
pub use self::reply::{Found, Reply};
pub use self::tags::tags_of_vault;
pub use self::tasks::{NoteTask, tasks_of_vault};
pub use self::unresolved::{UnresolvedTarget, unresolved_links};

use vault_files::{Call, EngineError};

/// Answers one of the app's commands.
type Serve = fn(&Call<'_>) -> Result<Reply, EngineError>;

/// The commands of the app, by name.
const COMMANDS: &[(&str, Serve)] = &[
    ("aliases", aliases::aliases),
    ("backlinks", backlinks::backlinks),
    ("base:query", bases::query),
    ("base:views", bases::views),
    ("bases", bases::bases),
    ("bookmarks", bookmarks::bookmarks),
    ("daily:path", daily::path),
    ("daily:read", daily::read),
    ("deadends", deadends::deadends),
    ("file", files::file),
    ("files", files::files),
    ("folder", folders::folder),
    ("folders", folders::folders),
    ("links", links::links),
    ("orphans", orphans::orphans),
    ("outline", outline::outline),
    ("periodic:path", periodic::path),
    ("periodic:read", periodic::read),
    ("plugin", plugins::plugin),
    ("plugins", plugins::plugins),
    ("plugins:enabled", plugins::enabled),
    ("properties", properties::properties),
    ("property:read", properties::read),
    ("random:read", random::read),
    ("read", files::read),
    ("recents", recents::recents),
    ("search", search::search),
    ("search:context", search::context),
    ("snippets", appearance::snippets),
    ("snippets:enabled", appearance::enabled_snippets),
    ("tag", tag::tag),
    ("tags", tags::tags),
    ("task", task::task),
    ("tasks", tasks::tasks),
    ("template:read", templates::read),
    ("templates", templates::templates),
    ("theme", appearance::theme),
    ("themes", appearance::themes),
    ("unresolved", unresolved::unresolved),
    ("vault", vaults::vault),
    ("vaults", vaults::vaults),
    ("wordcount", word_count::word_count),
    ("workspaces", workspaces::workspaces),
];

#[cfg(test)]
mod tests;
