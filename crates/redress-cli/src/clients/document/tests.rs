//! Wrapping and unwrapping is the identity, for every layout of a file.

mod examples;

use proptest::prelude::*;

use self::examples::{example, mutated};
use super::{Edit, Entry, Shape, edited, entries};
use crate::clients::{CLIENTS, Client};

const GATE: &str = "/opt/redress/bin/redress";

fn known(client: &str) -> &'static Client {
    CLIENTS.iter().find(|it| it.name == client).unwrap()
}

fn all(client: &str, text: &str) -> Vec<Entry> {
    entries(known(client), text).unwrap_or_else(|it| panic!("{it:?} in:\n{text}"))
}

fn wrapped(client: &str, text: &str) -> String {
    let edits = all(client, text).into_iter().flat_map(|it| match it.shape {
        Shape::Command(command) if !command.is_wrapped() => {
            command.wrap(text, GATE, Some(it.name.as_str()))
        }
        Shape::Remote(remote) if remote.obstacle.is_none() => {
            vec![remote.wrap(text, known(client), GATE, Some(it.name.as_str()))]
        }
        _ => Vec::new(),
    });
    edited(text, &edits.collect::<Vec<Edit>>())
}

fn unwrapped(client: &str, text: &str) -> String {
    let edits = all(client, text).into_iter().flat_map(|it| match it.shape {
        Shape::Command(command) if command.is_wrapped() => command.unwrap(text).unwrap(),
        _ => Vec::new(),
    });
    edited(text, &edits.collect::<Vec<Edit>>())
}

/// The command lines of a file.
fn commands(client: &str, text: &str) -> Vec<Vec<String>> {
    let words = |it: Entry| match it.shape {
        Shape::Command(command) => command.words().into_iter().map(ToOwned::to_owned).collect(),
        Shape::Remote(remote) => vec![remote.url],
        Shape::Other(why) => vec![why.to_owned()],
    };
    all(client, text).into_iter().map(words).collect()
}

/// Wraps and unwraps, and gives the command lines between.
fn round(client: &str, text: &str) -> Vec<Vec<String>> {
    let there = wrapped(client, text);
    assert_eq!(wrapped(client, &there), there, "wrapping twice changes nothing");
    assert_eq!(unwrapped(client, &there), text, "after:\n{there}");
    let (before, after) = (commands(client, text), commands(client, &there));
    for (before, after) in before.iter().zip(&after) {
        assert!(after.ends_with(before), "{before:?} in {after:?}");
    }
    after
}

#[test]
fn comments_order_and_indentation_stay() {
    let text = r#"{
    // my servers
    "theme": "dark",
    "mcpServers": {
        "files": {
            "command": "npx", // node
            "args": [
                "-y",
                "@modelcontextprotocol/server-filesystem", /* here */
                "/home/me",
            ],
            "env": { "A": "1" },
        },
        "bare": { "command": "/usr/bin/bare" },
        "empty": { "command": "x", "args": [ ] },
        "old": { "type": "sse", "url": "https://mcp.example/mcp" },
        "off": { "command": "x", "disabled": true },
    },
}
"#;
    let after = wrapped("claude-code", text);
    assert!(after.contains(
        "            \"args\": [\n                \"run\",\n                \"--name\",\n                \"files\",\n                \"--\",\n                \"npx\",\n                \"-y\",\n"
    ), "{after}");
    assert!(after.contains("// my servers") && after.contains("/* here */"), "{after}");
    let lines = round("claude-code", text);
    let line = [GATE, "run", "--name", "bare", "--", "/usr/bin/bare"].map(ToOwned::to_owned);
    assert_eq!(lines[1], line);
}

#[test]
fn toml_is_wrapped_in_tables_inline_tables_and_dotted_keys() {
    let text = "# codex\nmodel = \"x\"\n\n[mcp_servers.files] # mine\ncommand = \"npx\" # node\nargs = [\"-y\", \"pkg\"]\n\n[mcp_servers.bare]\n  command = 'bare'\n  [mcp_servers.bare.env]\n  A = \"1\"\n\n[mcp_servers]\ninline = { command = \"x\", env = { B = \"2\" } }\ndotted.command = \"y\"\ndotted.env.C = \"3\"\n";
    let lines = round("codex", text);
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|it| it.first().is_some_and(|it| it == GATE)), "{lines:?}");
}

#[test]
fn a_command_that_is_one_list_is_wrapped() {
    let text = "{\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"b\"]}, \"none\": {\"command\": []}}}";
    let lines = round("opencode", text);
    assert_eq!(lines[0][..6], [GATE, "run", "--name", "a", "--", "npx"].map(ToOwned::to_owned));
}

#[test]
fn a_path_inside_the_command_is_wrapped() {
    round("zed", "{\"context_servers\":{\"a\":{\"command\":{\"path\":\"b\",\"args\":[\"c\"]}}}}");
}

#[test]
fn projects_inside_the_file_of_the_user_are_found() {
    let text = "{\"projects\":{\"/a\":{\"mcpServers\":{\"x\":{\"command\":\"y\"}}}}}";
    assert_eq!(round("claude-code", text).len(), 1);
}

#[test]
fn a_name_twice_is_refused_with_its_place() {
    let client = CLIENTS.iter().find(|it| it.name == "cursor").unwrap();
    let text = "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"a\":{\"command\":\"y\"}}}";
    let unread = entries(client, text).unwrap_err();
    assert!(unread.problem.contains("twice"), "{unread:?}");
    assert_eq!(unread.offset, text.rfind("\"a\"").unwrap());
}

#[test]
fn a_remote_entry_becomes_a_command_without_a_secret_in_an_argument() {
    let text = "{\n\t\"mcpServers\": {\n\t\t\"a\": { // mine\n\t\t\t\"url\": \"https://h/mcp?key=s3cret\",\n\t\t\t\"headers\": { \"Authorization\": \"Bearer s3cret\" },\n\t\t\t\"timeout\": 5\n\t\t}\n\t}\n}\n";
    let there = wrapped("cursor", text);
    let after = "\t\t\"a\": {\n\t\t\t\"command\": \"/opt/redress/bin/redress\",\n\t\t\t\"args\": [\"run\", \"--name\", \"a\", \"--url\", \"env:REDRESS_REMOTE\"],\n\t\t\t\"env\": { \"REDRESS_REMOTE\": \"{ // mine";
    assert!(there.contains(after), "{there}");
    assert!(there.contains("},\n\t\t\t\"timeout\": 5\n\t\t}"), "{there}");
    let words = &commands("cursor", &there)[0];
    assert!(words.iter().all(|it| !it.contains("s3cret")), "{words:?}");
    assert_eq!(unwrapped("cursor", &there), text);
    assert_eq!(wrapped("cursor", &there), there);
    let Shape::Command(command) = all("cursor", &there).remove(0).shape else { panic!() };
    let (url, headers) = super::remote::way(&command.env[0].1).unwrap();
    assert_eq!(url, "https://h/mcp?key=s3cret");
    assert_eq!(headers, [("Authorization".to_owned(), "Bearer s3cret".to_owned())]);
}

#[test]
fn the_examples_of_all_clients_come_back_and_most_servers_are_wrapped() {
    let mut count = 0;
    for client in CLIENTS {
        let text = example(client.name);
        let there = wrapped(client.name, text);
        assert_eq!(unwrapped(client.name, &there), text, "{}", client.name);
        assert_eq!(wrapped(client.name, &there), there, "{}", client.name);
        let shapes = all(client.name, &there).into_iter().map(|it| it.shape);
        count += shapes.filter(|it| matches!(it, Shape::Command(it) if it.is_wrapped())).count();
    }
    assert_eq!((CLIENTS.len(), count), (14, 32));
}

/// White space and comments between tokens.
fn gap() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "",
            " ",
            "\n",
            "\n    ",
            "\r\n\t",
            " // note\n",
            "/* [\"x\"] */",
        ]),
        0..3,
    )
    .prop_map(|it| it.concat())
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "npx",
        "-y",
        "--",
        "run",
        "redress",
        "a b",
        "\\u0041\\n",
        "\\\"",
        "é",
        "${input:key}",
        "[",
        "}",
        "",
    ])
    .prop_map(|it| format!("\"{it}\""))
}

/// A member of an entry.
fn member() -> impl Strategy<Value = String> {
    let list = (prop::collection::vec((gap(), text(), gap()), 0..5), gap(), any::<bool>());
    list.prop_map(|(items, end, comma)| {
        let has_comma = comma && !items.is_empty();
        let items: Vec<_> = items.into_iter().map(|(a, it, b)| format!("{a}{it}{b}")).collect();
        format!("[{}{}{end}]", items.join(","), if has_comma { "," } else { "" })
    })
}

fn file() -> impl Strategy<Value = String> {
    let server = (gap(), text(), gap(), prop::option::of(member()), gap(), gap(), any::<bool>());
    let server = server.prop_map(|(a, program, b, list, c, d, is_last)| {
        let env = "\"env\": {\"command\": \"inner\", \"args\": [\"x\"]}";
        let list = list.map_or_else(String::new, |it| format!(",{c}\"args\":{d}{it}"));
        if is_last {
            format!("{{{a}{env},{d}\"command\":{b}{program}{list}{a}}}")
        } else {
            format!("{{{a}\"command\":{b}{program}{a}{list},{env}{d}}}")
        }
    });
    (gap(), prop::collection::vec((gap(), server, gap()), 0..4), gap()).prop_map(
        |(before, servers, after)| {
            let servers = servers.into_iter().enumerate();
            let servers = servers.map(|(at, (a, it, b))| format!("{a}\"s{at}\"{b}: {it}{b}"));
            let servers = servers.collect::<Vec<_>>().join(",");
            format!(
                "{before}{{\"x\": [1, null],{after}\"mcpServers\": {{{servers}{before}}}}}{after}"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn every_layout_comes_back_byte_for_byte(text in file()) {
        let there = wrapped("cursor", &text);
        let is_ours = |text: &str| {
            all("cursor", text).iter().any(|it| matches!(&it.shape, Shape::Command(it) if it.is_wrapped()))
        };
        // A generated command can be a wrapped one by chance: that one is not wrapped again, and unwrapping finds more.
        if !is_ours(&text) {
            prop_assert_eq!(unwrapped("cursor", &there), text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        for client in CLIENTS {
            drop(entries(client, &text));
        }
    }

    #[test]
    fn mutated_examples_of_all_clients_come_back_byte_for_byte(
        at in 0..CLIENTS.len(),
        choices in prop::collection::vec(any::<u8>(), 400),
    ) {
        let client = &CLIENTS[at];
        let text = mutated(client, &choices);
        let there = wrapped(client.name, &text);
        prop_assert_eq!(unwrapped(client.name, &there), text);
        prop_assert_eq!(wrapped(client.name, &there), there);
    }
}
