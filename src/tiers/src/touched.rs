//! Determines the paths that a call names, as the app would understand its arguments
//! (`official-cli.md` §5.1).

use vault_engine::{Arg, PathError, VaultPath};

use super::placed::placed;
use super::rule::Rule;
use super::scope::Access;
use allowlist::{Call, EffectSet, ParamKind, Placement};

/// A path that a call would read or change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) path: VaultPath,
    pub(super) place: Place,
    pub(super) access: Access,
}

/// The kind of path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File,
    Folder,
    /// A folder with everything below it.
    Whole,
}

/// Returns the templates that the call names and whose paths are not resolved yet. The gateway resolves each and then
/// asks [`Policy::check_path`](super::Policy::check_path).
pub fn named_templates(call: &Call) -> impl Iterator<Item = &str> {
    arguments(call).filter_map(|(_, kind, value)| match (kind, value) {
        (ParamKind::Template, Arg::Text(name)) => Some(name.as_str()),
        _ => None,
    })
}

/// Returns every path in the arguments, or the reason why an argument is not a valid path.
pub(super) fn touched(call: &Call, effects: EffectSet) -> Vec<Result<Touched, Rule>> {
    let access = Access::for_effects(effects);
    let mut found: Vec<Result<Touched, Rule>> = Vec::new();
    let file = |path: VaultPath| Touched {
        path,
        place: Place::File,
        access,
    };
    let placed = placed(call);
    let is_placed = matches!(placed, Some(Ok(_)));
    found.extend(placed.map(|path| path.map(file)));
    if call.command.placement() == Some(Placement::AsNamed) {
        found.extend(templates(call));
        return found;
    }
    let moves_folder = call.command.placement() == Some(Placement::WholeFolder);
    let is_planned = call.command.placement() == Some(Placement::Planned);
    for (argument, kind, value) in arguments(call) {
        let path = || as_path(argument, value);
        match kind {
            // The plan decides where the file goes, and is judged later; any other path is only
            // read.
            ParamKind::Path if is_planned && argument == "path" => {}
            ParamKind::Path if is_planned => found.push(path().map(|path| Touched {
                access: Access::Read,
                ..file(path)
            })),
            ParamKind::Path | ParamKind::TaskRef => found.push(path().map(file)),
            ParamKind::NoteName => {
                if let Arg::Path(path) = value {
                    found.push(Ok(file(path.clone())));
                }
            }
            ParamKind::Folder => found.push(path().map(|path| Touched {
                place: if moves_folder && argument == "path" {
                    Place::Whole
                } else {
                    Place::Folder
                },
                ..file(path)
            })),
            ParamKind::Destination if is_placed => {}
            // A dot anywhere makes it a path of a file (`official-cli.md` §5.1).
            ParamKind::Destination => found.push(path().map(|path| Touched {
                place: if path.as_str().contains('.') {
                    Place::File
                } else {
                    Place::Folder
                },
                ..file(path)
            })),
            ParamKind::Name
            | ParamKind::Template
            | ParamKind::Tag
            | ParamKind::Property
            | ParamKind::Identifier
            | ParamKind::Date(_)
            | ParamKind::Url
            | ParamKind::Text
            | ParamKind::Line
            | ParamKind::Scalar
            | ParamKind::ScalarOrList
            | ParamKind::Object
            | ParamKind::Integer { .. }
            | ParamKind::Character
            | ParamKind::Choice(_) => {}
            ParamKind::List(kind) => {
                if let Arg::List(items) = value {
                    found.extend(kind.paths(items).into_iter().map(|path| Ok(file(path))));
                }
            }
        }
    }
    found.extend(templates(call));
    found
}

/// Templates that are resolved already. Every call only reads them.
fn templates(call: &Call) -> Vec<Result<Touched, Rule>> {
    arguments(call)
        .filter_map(|(_, kind, value)| match (kind, value) {
            (ParamKind::Template, Arg::Path(path)) => Some(Ok(Touched {
                path: path.clone(),
                place: Place::File,
                access: Access::Read,
            })),
            _ => None,
        })
        .collect()
}

/// The existing file that the call uses, if its path is known. `path` takes precedence over `file`.
pub(super) fn source(call: &Call) -> Option<&VaultPath> {
    let named = |wanted: &ParamKind| {
        arguments(call).find_map(|(_, kind, value)| match value {
            Arg::Path(path) if kind == wanted => Some(path),
            _ => None,
        })
    };
    named(&ParamKind::Path).or_else(|| named(&ParamKind::NoteName))
}

pub(super) fn arguments(call: &Call) -> impl Iterator<Item = (&str, &ParamKind, &Arg)> {
    call.given()
        .map(|(param, value)| (param.name.as_str(), &param.kind, value))
}

/// Returns the path in an argument. A text in its place was not checked, so it is refused.
pub(super) fn as_path(argument: &str, value: &Arg) -> Result<VaultPath, Rule> {
    match value {
        Arg::Path(path) | Arg::Line { path, .. } => Ok(path.clone()),
        Arg::Text(_) | Arg::Integer(_) | Arg::List(_) => Err(malformed(argument, PathError::Empty)),
    }
}

pub(super) fn join(argument: &str, folder: &VaultPath, name: &str) -> Result<VaultPath, Rule> {
    folder
        .join(name)
        .map_err(|error| malformed(argument, error))
}

pub(super) fn malformed(argument: &str, error: PathError) -> Rule {
    let argument = argument.to_owned();
    if error == PathError::Escape {
        return Rule::Escape { argument };
    }
    Rule::MalformedPath {
        argument,
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, file};
    use allowlist::Catalogue;

    const CASES: &str = include_str!("touched_cases.txt");

    fn paths(call: &Call) -> Vec<String> {
        touched(call, call.effects())
            .into_iter()
            .map(|result| {
                let touched = result.unwrap();
                let kind = match (touched.place, touched.access) {
                    (Place::File, Access::Read) => "read",
                    (Place::File, Access::Write) => "write",
                    (Place::Folder, Access::Read) => "list",
                    (Place::Folder, Access::Write) => "fill",
                    (Place::Whole, _) => "whole",
                };
                format!("{kind} {}", touched.path)
            })
            .collect()
    }

    #[test]
    fn d12_every_argument_that_is_a_path_is_checked_where_the_file_is_or_lands() {
        for [line, expected] in tables::section(CASES, "d12 every argument that is a path") {
            assert_eq!(paths(&call(line)).join(", "), expected, "{line}");
        }
        let templates = call("create path=a.md template=x");
        assert_eq!(named_templates(&templates).collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn templates_are_only_read_by_a_call_that_writes() {
        let mut call = call("create path=a.md");
        let template = Arg::Path(file("templates/t.md"));
        call.arguments.values.insert("template".into(), template);
        assert_eq!(paths(&call), ["write a.md", "read templates/t.md"]);
    }

    #[test]
    fn a_note_without_a_path_names_no_template() {
        for call in [call("move file=n to=b"), call("daily:read")] {
            assert_eq!(named_templates(&call).next(), None, "{}", call.command.id);
        }
    }

    #[test]
    fn the_app_chooses_the_folder_of_a_unique_note_and_of_a_note_in_a_base() {
        for id in ["unique", "base:create"] {
            let command = Catalogue::find_builtin(id).unwrap();
            assert_eq!(command.placement(), Some(Placement::AppFolder), "{id}");
        }
    }

    #[test]
    fn texts_that_are_no_paths_are_refused() {
        let with = |line: &str, name: &str, value: &str| {
            let mut call = call(line);
            call.arguments = call.arguments.with(name, value);
            call
        };
        let call = with("task", "ref", "x.md:3");
        assert!(matches!(
            touched(&call, call.effects())[..],
            [Err(Rule::MalformedPath { .. })]
        ));
        let call = with("create", "name", "a/../../b");
        assert!(matches!(
            touched(&call, call.effects())[..],
            [Err(Rule::Escape { .. })]
        ));
    }
}
