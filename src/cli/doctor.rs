//! `vault-gw doctor`: checks this machine and says what to fix.
//!
//! If the app is a Flatpak or a Snap, or this is WSL, `package` says which app the program reaches and how: it looks
//! for the socket in the `XDG_RUNTIME_DIR` that such an app has, and for `Obsidian.com` in the usual folders of
//! Windows below `/mnt`.

mod app;
mod check;
mod clients;
#[cfg(any(target_os = "linux", test))]
mod mounts;
mod official;
mod package;
mod places;
mod sandbox;

use serde_json::{Map, json};
use vault_engine::plural::count;

use self::check::{CheckState, DoctorCheck};
use super::Cli;
use super::report::{VerbEnd, VerbReport, VerbText};
use ::clients::ServerGrammar;
use ::sandbox::Account;
use ::sandbox::Environment;
use backend::PinnedVault;
use frontend::{Role, StyledLine, StyledText, setup};
use gateway::about::rights_of_agents;
use gateway::{Gateway, known_vaults};
use protocol::{Caller, Failure, IssueCode};
use settings::{EVERY_AGENT, Folders, Settings};
use store::agent_tokens::AgentTokens;
use tiers::Switch;
use vault_engine::Warning;

/// On a terminal with fewer columns, each text begins below the name of its check.
const NARROW: usize = 60;

/// Runs all checks. The exit status comes from the first failed check, with settings and vault first. With `is_strict`,
/// each check that is not in order is a violation, and the exit status is 1.
pub(crate) fn run(
    cli: Cli<'_>,
    is_strict: bool,
    grammar: &ServerGrammar,
) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let mut checks = vec![account()];
    let mut failure = None;
    let gateway = match setup::gateway(options, environment, Caller::Person) {
        Ok(gateway) => {
            checks.push(settings(cli));
            checks.push(access(cli, &gateway));
            checks.extend(agents(cli, &gateway));
            checks.extend(apps_list(environment));
            gateway
        }
        // Run the other checks under the defaults, to report all problems at once.
        Err(unusable) => match without_settings(cli) {
            Ok(gateway) => {
                checks.push(DoctorCheck::failed("settings", &unusable));
                checks.push(DoctorCheck::skipped(
                    "access",
                    "agents cannot make calls without settings",
                ));
                failure = Some(unusable);
                gateway
            }
            Err(_) => return Err(unusable),
        },
    };
    let vault = match gateway.vaults().open() {
        // The unreadable settings may name the vault.
        _ if failure.is_some() && options.vault.is_none() => {
            checks.push(DoctorCheck::skipped(
                "vault",
                "not known without the settings; pass `--vault`",
            ));
            None
        }
        Ok(vault) => {
            let found = format!("`{}` is a folder that can be read", vault.name());
            checks.push(match gateway.vaults().instead_of_set(&vault) {
                Some(other) => DoctorCheck::noted("vault", found, &other.message.for_person()),
                None => DoctorCheck::ok("vault", found),
            });
            checks.extend(places::checks(vault.root(), environment));
            checks.extend(writable(&gateway, &vault));
            let rules = gateway.vaults().rules_that_match_nothing(&vault);
            checks.extend(rules.into_iter().map(path_rule));
            checks.extend(apps_settings(&vault));
            checks.push(daily_notes(&vault));
            checks.push(journal(&gateway, &vault));
            checks.extend(earlier_folder(&gateway, &vault));
            checks.extend(drafts(&gateway, &vault));
            Some(vault)
        }
        Err(no_vault) => {
            checks.push(DoctorCheck::failed("vault", &no_vault));
            failure = failure.or(Some(no_vault));
            None
        }
    };
    checks.push(audit(&gateway));
    checks.push(sandbox::check(&gateway, environment));
    let backend = options.backend.unwrap_or(gateway.settings().backend);
    checks.extend(app::checks(&gateway, backend, vault.as_ref(), environment));
    checks.extend(clients::checks(grammar, environment));
    let in_short = match (&failure, &vault) {
        (None, Some(_)) => "`vault-gw rules` shows what you and agents may do.",
        _ => "No command works yet. See the failed checks above.",
    };
    let page = |columns, is_verbose| {
        let mut page = styled(&checks, columns, is_verbose);
        page.gap();
        page.line(StyledLine::new(Role::Heading, in_short));
        page
    };
    let plain = page(usize::MAX, true).render(usize::MAX, false);
    let text = VerbText::new(plain, page(terminal.prose_columns(), options.verbose > 0));
    let worst = checks
        .iter()
        .map(|check| check.state)
        .max()
        .unwrap_or(CheckState::Ok);
    let of = |state: CheckState| -> Vec<&DoctorCheck> {
        let found = checks.iter().filter(|check| check.state == state);
        found.collect()
    };
    let data = Map::from_iter([
        ("status".to_owned(), json!(worst)),
        ("strict".to_owned(), json!(is_strict)),
        ("errors".to_owned(), json!(of(CheckState::Failed))),
        ("warnings".to_owned(), json!(of(CheckState::Warning))),
        ("checks".to_owned(), json!(checks)),
    ]);
    if is_strict && failure.is_none() && worst > CheckState::Ok {
        let violations = checks.iter().filter_map(DoctorCheck::issue).collect();
        return Ok(VerbReport {
            violations,
            ..(text, data).into()
        }
        .into());
    }
    let failure = failure.or_else(|| checks.iter().find_map(|check| check.failure.clone()));
    Ok(VerbReport {
        failure,
        ..(text, data).into()
    }
    .into())
}

/// Returns a gateway under the defaults, for when the settings are unusable.
pub(super) fn without_settings(cli: Cli<'_>) -> Result<Gateway, Failure> {
    let (options, environment) = (cli.options, cli.environment);
    let options = setup::gateway_options(options, environment, Caller::Person);
    Gateway::new(Settings::default(), options, environment.clone())
}

impl CheckState {
    /// Returns the word for the state, and its colour.
    const fn word_and_role(self) -> (&'static str, Role) {
        match self {
            Self::Ok => ("ok", Role::Good),
            Self::Warning => ("warning", Role::Caution),
            Self::Failed => ("failed", Role::Bad),
            Self::Skipped => ("skipped", Role::Faint),
        }
    }
}

impl DoctorCheck {
    /// Returns the message without the list of places to search, which matters only if the program is required.
    fn in_brief(&self) -> &str {
        self.brief.as_ref().unwrap_or(&self.message)
    }

    /// Returns the next step, unless the message of a failure contains it already.
    fn further_step(&self) -> Option<&String> {
        self.remedy
            .as_ref()
            .filter(|_| self.state != CheckState::Failed)
    }
}

/// Returns the checks for a terminal, with each text in its own column, or below its name on a
/// narrow terminal.
fn styled(checks: &[DoctorCheck], columns: usize, is_verbose: bool) -> StyledText {
    let column = if columns < NARROW { 4 } else { 20 };
    let mut text = StyledText::default();
    for check in checks {
        let (mark, role) = check.state.word_and_role();
        let start = StyledLine::new(role, &format!("{mark:<8} "))
            .with(Role::Heading, &format!("{:<10} ", check.name));
        let rest = |role, words: &str| {
            StyledLine::new(Role::Plain, &" ".repeat(column))
                .with(role, words)
                .with_hanging_indent(column)
        };
        let message = if is_verbose {
            &check.message
        } else {
            check.in_brief()
        };
        if columns < NARROW {
            text.line(start);
            text.line(rest(Role::Plain, message));
        } else {
            text.line(start.with(Role::Plain, message).with_hanging_indent(column));
        }
        if let Some(step) = check.further_step() {
            text.line(rest(Role::Name, step));
        }
    }
    text
}

fn account() -> DoctorCheck {
    if Account::current().is_root() {
        DoctorCheck::warning(
            "account",
            "vault-gw runs as root and can access every file on this machine",
            "Run vault-gw as the owner of the vault.",
        )
    } else {
        DoctorCheck::ok("account", "vault-gw has the rights of its user, no more")
    }
}

fn settings(cli: Cli<'_>) -> DoctorCheck {
    match setup::settings_file(cli.options, cli.environment) {
        Ok(path) if path.exists() => {
            DoctorCheck::ok("settings", format!("{} is safe and valid", path.display()))
        }
        Ok(path) => DoctorCheck::ok(
            "settings",
            format!("the defaults; {} does not exist", path.display()),
        ),
        Err(failure) => DoctorCheck::warning("settings", failure.for_person(), "Set `HOME`."),
    }
}

/// Returns the permissions of agents under the settings and the options of this run.
fn access(cli: Cli<'_>, gateway: &Gateway) -> DoctorCheck {
    let (options, environment) = (cli.options, cli.environment);
    let program = setup::program_words(options, environment);
    let of_agents = setup::gateway(options, environment, Caller::Agent);
    let policy = of_agents.as_ref().unwrap_or(gateway).policy();
    let rules = if policy.has_command_rules() {
        ", within the rules for commands"
    } else {
        ""
    };
    if gateway.is_bridge_on() {
        DoctorCheck::ok(
            "access",
            format!(
                "{} (tier {}{rules})",
                rights_of_agents(policy, true),
                policy.tier().name()
            ),
        )
    } else {
        DoctorCheck::warning(
            "access",
            "calls by agents are turned off",
            &format!(
                "To allow calls by agents, run `{program} setup` or `{program} settings set enabled true`."
            ),
        )
    }
}

/// Returns the agents with rules of their own, and how many of them have a token for HTTP. Nothing without any.
fn agents(cli: Cli<'_>, gateway: &Gateway) -> Option<DoctorCheck> {
    const NAME: &str = "agents";
    let tokens = Folders::new(cli.environment)
        .state()
        .and_then(|state| AgentTokens::read(&state));
    let tokens = match tokens {
        Ok(tokens) => tokens,
        Err(failure) => return Some(DoctorCheck::failed(NAME, &failure)),
    };
    let tables = &gateway.settings().agents;
    let named: Vec<&str> = tables.keys().map(String::as_str).collect();
    let named = named.into_iter().filter(|name| *name != EVERY_AGENT);
    let (with, without): (Vec<&str>, Vec<&str>) = named.partition(|name| tokens.has(name));
    let left: Vec<&str> = tokens
        .agents()
        .filter(|name| !tables.contains_key(*name))
        .collect();
    let program = setup::program_words(cli.options, cli.environment);
    if let Some(first) = left.first() {
        return Some(DoctorCheck::warning(
            NAME,
            format!(
                "the settings do not define these agents, so their tokens give no access: {}",
                left.join(", ")
            ),
            &format!("`{program} agents revoke {first}` removes the token of the agent `{first}`."),
        ));
    }
    if with.is_empty() && without.is_empty() {
        return None;
    }
    let only_here = if without.is_empty() {
        String::new()
    } else {
        format!("; without a token: {}", without.join(", "))
    };
    Some(DoctorCheck::ok(
        NAME,
        format!(
            "{} with rules of their own, {} with a token for HTTP{only_here}",
            count(with.len() + without.len(), "agent"),
            with.len()
        ),
    ))
}

/// Entries in the app's list of vaults that cannot be used.
fn apps_list(environment: &Environment) -> Option<DoctorCheck> {
    const NAME: &str = "list";
    match known_vaults(environment) {
        Ok(registry) if registry.damaged == 0 => None,
        Ok(registry) => Some(DoctorCheck::warning(
            NAME,
            format!(
                "Obsidian's list of vaults (`obsidian.json`) has {} that cannot be read",
                count(registry.damaged, "entry")
            ),
            "Start Obsidian and open the vault, so that Obsidian writes the list again.",
        )),
        Err(failure) => Some(DoctorCheck::warning(
            NAME,
            failure.for_person(),
            "vault-gw does not need this list if the setting `vault` is the path of a folder.",
        )),
    }
}

/// Whether the folder is writable, if agents may write.
#[cfg(unix)]
fn writable(gateway: &Gateway, vault: &PinnedVault) -> Option<DoctorCheck> {
    let may_write = gateway.policy().allows(Switch::Mutations);
    let can_write = rustix::fs::access(vault.root(), rustix::fs::Access::WRITE_OK).is_ok();
    (may_write && !can_write).then(|| {
        DoctorCheck::warning(
            "writable",
            "changes are allowed, but the folder of the vault is not writable",
            "Every change fails. Give your user write permission for the folder, or turn off `allow_mutations`.",
        )
    })
}

/// On other systems the permissions of a folder say little about writing to its files.
#[cfg(not(unix))]
fn writable(_gateway: &Gateway, _vault: &PinnedVault) -> Option<DoctorCheck> {
    None
}

/// The warning about a path rule that matches nothing.
fn path_rule(message: String) -> DoctorCheck {
    DoctorCheck::new("paths", CheckState::Warning, message)
}

/// Returns a check for each settings file of the app that is broken, or of which it is not clear that the app uses it;
/// one check if none is. Changes that depend on such a file are refused for agents (`design/vault-settings.md`).
fn apps_settings(vault: &PinnedVault) -> Vec<DoctorCheck> {
    const NAME: &str = "config";
    let remedy = |code: &str| {
        let code = IssueCode::named(code);
        code.map_or_else(String::new, |code| code.remedy().for_person())
    };
    let folder = vault.engine.config_folder();
    if !folder.exists {
        let what = format!(
            "there is no configuration folder `{}`, so Obsidian's defaults are used",
            folder.path
        );
        return vec![DoctorCheck::noted(
            NAME,
            what,
            &remedy("CONFIG_FOLDER_MISSING"),
        )];
    }
    let faults = vault.engine.settings_faults();
    if faults.is_empty() {
        let what = format!("Obsidian's settings of this vault are in `{}`", folder.path);
        return vec![DoctorCheck::ok(NAME, what)];
    }
    let check =
        |fault: &Warning| DoctorCheck::warning(NAME, fault.to_string(), &remedy(fault.code()));
    faults.iter().map(check).collect()
}

fn daily_notes(vault: &PinnedVault) -> DoctorCheck {
    match vault.engine.daily_path(&jiff::Zoned::now()) {
        Ok(path) => {
            let is_there = vault.engine.facts(&path).is_ok();
            let yet = if is_there {
                ""
            } else {
                " (does not exist yet)"
            };
            DoctorCheck::ok("daily", format!("today's note is `{path}`{yet}"))
        }
        Err(error) => DoctorCheck::failed("daily", &backend::engine_failure(error)),
    }
}

/// Recovers interrupted runs, as the next write would.
fn journal(gateway: &Gateway, vault: &PinnedVault) -> DoctorCheck {
    const REMEDY: &str = "`vault-gw undo --list` shows the run. Check its notes, then dismiss the warning with `vault-gw undo --forget RUNID`.";
    let unfinished = gateway
        .records()
        .journal_of(vault)
        .and_then(|journal| Ok(!journal.unfinished()?.is_empty()));
    match unfinished {
        Ok(false) => return journal_use(gateway, vault),
        Ok(true) => {}
        Err(failure) => return DoctorCheck::failed("journal", &failure),
    }
    match gateway.records().recover(vault) {
        Ok(issues) => {
            let messages: Vec<String> = issues
                .iter()
                .map(|issue| issue.message.for_person())
                .collect();
            DoctorCheck::warning("journal", messages.join(" "), REMEDY)
        }
        Err(failure) => DoctorCheck::failed("journal", &failure),
    }
}

/// Reports that another folder was at the path of the vault before, and has drafts or an undo history.
fn earlier_folder(gateway: &Gateway, vault: &PinnedVault) -> Option<DoctorCheck> {
    let journal = gateway.records().journal_of(vault);
    match journal.and_then(|journal| journal.earlier_issue()) {
        Ok(earlier) => earlier.map(|issue| {
            DoctorCheck::warning(
                "history",
                issue.message.for_person(),
                "To delete the earlier drafts and history instead, remove the folder that contains them.",
            )
        }),
        Err(failure) => Some(DoctorCheck::failed("history", &failure)),
    }
}

/// Reports the files that wait in drafts, and damaged drafts; `None` if it finds neither.
fn drafts(gateway: &Gateway, vault: &PinnedVault) -> Option<DoctorCheck> {
    const REMEDY: &str = "The folder of each draft is in `drafts` in the state folder. To let the agent begin a new draft, move the folder of the damaged draft elsewhere. Its files contain the drafted text.";
    let all = match gateway
        .records()
        .journal_of(vault)
        .and_then(|journal| journal.drafts())
    {
        Ok(all) => all,
        Err(failure) => return Some(DoctorCheck::failed("drafts", &failure)),
    };
    let (mut waiting, mut damaged) = (0, Vec::new());
    for draft in all {
        match draft {
            Ok(draft) => waiting += draft.waiting(),
            Err(failure) => {
                let name = failure.detail("draft");
                damaged.push(format!(
                    "{} Its folder is `{}`.",
                    failure.for_person(),
                    name.unwrap_or_default()
                ));
            }
        }
    }
    if !damaged.is_empty() {
        return Some(DoctorCheck::warning("drafts", damaged.join(" "), REMEDY));
    }
    let text = format!("{} to review: `vault-gw review`", count(waiting, "file"));
    (waiting > 0).then(|| DoctorCheck::ok("drafts", text))
}

/// Reports how full the journal is. The owner is warned before agents reach a limit and are refused.
fn journal_use(gateway: &Gateway, vault: &PinnedVault) -> DoctorCheck {
    const REMEDY: &str = "When agents reach one of these limits, they can still add text, but they cannot remove text (`JOURNAL_FULL`). Raise `journal.max_bytes`, or lower `journal.max_age_days`.";
    let journal = gateway.records().journal_of(vault);
    let used = match journal.and_then(|journal| journal.used()) {
        Ok(used) => used,
        Err(failure) => return DoctorCheck::failed("journal", &failure),
    };
    let text = format!(
        "no interrupted runs; {} of {} used; agents have removed {} (limit {}), the most active agent {} (limit {})",
        mebibytes(used.bytes),
        mebibytes(used.limit),
        mebibytes(used.removed_by_agents),
        mebibytes(used.limit_of_agents),
        mebibytes(used.removed_by_one_agent),
        mebibytes(used.limit_of_one_agent)
    );
    let is_close = |used: u64, limit: u64| used >= limit / 5 * 4;
    if is_close(used.removed_by_agents, used.limit_of_agents)
        || is_close(used.removed_by_one_agent, used.limit_of_one_agent)
    {
        DoctorCheck::warning("journal", text, REMEDY)
    } else {
        DoctorCheck::ok("journal", text)
    }
}

/// Returns a number of bytes for people, with one decimal.
fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10).div_ceil(1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

fn audit(gateway: &Gateway) -> DoctorCheck {
    const READ_ONLY: &str = "Until this is fixed, every change is refused, and reads are not recorded. If the home folder is read-only, set `XDG_STATE_HOME` to a writable folder.";
    let audit = gateway.records().audit();
    if let Ok(audit) = &audit
        && let Err(failure) = audit.check_writable()
    {
        return DoctorCheck::warning("audit", failure.for_person(), READ_ONLY);
    }
    match audit.and_then(|audit| audit.verify()) {
        Ok(report) if report.violations.is_empty() => {
            match super::audit::dropped_evidence(&report.dropped) {
                Some(dropped) => DoctorCheck::warning(
                    "audit",
                    dropped,
                    "List the remaining records with `vault-gw audit`.",
                ),
                None => DoctorCheck::ok(
                    "audit",
                    format!("{}, unbroken", count(report.lines + report.kept, "record")),
                ),
            }
        }
        Ok(_) => DoctorCheck::warning(
            "audit",
            "the log was changed by another program",
            "Find the changed records with `vault-gw audit verify`.",
        ),
        Err(failure) => DoctorCheck::failed("audit", &failure),
    }
}
