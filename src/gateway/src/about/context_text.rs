//! `context` as text for people: one line per fact.

use vault_engine::plural::count;
use vault_engine::{Survey, shown};

use super::context::{Context, Counts};
use super::open::{Openness, PolicyFacts};
use super::settings::{AttachmentKind, Attachments, Daily};
use super::versions::Versions;
use allowlist::Effect;
use protocol::status::Answerer;
use tiers::{Drafts, Switch};

impl Context {
    /// Returns the facts as labelled lines. Names from the vault are escaped to one line without control characters.
    pub(super) fn to_text(&self) -> String {
        let mut lines = ContextLines::default();
        let folder = self.vault.folder.as_ref();
        let folder = folder.map(|folder| format!(" ({})", sanitised_row(folder)));
        lines.add(
            "vault",
            &format!(
                "{}{}",
                sanitised_row(&self.vault.name),
                folder.unwrap_or_default()
            ),
        );
        let daily = self.daily.as_ref().map(daily);
        lines.add(
            "daily notes",
            &daily.unwrap_or_else(|| "not open".to_owned()),
        );
        let templates = self
            .templates
            .as_ref()
            .map(|templates| place(&templates.folder));
        lines.add("templates", &templates.unwrap_or_else(|| "none".to_owned()));
        let attachments = self.attachments.as_ref().map(attachments);
        lines.add(
            "attachments",
            &attachments.unwrap_or_else(|| "not open".to_owned()),
        );
        lines.add("links", &links(self));
        lines.add("excluded", &excluded(self));
        lines.add("plugins on", &list(&self.core_plugins.on));
        lines.add("plugins off", &list(&self.core_plugins.off));
        lines.add("backend", &backend(self));
        lines.add("versions", &versions(&self.versions));
        policy(&self.policy, &mut lines);
        if let Some(taint) = &self.taint {
            let message = format!(
                "since {} and until {}, because the answer of {} had outside text",
                taint.since, taint.until, taint.command
            );
            lines.add("restricted", &message);
        }
        lines.add("counts", &counts(&self.counts));
        if let Some(deep) = &self.deep {
            lines.add("in notes", &in_notes(deep));
        }
        lines.text
    }
}

#[derive(Default)]
struct ContextLines {
    text: String,
}

impl ContextLines {
    fn add(&mut self, label: &str, value: &str) {
        self.text += &format!("{label:<12} {value}\n");
    }
}

fn sanitised_row(text: &str) -> String {
    shown::row(text).into_owned()
}

fn place(folder: &str) -> String {
    if folder.is_empty() {
        "the vault's root".to_owned()
    } else {
        sanitised_row(folder)
    }
}

fn list(items: &[impl AsRef<str>]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let items: Vec<String> = items
        .iter()
        .map(|item| sanitised_row(item.as_ref()))
        .collect();
    items.join(", ")
}

fn daily(daily: &Daily) -> String {
    let template = daily.template.as_ref();
    let template = template.map(|template| format!(", from {}", sanitised_row(template)));
    format!(
        "in {} as {}{}; today {} ({})",
        place(&daily.folder),
        sanitised_row(&daily.format),
        template.unwrap_or_default(),
        sanitised_row(&daily.today),
        if daily.exists { "there" } else { "not there" }
    )
}

fn attachments(attachments: &Attachments) -> String {
    let folder = place(attachments.folder.as_deref().unwrap_or_default());
    match attachments.place {
        AttachmentKind::Root => "in the vault's root".to_owned(),
        AttachmentKind::Folder => format!("in {folder}"),
        AttachmentKind::BesideNote => "beside the note".to_owned(),
        AttachmentKind::BelowNote => format!("in {folder} below the note's folder"),
    }
}

fn links(context: &Context) -> String {
    let links = &context.links;
    let moves = match (links.follow_moves, context.backend.answers) {
        (true, _) => "follow moves",
        (false, Answerer::Obsidian) => "the app asks before it updates links after a move",
        (false, Answerer::Embedded | Answerer::None) => "stay as they are after a move",
    };
    format!("{}s, {} path, {moves}", links.style, links.path)
}

fn excluded(context: &Context) -> String {
    let excluded = &context.excluded;
    match (excluded.filters.is_empty(), excluded.not_shown) {
        (_, 0) => list(&excluded.filters),
        (true, hidden) => format!("{hidden} not shown"),
        (false, hidden) => format!("{}, {hidden} not shown", list(&excluded.filters)),
    }
}

fn backend(context: &Context) -> String {
    let backend = &context.backend;
    let answers = match backend.answers {
        Answerer::Obsidian => "the official program",
        Answerer::Embedded => "the embedded engine",
        Answerer::None => "no backend",
    };
    format!("{answers}: {}", sanitised_row(&backend.why))
}

fn versions(versions: &Versions) -> String {
    let app = versions.app.as_deref().unwrap_or("unknown");
    let cli = match (&versions.cli.kind, versions.cli.found) {
        (Some(kind), true) => format!("found ({kind})"),
        (None, true) => "found".to_owned(),
        (_, false) => "not found".to_owned(),
    };
    format!(
        "vault-gw {}, app {app}, official CLI {cli}",
        versions.vault_gw
    )
}

fn policy(policy: &PolicyFacts, lines: &mut ContextLines) {
    let agent = policy.agent.as_ref();
    let agent = agent.map(|agent| format!("as `{}`, ", sanitised_row(agent)));
    let rights = policy.rights_of_agents.unwrap_or(if policy.enabled {
        "agents may call"
    } else {
        "agents may not call"
    });
    let tier = policy.tier.name();
    lines.add(
        "policy",
        &format!("{}tier {tier}, {rights}", agent.unwrap_or_default()),
    );
    match policy.drafts {
        Drafts::Off => {}
        Drafts::Closed if policy.switches.get(Switch::Mutations.key()) == Some(&true) => {}
        Drafts::Closed | Drafts::All => lines.add(
            "drafts",
            "changes go into your draft, which a person reviews; `draft:status` shows what became of them",
        ),
    }
    for (label, state) in [
        ("open", Openness::Open),
        ("asks first", Openness::Approval),
        ("closed", Openness::Closed),
        ("never open", Openness::Never),
    ] {
        let effects: Vec<String> = policy
            .effects
            .iter()
            .filter(|effect| effect.state == state)
            .map(|facts| effect(facts.effect, &facts.needs))
            .collect();
        if !effects.is_empty() {
            lines.add(label, &effects.join(", "));
        }
    }
    let commands = &policy.commands;
    let closed_by: Vec<String> = commands
        .closed_needs
        .iter()
        .filter(|(needs, _)| !needs.is_empty())
        .map(|(needs, count)| format!("{count} by {needs}"))
        .collect();
    let why = if closed_by.is_empty() {
        String::new()
    } else {
        format!(" ({})", closed_by.join(", "))
    };
    lines.add(
        "commands",
        &format!(
            "{} open, {} ask first, {} closed{why}, {} never open",
            commands.open, commands.approval, commands.closed, commands.never
        ),
    );
    for scopes in &policy.paths {
        let closed = [
            ("deny", scopes.deny.as_deref()),
            (
                "deny tags",
                Some(&scopes.deny_tags[..]).filter(|tags| !tags.is_empty()),
            ),
            (
                "deny properties",
                Some(&scopes.deny_properties[..]).filter(|names| !names.is_empty()),
            ),
        ];
        let deny = closed.into_iter().filter_map(|(word, names)| {
            let names = names?;
            Some(format!("; {word} {}", list(names)))
        });
        let not_shown = match scopes.not_shown {
            0 => String::new(),
            count => format!("; {count} not shown"),
        };
        lines.add(
            "paths",
            &format!(
                "read {}; write {}{}{not_shown}",
                list(&scopes.read),
                list(&scopes.write),
                deny.collect::<String>()
            ),
        );
    }
}

fn effect(effect: Effect, needs: &[String]) -> String {
    if needs.is_empty() {
        effect.name().to_owned()
    } else {
        format!("{} (needs {})", effect.name(), needs.join(" and "))
    }
}

fn counts(counts: &Counts) -> String {
    format!(
        "files: {}, notes: {}, attachments: {}, folders: {}",
        counts.files, counts.notes, counts.attachments, counts.folders
    )
}

fn in_notes(deep: &Survey) -> String {
    let partly = if deep.is_complete {
        String::new()
    } else {
        format!(", in the first {}", count(deep.notes, "note"))
    };
    format!(
        "tags: {}, tasks: {} ({} open), properties: {}, links: {} ({} lead nowhere), words: {}{partly}",
        deep.tags,
        deep.tasks,
        deep.open_tasks,
        deep.properties,
        deep.links,
        deep.unresolved,
        deep.words
    )
}
