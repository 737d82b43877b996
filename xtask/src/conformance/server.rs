//! The server under test: its build, and how it is served.

use std::path::{Path, PathBuf};

use super::http;
use crate::Fault;
use crate::files::write;
use crate::targets::{cargo, succeeds};
use crate::world::{Running, World};

/// Builds the program with the fixtures of the suites; its path.
pub(super) fn build() -> Result<PathBuf, Fault> {
    let words = ["build", "--quiet", "--package", "vault-gw"];
    if !succeeds(cargo().args(words).args(["--features", "conformance"]))? {
        return Err("the test build failed".into());
    }
    let name = format!("vault-gw{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// A server over HTTP behind a proxy. Ends when dropped.
pub(super) struct ServedHttp {
    _running: Running,
    /// Where the suites find it.
    pub(super) url: String,
}

/// Makes a vault and settings for the server in a folder.
pub(super) fn world(program: &Path, folder: &Path) -> Result<World, Fault> {
    let settings = "enabled = true\nbackend = \"embedded\"\n";
    let world = World::make(program, folder, settings)?;
    write(&world.vault().join("watched.md"), "# Watched\n")?;
    Ok(world)
}

/// Starts it over HTTP, behind a proxy that adds the token.
pub(super) fn serve_http(world: &World) -> Result<ServedHttp, Fault> {
    let token_file = world.folder.join("token");
    // The server must know the proxy's origin, so that port is there first.
    let (proxy, origin_port) = http::bind()?;
    let origin = format!("http://localhost:{origin_port}");
    let shown = token_file.to_str().ok_or("a folder that is not UTF-8")?;
    let words = ["--allow-origin", &origin, "--token-file", shown];
    let (running, port) = world.listen(0, &words)?;
    let token = fs_err::read_to_string(&token_file)?;
    let field = format!("Authorization: Bearer {}", token.trim());
    http::serve(proxy, move |client| http::pass_on(client, port, &field));
    Ok(ServedHttp {
        _running: running,
        url: format!("{origin}/mcp"),
    })
}
