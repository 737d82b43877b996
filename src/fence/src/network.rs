//! The network of a program, as the person names it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The only port of a host that is named without a port: the port of HTTPS.
const HTTPS: u16 = 443;

/// The network of a fence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// The network of this computer, without the ports of its services.
    #[default]
    On,
    /// The program has no network.
    Off,
    /// The program reaches only the named ports of this computer.
    Loopback,
    /// Hosts by their names, through a proxy: the hosts of the profile, and these.
    Allow(Vec<Host>),
}

/// A host that a program may reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The name in lower case.
    name: String,
    /// Whether every name that ends with a dot and this one is meant instead.
    is_suffix: bool,
    /// The port, if the person named one.
    port: Option<u16>,
}

impl Host {
    /// Whether a program may connect to this port of this host, whose name is in lower case.
    pub fn includes(&self, name: &str, port: u16) -> bool {
        let is_named = match name.strip_suffix(self.name.as_str()) {
            Some(before) if self.is_suffix => before.ends_with('.') && before.len() > 1,
            Some(before) => before.is_empty(),
            None => false,
        };
        is_named && self.port.unwrap_or(HTTPS) == port
    }

    /// Whether the connection must be one of TLS to this host. On a port that the person named it may be any.
    pub fn is_tls(&self) -> bool {
        self.port.is_none()
    }
}

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!(
                "`{text}` is not a host: write `example.com`, `*.example.com` or `example.com:8443`"
            )
        };
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) => (name, Some(port.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let (name, is_suffix) = match name.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let is_label = |label: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            !label.is_empty() && label.bytes().all(plain)
        };
        if !name.split('.').all(is_label) {
            return Err(wrong());
        }
        Ok(Self {
            name: name.to_ascii_lowercase(),
            is_suffix,
            port,
        })
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            "loopback" => Ok(Self::Loopback),
            "allow" => Ok(Self::Allow(Vec::new())),
            _ => {
                let hosts = text.strip_prefix("allow:");
                let hosts = hosts.ok_or("write on, off, loopback, allow or allow:HOST,…")?;
                hosts
                    .split(',')
                    .map(str::parse)
                    .collect::<Result<_, _>>()
                    .map(Self::Allow)
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Loopback => "loopback",
            Self::Allow(_) => "allow",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_named_exactly_or_by_their_end() {
        for (host, included, others) in [
            (
                "API.example.com",
                &["api.example.com:443"][..],
                &[
                    "example.com:443",
                    "api.example.com:80",
                    "xapi.example.com:443",
                ][..],
            ),
            (
                "*.example.com",
                &["a.example.com:443", "a.b.example.com:443"],
                &["example.com:443", ".example.com:443", "aexample.com:443"],
            ),
            ("localhost:8080", &["localhost:8080"], &["localhost:443"]),
        ] {
            let parsed: Host = host.parse().unwrap();
            let is_included = |target: &&str| {
                let (name, port) = target.split_once(':').unwrap();
                parsed.includes(name, port.parse().unwrap())
            };
            assert!(included.iter().all(is_included), "{host}");
            assert!(!others.iter().any(is_included), "{host}");
        }
        for wrong in [
            "", "a..b", "*", "*.", "a b", "a:", "a:99999", "http://a", "a/b", "[::1]:80",
        ] {
            assert!(wrong.parse::<Host>().is_err(), "{wrong}");
        }
        assert_eq!(
            "allow:a.b,c:1".parse::<Network>().map(|it| it.to_string()),
            Ok("allow".to_owned())
        );
        for wrong in ["", "ON", "allow:", "allow:a,", "none"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
