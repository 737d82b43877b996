//! A separate file tree for the official command line, which contains only the paths of its rules.
//!
//! Before version 9 Landlock cannot close Unix sockets that have a path, and one of them may belong
//! to a service manager that starts any program. In a mount namespace these paths do not exist. A
//! process without rights can make one only if it may make a user namespace, so this is done if the
//! system allows it, and reported if not.
//!
//! Landlock's rules are added afterwards, for the same files in the new tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::Uid;
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_change, mount_remount, unmount,
};

use super::fenced_root::FencedRoot;
use super::place::{Access, Place};
use super::rules::AccessRules;

/// The folder to which links of the system's libraries lead on Debian. It contains only links.
const ALTERNATIVES: &str = "/etc/alternatives";

/// The folder in which the new tree is built, and the name of the old one in it. It must be a
/// folder that every system has.
const BUILT_AT: &str = "/proc";
pub(super) const OLD: &str = ".vault-gw-old";

/// Maximum number of links in one path, as in the kernel.
const MOST_LINKS: usize = 40;

/// Maximum number of attempts to make the namespaces while an ended thread has not quite gone.
const MOST_TRIES: usize = 50;

/// Links: the path of each, and its target.
pub(super) type Links = BTreeMap<PathBuf, PathBuf>;

/// Gives this process, which must have one thread, a file tree that contains only the paths of
/// `rules`, and its own network if `network`. Returns whether the system allows it.
///
/// # Errors
///
/// If the tree is in place and incomplete, so that the process cannot continue.
pub(super) fn enter(rules: &AccessRules, network: bool) -> io::Result<bool> {
    let root = tree_of(rules.paths().chain([Path::new(ALTERNATIVES)]));
    let mut namespaces = CloneFlags::empty();
    namespaces.set(CloneFlags::CLONE_NEWNET, network);
    if begin(namespaces, rustix::process::getuid()).is_err() {
        return Ok(false);
    }
    root.show()?;
    leave_old()?;
    Ok(true)
}

/// Returns the tree in which each of these absolute paths leads to the same file as now. Paths that do not exist
/// are left out.
fn tree_of<'a>(paths: impl Iterator<Item = &'a Path>) -> FencedRoot {
    let places = paths.map(|path| Place::same(path, Access::Read));
    FencedRoot::new(&places.collect::<Vec<_>>())
}

/// Makes a user and a mount namespace, and the namespaces `more`, and moves to an empty tree, with
/// the old one below it. Until then every path leads to the same file as before, except paths below
/// `/proc`. This user is `seen_as` another one inside, or as itself.
pub(super) fn begin(more: CloneFlags, seen_as: Uid) -> io::Result<()> {
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    own_namespaces(more)?;
    fs_err::write("/proc/self/setgroups", "deny")?;
    let one = |inside: u32, outside: u32| format!("{inside} {outside} 1\n");
    fs_err::write("/proc/self/uid_map", one(seen_as.as_raw(), user.as_raw()))?;
    fs_err::write("/proc/self/gid_map", one(group.as_raw(), group.as_raw()))?;
    // Later mounts must not appear outside of this namespace.
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", BUILT_AT, "tmpfs", flags, None)?;
    move_to_new_root().inspect_err(|_| {
        // Otherwise the run without its own tree would not find the folder below it. If this fails
        // too, the rules cannot be made, and nothing runs.
        let _ = unmount(BUILT_AT, UnmountFlags::DETACH);
    })
}

/// Makes the empty tree the root, with the old one below it.
fn move_to_new_root() -> io::Result<()> {
    let old = Path::new(BUILT_AT).join(OLD);
    fs_err::create_dir(&old)?;
    rustix::process::pivot_root(BUILT_AT, &old)?;
    std::env::set_current_dir("/")
}

fn own_namespaces(more: CloneFlags) -> nix::Result<()> {
    let namespaces = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS | more;
    for _try in 0..MOST_TRIES {
        match unshare(namespaces) {
            Err(nix::Error::EINVAL) => std::thread::yield_now(),
            done => return done,
        }
    }
    Err(nix::Error::EINVAL)
}

/// Unmounts the old tree, and gives up the right to change the new one.
pub(super) fn leave_old() -> io::Result<()> {
    let old = Path::new("/").join(OLD);
    unmount(&old, UnmountFlags::DETACH)?;
    fs_err::remove_dir(&old)?;
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount("/", flags, "")?)
}

/// Resolves a path to its real path. Adds the links on the way to `found`, and the paths that
/// are not links to `plain`. `None` if the path does not exist.
pub(super) fn follow(
    path: &Path,
    found: &mut Links,
    plain: &mut BTreeSet<PathBuf>,
) -> Option<PathBuf> {
    let mut waiting: Vec<PathBuf> = parts(path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = waiting.pop() {
        if part == Path::new("..") {
            real.pop();
            continue;
        }
        let place = real.join(part);
        if plain.contains(&place) {
            real = place;
            continue;
        }
        let target = match rustix::fs::readlink(&place, Vec::new()) {
            Ok(target) => PathBuf::from(OsString::from_vec(target.into_bytes())),
            Err(Errno::INVAL) => {
                plain.insert(place.clone());
                real = place;
                continue;
            }
            Err(_absent) => return None,
        };
        links += 1;
        if links > MOST_LINKS {
            return None;
        }
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        waiting.extend(parts(&target));
        found.insert(place, target);
    }
    Some(real)
}

pub(super) fn make_link(place: &Path, target: &Path) -> io::Result<()> {
    make_parent(place)?;
    fs_err::os::unix::fs::symlink(target, place)
}

/// Returns the present path of a file of the old tree.
pub(super) fn in_old(path: &Path) -> PathBuf {
    let old = Path::new("/").join(OLD);
    old.join(path.strip_prefix("/").unwrap_or(path))
}

pub(super) fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs_err::create_dir_all)
}

/// Returns the steps of a path from folder to folder, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path
        .components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    parts.map(|part| PathBuf::from(part.as_os_str())).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Returns the links and the shown paths of the tree of these paths.
    fn tree(paths: &[&Path]) -> (Links, BTreeSet<PathBuf>) {
        let FencedRoot { links, places } = tree_of(paths.iter().copied());
        (links, places.into_iter().map(|place| place.at).collect())
    }

    #[test]
    fn every_link_on_the_way_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for name in ["usr/lib", "opt/app"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        fs_err::write(root.join("opt/app/cli"), "").unwrap();
        symlink("usr/lib", root.join("lib")).unwrap();
        symlink("../opt/./app", root.join("usr/app")).unwrap();
        symlink(root.join("usr/app/cli"), root.join("cli")).unwrap();
        let (found, shown) = tree(&[&root.join("lib"), &root.join("cli"), &root.join("absent/x")]);
        let links = [
            ("cli", root.join("usr/app/cli")),
            ("lib", "usr/lib".into()),
            ("usr/app", "../opt/./app".into()),
        ];
        let links = links.map(|(at, target)| (root.join(at), target));
        assert_eq!(found, BTreeMap::from(links));
        let wanted = ["opt/app/cli", "usr/lib"].map(|name| root.join(name));
        assert_eq!(shown, BTreeSet::from(wanted));
    }

    #[test]
    fn what_is_in_a_folder_that_is_shown_needs_no_place_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for name in ["a/b", "a.b"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        symlink("b", root.join("a/link")).unwrap();
        let paths = ["a/link", "a/b", "a.b", "a"].map(|name| root.join(name));
        let found = tree(&paths.each_ref().map(PathBuf::as_path));
        let shown = BTreeSet::from([root.join("a"), root.join("a.b")]);
        assert_eq!(found, (Links::new(), shown));
    }

    #[test]
    fn nothing_leads_to_everything_and_a_link_to_itself_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("loop");
        symlink(&place, &place).unwrap();
        assert!(tree(&[&place]).1.is_empty());
        symlink("/", folder.path().join("root")).unwrap();
        for everything in [Path::new("/"), Path::new(""), &folder.path().join("root")] {
            assert!(tree(&[everything]).1.is_empty(), "{everything:?}");
        }
    }
}
