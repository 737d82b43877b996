//! Ports of the loopback address that lead out of a fence with a network of its own.
//!
//! Inside, a thread accepts connections and passes them out over a socket, one for each port. An open connection
//! stays in its network, so outside it is only joined with a connection to the same port there.

use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use obsidian_cli::spawn::descriptor;

/// Listens inside until the outer side stops taking connections.
pub(super) fn lead_out(port: u16, exit: UnixStream) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    in_background(move || {
        while let Ok((connection, _)) = listener.accept() {
            if descriptor::give(&exit, connection.as_fd()).is_err() {
                break;
            }
        }
    })
}

/// Connects each connection from the fence with the same port outside.
pub(super) fn answer(port: u16, exit: UnixStream) -> io::Result<()> {
    in_background(move || {
        while let Ok(Some(inside)) = descriptor::take(&exit) {
            // If the port is closed outside, the connection ends inside.
            if let Ok(outside) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
                let _ended = join(&TcpStream::from(inside), &outside);
            }
        }
    })
}

pub(super) fn join(inside: &TcpStream, outside: &TcpStream) -> io::Result<()> {
    for (from, to) in [(inside, outside), (outside, inside)] {
        let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
        in_background(move || {
            // After any end or error, shut down the other side for writing.
            let _copied = io::copy(&mut from, &mut to);
            let _closed = to.shutdown(Shutdown::Write);
        })?;
    }
    Ok(())
}

pub(super) fn in_background(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(work).map(drop)
}
