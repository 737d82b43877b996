//! The loopback device of a new network namespace, which is down at first.

use std::io;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

/// The number of the loopback device in every network namespace.
const LOOPBACK: i32 = 1;

/// `RTM_NEWLINK`, and its flags: a request that is answered.
const CHANGE_LINK: u16 = 16;
const REQUEST_AND_ANSWER: u16 = 1 | 4;

/// The flag `IFF_UP` of a network interface.
const UP: u32 = 1;

/// Brings the loopback device up (`rtnetlink(7)`).
pub(super) fn bring_up() -> io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(CHANGE_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ANSWER.to_ne_bytes());
    // The number of the request and its sender, the family and the type of the device.
    message.extend([0; 12]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    let kernel = SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(&socket, &message, SendFlags::empty(), &kernel)?;
    let mut answer = [0; 64];
    let (_, length) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    // The answer is a header of 16 bytes, and the negative error.
    let error = answer.get(16..20).filter(|_| length >= 20);
    let error = error.and_then(|bytes| bytes.try_into().ok());
    match error.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}
