//! Builds settings and gateway from command-line options.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::options::CommandLineOptions;

use gateway::{Gateway, NoteLinks};
use profiles::Profile;
use protocol::{Caller, Failure, Shell};
use sandbox::Environment;
use settings::{Folders, Settings};

/// Opens a gateway with the user's settings and these options.
///
/// # Errors
///
/// If the settings are unusable, or an option is out of range.
pub fn gateway(
    options: &CommandLineOptions,
    environment: &Environment,
    caller: Caller,
) -> Result<Gateway, Failure> {
    let settings = settings(options, environment)?;
    Gateway::new(
        settings,
        gateway_options(options, environment, caller),
        environment.clone(),
    )
}

/// Loads the settings: the file named, else the user's own, else the defaults.
///
/// # Errors
///
/// If the named file is missing, or a settings file is unsafe or invalid.
pub fn settings(
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<Settings, Failure> {
    match settings_file(options, environment) {
        Ok(path) if options.settings.is_some() => Settings::load(&path),
        Ok(path) => Settings::load_or_default(&path),
        // Without a home folder the defaults apply, which allow reading.
        Err(_) => Ok(Settings::default()),
    }
}

/// Returns the absolute path of the settings file: the named file, else the user's own.
///
/// # Errors
///
/// If none is named and there is no home folder.
pub fn settings_file(
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    match &options.settings {
        Some(path) => Ok(environment.absolute(path)),
        None => Folders::new(environment).settings_file(),
    }
}

/// Returns the words that call this program with the same settings file. A command in a message begins with them, so
/// that it uses the file that the message is about.
pub fn program_words(options: &CommandLineOptions, environment: &Environment) -> String {
    match &options.settings {
        Some(path) => {
            let path = environment.absolute(path);
            let path = path.to_string_lossy();
            format!("vault-gw --settings {}", Shell::native().quoted(&path))
        }
        None => "vault-gw".to_owned(),
    }
}

/// Returns these options, with the settings file of a package if the user has none. A user's file that cannot be read
/// still counts, because it may forbid what the package's file allows.
pub fn with_default_settings(
    options: &CommandLineOptions,
    default: Option<&Path>,
    environment: &Environment,
) -> CommandLineOptions {
    let mut options = options.clone();
    let Some(default) = default else {
        return options;
    };
    let own = Folders::new(environment).settings_file();
    let is_missing = own.map_or(true, |own| {
        fs_err::symlink_metadata(own).is_err_and(|error| error.kind() == ErrorKind::NotFound)
    });
    if options.settings.is_none() && is_missing {
        options.settings = Some(default.to_owned());
    }
    options
}

/// Converts command-line options to the gateway's.
pub fn gateway_options(
    options: &CommandLineOptions,
    environment: &Environment,
    caller: Caller,
) -> gateway::Options {
    gateway::Options {
        vault: options
            .vault
            .as_ref()
            .map(|vault| vault_choice(vault, environment)),
        backend: options.backend,
        tier: options.tier,
        sandbox: options.sandbox,
        timeout_ms: options.timeout_ms,
        agent: options.agent.clone(),
        approved: options.yes && !options.in_run,
        in_run: options.in_run,
        in_other_form: options.profile.is_some(),
        prints_text: caller == Caller::Person
            && !options.is_for_agent()
            && options.output_mode().reports_failures_as_text(),
        links: options.links.as_ref().map(|_| NoteLinks::Uri),
        timestamp: options.include_timestamp || options.profile.is_some_and(Profile::needs_time),
        ..gateway::Options::new(if options.in_run {
            Caller::Agent
        } else {
            caller
        })
    }
}

/// Resolves a relative folder against the working directory, and `~/` against the home folder,
/// which shells do not do in `--vault=~/Work`; a word without separators is the name of a vault.
pub fn vault_choice(choice: &str, environment: &Environment) -> String {
    if let Some(folder) = below_home(choice, environment) {
        return folder.to_string_lossy().into_owned();
    }
    let path = std::path::Path::new(choice);
    let looks_like_path =
        path.is_absolute() || choice.starts_with('.') || choice.contains(std::path::is_separator);
    if looks_like_path {
        environment.absolute(path).to_string_lossy().into_owned()
    } else {
        choice.to_owned()
    }
}

/// Returns the folder that a value beginning with `~/` means; `None` for any other value.
pub fn below_home(value: &str, environment: &Environment) -> Option<PathBuf> {
    let rest = value.strip_prefix('~')?;
    let rest = rest.strip_prefix(std::path::is_separator)?;
    Some(environment.home()?.join(rest))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::process::Command;

    use super::*;
    use allowlist::Catalogue;
    use gateway::Request;

    /// Checks that a call does not read the whole catalogue, which takes longer than the rest of a call.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "other tests of this process read the catalogue"
    )]
    fn a_call_does_not_read_the_whole_catalogue() {
        const INNER: &str = "VAULT_GW_TEST_ONE_CALL";
        if std::env::var_os(INNER).is_none() {
            let name = "setup::tests::a_call_does_not_read_the_whole_catalogue";
            let mut alone = Command::new(std::env::current_exe().unwrap());
            let output = alone
                .args(["--exact", name])
                .env(INNER, "1")
                .output()
                .unwrap();
            // A wrong test name would run no test, and nothing would fail.
            let shown = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && shown.contains("1 passed"),
                "{shown}"
            );
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let entry = (OsString::from("HOME"), home.path().as_os_str().to_owned());
        let environment = Environment::new([entry], None);
        let vault = home.path().join("Notes");
        fs_err::create_dir_all(vault.join(".obsidian")).unwrap();
        fs_err::write(vault.join("a.md"), "text").unwrap();
        let settings = home.path().join("settings.toml");
        fs_err::write(&settings, "enabled = true\nallow_mutations = true\n").unwrap();
        let mut options = CommandLineOptions::default();
        options.settings = Some(settings);
        options.vault = Some(vault.to_string_lossy().into_owned());
        let gateway = gateway(&options, &environment, Caller::Agent).unwrap();
        for (command, more) in [
            ("read", ""),
            ("append", r#","content":"more""#),
            ("tags", ""),
        ] {
            let params = if command == "tags" {
                ""
            } else {
                r#""path":"a.md""#
            };
            let request = format!(r#"{{"command":"{command}","params":{{{params}{more}}}}}"#);
            let request = Request::from_json(request.as_bytes()).unwrap();
            let envelope = gateway.call(&request);
            assert!(envelope.success, "{envelope:?}");
            assert!(!Catalogue::is_read_whole(), "{command}");
        }
    }

    #[test]
    fn a_folder_below_home_is_taken_for_what_the_shell_leaves() {
        let home = std::env::temp_dir();
        let entry = |name: &str| (OsString::from(name), home.as_os_str().to_owned());
        let environment = Environment::new([entry("HOME"), entry("USERPROFILE")], None);
        let work = home.join("Work").to_string_lossy().into_owned();
        assert_eq!(vault_choice("~/Work", &environment), work);
        for name in ["Work", "~Work", "~"] {
            assert_eq!(vault_choice(name, &environment), name);
        }
        let nowhere = Environment::new([], None);
        let here = nowhere.absolute(Path::new("~/Work"));
        assert_eq!(vault_choice("~/Work", &nowhere), here.to_string_lossy());
    }

    #[test]
    fn the_settings_of_a_package_give_way_to_any_of_the_user() {
        let home = tempfile::tempdir().unwrap();
        let entry = (OsString::from("HOME"), home.path().as_os_str().to_owned());
        let environment = Environment::new([entry], None);
        let default = Path::new("/package/settings.toml");
        let chosen = |options: &CommandLineOptions| {
            with_default_settings(options, Some(default), &environment).settings
        };
        let mut options = CommandLineOptions::default();
        assert_eq!(chosen(&options).as_deref(), Some(default));

        options.settings = Some("/named.toml".into());
        assert_eq!(chosen(&options), options.settings);

        options.settings = None;
        let own = Folders::new(&environment).settings_file().unwrap();
        fs_err::create_dir_all(own.parent().unwrap()).unwrap();
        // A folder instead of a file: it is invalid, but it exists.
        fs_err::create_dir(&own).unwrap();
        assert_eq!(chosen(&options), None);
    }
}
