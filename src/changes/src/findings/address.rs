//! Classifies the target of an address in any spelling.

use super::table::Table;

/// The kinds of links by their schemes.
pub(super) const APP_LINK: &str = "app-link";
pub(super) const SCRIPT_LINK: &str = "script-link";

/// The place to which an address of a link or an image leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// In the vault, or an address that does not lead anywhere.
    Inside,
    /// A picture that the address itself contains (`data:`).
    Picture,
    /// The web or mail: nothing happens until a person follows the link.
    Web,
    /// A host without a scheme: a website, or a share of the network.
    Host,
    /// A command, or another program; with the id of the kind of active content.
    To(&'static str),
}

impl Leads {
    /// Returns the id of the kind of a link with this address; `None` if the link is not active.
    pub(super) fn kind_of_link(self) -> Option<&'static str> {
        match self {
            Self::Inside | Self::Web => None,
            Self::Picture | Self::Host => Some(SCRIPT_LINK),
            Self::To(kind) => Some(kind),
        }
    }

    /// Whether the app loads something from outside of the vault when it loads this address.
    pub(super) fn is_outside(self) -> bool {
        !matches!(self, Self::Inside | Self::Picture)
    }
}

/// The media types of addresses that contain a picture and nothing that runs.
const PICTURES: &str = "image/avif image/bmp image/gif image/jpeg image/png image/webp";

/// The references of HTML to characters that matter in addresses, styles and queries. No letter is among them.
const NAMED: [(&str, char); 21] = [
    ("amp", '&'),
    ("apos", '\''),
    ("bsol", '\\'),
    ("colon", ':'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("gt", '>'),
    ("lbrack", '['),
    ("lpar", '('),
    ("lsqb", '['),
    ("lt", '<'),
    ("NewLine", '\n'),
    ("num", '#'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rpar", ')'),
    ("sol", '/'),
    ("Tab", '\t'),
];

/// Returns the target of the address, with and without escapes of markdown.
pub(super) fn leads(written: &str, table: &Table) -> Leads {
    let plain = comparable(written);
    let unescaped = plain.replace('\\', "");
    match leads_plain(&plain, table) {
        Leads::Inside if unescaped != plain => leads_plain(&unescaped, table),
        found => found,
    }
}

fn leads_plain(plain: &str, table: &Table) -> Leads {
    let is_slash = |character: char| matches!(character, '/' | '\\');
    let mut characters = plain.chars();
    if characters.next().is_some_and(is_slash) && characters.next().is_some_and(is_slash) {
        return Leads::Host;
    }
    let scheme = plain
        .split_once(':')
        .filter(|(scheme, _)| is_scheme(scheme));
    match scheme {
        None => Leads::Inside,
        Some((scheme, _)) if table.harmless.schemes.has(scheme) => Leads::Web,
        Some(("obsidian", _)) => Leads::To(APP_LINK),
        Some(("data", data))
            if PICTURES.split(' ').any(|kind| {
                data.strip_prefix(kind)
                    .is_some_and(|rest| rest.starts_with([';', ',']))
            }) =>
        {
            Leads::Picture
        }
        Some(_) => Leads::To(SCRIPT_LINK),
    }
}

fn is_scheme(text: &str) -> bool {
    let is_part = |next: char| next.is_ascii_alphanumeric() || "+-.".contains(next);
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(is_part)
}

/// Returns the kind of a value that is an address as a whole, if that is not harmless. `Title: text`, `10:30` and
/// `a::b` are not addresses.
pub(super) fn kind_of_value(value: &str, table: &Table) -> Option<&'static str> {
    let found = leads(value, table);
    let is_address = value.split_once(':').is_none_or(|(scheme, behind)| {
        let continues = |next: char| !(next.is_whitespace() || next == ':');
        let scheme = scheme.trim();
        scheme.len() > 1 && !scheme.contains(' ') && behind.starts_with(continues)
    });
    found.kind_of_link().filter(|_| is_address)
}

/// Returns an address in lower case, without the characters that browsers leave out, and with its references and
/// percent escapes replaced.
fn comparable(written: &str) -> String {
    let decoded = percent_decoded(&decoded(written));
    let stays = |character: &char| {
        !(character.is_whitespace()
            || character.is_control()
            || vault_engine::is_ignorable(*character))
    };
    decoded
        .chars()
        .filter(stays)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns a text with the character references of HTML replaced.
pub(super) fn decoded(written: &str) -> String {
    let mut plain = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, behind)) = rest.split_once('&') {
        plain.push_str(before);
        let found = numeric(behind).or_else(|| named(behind));
        let (character, length) = found.unwrap_or(('&', 0));
        plain.push(character);
        rest = behind.get(length..).unwrap_or_default();
    }
    plain + rest
}

/// Returns a reference by number, which needs no semicolon, and its length without the `&`.
fn numeric(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix('#')?;
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let length = digits
        .chars()
        .take_while(|digit| digit.is_digit(radix))
        .count();
    let number = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
    let end = text.len() - digits.len() + length;
    let semicolon = usize::from(text.get(end..)?.starts_with(';'));
    Some((char::from_u32(number)?, end + semicolon))
}

fn named(text: &str) -> Option<(char, usize)> {
    let is_it = |(name, _): &&(&str, char)| {
        let behind = text.strip_prefix(name);
        behind.is_some_and(|behind| behind.starts_with(';'))
    };
    let (name, character) = NAMED.iter().find(is_it)?;
    Some((*character, name.len() + 1))
}

pub(super) fn percent_decoded(text: &str) -> String {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = (*byte == b'%')
            .then(|| Some(digit(bytes.get(at + 1))? * 16 + digit(bytes.get(at + 2))?));
        let decoded = escape.flatten().and_then(|value| u8::try_from(value).ok());
        plain.push(decoded.unwrap_or(*byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}
