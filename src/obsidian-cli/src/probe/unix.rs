//! The probe on Linux and macOS: check the socket file, connect, and check the peer's credentials.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use super::{AppInstance, SocketIdentity};
use crate::error::Error;

/// Time limit for a connection while the app's listen queue is full.
const CONNECT_LIMIT: Duration = Duration::from_millis(200);

/// Pause between two attempts while the queue is full.
const QUEUE_PAUSE: Duration = Duration::from_millis(10);

/// A running app may refuse connections for a moment (`threats.toml` G02), so retry this often, with
/// [`REFUSED_PAUSE`] in between.
const REFUSED_TRIES: u32 = 3;
const REFUSED_PAUSE: Duration = Duration::from_millis(80);

pub(super) fn probe(path: &Path) -> Result<AppInstance, Error> {
    let user = rustix::process::geteuid().as_raw();
    let socket = look_at(path, user)?;
    let stream = connect_patiently(|| connect(path), std::thread::sleep)?;
    let (peer_user, peer_pid) = peer(stream).map_err(|_unknown| Error::UntrustedSocket("peer"))?;
    check_peer(peer_user, user)?;
    Ok(AppInstance {
        peer_pid,
        socket: Some(socket),
    })
}

#[cfg(target_os = "linux")]
pub(super) fn look(path: &Path) -> Result<(), Error> {
    look_at(path, rustix::process::geteuid().as_raw()).map(|_| ())
}

pub(super) fn socket_identity(path: &Path) -> Option<SocketIdentity> {
    fs_err::symlink_metadata(path)
        .ok()
        .map(|found| identity(&found))
}

fn identity(found: &std::fs::Metadata) -> SocketIdentity {
    SocketIdentity {
        device: found.dev(),
        inode: found.ino(),
        changed: i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec()),
    }
}

/// Checks the socket file. It must be a socket of this user, in a folder of this user to which
/// other users cannot write: otherwise another user's process may be answering (`threats.toml` G04).
fn look_at(path: &Path, user: u32) -> Result<SocketIdentity, Error> {
    let found = fs_err::symlink_metadata(path).map_err(|error| absence_of_file(&error))?;
    if found.is_symlink() {
        return Err(Error::UntrustedSocket("link"));
    }
    if !found.file_type().is_socket() {
        return Err(Error::UntrustedSocket("not-a-socket"));
    }
    if found.uid() != user {
        return Err(Error::UntrustedSocket("owner"));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let around = fs_err::metadata(folder).map_err(|error| absence_of_file(&error))?;
    check_folder(around.uid(), around.gid(), around.mode(), user)?;
    Ok(identity(&found))
}

/// Checks the socket's folder. Stricter than for binaries: in a sticky folder anyone could have
/// created the socket first.
fn check_folder(owner: u32, group: u32, mode: u32, user: u32) -> Result<(), Error> {
    if owner != user {
        return Err(Error::UntrustedSocket("folder-owner"));
    }
    let group_is_fine = group == owner || group == 0;
    if mode & 0o002 != 0 || (mode & 0o020 != 0 && !group_is_fine) {
        return Err(Error::UntrustedSocket("folder-writable"));
    }
    Ok(())
}

fn check_peer(peer: u32, user: u32) -> Result<(), Error> {
    if peer == user {
        Ok(())
    } else {
        Err(Error::UntrustedSocket("peer-owner"))
    }
}

fn absence_of_file(error: &io::Error) -> Error {
    let kind = error.kind();
    if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&kind) {
        Error::NotRunning(false)
    } else if kind == io::ErrorKind::PermissionDenied {
        Error::Unreachable("permission")
    } else {
        Error::Unreachable("error")
    }
}

/// Connects, with bounded retries for errors that a running app may cause for a moment.
fn connect_patiently<Stream>(
    mut attempt: impl FnMut() -> Result<Stream, Errno>,
    mut pause: impl FnMut(Duration),
) -> Result<Stream, Error> {
    let mut refused = 0;
    let mut waited = Duration::ZERO;
    loop {
        match attempt() {
            Ok(stream) => return Ok(stream),
            Err(Errno::CONNREFUSED) => {
                refused += 1;
                if refused >= REFUSED_TRIES {
                    return Err(Error::NotRunning(true));
                }
                pause(REFUSED_PAUSE);
            }
            // The listen queue is full: the app is running but busy.
            Err(Errno::AGAIN | Errno::INPROGRESS) => {
                if waited >= CONNECT_LIMIT {
                    return Err(Error::Unreachable("queue-full"));
                }
                waited += QUEUE_PAUSE;
                pause(QUEUE_PAUSE);
            }
            Err(Errno::INTR) => {}
            // The socket existed a moment ago, so the app has just quit.
            Err(Errno::NOENT | Errno::NOTDIR) => {
                return Err(Error::NotRunning(false));
            }
            Err(Errno::ACCESS | Errno::PERM) => {
                return Err(Error::Unreachable("permission"));
            }
            Err(Errno::PROTOTYPE) => {
                return Err(Error::UntrustedSocket("not-a-stream"));
            }
            Err(Errno::NAMETOOLONG | Errno::INVAL) => {
                return Err(Error::Unreachable("path-too-long"));
            }
            Err(_other) => return Err(Error::Unreachable("error")),
        }
    }
}

fn connect(path: &Path) -> Result<OwnedFd, Errno> {
    let address = SocketAddrUnix::new(path)?;
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    // Separate calls, because macOS has neither SOCK_CLOEXEC nor SOCK_NONBLOCK.
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    let flags = rustix::fs::fcntl_getfl(&socket)?;
    rustix::fs::fcntl_setfl(&socket, flags | rustix::fs::OFlags::NONBLOCK)?;
    rustix::net::connect(&socket, &address)?;
    Ok(socket)
}

/// Returns the user and process id of the listener.
#[cfg(target_os = "linux")]
fn peer(stream: OwnedFd) -> io::Result<(u32, Option<u32>)> {
    let found = rustix::net::sockopt::socket_peercred(&stream)?;
    drop(stream);
    Ok((
        found.uid.as_raw(),
        u32::try_from(found.pid.as_raw_nonzero().get()).ok(),
    ))
}

/// Returns the user and process id of the listener.
#[cfg(not(target_os = "linux"))]
fn peer(stream: OwnedFd) -> io::Result<(u32, Option<u32>)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let _entered = runtime.enter();
    let stream = tokio::net::UnixStream::from_std(stream.into())?;
    let found = stream.peer_cred()?;
    Ok((
        found.uid(),
        found.pid().and_then(|pid| u32::try_from(pid).ok()),
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixDatagram, UnixListener};

    use super::*;

    const STALE: Error = Error::NotRunning(true);
    const ABSENT: Error = Error::NotRunning(false);

    fn untrusted<T>(problem: &'static str) -> Result<T, Error> {
        Err(Error::UntrustedSocket(problem))
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn mode(path: &Path, bits: u32) {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
    }

    #[test]
    fn g01_no_socket_means_not_running() {
        let folder = folder();
        assert_eq!(probe(&folder.path().join("s")), Err(ABSENT));
        assert_eq!(probe(&folder.path().join("none/s")), Err(ABSENT));
    }

    #[test]
    fn a_listening_app_is_found_with_its_pid_and_socket() {
        let folder = folder();
        let path = folder.path().join("s");
        let app = UnixListener::bind(&path).unwrap();
        let instance = probe(&path).unwrap();
        assert_eq!(instance.peer_pid, Some(std::process::id()));
        assert_eq!(instance.socket, socket_identity(&path));
        drop(app);
        fs_err::remove_file(&path).unwrap();
        let _second = UnixListener::bind(&path).unwrap();
        assert_ne!(instance.socket, socket_identity(&path));
    }

    #[test]
    fn g02_a_dead_socket_is_stale_and_a_short_refusal_is_not() {
        let folder = folder();
        let path = folder.path().join("s");
        drop(UnixListener::bind(&path).unwrap());
        assert_eq!(probe(&path), Err(STALE));

        let mut answers = [Err(Errno::CONNREFUSED), Err(Errno::CONNREFUSED), Ok(7)].into_iter();
        let mut waited = Duration::ZERO;
        let got = connect_patiently(|| answers.next().unwrap(), |pause| waited += pause);
        assert_eq!(got, Ok(7));
        assert!(waited <= Duration::from_millis(250));

        let mut tries = 0;
        let mut waited = Duration::ZERO;
        let refuse = || {
            tries += 1;
            Err::<(), _>(Errno::CONNREFUSED)
        };
        assert_eq!(
            connect_patiently(refuse, |pause| waited += pause),
            Err(STALE)
        );
        assert_eq!(tries, 3);
        assert!(waited <= Duration::from_millis(250));
    }

    #[test]
    fn g02_a_full_queue_is_waited_for_at_most_200_ms() {
        let mut waited = Duration::ZERO;
        let got = connect_patiently(|| Err::<(), _>(Errno::AGAIN), |pause| waited += pause);
        assert_eq!(got, Err(Error::Unreachable("queue-full")));
        assert_eq!(waited, CONNECT_LIMIT);
    }

    #[test]
    fn g03_a_forbidden_connection_is_unreachable_never_not_running() {
        for errno in [Errno::ACCESS, Errno::PERM] {
            let got = connect_patiently(|| Err::<(), _>(errno), |_pause| ());
            assert_eq!(got, Err(Error::Unreachable("permission")));
            assert_eq!(
                absence_of_file(&errno.into()),
                Error::Unreachable("permission")
            );
        }
        let folder = folder();
        let path = folder.path().join("s");
        let _app = UnixListener::bind(&path).unwrap();
        mode(&path, 0o000);
        let got = probe(&path);
        if rustix::process::geteuid().is_root() {
            assert!(got.is_ok(), "root may connect whatever the mode says");
        } else {
            assert_eq!(got, Err(Error::Unreachable("permission")));
        }
    }

    #[test]
    fn g04_a_socket_that_others_could_have_put_there_is_not_trusted() {
        let folder = folder();
        let inner = folder.path().join("inner");
        fs_err::create_dir(&inner).unwrap();
        let path = inner.join("s");
        let _app = UnixListener::bind(&path).unwrap();
        assert!(probe(&path).is_ok());
        let link = inner.join("link");
        fs_err::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(probe(&link), untrusted("link"));
        let file = inner.join("file");
        fs_err::write(&file, "").unwrap();
        assert_eq!(probe(&file), untrusted("not-a-socket"));
        let datagram = inner.join("datagram");
        let _datagram = UnixDatagram::bind(&datagram).unwrap();
        assert_eq!(probe(&datagram), untrusted("not-a-stream"));
        for bits in [0o777, 0o1777, 0o702] {
            mode(&inner, bits);
            assert_eq!(probe(&path), untrusted("folder-writable"));
        }
        mode(&inner, 0o700);
        if rustix::process::geteuid().is_root() {
            fs_err::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
            assert_eq!(probe(&path), untrusted("owner"));
        }
    }

    #[test]
    fn g04_folder_and_peer_rules() {
        let me = 1000;
        assert_eq!(check_folder(me, me, 0o40_770, me), Ok(()));
        assert_eq!(
            check_folder(me, 50, 0o40_770, me),
            untrusted("folder-writable")
        );
        assert_eq!(check_folder(0, 0, 0o40_755, me), untrusted("folder-owner"));
        assert_eq!(check_peer(me, me), Ok(()));
        assert_eq!(check_peer(0, me), untrusted("peer-owner"));
    }
}
