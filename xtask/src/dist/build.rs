//! One build of the program for one system, whose bytes depend on nothing but the sources and the toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;

use chores::{Fault, cargo, command, ensure, printed, succeeds};

use super::program_name;
use crate::targets::Toolchain;

/// Builds the sources in one folder.
pub(super) struct Builder {
    pub(super) root: PathBuf,
    cargo_home: PathBuf,
    toolchain: Toolchain,
    host: String,
    /// The time of the commit, in seconds since 1970.
    pub(super) epoch: u32,
}

impl Builder {
    /// Builds the sources in `root`.
    pub(super) fn new(root: &Path) -> Result<Self, Fault> {
        let host = printed(command("rustc").arg("-vV"))?;
        let host = host.lines().find_map(|line| line.strip_prefix("host: "));
        let mut builder = Self {
            root: root.to_owned(),
            cargo_home: PathBuf::new(),
            toolchain: Toolchain::find()?,
            host: host.ok_or("`rustc -vV` names no host")?.to_owned(),
            epoch: epoch(root)?,
        };
        builder.cargo_home = builder.cargo_home()?;
        Ok(builder)
    }

    /// The same for sources elsewhere, of the same time.
    pub(super) fn elsewhere(self, root: &Path) -> Self {
        let root = root.to_owned();
        Self { root, ..self }
    }

    /// Returns the reason if the program cannot be built for a system here.
    pub(super) fn lacks(&self, target: &str) -> Option<String> {
        if !self.toolchain.has(target) {
            return Some(format!("`rustup target add {target}` has its library"));
        }
        if target.contains("apple") && !cfg!(target_os = "macos") {
            return Some("its linker is only on macOS".to_owned());
        }
        let linker = self.linker(target)?;
        let answer = command(&linker).arg("--version").output();
        (answer.is_err()).then(|| format!("{linker} is not installed"))
    }

    /// The linker for a system, if it is not the compiler's own choice.
    fn linker(&self, target: &str) -> Option<String> {
        if target.contains("musl") {
            // The library of these targets brings all that is linked, so the toolchain's own linker is enough.
            let tools = format!("lib/rustlib/{}/bin/rust-lld", self.host);
            return self.toolchain.root.join(tools).to_str().map(str::to_owned);
        }
        let is_cross = target.contains("windows") && !cfg!(windows);
        is_cross.then(|| "x86_64-w64-mingw32-gcc".to_owned())
    }

    /// Builds the program for this target, such as `x86_64-unknown-linux-musl`; its path.
    pub(super) fn build(&self, target: &str) -> Result<PathBuf, Fault> {
        // The output of build scripts is at the same place below any folder of sources, because its path may be in the
        // program.
        let folder = self.root.join("target/dist/build");
        let mut cargo = self.cargo();
        cargo
            .args(["build", "--profile", "dist", "--locked", "--quiet"])
            .args(["--package", "vault-gw", "--bin", "vault-gw"])
            .args(["--target", target, "--target-dir"])
            .arg(&folder)
            // By its path: a crate that brings a `rust-toolchain.toml` would choose another one.
            .env("RUSTC", self.toolchain.root.join("bin/rustc"))
            .env("SOURCE_DATE_EPOCH", self.epoch.to_string())
            .env("CARGO_ENCODED_RUSTFLAGS", self.flags(target).join("\u{1f}"));
        if let Some(linker) = self.linker(target) {
            let name = target.to_uppercase().replace('-', "_");
            cargo.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
        }
        ensure(
            succeeds(&mut cargo)?,
            &format!("cargo build for {target} fails"),
        )?;
        Ok(folder.join(target).join("dist").join(program_name(target)))
    }

    fn cargo(&self) -> Command {
        let mut cargo = cargo();
        cargo.current_dir(&self.root);
        cargo
    }

    /// The compiler's flags besides the profile: the program must not contain folders of this
    /// machine or the time.
    fn flags(&self, target: &str) -> Vec<String> {
        let folders = [
            (&self.toolchain.root, "/toolchain"),
            (&self.cargo_home, "/cargo"),
            (&self.root, "/vault-gw"),
        ];
        let flag = |(folder, name): (&PathBuf, &str)| {
            format!("--remap-path-prefix={}={name}", folder.display())
        };
        let mut flags: Vec<String> = folders.map(flag).to_vec();
        if target.contains("musl") {
            // Half a megabyte less, and a start that touches fewer pages.
            flags.push("-Clink-arg=--pack-dyn-relocs=relr".to_owned());
        }
        if target.contains("windows-gnu") {
            flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
        }
        flags
    }

    /// The folder with the sources of the crates, found by the path of one crate.
    fn cargo_home(&self) -> Result<PathBuf, Fault> {
        let metadata = self.metadata(None)?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let mut places = packages.filter_map(|package| {
            let mut folders = Path::new(package["manifest_path"].as_str()?).ancestors();
            let sources = folders.find(|folder| folder.ends_with("registry/src"))?;
            sources.ancestors().nth(2)
        });
        let home = places.next().map(Path::to_owned);
        home.ok_or_else(|| "no crate comes from a registry".into())
    }

    /// Returns the output of `cargo metadata`, for all systems or for one.
    pub(super) fn metadata(&self, target: Option<&str>) -> Result<serde_json::Value, Fault> {
        let mut cargo = self.cargo();
        cargo.args(["metadata", "--format-version", "1", "--locked"]);
        if let Some(target) = target {
            cargo.args(["--filter-platform", target]);
        }
        Ok(serde_json::from_str(&printed(&mut cargo)?)?)
    }
}

/// The time of the commit; from the environment without Git, as in a source archive.
fn epoch(root: &Path) -> Result<u32, Fault> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the convention of reproducible builds"
    )]
    let given = std::env::var("SOURCE_DATE_EPOCH");
    let ask = |_| {
        let log = ["log", "-1", "--format=%ct"];
        let shown = printed(command("git").current_dir(root).args(log));
        shown.map_err(|error| format!("{error} (or set SOURCE_DATE_EPOCH)"))
    };
    let text = given.or_else(ask)?;
    let text = text.trim();
    let wrong = |error| format!("the time `{text}` is no number of seconds: {error}");
    Ok(text.parse().map_err(wrong)?)
}
