//! `ContextForge`: how it is installed, started, and given a vault.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chores::{Fault, command, ensure, printed, repository};
use serde_json::{Value, json};

use super::http::{Endpoint, send};
use crate::world::{Running, comes, free_port};

/// The version that is run.
pub(super) const VERSION: &str = "1.1.0";
/// The programs that may be the Python that it needs.
const PYTHONS: [&str; 3] = ["python3.13", "python3.12", "python3"];
/// The time limit for its first start: it makes its database.
const PATIENCE: Duration = Duration::from_secs(180);
/// The time limit for its end.
const TIME_TO_END: Duration = Duration::from_secs(10);
/// The account that sets it up.
const OWNER: &str = "owner@example.com";

/// Its variables.
const ENVIRONMENT: &str = include_str!("contextforge.env");

/// A running `ContextForge`.
pub(super) struct Front {
    running: Running,
    port: u16,
    password: String,
    /// The token of the account that sets it up.
    owner: String,
}

/// A gateway of ours that `ContextForge` knows, and its agent's way to it.
pub(super) struct Admitted {
    /// The id of our gateway in `ContextForge`.
    id: String,
    pub(super) through: Endpoint,
}

/// Installs it below the target folder, if it is not there, and returns its Python.
pub(super) fn install(named: Option<&str>) -> Result<PathBuf, Fault> {
    let folder = repository().join(format!("target/federation/contextforge-{VERSION}"));
    let python = folder.join("bin/python");
    if folder.join("bin/mcpgateway").is_file() {
        return Ok(python);
    }
    let version = "import sys; sys.exit(sys.version_info[:2] not in [(3, 12), (3, 13)])";
    let candidates = named.map_or(PYTHONS.to_vec(), |named| vec![named]);
    let found = candidates
        .iter()
        .find(|python| printed(command(python).args(["-c", version])).is_ok())
        .ok_or("ContextForge needs Python 3.12 or 3.13. Install one, or name it: --python FILE")?;
    printed(command(found).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let package = format!("mcp-contextforge-gateway=={VERSION}");
    printed(command(&python).args(["-m", "pip", "install", "--quiet", &package]))?;
    Ok(python)
}

impl Front {
    /// Starts it with its database and log in a folder, on the loopback address alone.
    pub(super) fn start(python: &Path, folder: &Path) -> Result<Self, Fault> {
        let port = free_port()?;
        let password = secret();
        let log = folder.join("contextforge.log");
        let output = fs_err::File::create(&log)?.into_parts().0;
        let places = [
            ("@FOLDER@", folder.display().to_string()),
            ("@PORT@", port.to_string()),
            ("@SECRET@", password.clone()),
            ("@OWNER@", OWNER.to_owned()),
        ];
        let fill = |text: String, (place, value): (&str, String)| text.replace(place, &value);
        let environment = places.into_iter().fold(ENVIRONMENT.to_owned(), fill);
        let lines = environment.lines().filter(|line| !line.starts_with('#'));
        let child = command(python)
            .args(["-m", "mcpgateway"])
            .current_dir(folder)
            .env_clear()
            .envs(lines.filter_map(|line| line.split_once('=')))
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let mut front = Self {
            running: Running(child),
            port,
            password,
            owner: String::new(),
        };
        let is_up = || send(port, ("GET", "/health"), "", &Value::Null).is_ok();
        comes(PATIENCE, || is_up() || front.running.has_ended());
        if !is_up() {
            let log = fs_err::read_to_string(&log)?;
            return Err(format!("ContextForge did not start: {log}").into());
        }
        front.owner = front.log_in(OWNER)?;
        Ok(front)
    }

    /// Makes an account and a private team for an agent, gives the team our gateway with the agent's
    /// token, and makes a virtual server of its tools, and a token for that server alone.
    pub(super) fn admit(
        &self,
        name: &str,
        agent: &str,
        gateway: &Endpoint,
    ) -> Result<Admitted, Fault> {
        let email = format!("{agent}@example.com");
        let account = json!({
            "email": email, "password": self.password, "full_name": agent,
            "is_admin": false, "password_change_required": false,
        });
        self.ask(("POST", "/v1/auth/email/admin/users"), &account)?;
        let team = json!({ "name": name, "visibility": "private" });
        let team = self.post_for_id("/v1/teams/", &self.owner, &team)?;
        let member = json!({ "email": email, "role": "member" });
        self.ask(("POST", &format!("/v1/teams/{team}/members")), &member)?;
        let registered = json!({
            "name": name, "url": format!("http://127.0.0.1:{}/mcp", gateway.port),
            "transport": "STREAMABLEHTTP", "auth_type": "bearer", "auth_token": gateway.token,
            "team_id": team, "visibility": "team",
        });
        let id = self.post_for_id("/v1/gateways", &self.owner, &registered)?;
        let tools = self.of_gateway("/v1/tools", &id)?;
        let tools: Vec<&Value> = tools.iter().map(|tool| &tool["id"]).collect();
        let server = json!({
            "server": { "name": name, "associated_tools": tools },
            "team_id": team, "visibility": "team",
        });
        let server = self.post_for_id("/v1/servers", &self.owner, &server)?;
        let wanted = json!({
            "name": agent, "expires_in_days": 1, "team_id": team,
            "scope": { "server_id": server, "permissions": ["tools.read", "tools.execute", "servers.use"] },
        });
        let logged_in = self.log_in(&email)?;
        let token = self.post_for_id("/v1/tokens", &logged_in, &wanted)?;
        Ok(Admitted {
            id,
            through: self.endpoint(&format!("/servers/{server}/mcp"), &token),
        })
    }

    /// An endpoint of `ContextForge`.
    pub(super) fn endpoint(&self, path: &str, token: &str) -> Endpoint {
        Endpoint {
            port: self.port,
            path: path.to_owned(),
            token: token.to_owned(),
        }
    }

    /// Has it list the tools of a gateway again.
    pub(super) fn refresh(&self, gateway: &Admitted) -> Result<(), Fault> {
        let path = format!("/v1/gateways/{}/tools/refresh", gateway.id);
        self.ask(("POST", &path), &Value::Null).map(drop)
    }

    /// Counts the notes of a gateway that it lists by name.
    pub(super) fn notes_of(&self, gateway: &Admitted) -> Result<usize, Fault> {
        let resources = self.of_gateway("/v1/resources", &gateway.id)?;
        let uris = resources
            .iter()
            .filter_map(|resource| resource["uri"].as_str());
        Ok(uris.filter(|uri| uri.starts_with("obsidian:")).count())
    }

    fn log_in(&self, email: &str) -> Result<String, Fault> {
        let wanted = json!({ "email": email, "password": self.password });
        self.post_for_id("/v1/auth/email/login", "", &wanted)
    }

    /// Returns the items of one gateway in a list.
    fn of_gateway(&self, path: &str, gateway: &str) -> Result<Vec<Value>, Fault> {
        let list = self.ask(("GET", &format!("{path}?limit=0")), &Value::Null)?;
        let items = list.as_array().into_iter().flatten();
        Ok(items
            .filter(|item| item["gatewayId"] == gateway)
            .cloned()
            .collect())
    }

    /// Makes something; its token, or else its id.
    fn post_for_id(&self, path: &str, token: &str, body: &Value) -> Result<String, Fault> {
        let made = self.ask_as(token, ("POST", path), body)?;
        let id = made["access_token"].as_str().or(made["id"].as_str());
        Ok(id.ok_or_else(|| format!("{path}: no id"))?.to_owned())
    }

    /// Asks as the account that sets it up.
    fn ask(&self, what: (&str, &str), body: &Value) -> Result<Value, Fault> {
        self.ask_as(&self.owner, what, body)
    }

    fn ask_as(&self, token: &str, what: (&str, &str), body: &Value) -> Result<Value, Fault> {
        let reply = send(self.port, what, token, body)?;
        let is_done = (200..300).contains(&reply.status);
        ensure(is_done, &format!("{}: {}", what.1, reply.shown()))?;
        Ok(reply.body)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        // It ends its workers if it is asked to end, and leaves them behind if it is killed.
        let process = self.running.0.id().to_string();
        if printed(command("kill").arg(process)).is_ok() {
            comes(TIME_TO_END, || self.running.has_ended());
        }
    }
}

/// A random text that its rules for passwords and keys accept: every class of characters, many different
/// ones, and no runs of neighbours such as `abc`.
fn secret() -> String {
    let random = || RandomState::new().build_hasher().finish().to_le_bytes();
    let bytes = [random(), random(), random(), random()].concat();
    let letters = bytes.iter().zip([b'a', b'A'].into_iter().cycle());
    let letters = letters.map(|(byte, first)| char::from(first + byte % 13 * 2));
    "7-".chars().chain(letters).collect()
}
