//! The file tree of a fence, for a program that does not know this one.
//!
//! Its places may be writable, empty or taken from elsewhere. It has devices, and processes of its own. The file tree of
//! the official command line ([`super::own_root`]) has only places that are the same outside.

use std::collections::BTreeSet;
use std::ffi::{CStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use nix::sched::CloneFlags;
use rustix::fs::{Mode, Uid};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount, mount_bind, mount_bind_recursive, mount_remount};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::confiner::forget_rights;
use super::kept_folder::{KeptFolder, Made};
use super::own_network;
use super::own_root::{self, Links, follow, in_old, make_parent};
use super::place::{Access, Content, Place};

/// The devices that every program may use.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// The usual links among the devices.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// The files in `/proc` with which root could change the kernel without any right, because they are root's.
const KERNEL_FILES: [&str; 6] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi"];

/// The user as which root is seen: the kernel does not let processes without rights make a user namespace for root,
/// and sandboxes inside need one. Every system knows this user.
const NOBODY: u32 = 65_534;

/// The file mounted over a hidden file.
const NOTHING: &str = "/.vault-gw-nothing";

/// The flags of mounts that must stay, because the kernel refuses to drop them.
const KEPT_FLAGS: [(&str, MountFlags); 7] = [
    ("ro", MountFlags::RDONLY),
    ("nosuid", MountFlags::NOSUID),
    ("nodev", MountFlags::NODEV),
    ("noexec", MountFlags::NOEXEC),
    ("noatime", MountFlags::NOATIME),
    ("nodiratime", MountFlags::NODIRATIME),
    ("relatime", MountFlags::RELATIME),
];

/// A tree to build: the links of its paths, and its places in the order in which they are made, by
/// their real paths.
pub struct FencedRoot {
    pub(super) links: Links,
    pub(super) places: Vec<Place>,
}

impl FencedRoot {
    /// The tree with these places. Looks at the files as they are now.
    pub fn new(places: &[Place]) -> Self {
        let mut links = Links::new();
        let mut plain = BTreeSet::new();
        let mut found = Vec::new();
        for place in places {
            let mut place = place.clone();
            if let Content::Kept { from } | Content::Other { from, .. } = &mut place.content
                && let Ok(real) = fs_err::canonicalize(&from)
            {
                // Links do not lead to the old tree.
                *from = real;
            }
            // It is in a folder of ours, which contains no links of the outside.
            if matches!(place.content, Content::Lent { .. }) {
                found.push(place);
                continue;
            }
            match (&place.content, follow(&place.at, &mut links, &mut plain)) {
                (_, Some(real)) => place.at = real,
                // It may not be there outside.
                (Content::Other { .. } | Content::Private(_) | Content::Kept { .. }, None) => {}
                (Content::Same(_) | Content::Hidden | Content::Lent { .. }, None) => continue,
            }
            // The root itself would be everything.
            if place.at.parent().is_some() {
                found.push(place);
            }
        }
        found.sort_by_key(Place::rank);
        let places = needed(found);
        // A place that is shown contains its own links.
        links.retain(|link, _| around(&places, link).is_none_or(Place::is_ours));
        Self { links, places }
    }

    /// Makes the namespaces.
    ///
    /// # Errors
    ///
    /// If the system does not allow them.
    pub fn begin(network: bool) -> io::Result<()> {
        let mut more = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC;
        more.set(CloneFlags::CLONE_NEWNET, network);
        let user = rustix::process::getuid();
        let seen_as = if user.is_root() {
            Uid::from_raw(NOBODY)
        } else {
            user
        };
        own_root::begin(more, seen_as)?;
        if network {
            own_network::bring_up()?;
        }
        Ok(())
    }

    /// Builds the tree. The old one stays below it until [`finish`].
    ///
    /// # Errors
    ///
    /// If a folder cannot be made, or a mount fails.
    pub fn build(&self) -> io::Result<()> {
        // Folders on the way are as in every system.
        rustix::process::umask(Mode::WGRP | Mode::WOTH);
        drop(fs_err::File::create_new(NOTHING)?);
        devices()?;
        if !divides_control_groups()? {
            let limit = Path::new("/proc/sys/user/max_cgroup_namespaces");
            fs_err::write(in_old(limit), "0")?;
        }
        self.show()?;
        self.set_flags()?;
        fs_err::create_dir_all("/proc")?;
        pass_on_rights()
    }

    /// Makes the places and the links below the new root.
    pub(super) fn show(&self) -> io::Result<()> {
        for (index, place) in self.places.iter().enumerate() {
            let under = around(&self.places[..index], &place.at);
            if let Err(error) = make(place, under) {
                if self.must_have(place) {
                    return Err(error);
                }
                // It is absent then. If it was a file of the official command line, the start will fail.
                if under.is_none() {
                    let at = &place.at;
                    let _not_made = fs_err::remove_file(at).or_else(|_| fs_err::remove_dir(at));
                }
            }
        }
        for (link, target) in &self.links {
            match kept_around(around(&self.places, link), link) {
                // A folder that the program filled stays.
                Some((kept, below)) => drop(kept?.make(below, Made::Link(target))),
                None => own_root::make_link(link, target)?,
            }
        }
        Ok(())
    }

    /// Whether the fence would have a hole without this place. Other places are left out if they cannot be mounted,
    /// such as a folder of another user's file system.
    fn must_have(&self, place: &Place) -> bool {
        let mut around = self
            .places
            .iter()
            .filter(|other| place.at.starts_with(&other.at));
        !matches!(place.content, Content::Same(_) | Content::Lent { .. })
            || around.any(|other| other != place && other.content == Content::Same(Access::Write))
    }

    /// Gives every mount the flags of its place. A mount that is shown includes the mounts below it, and each has
    /// flags of its own.
    fn set_flags(&self) -> io::Result<()> {
        let table = fs_err::read(in_old(Path::new("/proc/self/mountinfo")))?;
        let mut done = BTreeSet::new();
        // Only the last of several mounts at a place is visible.
        for (at, kept) in table.split(|byte| *byte == b'\n').rev().filter_map(mounted) {
            let Some(place) = around(&self.places, &at) else {
                continue;
            };
            if !done.insert(at.clone()) {
                continue;
            }
            let mut flags = kept | MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV;
            if place.access() == Access::Read {
                flags |= MountFlags::RDONLY;
            }
            match mount_remount(&at, flags, "") {
                // Another mount covers it, so it is not visible.
                Ok(()) | Err(Errno::NOENT | Errno::INVAL) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }
}

/// The place that contains a path: the last one, because it covers the others.
fn around<'a>(places: &'a [Place], path: &Path) -> Option<&'a Place> {
    places
        .iter()
        .rev()
        .find(|place| path.starts_with(&place.at))
}

/// Returns the places without those that have no effect, and without those below a hidden place.
fn needed(sorted: Vec<Place>) -> Vec<Place> {
    let hidden: Vec<PathBuf> = sorted
        .iter()
        .filter(|place| place.content == Content::Hidden)
        .map(|place| place.at.clone())
        .collect();
    let mut places: Vec<Place> = Vec::new();
    for place in sorted {
        let under = around(&places, &place.at);
        let changes = match place.content {
            Content::Same(access) => under.is_none_or(|it| match &it.content {
                Content::Lent { from } => access == Access::Write || *from != it.at,
                content => *content != place.content,
            }),
            Content::Lent { .. } => under.is_none_or(Place::is_ours),
            _ => {
                places.push(place);
                continue;
            }
        };
        if changes && !hidden.iter().any(|folder| place.at.starts_with(folder)) {
            places.push(place);
        }
    }
    places
}

/// Whether a namespace of control groups prevents its processes from killing processes outside it. Without `nsdelegate`
/// (`cgroups(7)`) it does not, and such a namespace must not be used.
fn divides_control_groups() -> io::Result<bool> {
    let table = fs_err::read(in_old(Path::new("/proc/self/mounts")))?;
    let table = String::from_utf8_lossy(&table);
    let mut kinds = table.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(2);
        fields.next().zip(fields.next())
    });
    Ok(kinds.clone().all(|(kind, _)| kind != "cgroup")
        && kinds.any(|(kind, options)| kind == "cgroup2" && options.contains("nsdelegate")))
}

/// Returns the place of a line of the table of mounts, and its flags.
fn mounted(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let at = PathBuf::from(OsString::from_vec(super::unescaped(fields.next()?)));
    let options = String::from_utf8_lossy(fields.next()?);
    let flags = options.split(',').filter_map(|option| {
        let kept = KEPT_FLAGS.iter().find(|(name, _)| *name == option);
        kept.map(|(_, flag)| *flag)
    });
    Some((at, flags.collect()))
}

/// Puts what belongs there at a place, which is `under` another one.
fn make(place: &Place, under: Option<&Place>) -> io::Result<()> {
    let at = &place.at;
    let show = |from: &Path| -> io::Result<()> {
        let from = in_old(from);
        let made = if fs_err::metadata(&from)?.is_dir() {
            Made::Folder
        } else {
            Made::File
        };
        make_point(at, under, made)?;
        Ok(mount_bind_recursive(from, at)?)
    };
    match &place.content {
        Content::Private(_) => {
            make_point(at, under, Made::Folder)?;
            in_memory(at, c"mode=0755,size=25%")
        }
        Content::Same(_) => show(at),
        Content::Kept { from } | Content::Lent { from } | Content::Other { from, .. } => show(from),
        Content::Hidden if under.is_none_or(Place::is_ours) => Ok(()),
        Content::Hidden => hide(at),
    }
}

/// Makes what something can be mounted over. A program may have left traps in a folder that is kept.
fn make_point(at: &Path, under: Option<&Place>, made: Made<'_>) -> io::Result<()> {
    if let Some((kept, below)) = kept_around(under, at) {
        return kept?.make(below, made);
    }
    if fs_err::symlink_metadata(at).is_ok() {
        return Ok(());
    }
    make_parent(at)?;
    if made == Made::Folder {
        fs_err::create_dir(at)
    } else {
        fs_err::File::create_new(at).map(drop)
    }
}

/// Returns the kept folder that a path is in, and the path there.
fn kept_around<'a>(
    under: Option<&Place>,
    at: &'a Path,
) -> Option<(io::Result<KeptFolder>, &'a Path)> {
    let place = under?;
    let Content::Kept { from } = &place.content else {
        return None;
    };
    let below = at.strip_prefix(&place.at).ok();
    let below = below.filter(|below| !below.as_os_str().is_empty())?;
    Some((KeptFolder::open(&in_old(from)), below))
}

fn hide(at: &Path) -> io::Result<()> {
    match fs_err::metadata(at) {
        Ok(found) if found.is_dir() => in_memory(at, c"mode=0555"),
        Ok(_) => Ok(mount_bind(NOTHING, at)?),
        Err(_absent) => Ok(()),
    }
}

/// Mounts an empty folder in memory.
fn in_memory(at: &Path, options: &CStr) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", at, "tmpfs", flags, options)?)
}

fn devices() -> io::Result<()> {
    let folder = Path::new("/dev");
    fs_err::create_dir_all(folder.join("pts"))?;
    for name in DEVICES {
        let at = folder.join(name);
        drop(fs_err::File::create_new(&at)?);
        mount_bind(in_old(&at), &at)?;
    }
    for (name, target) in DEVICE_LINKS {
        fs_err::os::unix::fs::symlink(target, folder.join(name))?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    mount("devpts", "/dev/pts", "devpts", flags, options)?;
    fs_err::create_dir(folder.join("shm"))?;
    in_memory(&folder.join("shm"), c"mode=1777,size=25%")
}

/// Lets the next program that this process starts finish the tree. Only root keeps its rights by
/// itself.
fn pass_on_rights() -> io::Result<()> {
    let needed = CapabilitySet::SYS_ADMIN;
    let own = rustix::thread::capabilities(None)?;
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            inheritable: needed,
            ..own
        },
    )?;
    rustix::thread::configure_capability_in_ambient_set(needed, true)?;
    Ok(forget_rights()?)
}

/// Ends the building, in the first process of the new process namespace: mounts its processes, and
/// leaves the old tree.
///
/// # Errors
///
/// If a mount fails.
pub fn finish() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None::<&CStr>)?;
    if rustix::process::getuid().as_raw() == NOBODY {
        for name in KERNEL_FILES {
            let at = Path::new("/proc").join(name);
            if at.exists() {
                mount_bind_recursive(&at, &at)?;
                mount_remount(&at, flags | MountFlags::BIND | MountFlags::RDONLY, "")?;
            }
        }
    }
    own_root::leave_old()
}
