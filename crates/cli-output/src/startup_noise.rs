//! Removes lines that an outdated installer prints before the answer (`official-cli.md` §2).

/// Removes the banner lines at the start of an output, in any order and number, each with an empty
/// line before it if there is one. The flag says whether there were any.
///
/// Nothing after the first other line is changed, because it may be the text of a note; nor is an
/// empty line without a banner after it.
///
/// ```
/// use cli_output::startup_noise::strip;
///
/// assert_eq!(strip("Home.md\n"), ("Home.md\n", false));
/// ```
pub fn strip(output: &str) -> (&str, bool) {
    let mut rest = output;
    let mut noise = false;
    loop {
        let head = after_empty_line(rest).unwrap_or(rest);
        let (line, after) = head.split_once('\n').unwrap_or((head, ""));
        if !is_banner(line.strip_suffix('\r').unwrap_or(line), noise) {
            return (rest, noise);
        }
        rest = after;
        noise = true;
    }
}

fn after_empty_line(text: &str) -> Option<&str> {
    text.strip_prefix('\n')
        .or_else(|| text.strip_prefix("\r\n"))
}

/// Whether a line is a banner. `Ignored: Error:` is one only after another banner.
fn is_banner(line: &str, after_another: bool) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    let is_loading = || {
        let action = after_time(line)?.strip_prefix(' ')?;
        let which = action
            .strip_prefix("Loading ")
            .or_else(|| action.strip_prefix("Loaded "))?;
        let what = which
            .strip_prefix("main ")
            .or_else(|| which.strip_prefix("updated "))?;
        let rest = what.strip_prefix("app package")?;
        Some(!rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    };
    line.starts_with("Your Obsidian installer is out of date")
        || (after_another && line.starts_with("Ignored: Error:"))
        || is_loading().unwrap_or(false)
}

/// The text after `2026-05-11 03:38:10`.
fn after_time(line: &str) -> Option<&str> {
    const TIME: &str = "0000-00-00 00:00:00";
    let (time, rest) = line.split_at_checked(TIME.len())?;
    let shape = time.replace(|letter: char| letter.is_ascii_digit(), "0");
    (shape == TIME).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::strip;
    use proptest::prelude::*;

    const CASES: &str = include_str!("startup_noise_cases.txt");

    const LOADING: &str =
        "2026-05-11 03:38:10 Loading updated app package C:\\path\\to\\obsidian.asar";
    const OUTDATED: &str =
        "Your Obsidian installer is out of date. Please download the latest installer \u{2026}";

    #[test]
    fn banners_at_the_head_are_dropped_in_both_orders() {
        for head in [
            format!("{LOADING}\n{OUTDATED}\n"),
            format!("{OUTDATED}\n{LOADING}\n"),
            format!("\r\n{LOADING}\r\n{OUTDATED}\r\n"),
            format!("\n{OUTDATED}\n"),
            format!("{LOADING}\n\n{LOADING}\n{OUTDATED}\n{OUTDATED}\n"),
            "2026-05-11 03:38:10 Loading main app package\n".to_owned(),
            "  2026-05-11 03:38:10 Loaded main app package\nIgnored: Error: x\n".to_owned(),
        ] {
            for answer in ["a.md\n", "\nNo matches found.\n", "", "\n\n", "\r\ntext"] {
                assert_eq!(strip(&format!("{head}{answer}")), (answer, true), "{head}");
            }
        }
        assert_eq!(strip(LOADING), ("", true));
    }

    #[test]
    fn what_only_resembles_a_banner_stays() {
        for text in tables::lines(CASES, "what only resembles a banner stays") {
            assert_eq!(strip(text), (text, false), "{text:?}");
        }
        let note = format!("# Log\n{LOADING}\n{OUTDATED}\n");
        assert_eq!(strip(&note), (note.as_str(), false));
        let after = format!("{OUTDATED}\n# Log\n{LOADING}\n");
        assert_eq!(
            strip(&after),
            (format!("# Log\n{LOADING}\n").as_str(), true)
        );
    }

    proptest! {
        #[test]
        fn only_a_head_is_ever_dropped(text in "([\r\n]|a|2026-05-11 03:38:10 Loading main app package|Your Obsidian installer is out of date){0,12}") {
            let (rest, noise) = strip(&text);
            prop_assert!(text.ends_with(rest));
            prop_assert_eq!(noise, rest.len() < text.len());
            prop_assert_eq!(strip(rest), (rest, false));
        }
    }
}
