//! Every row, in the order of the tables: a limit comes before what is measured against it.

use super::{Crossing, File, Row};

const SS: Crossing = Crossing::StdioToStdio;
const HH: Crossing = Crossing::HttpToHttp;
const HS: Crossing = Crossing::HttpToStdio;

/// One server of `redress serve`, at an address.
const SERVE_URL: &str = "[server.bench]\nurl = \"{url}\"\nmax_sessions = 10000\n";
/// The same, with one session for all of the clients'.
const SERVE_URL_SHARED: &str =
    "[server.bench]\nurl = \"{url}\"\nsharing = \"shared\"\nmax_sessions = 10000\n";
/// One server of `redress serve`, shared by all sessions.
const SERVE_SHARED: &str = "[server.bench]\ncommand = [\"{me}\", \"part\", \"upstream\"]\nsharing = \"shared\"\nmax_sessions = 10000\n";

/// The crate `mcp-proxy`, before an address.
const CRATE_URL: &str = "[proxy]\nname = \"bench\"\nseparator = \"-\"\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n[observability]\nlog_level = \"error\"\n[[backends]]\nname = \"bench\"\ntransport = \"http\"\nurl = \"{url}\"\n";
/// The same, before a command.
const CRATE_COMMAND: &str = "[proxy]\nname = \"bench\"\nseparator = \"-\"\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n[observability]\nlog_level = \"error\"\n[[backends]]\nname = \"bench\"\ntransport = \"stdio\"\ncommand = \"{me}\"\nargs = [\"part\", \"upstream\"]\n";

/// What the server's tool does, for a gate that is governed.
const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"bench\"\nversion = \"1.0.0\"\n[tool.echo]\noperation = \"query\"\nread_only = true\npaths = [\"/path\"]\n";

/// Every row.
pub(crate) const ROWS: &[Row] = &[
    row("direct-stdio", "direct", SS, "{server}"),
    row("pipe", "raw pipe", SS, "{me} part pipe -- {server}"),
    row("run", "**redress run**", SS, "{gate} run --no-ledger -- {server}"),
    row("run-ledger", "**redress run**, ledger", SS, "{gate} run --ledger {ledger} -- {server}"),
    Row {
        file: File::Text(CONTRACT),
        is_governed: true,
        ..row(
            "run-governed",
            "**redress run**, governed",
            SS,
            "{gate} run --governed --root {workspace} --contract {file} --ledger {ledger} -- {server}",
        )
    },
    row("lines", "pipe that looks at each line", SS, "{me} part pipe --lines -- {server}"),
    row("rmcp-ss", "rmcp 3.8", SS, "{peers}/cargo/bin/rmcp-proxy stdio -- {server}"),
    Row {
        file: File::Text(include_str!("../../peers/fastmcp_proxy.py")),
        ..row("fastmcp-ss", "FastMCP", SS, "{peers}/py-fastmcp/bin/python {file} stdio -- {server}")
    },
    row("direct-http", "direct", HH, ""),
    row("forward", "TCP forwarder", HH, "{me} part forward 127.0.0.1:{port} {address}"),
    row("bridge-hh", "bridge", HH, "{me} part bridge 127.0.0.1:{port} --target {address}"),
    Row {
        file: File::Text(SERVE_URL),
        path: "/bench/mcp",
        ..row(
            "serve-hh",
            "**redress serve**",
            HH,
            "{gate} serve --no-token --no-ledger --listen 127.0.0.1:{port} --config {file}",
        )
    },
    Row {
        file: File::Text(SERVE_URL_SHARED),
        path: "/bench/mcp",
        ..row(
            "serve-hh-shared",
            "**redress serve**, shared",
            HH,
            "{gate} serve --no-token --no-ledger --listen 127.0.0.1:{port} --config {file}",
        )
    },
    row(
        "rmcp-hh",
        "rmcp 3.8",
        HH,
        "{peers}/cargo/bin/rmcp-proxy http 127.0.0.1:{port} --url {url}",
    ),
    Row {
        file: File::Text(CRATE_URL),
        path: "/",
        prefix: "bench-",
        ..row("crate-hh", "crate mcp-proxy", HH, "{peers}/cargo/bin/mcp-proxy -c {file}")
    },
    Row {
        file: File::Text(include_str!("../../peers/fastmcp_proxy.py")),
        ..row(
            "fastmcp-hh",
            "FastMCP, one session",
            HH,
            "{peers}/py-fastmcp/bin/python {file} http {port} {url}",
        )
    },
    row("bridge-hs", "bridge", HS, "{me} part bridge 127.0.0.1:{port} -- {server}"),
    row(
        "serve-hs",
        "**redress serve**",
        HS,
        "{gate} serve --no-token --no-ledger --listen 127.0.0.1:{port} -- {server}",
    ),
    Row {
        file: File::Text(SERVE_SHARED),
        path: "/bench/mcp",
        ..row(
            "serve-hs-shared",
            "**redress serve**, shared",
            HS,
            "{gate} serve --no-token --no-ledger --listen 127.0.0.1:{port} --config {file}",
        )
    },
    row(
        "serve-hs-ledger",
        "**redress serve**, ledger",
        HS,
        "{gate} serve --no-token --ledger {ledger} --listen 127.0.0.1:{port} -- {server}",
    ),
    row(
        "rmcp-hs",
        "rmcp 3.8",
        HS,
        "{peers}/cargo/bin/rmcp-proxy http 127.0.0.1:{port} -- {server}",
    ),
    Row {
        file: File::Text(CRATE_COMMAND),
        path: "/",
        prefix: "bench-",
        ..row("crate-hs", "crate mcp-proxy", HS, "{peers}/cargo/bin/mcp-proxy -c {file}")
    },
    row(
        "pypi-hs",
        "PyPI mcp-proxy",
        HS,
        "{peers}/py-mcp-proxy/bin/mcp-proxy --port {port} --log-level ERROR -- {server}",
    ),
    row(
        "npm-hs",
        "npm mcp-proxy",
        HS,
        "node {peers}/npm-mcp-proxy/node_modules/.bin/mcp-proxy --port {port} --host 127.0.0.1 --server stream -- {server}",
    ),
    row(
        "supergateway-hs",
        "supergateway",
        HS,
        "node {peers}/npm-supergateway/node_modules/.bin/supergateway --outputTransport streamableHttp --stateful --port {port} --logLevel none --stdio {server-text}",
    ),
];

/// A row that listens at `/mcp` and needs no file.
pub(crate) const fn row(
    name: &'static str,
    title: &'static str,
    crossing: Crossing,
    command: &'static str,
) -> Row {
    let (file, path, prefix) = (File::None, "/mcp", "");
    Row { name, title, crossing, command, file, path, prefix, is_governed: false }
}
