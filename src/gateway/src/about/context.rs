//! `context`: describes the vault, the backend and the policy (contracts.md M08).

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use vault_engine::{Contents, IndexedVault, Survey, VaultPath, Warning};

use super::About;
use super::open::PolicyFacts;
use super::settings::{Attachments, CorePlugins, Daily, Excluded, LinkStyle, TemplateFacts};
use super::versions::Versions;
use allowlist::{Call, Catalogue};
use backend::cancel::Cancel;
use backend::{PinnedVault, engine_failure, engine_issue};
use changes::TaintMeta;
use protocol::{Answerer, Caller, Code, Deadline, Failure, Issue};
use settings::BackendChoice;

/// Time limit for scanning the notes, unless the call's deadline is sooner.
const DEEP_BUDGET: Duration = Duration::from_secs(10);
/// A command without arguments that both backends support; shows which one would answer.
const PLAIN_READ: &str = "files";

/// The facts that an agent should know before it begins. Facts that the policy closes are absent or null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The vault.
    pub vault: VaultFacts,
    /// Daily notes; null where today's is not open.
    pub daily: Option<Daily>,
    /// Templates; null where the app has none, or where their folder is not open.
    pub templates: Option<TemplateFacts>,
    /// Attachments; null where their folder is not open.
    pub attachments: Option<Attachments>,
    /// Links.
    pub links: LinkStyle,
    /// The names that the app hides from searches.
    pub excluded: Excluded,
    /// Plugins that are part of the app.
    pub core_plugins: CorePlugins,
    /// The backend that would answer a plain read.
    pub backend: BackendFacts,
    /// The installed versions.
    pub versions: Versions,
    /// The rules in force.
    pub policy: PolicyFacts,
    /// Present if the caller has got outside text, which restricts what is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taint: Option<TaintMeta>,
    /// Numbers of open files and folders.
    pub counts: Counts,
    /// Numbers of the contents of all notes; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deep: Option<Survey>,
}

/// The vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultFacts {
    /// Its name in the app.
    pub name: String,
    /// Its folder on this machine; for people only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The backend that would answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendFacts {
    /// The backend that the settings or the command line choose.
    #[serde(rename = "asked")]
    pub requested: BackendChoice,
    /// The backend that would answer a plain read now.
    pub answers: Answerer,
    /// Why.
    pub why: String,
    /// The code of the failure, where nobody would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

/// Numbers of files and folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Files of every kind.
    pub files: usize,
    /// Markdown files.
    pub notes: usize,
    /// Folders, without the root.
    pub folders: usize,
    /// Files that are neither notes nor canvases nor bases.
    pub attachments: usize,
}

impl About<'_> {
    /// Collects the [`Context`], and the warnings of the vault's settings and folder.
    pub(super) fn context(
        &self,
        vault: &PinnedVault,
        deep: bool,
        deadline: Deadline,
        cancel: &Cancel,
    ) -> Result<(Context, Vec<Issue>), Failure> {
        let settings = vault.engine.settings();
        let contents = IndexedVault(&vault.engine)
            .names_below(&VaultPath::root())
            .map_err(engine_failure)?;
        let files: Vec<VaultPath> = contents
            .files
            .iter()
            .filter(|file| self.caller.policy.may_read(&file.path))
            .map(|file| file.path.clone())
            .collect();
        let mut found = settings.warnings.clone();
        found.extend(contents.warnings.iter().cloned());
        let mut issues = Vec::new();
        let deep = if deep {
            let (deep, warnings, issue) = self.deep(vault, &files, deadline, cancel)?;
            found.extend(warnings);
            issues.extend(issue);
            Some(deep)
        } else {
            None
        };
        found.dedup();
        let found = found.iter().filter(|warning| self.may_warn_of(warning));
        issues.extend(found.map(engine_issue));
        let folder = (self.caller.options.caller == Caller::Person)
            .then(|| vault.root().to_string_lossy().into_owned());
        let backend = self.backend_facts(vault)?;
        let context = Context {
            vault: VaultFacts {
                name: vault.name(),
                folder,
            },
            daily: self.daily_facts(vault, &settings),
            templates: self.template_facts(&settings),
            attachments: self.attachment_facts(&settings),
            links: LinkStyle::from_settings(&settings, backend.answers),
            excluded: self.excluded_facts(&settings),
            core_plugins: CorePlugins::from_settings(&settings),
            backend,
            versions: self.versions(),
            policy: self.policy_facts()?,
            taint: None,
            counts: self.counts(&contents, &files),
            deep,
        };
        Ok((context, issues))
    }

    fn counts(&self, contents: &Contents, files: &[VaultPath]) -> Counts {
        let of_the_app =
            |path: &&VaultPath| path.is_note() || matches!(path.extension(), "canvas" | "base");
        Counts {
            files: files.len(),
            notes: files.iter().filter(|path| path.is_note()).count(),
            folders: contents
                .folders
                .iter()
                .filter(|folder| self.caller.policy.may_list(folder))
                .count(),
            attachments: files.len() - files.iter().filter(of_the_app).count(),
        }
    }

    fn deep(
        &self,
        vault: &PinnedVault,
        files: &[VaultPath],
        deadline: Deadline,
        cancel: &Cancel,
    ) -> Result<(Survey, Vec<Warning>, Option<Issue>), Failure> {
        let budget = DEEP_BUDGET.min(Duration::from_millis(self.caller.settings.timeout_ms));
        let until = deadline.at_most(DEEP_BUDGET);
        let (survey, warnings) = IndexedVault(&vault.engine)
            .survey(files, &|| !until.has_passed() && !cancel.is_cancelled())
            .map_err(engine_failure)?;
        let notes = files.iter().filter(|path| path.is_note()).count();
        let issue = (!survey.is_complete).then(|| {
            Issue::new(
                "DEEP_BUDGET_EXCEEDED",
                format!(
                    "The time limit passed, so `deep` counted only {} of {}.",
                    survey.notes,
                    vault_engine::plural::count(notes, "note")
                ),
            )
            .with("counted", survey.notes)
            .with("notes", notes)
            .with(
                "budgetMs",
                u64::try_from(budget.as_millis()).unwrap_or(u64::MAX),
            )
        });
        Ok((survey, warnings, issue))
    }

    /// Whether a warning may be shown. Warnings name their file, and those about settings or whole
    /// folders may contain closed names, so only callers without path rules see these.
    fn may_warn_of(&self, warning: &Warning) -> bool {
        let path = warning.path();
        match warning {
            Warning::ConfigIgnored { .. }
            | Warning::ConfigFolderMissing { .. }
            | Warning::ConfigFolderUnclear { .. }
            | Warning::SymlinksSkipped { .. }
            | Warning::FoldersTooDeep { .. }
            | Warning::SpecialFilesSkipped { .. }
            | Warning::NameUnusable { .. } => self.caller.policy.reads_everything(),
            _ => self.caller.policy.may_read(path) || self.caller.policy.may_list(path),
        }
    }

    /// Returns the backend that would answer a plain read. Starts no process.
    fn backend_facts(&self, vault: &PinnedVault) -> Result<BackendFacts, Failure> {
        let command = Catalogue::find_builtin(PLAIN_READ)?;
        let arguments = command.admit(&BTreeMap::new())?;
        let call = Call { command, arguments };
        let (answers, why, code) = match self.backends.choose(&call, vault, false) {
            Ok(choice) => (choice.answerer(), choice.reason, None),
            Err(failure) => (Answerer::None, failure.to_string(), Some(failure.code)),
        };
        Ok(BackendFacts {
            requested: self.caller.backend(),
            answers,
            why,
            code,
        })
    }
}
