//! Chromium, driven by its `WebDriver`.

use std::time::Duration;

use chores::{Fault, command};
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::world::{Running, free_port};

/// The time limit for the page.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause between two looks at the page.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Chromium without what looks for the network.
const ARGUMENTS: &str = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --window-size=1280,900";

/// The screen that is 390 CSS pixels wide, in the dark; the other one is 1280 wide, in the light.
pub(super) const PHONE: &str = "phone";

/// A browser with one window.
pub(super) struct Browser {
    client: Client,
    _driver: Running,
}

impl Browser {
    pub(super) async fn start(screen: &str) -> Result<Self, Fault> {
        let port = free_port()?;
        let mut driver = command("chromedriver");
        driver.arg(format!("--port={port}"));
        let (driver, _) = Running::start(driver)?;
        let mut arguments: Vec<&str> = ARGUMENTS.split(' ').collect();
        let mut options = json!({});
        if screen == PHONE {
            arguments.push("--force-dark-mode");
            options["mobileEmulation"] = json!({
                "deviceMetrics": { "width": 390, "height": 844, "pixelRatio": 2.0 },
            });
        }
        options["args"] = json!(arguments);
        let wanted = Capabilities::from_iter([("goog:chromeOptions".to_owned(), options)]);
        let address = format!("http://127.0.0.1:{port}");
        let mut connecting = ClientBuilder::new(HttpConnector::new());
        connecting.capabilities(wanted);
        let mut attempts = 50;
        let client = loop {
            match connecting.connect(&address).await {
                Ok(client) => break client,
                Err(error) if attempts == 0 => return Err(error.into()),
                Err(_) => attempts -= 1,
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        };
        Ok(Self {
            client,
            _driver: driver,
        })
    }

    pub(super) async fn end(self) -> Result<(), Fault> {
        Ok(self.client.close().await?)
    }

    /// Opens an address again, even if it differs only in its fragment.
    pub(super) async fn open(&self, address: &str) -> Result<(), Fault> {
        self.client.goto("about:blank").await?;
        Ok(self.client.goto(address).await?)
    }

    /// Returns the result of a script.
    pub(super) async fn evaluate(&self, script: &str) -> Result<Value, Fault> {
        Ok(self.client.execute(script, Vec::new()).await?)
    }

    /// Waits until a script returns true.
    pub(super) async fn until(&self, script: &str) -> Result<(), Fault> {
        let wait = async {
            while self.evaluate(script).await? != true {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            Ok::<_, Fault>(())
        };
        if let Ok(waited) = tokio::time::timeout(PATIENCE, wait).await {
            return waited;
        }
        let shown = "return ['summary', 'notice', 'question'].map((id) => document.getElementById(id).innerText)";
        let shown = self.evaluate(shown).await?;
        Err(format!("did not come: {script}; the page shows {shown}").into())
    }

    /// Types into what has the focus.
    pub(super) async fn keys(&self, keys: &str) -> Result<(), Fault> {
        Ok(self.client.active_element().await?.send_keys(keys).await?)
    }

    pub(super) async fn picture(&self) -> Result<Vec<u8>, Fault> {
        Ok(self.client.screenshot().await?)
    }

    /// Returns the serious faults that axe-core finds.
    pub(super) async fn serious(&self, axe: &str) -> Result<Vec<String>, Fault> {
        self.evaluate(&format!("{axe}; return 0")).await?;
        let found = self
            .client
            .execute_async(include_str!("axe.js"), Vec::new())
            .await?;
        Ok(serde_json::from_value(found)?)
    }
}
