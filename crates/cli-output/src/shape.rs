//! The shapes that the catalogue's `output` key may name.

use vault_answers::OwnForm;

use crate::app_form::AppForm;
use crate::text::{
    aliases, app, bases, confirmation, facts, links, names, notes, outline, properties, search,
    tags, tasks,
};

/// Declares [`Shape`]: a line for each family of outputs of the app, with its row in the file of its text.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident = $form:path,)+) => {
        /// The format of a command's stdout. One variant for each family of outputs of the app, and
        /// one for all commands that only this gateway has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Shape {
            $($(#[$doc])* $shape,)+
            /// An own command of the gateway: rendered, never parsed.
            Own(&'static OwnForm),
        }

        impl Shape {
            /// Every shape of the app, in the order of the catalogue's documentation.
            pub const APP: &'static [Self] = &[$(Self::$shape),+];

            /// The properties of the output.
            pub(crate) fn form(self) -> &'static AppForm {
                match self {
                    $(Self::$shape => &$form,)+
                    Self::Own(_) => &AppForm::OWN,
                }
            }
        }
    };
}

shapes! {
    /// One sentence that confirms a change: `Created: a.md`.
    Confirmation = confirmation::CONFIRMATION,
    /// The text of a note.
    NoteText = notes::NOTE_TEXT,
    /// A path, an empty line, the text of that note.
    RandomNote = notes::RANDOM_NOTE,
    /// One vault path on a line.
    Path = notes::PATH,
    /// Vault paths, one per line (`files`).
    Files = names::FILES,
    /// Folder paths, one per line.
    Folders = names::FOLDERS,
    /// Key and value rows about one file.
    FileInfo = facts::FILE_INFO,
    /// Key and value rows about one folder.
    FolderInfo = facts::FOLDER_INFO,
    /// Key and value rows about the vault.
    VaultInfo = facts::VAULT_INFO,
    /// The known vaults, one per line.
    Vaults = app::VAULTS,
    /// The recently opened files, one per line.
    Recents = names::RECENTS,
    /// Aliases, one per line, with their notes on request.
    Aliases = aliases::ALIASES,
    /// Properties of one note, or property names of the vault.
    Properties = properties::PROPERTIES,
    /// The value of one property.
    PropertyValue = properties::PROPERTY_VALUE,
    /// Tags, one per line, with counts on request.
    Tags = tags::TAGS,
    /// The files that have one tag.
    Tag = tags::TAG,
    /// The lines of tasks, as written.
    Tasks = tasks::TASKS,
    /// The outgoing links of a file.
    Links = links::LINKS,
    /// The files that link to a file.
    Backlinks = links::BACKLINKS,
    /// The unresolved link texts.
    Unresolved = links::UNRESOLVED,
    /// The files without incoming links.
    Orphans = names::ORPHANS,
    /// The files without outgoing links.
    Deadends = names::DEADENDS,
    /// The headings of a note.
    Outline = outline::OUTLINE,
    /// The files that match a query.
    Search = search::SEARCH,
    /// The lines that match a query.
    SearchContext = search::SEARCH_CONTEXT,
    /// Word and character counts.
    WordCount = facts::WORD_COUNT,
    /// The base files, one path per line.
    Bases = names::BASES,
    /// Views of a base.
    BaseViews = bases::BASE_VIEWS,
    /// Rows of a base query.
    BaseRows = bases::BASE_ROWS,
    /// The names of templates, one per line.
    Templates = names::TEMPLATES,
    /// The ids of plugins, one per line.
    Plugins = app::PLUGINS,
    /// Key and value rows about one plugin.
    PluginInfo = facts::PLUGIN_INFO,
    /// The open tabs of the app.
    Tabs = app::TABS,
    /// The saved workspaces, one per line.
    Workspaces = app::WORKSPACES,
    /// The ids of the app's commands, one per line.
    Commands = names::COMMANDS,
    /// The version of the app and of its installer.
    Version = facts::VERSION,
    /// File history, or the sentence that there is none.
    History = names::HISTORY,
    /// Text whose format is not recorded; it is passed on unchanged.
    Raw = notes::RAW,
}

/// The unit of the `offset` that continues a cut answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageUnit {
    /// Items of a list.
    Items,
    /// Files of a search, each with the lines that it found there.
    Files,
    /// Characters of a text.
    Characters,
    /// Characters of a text below properties, which only its first part has.
    BodyCharacters,
    /// Characters of a note that each call chooses at random.
    DrawnCharacters,
}

impl Shape {
    /// Whether it is the shape of an own command of the gateway.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// The name in the catalogue, such as `search-context`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own(form) => form.name,
            shape => shape.form().name,
        }
    }

    /// Returns the unit of the `offset` that continues a cut answer; `None` if an answer cannot be cut. An own command
    /// may have parameters for that instead.
    pub fn page_unit(self) -> Option<PageUnit> {
        match self {
            Self::Own(form) => form.has_text_pages.then_some(PageUnit::BodyCharacters),
            Self::NoteText | Self::Raw => Some(PageUnit::Characters),
            Self::RandomNote => Some(PageUnit::DrawnCharacters),
            Self::SearchContext => Some(PageUnit::Files),
            Self::Confirmation
            | Self::Path
            | Self::FileInfo
            | Self::FolderInfo
            | Self::VaultInfo
            | Self::PropertyValue
            | Self::WordCount
            | Self::PluginInfo
            | Self::Version => None,
            _ => Some(PageUnit::Items),
        }
    }

    /// Whether the switch `total` turns the answer into a bare number (`official-cli.md` §5, §8).
    pub fn has_total(self) -> bool {
        match self {
            Self::Own(form) => form.has_total,
            shape => shape.form().has_total,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use schemars::JsonSchema;
    use serde::Serialize;
    use serde_json::json;
    use vault_answers::{Answer, AnswerItem, BaseRow, BaseRows, List};
    use vault_files::Args;

    use super::*;
    use crate::{render, render_shown};

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let names: HashSet<_> = Shape::APP.iter().map(|shape| shape.name()).collect();
        assert_eq!(names.len(), Shape::APP.len());
        let is_kebab = |name: &&str| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'-'));
        assert!(names.iter().all(is_kebab));
    }

    #[test]
    fn b10_a_table_of_a_base_has_its_own_form_for_line_breaks_and_tabs() {
        let cells = json!({"path": "p\nq.md", "a": "x\ny\u{202e}", "b": "t\tu"});
        let rows = vec![BaseRow {
            cells: cells.as_object().unwrap().clone(),
        }];
        let mut answer = Answer::from(BaseRows {
            rows: List::new(rows),
            view: None,
        });
        for (format, expected) in [
            ("csv", "a,b\n\"x\ny\\u{202e}\",t\tu\n"),
            ("tsv", "a\tb\n\"x\ny\\u{202e}\"\t\"t\tu\"\n"),
            ("md", "\n| x<br>y\\u{202e} | t\tu"),
            ("paths", "p\\u{a}q.md\n"),
        ] {
            let arguments = Args::default().with("format", format);
            let shown = render_shown(&mut answer, Shape::BaseRows, &arguments);
            assert!(shown.contains(expected), "{format}: {shown:?}");
        }
    }

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    struct Named {
        name: &'static str,
    }

    impl AnswerItem for Named {
        fn cells(&self) -> Vec<String> {
            vec![self.name.to_owned(), String::new()]
        }
    }

    static FORM: OwnForm = OwnForm {
        has_total: true,
        ..OwnForm::new::<List<Named>>("named")
    };

    #[test]
    fn an_own_list_has_rows_json_and_a_schema() {
        let list = List::new(vec![Named { name: "a\nb" }, Named { name: "c" }]);
        let shape = Shape::Own(&FORM);
        let mut answer = Answer::from(list.clone());
        assert_eq!(answer.downcast_ref(), Some(&list));
        assert_eq!(answer, Answer::from(list));
        assert_eq!(render(&answer, shape, &Args::default()), "a\\u{a}b\nc\n");
        let text = render(&answer, shape, &Args::default().with("format", "json"));
        assert_eq!(
            text,
            "{\"total\":2,\"returned\":2,\"offset\":0,\"truncated\":false,\"items\":[{\"name\":\"a\\nb\"},{\"name\":\"c\"}]}\n"
        );
        let whole = answer.clone();
        answer.keep_first(1);
        assert_ne!(whole, answer);
        assert_eq!((answer.items(), answer.is_empty()), (Some(1), false));
        assert_eq!(shape.schema().to_value()["title"], json!("named"));
    }
}
