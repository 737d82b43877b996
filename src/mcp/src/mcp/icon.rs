//! The picture that clients show next to the server's name.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::Icon;

/// A door in a crystal, in colours that contrast with light and dark ground. Our own drawing.
const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>\
    <path fill='#7c5cff' d='M12 1 21 8 18 22H6L3 8Z'/>\
    <path fill='#fff' d='M9 22V13a3 3 0 0 1 6 0v9Z'/>\
    <circle cx='13.6' cy='16.5' r='.7' fill='#7c5cff'/></svg>";

/// Returns the icon as data, so that no client has to fetch anything.
pub(super) fn of_server() -> Icon {
    let data = BASE64_STANDARD.encode(SVG);
    Icon::new(format!("data:image/svg+xml;base64,{data}"))
        .with_mime_type("image/svg+xml")
        .with_sizes(vec!["any".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_small_and_says_what_it_is() {
        let icon = of_server();
        let data = icon.src.strip_prefix("data:image/svg+xml;base64,").unwrap();
        assert!(data.len() < 600, "{}", data.len());
        assert_eq!(BASE64_STANDARD.decode(data).unwrap(), SVG.as_bytes());
    }
}
