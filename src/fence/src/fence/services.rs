//! The services of the person: ports of TCP of this computer on which programs listen.

use std::collections::BTreeSet;

/// The kernel's tables of TCP sockets.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// The state of a socket that listens.
const LISTENING: &str = "0A";

/// The ports that programs need to reach other computers. Rules for ports cannot distinguish them from ports of this
/// computer.
const NEEDED: [u16; 4] = [22, 53, 80, 443];

/// Returns the ports of these services without the ports that are open or needed elsewhere.
pub(crate) fn closed_ports(open: &[u16]) -> Vec<u16> {
    let tables = TABLES.map(|table| fs_err::read_to_string(table).unwrap_or_default());
    let ports: BTreeSet<u16> = tables.iter().flat_map(|table| listening(table)).collect();
    let closed = ports
        .into_iter()
        .filter(|port| !NEEDED.contains(port) && !open.contains(port));
    closed.collect()
}

/// Returns the ports of a table on which a process listens.
fn listening(table: &str) -> impl Iterator<Item = u16> {
    table.lines().skip(1).filter_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (_, port) = fields.next()?.rsplit_once(':')?;
        let is_listening = fields.nth(1)? == LISTENING;
        is_listening.then(|| u16::from_str_radix(port, 16).ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m04_services_of_this_computer_are_found() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue\n\
            0: 0100007F:69FB 00000000:0000 0A 00000000:00000000\n\
            1: 00000000:1538 00000000:0000 0A 00000000:00000000\n\
            2: 0100007F:153A 0100007F:69FB 01 00000000:00000000\n\
            3: 00000000000000000000000001000000:153B 00000000000000000000000000000000:0000 0A 0\n";
        assert_eq!(
            listening(table).collect::<Vec<_>>(),
            [0x69fb, 0x1538, 0x153b]
        );
    }
}
