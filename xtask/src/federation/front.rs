//! `ContextForge`: how it is installed, started, and given a vault.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{Endpoint, send};
use crate::Fault;
use crate::targets::{command, free_port, printed, repository, succeeds};
use crate::world::Running;

/// The version that is run.
pub(super) const VERSION: &str = "1.1.0";
/// The programs that may be the Python that it needs.
const PYTHONS: [&str; 3] = ["python3.13", "python3.12", "python3"];
/// How long its first start may take: it makes its database.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long it may take to end.
#[cfg(unix)]
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
    /// What `ContextForge` calls our gateway.
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
    let fits = |python: &&str| {
        let version = "import sys; print(sys.version_info[:2] in [(3, 12), (3, 13)])";
        printed(command(python).args(["-c", version])).is_ok_and(|text| text.trim() == "True")
    };
    let candidates = named.map_or(PYTHONS.to_vec(), |named| vec![named]);
    let found = candidates
        .iter()
        .find(|python| fits(python))
        .ok_or("ContextForge needs Python 3.12 or 3.13. Install one, or name it: --python FILE")?;
    let package = format!("mcp-contextforge-gateway=={VERSION}");
    let mut made = command(found);
    made.args(["-m", "venv", "--clear"]).arg(&folder);
    let mut installed = command(&python);
    installed.args(["-m", "pip", "install", "--quiet", &package]);
    if !succeeds(&mut made)? || !succeeds(&mut installed)? {
        return Err(format!("{package} was not installed").into());
    }
    Ok(python)
}

impl Front {
    /// Starts it with its database and log in a folder, on the loopback address alone.
    pub(super) fn start(python: &Path, folder: &Path) -> Result<Self, Fault> {
        let port = free_port()?;
        let password = secret();
        let log = folder.join("contextforge.log");
        let output = fs_err::File::create(&log)?.into_parts().0;
        let lines = ENVIRONMENT.lines().filter(|line| !line.starts_with('#'));
        let environment = lines.filter_map(|line| line.split_once('=')).map(|(name, value)| {
            let value = value.replace("@FOLDER@", &folder.display().to_string());
            let value = value.replace("@PORT@", &port.to_string());
            let value = value.replace("@PASSWORD@", &password);
            (name, value.replace("@OWNER@", OWNER).replace("@SECRET@", &secret()))
        });
        let child = command(python)
            .args(["-m", "mcpgateway"])
            .current_dir(folder)
            .env_clear()
            .envs(environment)
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let mut front = Self { running: Running(child), port, password, owner: String::new() };
        let started = Instant::now();
        while send(port, ("GET", "/health"), "", &Value::Null).is_err() {
            let has_ended = front.running.0.try_wait()?.is_some();
            if has_ended || started.elapsed() > PATIENCE {
                return Err(format!(
                    "ContextForge did not start: {}",
                    fs_err::read_to_string(&log)?
                )
                .into());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        front.owner = front.log_in(OWNER)?;
        Ok(front)
    }

    /// Makes an account and a private team for an agent, gives the team our gateway with the agent's
    /// token, and makes a virtual server of its tools, and a token for that server alone.
    pub(super) fn admit(
        &self,
        (name, agent): (&str, &str),
        gateway: &Endpoint,
    ) -> Result<Admitted, Fault> {
        let email = format!("{agent}@example.com");
        let account = json!({
            "email": email, "password": self.password, "full_name": agent,
            "is_admin": false, "password_change_required": false,
        });
        self.post("/v1/auth/email/admin/users", &self.owner, &account)?;
        let team = json!({ "name": name, "visibility": "private" });
        let team = self.make("/v1/teams/", &team)?;
        let member = json!({ "email": email, "role": "member" });
        let members = format!("/v1/teams/{team}/members");
        self.post(&members, &self.owner, &member)?;
        let registered = json!({
            "name": name, "url": format!("http://127.0.0.1:{}/mcp", gateway.port),
            "transport": "STREAMABLEHTTP", "auth_type": "bearer", "auth_token": gateway.token,
            "team_id": team, "visibility": "team",
        });
        let id = self.make("/v1/gateways", &registered)?;
        let tools = self.of_gateway("/v1/tools", &id)?;
        let tools: Vec<&Value> = tools.iter().map(|tool| &tool["id"]).collect();
        let server = json!({
            "server": { "name": name, "associated_tools": tools },
            "team_id": team, "visibility": "team",
        });
        let server = self.make("/v1/servers", &server)?;
        let asked = json!({
            "name": agent, "expires_in_days": 1, "team_id": team,
            "scope": { "server_id": server, "permissions": ["tools.read", "tools.execute", "servers.use"] },
        });
        let logged_in = self.log_in(&email)?;
        let token = self.told("/v1/tokens", &logged_in, &asked, "access_token")?;
        Ok(Admitted { id, through: self.endpoint(&format!("/servers/{server}/mcp"), &token) })
    }

    /// An endpoint of `ContextForge`.
    pub(super) fn endpoint(&self, path: &str, token: &str) -> Endpoint {
        Endpoint { port: self.port, path: path.to_owned(), token: token.to_owned() }
    }

    /// Has it list the tools of a gateway again.
    pub(super) fn refresh(&self, gateway: &Admitted) -> Result<(), Fault> {
        let path = format!("/v1/gateways/{}/tools/refresh", gateway.id);
        self.post(&path, &self.owner, &Value::Null).map(drop)
    }

    /// How many notes of a gateway it knows by name.
    pub(super) fn notes_of(&self, gateway: &Admitted) -> Result<usize, Fault> {
        let resources = self.of_gateway("/v1/resources", &gateway.id)?;
        let uris = resources.iter().filter_map(|resource| resource["uri"].as_str());
        Ok(uris.filter(|uri| uri.starts_with("obsidian:")).count())
    }

    fn log_in(&self, email: &str) -> Result<String, Fault> {
        let asked = json!({ "email": email, "password": self.password });
        self.told("/v1/auth/email/login", "", &asked, "access_token")
    }

    /// What a list holds of one gateway.
    fn of_gateway(&self, path: &str, gateway: &str) -> Result<Vec<Value>, Fault> {
        let path = format!("{path}?limit=0");
        let mut reply = send(self.port, ("GET", &path), &self.owner, &Value::Null)?;
        let Value::Array(mut list) = reply.body.take() else {
            return Err(format!("{path}: {}", reply.shown()).into());
        };
        list.retain(|item| item["gatewayId"] == gateway);
        Ok(list)
    }

    /// Makes something; its id.
    fn make(&self, path: &str, body: &Value) -> Result<String, Fault> {
        self.told(path, &self.owner, body, "id")
    }

    /// What an answer says of one thing.
    fn told(&self, path: &str, token: &str, body: &Value, key: &str) -> Result<String, Fault> {
        let answer = self.post(path, token, body)?;
        let told = answer[key].as_str();
        Ok(told.ok_or_else(|| format!("{path}: no {key}"))?.to_owned())
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Result<Value, Fault> {
        let reply = send(self.port, ("POST", path), token, body)?;
        if (200..300).contains(&reply.status) {
            Ok(reply.body)
        } else {
            Err(format!("{path}: {}", reply.shown()).into())
        }
    }
}

#[cfg(unix)]
impl Drop for Front {
    fn drop(&mut self) {
        use rustix::process::{Pid, Signal, kill_process};
        // It ends its workers if it is asked to end, and leaves them behind if it is killed.
        let asked = kill_process(Pid::from_child(&self.running.0), Signal::TERM);
        let begun = Instant::now();
        while asked.is_ok()
            && begun.elapsed() < TIME_TO_END
            && matches!(self.running.0.try_wait(), Ok(None))
        {
            std::thread::sleep(Duration::from_millis(50));
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
