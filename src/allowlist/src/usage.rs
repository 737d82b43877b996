//! Usage lines in the style of the official CLI (`official-cli.md` §8): optional arguments are in
//! brackets.

use super::command::{Command, Param, ParamKind};

impl Command {
    /// `create [name=<name>] [path=<path>] … [overwrite]`, parameters before flags.
    pub fn usage(&self) -> String {
        let params = self.params.iter().map(|param| {
            if param.required {
                param.usage()
            } else {
                format!("[{}]", param.usage())
            }
        });
        let flags = self.flags.iter().map(|flag| format!("[{}]", flag.name));
        std::iter::once(self.id.clone())
            .chain(params)
            .chain(flags)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the usage with only the required parameters: `tag:rename tag=<tag> to=<to> […]`.
    pub fn required_usage(&self) -> String {
        let required = self.params.iter().filter(|param| param.required);
        let words = std::iter::once(self.id.clone()).chain(required.map(Param::usage));
        format!("{} […]", words.collect::<Vec<_>>().join(" "))
    }

    /// Returns the usage for a caller that sends JSON: `{path?: path, format?: json|tsv, total?: true}`.
    pub fn json_usage(&self) -> String {
        let mark = |is_required: bool| if is_required { "" } else { "?" };
        let params = self.params.iter().map(|param| {
            let value = match &param.kind {
                ParamKind::List(_) => "[…]".to_owned(),
                ParamKind::Object => "{…}".to_owned(),
                _ => param.value_usage().trim_matches(['<', '>', '"']).to_owned(),
            };
            format!("{}{}: {value}", param.name, mark(param.required))
        });
        let flags = self
            .flags
            .iter()
            .map(|flag| format!("{}?: true", flag.name));
        format!("{{{}}}", params.chain(flags).collect::<Vec<_>>().join(", "))
    }

    /// Returns the usage line with the parameters that need no name: `create <name> [<text>]`; `None` if every
    /// parameter needs one.
    pub fn bare_usage(&self) -> Option<String> {
        let bare = self.bare_params().enumerate().map(|(place, param)| {
            // The first word is what the line is about.
            if place == 0 || param.required {
                param.value_usage()
            } else {
                format!("[{}]", param.value_usage())
            }
        });
        let named = self.params.iter();
        let named = named.filter(|param| param.required && !self.bare.contains(&param.name));
        let words = std::iter::once(self.id.clone()).chain(bare);
        let words = words.chain(named.map(Param::usage));
        (!self.bare.is_empty()).then(|| words.collect::<Vec<_>>().join(" "))
    }
}

impl Param {
    /// Returns only the value: `<path>`, or the words of a choice.
    pub fn value_usage(&self) -> String {
        let usage = self.usage();
        let value = usage.split_once('=').map_or("", |(_, value)| value);
        if value.starts_with(['<', '"']) || matches!(self.kind, ParamKind::Choice(_)) {
            value.to_owned()
        } else {
            format!("<{value}>")
        }
    }

    /// `path=<path>`, or `format=json|tsv|csv` for a choice.
    pub fn usage(&self) -> String {
        let value = match &self.kind {
            ParamKind::Path | ParamKind::Folder | ParamKind::Destination => "<path>",
            ParamKind::NoteName | ParamKind::Name => "<name>",
            ParamKind::Template => "<template>",
            ParamKind::TaskRef => "<path:line>",
            ParamKind::Text | ParamKind::Line => "<text>",
            ParamKind::Scalar | ParamKind::ScalarOrList => "<value>",
            ParamKind::List(_) | ParamKind::Object => "<json>",
            ParamKind::Integer { .. } => "<n>",
            ParamKind::Date(_) => "<date>",
            ParamKind::Character => "\"<char>\"",
            ParamKind::Tag | ParamKind::Property | ParamKind::Identifier | ParamKind::Url => {
                return format!("{0}=<{0}>", self.name);
            }
            ParamKind::Choice(words) => return format!("{}={}", self.name, words.join("|")),
        };
        format!("{}={value}", self.name)
    }
}
