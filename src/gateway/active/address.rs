//! Where an address leads, however it is written.

use super::table::Table;

/// The kinds of links by their schemes.
pub(super) const APP_LINK: &str = "app-link";
pub(super) const SCRIPT_LINK: &str = "script-link";

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To a place in the vault, or nowhere.
    Inside,
    /// To a picture that is in the address itself.
    Picture,
    /// Out of the vault.
    Outside,
    /// To a command, or out of the app: the id of the kind.
    To(&'static str),
}

/// The media types of addresses that hold a picture and nothing that runs.
const PICTURES: [&str; 6] =
    ["image/avif", "image/bmp", "image/gif", "image/jpeg", "image/png", "image/webp"];

/// The references of HTML to characters that matter in addresses and styles. None stands for a letter.
const NAMED: [(&str, char); 16] = [
    ("amp", '&'),
    ("apos", '\''),
    ("bsol", '\\'),
    ("colon", ':'),
    ("equals", '='),
    ("gt", '>'),
    ("lpar", '('),
    ("lt", '<'),
    ("NewLine", '\n'),
    ("num", '#'),
    ("period", '.'),
    ("quest", '?'),
    ("quot", '"'),
    ("rpar", ')'),
    ("sol", '/'),
    ("Tab", '\t'),
];

/// Where the address leads by one of the ways in which it can be read: with or without escapes of markdown.
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
        return Leads::Outside;
    }
    let is_scheme =
        |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
    let scheme = plain.split_once(':').filter(|(scheme, _)| {
        // One letter is a drive.
        scheme.len() > 1
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(is_scheme)
    });
    match scheme {
        None => Leads::Inside,
        Some(("obsidian", _)) => Leads::To(APP_LINK),
        Some(("data", data))
            if PICTURES.iter().any(|kind| {
                data.strip_prefix(kind).is_some_and(|rest| rest.starts_with([';', ',']))
            }) =>
        {
            Leads::Picture
        }
        Some((scheme, _)) if table.has_word(SCRIPT_LINK, scheme) => Leads::To(SCRIPT_LINK),
        Some(_) => Leads::Outside,
    }
}

/// An address in lower case, without what browsers leave out of it, and with its references and percent
/// escapes replaced.
fn comparable(written: &str) -> String {
    let decoded = percent_decoded(&decoded(written));
    let stays = |character: &char| {
        !(character.is_whitespace()
            || character.is_control()
            || vault_engine::is_ignorable(*character))
    };
    decoded.chars().filter(stays).flat_map(char::to_lowercase).collect()
}

/// A text with the character references of HTML replaced.
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

/// A reference by number, which needs no semicolon, and its length without the `&`.
fn numeric(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix('#')?;
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let length = digits.chars().take_while(|digit| digit.is_digit(radix)).count();
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

fn percent_decoded(text: &str) -> String {
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
