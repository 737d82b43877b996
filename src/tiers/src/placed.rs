//! The path at which a call puts a file: one full path with its extension. The policy judges it and
//! the app gets it, so that both mean the same file (`official-cli.md` §5.1: always send the full
//! path).

use vault_engine::{Arg, VaultPath};

use super::rule::Rule;
use super::touched::{arguments, as_path, join, malformed, source};
use allowlist::{Call, ParamKind, Placement};

/// Returns the file that the call creates or moves; `None` if its path is not known yet, or if the path is invalid and
/// [`Policy::check`](super::Policy::check) refuses the call.
pub fn placed_file(call: &Call) -> Option<VaultPath> {
    placed(call)?.ok()
}

/// Like [`placed_file`], with the reason if an argument is not a valid path. `None` for every other
/// command, and while the file to move has a name but no path yet.
pub(super) fn placed(call: &Call) -> Option<Result<VaultPath, Rule>> {
    match call.command.placement()? {
        Placement::AsNamed => Some(created(call)),
        Placement::NewName => renamed(call),
        Placement::Destination => moved(call),
        // `AppFolder`: the gateway refuses it if path rules limit where files may be created.
        // `Planned`: the path rules judge the plan.
        Placement::PartOfNote => part(call),
        Placement::AppFolder
        | Placement::Planned
        | Placement::WholeFolder
        | Placement::IntoNote => None,
    }
}

/// `path/name`, `path`, `name` in the root, or `Untitled`: a note, unless its name says otherwise.
fn created(call: &Call) -> Result<VaultPath, Rule> {
    let path = argument_of(call, &ParamKind::Path);
    let path = path
        .map(|(argument, value)| as_path(argument, value))
        .transpose()?;
    let name = argument_of(call, &ParamKind::Name);
    let name = name.map(|(argument, value)| (argument, value.to_text()));
    let requested = match (path, name) {
        (Some(path), None) => path,
        (path, Some((argument, name))) => {
            join(argument, &path.unwrap_or_else(VaultPath::root), &name)?
        }
        (None, None) => join("name", &VaultPath::root(), "Untitled")?,
    };
    with_extension("path", &requested.parent(), requested.name(), "md")
}

/// Returns the new name in the old folder. The old extension is kept, even if the new name contains a dot.
fn renamed(call: &Call) -> Option<Result<VaultPath, Rule>> {
    let source = source(call)?;
    let (argument, value) = argument_of(call, &ParamKind::Name)?;
    let (folder, name) = (source.parent(), value.to_text());
    Some(with_extension(argument, &folder, &name, source.extension()))
}

/// Returns the name and the value of the first argument of this kind.
fn argument_of<'call>(call: &'call Call, wanted: &ParamKind) -> Option<(&'call str, &'call Arg)> {
    let mut arguments = arguments(call).filter(|(_, kind, _)| *kind == wanted);
    arguments.next().map(|(name, _, value)| (name, value))
}

/// Returns a dot anywhere in `to` makes it the file's new path, otherwise it is the new folder, and the file keeps its
/// name. A path that ends without an extension could be either, so it is refused.
fn moved(call: &Call) -> Option<Result<VaultPath, Rule>> {
    let source = source(call)?;
    let (argument, value) = argument_of(call, &ParamKind::Destination)?;
    let to = match as_path(argument, value) {
        Ok(to) => to,
        Err(refusal) => return Some(Err(refusal)),
    };
    if !to.as_str().contains('.') {
        return Some(join(argument, &to, source.name()));
    }
    if ends_in_extension(to.name(), source.extension()) {
        return Some(Ok(to));
    }
    Some(Err(Rule::FolderOrFile {
        argument: argument.to_owned(),
        folder: join(argument, &to, source.name())
            .unwrap_or_else(|_| to.clone())
            .to_string(),
        file: format!("{to}.{}", source.extension()),
    }))
}

/// Returns the path of a note with a part of the source.
fn part(call: &Call) -> Option<Result<VaultPath, Rule>> {
    let source = source(call)?;
    let (argument, value) = argument_of(call, &ParamKind::Destination)?;
    let to = as_path(argument, value).and_then(|to| {
        vault_engine::path_of_part(source, &to).map_err(|error| malformed(argument, error))
    });
    Some(to)
}

fn with_extension(
    argument: &str,
    folder: &VaultPath,
    name: &str,
    extension: &str,
) -> Result<VaultPath, Rule> {
    if extension.is_empty() || ends_in_extension(name, extension) {
        return join(argument, folder, name);
    }
    join(argument, folder, &format!("{name}.{extension}"))
}

/// Whether the name ends in an extension: its own one or a known one.
fn ends_in_extension(name: &str, own: &str) -> bool {
    let found = name.rsplit_once('.').map_or("", |(_, found)| found);
    found == own || vault_engine::is_known_extension(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    const CASES: &str = include_str!("placed_cases.txt");

    fn path(call: &Call) -> String {
        placed(call).unwrap().unwrap().to_string()
    }

    #[test]
    fn a_file_has_one_full_path_with_its_extension() {
        for [line, expected] in tables::section(CASES, "a file has one full path") {
            assert_eq!(path(&call(line)), expected, "{line}");
        }
    }

    #[test]
    fn a_destination_with_a_dot_must_end_in_an_extension() {
        let unclear = call("move path=a/n.md to='Area 1.5'");
        assert_eq!(
            placed(&unclear),
            Some(Err(Rule::FolderOrFile {
                argument: "to".into(),
                folder: "Area 1.5/n.md".into(),
                file: "Area 1.5.md".into()
            }))
        );
        let unknown = call("move file=n to=b");
        assert_eq!(placed(&unknown), None);
    }
}
