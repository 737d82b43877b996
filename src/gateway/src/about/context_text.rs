//! `context` as text for people: one line per fact.

use vault_engine::Survey;
use vault_engine::plural::count;
use vault_engine::shown::row;

use super::context::{Context, Counts};
use super::open::{Openness, PolicyFacts};
use super::settings::{AttachmentKind, Attachments, Daily};
use super::versions::Versions;
use allowlist::Effect;
use protocol::Answerer;

impl Context {
    /// Returns the facts as labelled lines. Names from the vault are escaped to one line without control characters.
    pub(super) fn to_text(&self) -> String {
        let folder = self.vault.folder.as_ref();
        let folder = folder.map(|folder| format!(" ({})", row(folder)));
        let name = row(&self.vault.name);
        let not_open = || "not open".to_owned();
        let templates = self.templates.as_ref();
        let mut lines = vec![
            ("vault", format!("{name}{}", folder.unwrap_or_default())),
            (
                "daily notes",
                self.daily.as_ref().map_or_else(not_open, daily),
            ),
            (
                "templates",
                templates.map_or_else(|| "none".to_owned(), |facts| place(&facts.folder)),
            ),
            (
                "attachments",
                self.attachments.as_ref().map_or_else(not_open, attachments),
            ),
            ("links", links(self)),
            ("excluded", excluded(self)),
            ("plugins on", list(&self.core_plugins.on)),
            ("plugins off", list(&self.core_plugins.off)),
            ("backend", backend(self)),
            ("versions", versions(&self.versions)),
        ];
        lines.extend(policy(&self.policy));
        lines.extend(self.taint.as_ref().map(|taint| {
            let message = format!(
                "since {} and until {}, because the answer of {} had outside text",
                taint.since, taint.until, taint.command
            );
            ("restricted", message)
        }));
        lines.push(("counts", counts(&self.counts)));
        lines.extend(self.deep.as_ref().map(|deep| ("in notes", in_notes(deep))));
        let lines = lines.iter();
        lines
            .map(|(label, value)| format!("{label:<12} {value}\n"))
            .collect()
    }
}

fn place(folder: &str) -> String {
    if folder.is_empty() {
        "the vault's root".to_owned()
    } else {
        row(folder).into_owned()
    }
}

fn list(items: &[impl AsRef<str>]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let items: Vec<_> = items.iter().map(|item| row(item.as_ref())).collect();
    items.join(", ")
}

fn daily(daily: &Daily) -> String {
    let template = daily.template.as_ref();
    let template = template.map(|template| format!(", from {}", row(template)));
    format!(
        "in {} as {}{}; today {} ({})",
        place(&daily.folder),
        row(&daily.format),
        template.unwrap_or_default(),
        row(&daily.today),
        if daily.exists { "there" } else { "not there" }
    )
}

fn attachments(attachments: &Attachments) -> String {
    let folder = place(attachments.folder.as_deref().unwrap_or_default());
    match attachments.place {
        AttachmentKind::Root => "in the vault's root".to_owned(),
        AttachmentKind::Folder => format!("in {folder}"),
        AttachmentKind::BesideNote => "next to the note".to_owned(),
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
    format!("{answers}: {}", row(&backend.why))
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

fn policy(policy: &PolicyFacts) -> Vec<(&'static str, String)> {
    let agent = policy.agent.as_ref();
    let agent = agent.map(|agent| format!("as `{}`, ", row(agent)));
    let rights = policy.rights_of_agents.unwrap_or(if policy.enabled {
        "agents may call"
    } else {
        "agents may not call"
    });
    let tier = policy.tier.name();
    let mut lines = vec![(
        "policy",
        format!("{}tier {tier}, {rights}", agent.unwrap_or_default()),
    )];
    if let Some(changes) = policy.changes {
        lines.push(("drafts", changes.to_owned()));
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
            lines.push((label, effects.join(", ")));
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
    lines.push((
        "commands",
        format!(
            "{} open, {} ask first, {} closed{why}, {} never open",
            commands.open, commands.approval, commands.closed, commands.never
        ),
    ));
    for scopes in &policy.paths {
        let closed = [
            ("deny tags", &scopes.deny_tags),
            ("deny properties", &scopes.deny_properties),
        ];
        let closed = closed.into_iter().filter(|(_, names)| !names.is_empty());
        let paths = scopes.deny.iter().map(|paths| ("deny", paths));
        let deny = paths.chain(closed);
        let deny = deny.map(|(word, names)| format!("; {word} {}", list(names)));
        let not_shown = match scopes.not_shown {
            0 => String::new(),
            count => format!("; {count} not shown"),
        };
        lines.push((
            "paths",
            format!(
                "read {}; write {}{}{not_shown}",
                list(&scopes.read),
                list(&scopes.write),
                deny.collect::<String>()
            ),
        ));
    }
    lines
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
