//! A proxy for a program that may reach some hosts only. It knows `CONNECT` (RFC 9110, section 9.3.6), and passes bytes
//! on to a host that is named, if they begin with a greeting of TLS to that very host (RFC 8446, section 4.1.2, and RFC
//! 6066, section 3).

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::port::{in_background, join};
use crate::network::Host;
use obsidian_cli::spawn::descriptor;

/// The port of the proxy in the network of the fence.
pub(crate) const PORT: u16 = 3128;

/// The longest request, and the longest greeting, in bytes.
const LONGEST_REQUEST: usize = 8 * 1024;
const LONGEST_GREETING: usize = 64 * 1024;

/// The maximum time for a request or a greeting, and for a connection to a host.
const PATIENCE: Duration = Duration::from_secs(20);

/// The maximum number of connections at once.
const MOST: usize = 256;

/// The maximum number of refused targets that are listed.
const MOST_LISTED: usize = 100;

/// The hosts that a program may reach, and the targets refused to it.
#[derive(Debug)]
pub struct Proxy {
    hosts: Vec<Host>,
    refused: Mutex<BTreeMap<String, usize>>,
    permits: Arc<Semaphore>,
}

impl Proxy {
    /// Creates a proxy to these hosts.
    pub fn new(hosts: Vec<Host>) -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(MOST));
        Arc::new(Self {
            hosts,
            refused: Mutex::default(),
            permits,
        })
    }

    /// Returns the targets refused to the program, with the number of refusals.
    pub fn refused(&self) -> BTreeMap<String, usize> {
        self.refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Serves the connections from the fence.
    pub(super) fn answer(self: Arc<Self>, exit: UnixStream) -> io::Result<()> {
        in_background(move || {
            while let Ok(Some(inside)) = descriptor::take(&exit) {
                let inside = TcpStream::from(inside);
                let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
                    continue;
                };
                let proxy = Arc::clone(&self);
                let _no_thread = in_background(move || {
                    let _gone = proxy.serve(inside);
                    drop(permit);
                });
            }
        })
    }

    fn serve(&self, mut inside: TcpStream) -> io::Result<()> {
        inside.set_read_timeout(Some(PATIENCE))?;
        inside.set_write_timeout(Some(PATIENCE))?;
        let request = read_request(&mut inside)?;
        let Some((name, port)) = target(&request) else {
            return inside.write_all(
                b"HTTP/1.1 405 Method Not Allowed\r\nAllow: CONNECT\r\nContent-Length: 0\r\n\r\n",
            );
        };
        let Some(host) = self.hosts.iter().find(|host| host.includes(&name, port)) else {
            self.refuse(format!("{name}:{port}"));
            return inside.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        };
        let resolve = |name: &str, port| Ok((name, port).to_socket_addrs()?.collect());
        let Ok(mut outside) = self.connect(&name, port, resolve) else {
            return inside.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
        };
        inside.write_all(b"HTTP/1.1 200 Connection Established\r\n\r\n")?;
        if host.is_tls() {
            let (greeting, server) = read_greeting(&mut inside)?;
            if server.as_deref() != Some(name.as_str()) {
                let server = server.unwrap_or_else(|| "no host".to_owned());
                self.refuse(format!("{name}:{port} with TLS to {server}"));
                return Ok(());
            }
            outside.write_all(&greeting)?;
        }
        for connection in [&inside, &outside] {
            connection.set_read_timeout(None)?;
            connection.set_write_timeout(None)?;
        }
        join(&inside, &outside)
    }

    /// Connects to a host, at one of the addresses that `resolve` returns for it. Names are resolved once, so that
    /// the answer cannot change after the check. A name never leads to this computer or its local network, unless the
    /// address is named too.
    fn connect(
        &self,
        name: &str,
        port: u16,
        resolve: impl FnOnce(&str, u16) -> io::Result<Vec<SocketAddr>>,
    ) -> io::Result<TcpStream> {
        let is_named = |address: &SocketAddr| {
            let address = address.ip().to_canonical().to_string();
            name == address || self.hosts.iter().any(|host| host.includes(&address, port))
        };
        let mut last = io::Error::from(io::ErrorKind::PermissionDenied);
        for address in resolve(name, port)? {
            if (is_local(address.ip()) || is_own(address)) && !is_named(&address) {
                continue;
            }
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(connection) => return Ok(connection),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn refuse(&self, target: String) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < MOST_LISTED || refused.contains_key(&target) {
            *refused.entry(target).or_default() += 1;
        }
    }
}

/// Reads up to the empty line that ends a request. A program waits for the answer before it sends more.
fn read_request(inside: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        inside.read_exact(&mut byte)?;
        request.push(byte[0]);
        if request.len() > LONGEST_REQUEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(request)
}

/// Returns the host, in lower case and without the dot of the root, and the port of a request to connect.
fn target(request: &[u8]) -> Option<(String, u16)> {
    let request = std::str::from_utf8(request).ok()?;
    let mut words = request.lines().next()?.split(' ');
    if words.next()? != "CONNECT" {
        return None;
    }
    let (name, port) = words.next()?.rsplit_once(':')?;
    let name = name.to_ascii_lowercase();
    Some((
        name.strip_suffix('.').unwrap_or(&name).to_owned(),
        port.parse().ok()?,
    ))
}

/// Whether the address is of this computer or of a network around it: loopback, link-local, private, shared (RFC 6598),
/// or for several computers. An address of NAT64 (RFC 6052) or 6to4 (RFC 3056) is the IPv4 address inside.
fn is_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            address.is_loopback()
                || address.is_link_local()
                || address.is_private()
                || address.is_multicast()
                || address.is_broadcast()
                || first == 0
                || first == 100 && second & 0xc0 == 64
        }
        IpAddr::V6(address) => {
            let inside = |high: u16, low: u16| {
                is_local(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)).into())
            };
            match address.segments() {
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                    inside(high, low)
                }
                [0, 0, 0, 0, 0, 0, high, low] if address != Ipv6Addr::LOCALHOST => {
                    inside(high, low)
                }
                _ => {
                    address.is_loopback()
                        || address.is_unicast_link_local()
                        || address.is_unique_local()
                        || address.is_multicast()
                }
            }
        }
    }
}

/// Whether the address belongs to this computer: the system then sends from that address. Nothing is sent.
fn is_own(address: SocketAddr) -> bool {
    let any: IpAddr = if address.is_ipv4() {
        Ipv4Addr::UNSPECIFIED.into()
    } else {
        Ipv6Addr::UNSPECIFIED.into()
    };
    let source = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect(address)?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == address.ip())
}

/// Reads a greeting of TLS, with the host that it is for.
fn read_greeting(inside: &mut TcpStream) -> io::Result<(Vec<u8>, Option<String>)> {
    let mut greeting = Vec::new();
    let mut message = Vec::new();
    loop {
        let mut head = [0; 5];
        inside.read_exact(&mut head)?;
        let [kind, _, _, high, low] = head;
        if kind != 22 {
            return Ok((greeting, None));
        }
        let mut record = vec![0; usize::from(u16::from_be_bytes([high, low]))];
        inside.read_exact(&mut record)?;
        greeting.extend_from_slice(&head);
        greeting.extend_from_slice(&record);
        message.extend_from_slice(&record);
        if let [_, a, b, c, body @ ..] = &message[..] {
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            if body.len() >= length {
                return Ok((greeting, server_name(&message[..length + 4])));
            }
        }
        if greeting.len() > LONGEST_GREETING {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// Returns the host in a `ClientHello`, in lower case.
fn server_name(message: &[u8]) -> Option<String> {
    let mut rest = message.strip_prefix(&[1])?.get(3..)?;
    // The version and the random bytes.
    rest = rest.get(34..)?;
    let _session = part(&mut rest, 1)?;
    let _ciphers = part(&mut rest, 2)?;
    let _compression = part(&mut rest, 1)?;
    let mut extensions = part(&mut rest, 2)?;
    while let [high, low, more @ ..] = extensions {
        extensions = more;
        let content = part(&mut extensions, 2)?;
        if [*high, *low] == [0, 0] {
            let mut names = content;
            let mut names = part(&mut names, 2)?;
            names = names.strip_prefix(&[0])?;
            let name = part(&mut names, 2)?;
            // The server might use another name.
            return names
                .is_empty()
                .then(|| String::from_utf8(name.to_ascii_lowercase()).ok())?;
        }
    }
    None
}

/// Removes a length of `width` bytes from `rest`, and then returns that many bytes.
fn part<'b>(rest: &mut &'b [u8], width: usize) -> Option<&'b [u8]> {
    let (length, more) = rest.split_at_checked(width)?;
    let length = length
        .iter()
        .fold(0, |length, byte| length << 8 | usize::from(*byte));
    let (part, more) = more.split_at_checked(length)?;
    *rest = more;
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a greeting to these hosts in one record.
    fn greeting(names: &[&str]) -> Vec<u8> {
        let with_length = |bytes: &[u8], width: usize| {
            let length = bytes.len().to_be_bytes();
            [&length[length.len() - width..], bytes].concat()
        };
        let names: Vec<u8> = names
            .iter()
            .flat_map(|name| [vec![0], with_length(name.as_bytes(), 2)].concat())
            .collect();
        let name = [vec![0, 0], with_length(&with_length(&names, 2), 2)].concat();
        let other = [vec![0, 43], with_length(&[2, 3, 4], 2)].concat();
        let body = [
            vec![3, 3],
            vec![7; 32],
            with_length(&[9; 32], 1),
            with_length(&[0, 1], 2),
            with_length(&[0], 1),
            with_length(&[other, name].concat(), 2),
        ]
        .concat();
        let message = [vec![1], with_length(&body, 3)].concat();
        [vec![22, 3, 1], with_length(&message, 2)].concat()
    }

    #[test]
    fn m04_the_host_of_a_greeting_is_found() {
        let message = |names: &[&str]| server_name(&greeting(names)[5..]);
        assert_eq!(
            message(&["API.Example.com"]).as_deref(),
            Some("api.example.com")
        );
        for names in [&["a", "b"][..], &[]] {
            assert_eq!(message(names), None, "{names:?}");
        }
        let whole = greeting(&["a.b"]);
        for length in 5..whole.len() {
            assert_eq!(server_name(&whole[5..length]), None, "{length}");
        }
    }

    #[test]
    fn m04_only_a_request_to_connect_has_a_target() {
        let found = |line: &str| target(format!("{line}\r\nHost: x\r\n\r\n").as_bytes());
        assert_eq!(
            found("CONNECT A.example.com.:443 HTTP/1.1"),
            Some(("a.example.com".to_owned(), 443))
        );
        for line in [
            "GET http://a/ HTTP/1.1",
            "CONNECT a HTTP/1.1",
            "CONNECT a:x HTTP/1.1",
            "connect a:1 HTTP/1.1",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn m04_a_name_is_resolved_once_and_its_address_is_the_checked_one() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = server.local_addr().unwrap();
        let port = local.port();
        let private = SocketAddr::from(([10, 0, 0, 1], port));
        let proxy =
            |hosts: &[String]| Proxy::new(hosts.iter().map(|host| host.parse().unwrap()).collect());
        let unnamed = proxy(&[format!("rebind.example:{port}")]);
        // The resolver gives another answer each time.
        let connect = |proxy: &Proxy, answers: &mut Vec<Vec<SocketAddr>>| {
            proxy.connect("rebind.example", port, |_, _| Ok(answers.remove(0)))
        };
        for first in [vec![local], vec![private], vec![private, local], vec![]] {
            let mut answers = vec![first, vec![local]];
            let error = connect(&unnamed, &mut answers).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
            assert_eq!(answers.len(), 1, "the second answer is not asked for");
        }
        // `localhost` is a name like any other.
        let by_name = proxy(&[format!("localhost:{port}")]);
        assert!(
            by_name
                .connect("localhost", port, |_, _| Ok(vec![local]))
                .is_err()
        );
        // The owner named the address.
        let named = proxy(&[
            format!("rebind.example:{port}"),
            format!("127.0.0.1:{port}"),
        ]);
        let connection = connect(&named, &mut vec![vec![local], vec![]]).unwrap();
        assert_eq!(connection.peer_addr().unwrap(), local);
        let elsewhere = proxy(&["127.0.0.1".to_owned()]);
        assert!(connect(&elsewhere, &mut vec![vec![local]]).is_err());
    }

    #[test]
    fn m04_own_addresses_of_this_computer_are_known() {
        assert!(is_own(([127, 0, 0, 1], 9).into()));
        assert!(
            !is_own(([192, 0, 2, 77], 9).into()),
            "an address for documents (RFC 5737)"
        );
    }

    #[test]
    fn m04_addresses_of_networks_around_this_computer_are_known() {
        for local in "127.0.0.1 127.8.8.8 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 \
            192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255 224.0.0.251 \
            255.255.255.255 ::1 :: ::127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a00:1 \
            2002:a00:1::1 fe80::1 fd00::1 ff02::fb"
            .split(' ')
        {
            assert!(is_local(local.parse().unwrap()), "{local}");
        }
        for public in "1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 192.169.0.1 \
            ::ffff:1.1.1.1 64:ff9b::101:101 2606:4700::1111"
            .split(' ')
        {
            assert!(!is_local(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn m04_other_hosts_are_refused_and_listed() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let proxy = Proxy::new(vec![
            format!("localhost:{port}").parse().unwrap(),
            format!("127.0.0.1:{port}").parse().unwrap(),
            "example.com".parse().unwrap(),
        ]);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let ask = |line: &str| {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (connection, _) = listener.accept().unwrap();
            write!(client, "{line} HTTP/1.1\r\n\r\n").unwrap();
            let proxy = Arc::clone(&proxy);
            let thread = std::thread::spawn(move || proxy.serve(connection));
            let mut answer = [0; 12];
            client.read_exact(&mut answer).unwrap();
            drop(thread.join().unwrap());
            (String::from_utf8(answer.to_vec()).unwrap(), client)
        };
        assert_eq!(ask("CONNECT evil.example:443").0, "HTTP/1.1 403");
        assert_eq!(ask("CONNECT example.com:80").0, "HTTP/1.1 403");
        assert_eq!(ask("GET http://example.com/").0, "HTTP/1.1 405");
        let (answer, mut client) = ask(&format!("CONNECT localhost:{port}"));
        assert_eq!(answer, "HTTP/1.1 200");
        let (mut accepted, _) = server.accept().unwrap();
        accepted.write_all(b"hello").unwrap();
        let mut rest = [0; 32];
        let mut text = String::new();
        while !text.ends_with("hello") {
            let count = client.read(&mut rest).unwrap();
            text += std::str::from_utf8(&rest[..count]).unwrap();
        }
        let refused = proxy.refused();
        let refused: Vec<_> = refused
            .iter()
            .map(|(target, count)| (target.as_str(), *count))
            .collect();
        assert_eq!(refused, [("evil.example:443", 1), ("example.com:80", 1)]);
    }
}
