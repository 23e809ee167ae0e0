//! Chromium, driven by the W3C `WebDriver` protocol of chromedriver.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// The key of an element in answers of the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long a page may take to become what a test waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with a profile of its own.
pub(super) struct Browser {
    driver: Child,
    port: String,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub(super) fn start(has_script: bool) -> Self {
        let started = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn();
        let mut driver = started.expect("chromedriver is missing: `cargo xtask tools` installs it");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .by_ref()
            .find_map(|it| {
                let line = it.unwrap();
                let port = line.split_once("started successfully on port ")?.1;
                Some(port.trim_end_matches('.').to_owned())
            })
            .unwrap();
        // What it says later must not fill the pipe.
        thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().unwrap();
        let data = format!("--user-data-dir={}", profile.path().display());
        let flags = json!([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            data,
        ]);
        let script = if has_script { 1 } else { 2 };
        let prefs = json!({ "profile.managed_default_content_settings.javascript": script });
        let options = json!({ "args": flags, "prefs": prefs });
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let opened = browser.ask("POST", "/session", &wanted);
        opened["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        browser
    }

    pub(super) fn open(&self, url: &str) {
        self.command("url", &json!({ "url": url }));
    }

    pub(super) fn resize(&self, width: u64, height: u64) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Prefers a colour scheme: `light` or `dark`.
    pub(super) fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Runs a script of the test in the page.
    pub(super) fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    pub(super) fn wait_until(&self, script: &str) {
        let began = Instant::now();
        while self.run(script) != json!(true) {
            assert!(began.elapsed() < PATIENCE, "never: {script}");
            thread::park_timeout(Duration::from_millis(100));
        }
    }

    pub(super) fn press(&self, key: &str) {
        let press = |kind: &str| json!({ "type": kind, "value": key });
        let keys =
            json!({ "type": "key", "id": "keys", "actions": [press("keyDown"), press("keyUp")] });
        self.command("actions", &json!({ "actions": [keys] }));
    }

    pub(super) fn text(&self, selector: &str) -> String {
        let found = self.find(selector);
        let path = format!("/session/{}/element/{found}/text", self.session);
        self.ask("GET", &path, &Value::Null).as_str().unwrap().to_owned()
    }

    /// Clicks, and waits for the page that it leads to.
    pub(super) fn click(&self, selector: &str) {
        let found = self.find(selector);
        self.command(&format!("element/{found}/click"), &json!({}));
    }

    fn find(&self, selector: &str) -> String {
        let by = json!({ "using": "css selector", "value": selector });
        let found = self.command("element", &by);
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("{selector}: {found}")).to_owned()
    }

    fn devtools(&self, method: &str, params: &Value) {
        self.command("goog/cdp/execute", &json!({ "cmd": method, "params": params }));
    }

    fn command(&self, name: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{name}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let port = &self.port;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        // chromedriver leaves the connection open, so that its length says where an answer ends.
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "{method} {path}: {head}");
        }
        let lower = head.to_ascii_lowercase();
        let length = lower.lines().find_map(|it| it.strip_prefix("content-length:")).unwrap();
        let mut body = vec![0; length.trim().parse().unwrap()];
        stream.read_exact(&mut body).unwrap();
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        assert!(head.starts_with("HTTP/1.1 200"), "{method} {path}: {answer}");
        answer["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !thread::panicking() {
            self.ask("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        self.driver.kill().unwrap_or_default();
        drop(self.driver.wait());
    }
}
