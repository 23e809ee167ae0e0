//! What counts as behind a tool, and what does not.

use redress_check::{Day, Project, Sources, check};

/// The rules that are broken, each with its file and line.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let sources = Sources::of_texts(files);
    let project = Project::new(&sources, &[], |_| None);
    let report = check(&project, Day::parse("2026-11-01").unwrap());
    let place =
        |it: &redress_registry::Finding| format!("{} {}:{}", it.rule, it.place.file, it.place.line);
    report.hits.iter().map(|it| place(&it.finding)).collect()
}

const THROWS: &str = "export function find(name) {\n  throw new Error(name);\n}\n";

#[test]
fn a_throw_is_followed_through_imports() {
    let handler = "import { find } from './find.js';\nserver.registerTool('a', {}, async ({ n }) => find(n));\n";
    assert_eq!(found(&[("src/find.js", THROWS), ("src/a.js", handler)]), ["CK007 src/find.js:2"]);
}

#[test]
fn a_throw_is_followed_through_methods() {
    let class = "class Server {\n  start() {\n    this.mcp.registerTool('a', {}, this.read.bind(this));\n  }\n  \
                 async read(args) {\n    return this.find(args);\n  }\n  find(args) {\n    throw new TypeError('no');\n  }\n}\n";
    assert_eq!(found(&[("src/a.ts", class)]), ["CK007 src/a.ts:9"]);
}

#[test]
fn a_function_that_no_tool_reaches_is_left_alone() {
    assert_eq!(found(&[("src/find.js", THROWS)]), [""; 0]);
    let alone = "fn find() -> Option<u8> {\n    panic!(\"no\")\n}\n";
    assert_eq!(found(&[("src/a.rs", alone)]), [""; 0]);
}

#[test]
fn tests_and_examples_are_left_alone() {
    let handler = "server.registerTool('a', {}, async () => { throw new Error('no'); });\n";
    assert_eq!(found(&[("src/a.test.ts", handler)]), [""; 0]);
    assert_eq!(
        found(&[("examples/a.ts", handler), ("src/b.ts", "export const b = 1;\n")]),
        [""; 0]
    );
    assert_eq!(found(&[("examples/a.ts", handler)]), ["CK007 examples/a.ts:1"]);
}

#[test]
fn a_wrapper_that_catches_converts() {
    let wrapped = |catch: &str| {
        format!(
            "function guarded(run) {{\n  return async (args) => {{\n    try {{\n      return await run(args);\n    }} \
             catch (error) {{\n      {catch}\n    }}\n  }};\n}}\nserver.registerTool('a', {{}}, guarded(read));\n\
             async function read() {{\n  throw new Error('no');\n}}\n"
        )
    };
    assert_eq!(found(&[("src/a.ts", &wrapped("return toResult(error);"))]), [""; 0]);
    assert_eq!(found(&[("src/a.ts", &wrapped("throw error;"))]), ["CK007 src/a.ts:12"]);
    let unknown = "import { guarded } from 'elsewhere';\nserver.registerTool('a', {}, guarded(async () => { throw new Error('no'); }));\n";
    assert_eq!(found(&[("src/a.ts", unknown)]), [""; 0]);
}

#[test]
fn whoever_calls_a_table_of_tools_may_catch_for_all() {
    let row = "export const read = {\n  name: 'read',\n  description: 'Reads.',\n  inputSchema: {},\n  \
               handler: async () => {\n    throw new Error('no');\n  },\n};\n";
    let safe = "server.setRequestHandler(CallToolRequestSchema, async (request) => {\n  try {\n    \
                return await tools.get(request).handler(request);\n  } catch (error) {\n    return toResult(error);\n  }\n});\n";
    assert_eq!(found(&[("src/row.ts", row)]), ["CK007 src/row.ts:6"]);
    assert_eq!(found(&[("src/row.ts", row), ("src/safe.ts", safe)]), [""; 0]);
}

#[test]
fn what_runs_later_reaches_nobody() {
    let later = "server.registerTool('a', {}, async () => {\n  setTimeout(() => { throw new Error('no'); }, 5);\n  \
                 process.on('SIGINT', () => process.exit(1));\n  return { content: [] };\n});\n";
    assert_eq!(found(&[("src/a.ts", later)]), [""; 0]);
}

#[test]
fn an_error_that_is_caught_by_its_name_is_converted() {
    let tool = |caught: &str| {
        format!(
            "@mcp.tool()\ndef read(name: str) -> str:\n    try:\n        return find(name)\n    except {caught} as error:\n        \
             raise NoteFault('NOT_FOUND') from error\n\n\ndef find(name):\n    raise FileNotFoundError(name)\n"
        )
    };
    for caught in ["FileNotFoundError", "OSError", "(ValueError, OSError)", "Exception"] {
        assert_eq!(found(&[("src/a.py", &tool(caught))]), [""; 0], "{caught}");
    }
    assert_eq!(found(&[("src/a.py", &tool("ValueError"))]), ["CK007 src/a.py:10"]);
}

#[test]
fn a_decorator_between_tool_and_function_may_convert() {
    let tool = "@mcp.tool()\n@answers_with_cards\ndef read(name: str) -> str:\n    raise ValueError(name)\n";
    assert_eq!(found(&[("src/a.py", tool)]), [""; 0]);
}

#[test]
fn a_handler_that_tells_errors_apart_swallows_none() {
    let tool = "server.registerTool('a', {}, async () => {\n  try {\n    return await read();\n  } catch (error) {\n    \
                if (error.code === 'ENOENT') return { content: [{ type: 'text', text: 'nothing yet' }] };\n    throw error;\n  }\n});\n";
    assert_eq!(found(&[("src/a.ts", tool)]), [""; 0]);
}

#[test]
fn messages_of_a_conversation_are_no_results() {
    let tool = "server.registerTool('a', {}, async () => {\n  try {\n    return await ask();\n  } catch (error) {\n    \
                const message = { role: 'user', content: [{ type: 'text', text: 'Error: say it again' }] };\n    return await ask(message);\n  }\n});\n";
    assert_eq!(found(&[("src/a.ts", tool)]), [""; 0]);
}

#[test]
fn the_signature_of_a_function_in_rust_tells_what_comes_out() {
    let tool = |error: &str| {
        format!(
            "#[tool]\nasync fn read(&self) -> Result<String, {error}> {{\n    Err(\"no\".into())\n}}\n"
        )
    };
    assert_eq!(found(&[("src/a.rs", &tool("String"))]), ["CK007 src/a.rs:3"]);
    assert_eq!(found(&[("src/a.rs", &tool("NoteFault"))]), [""; 0]);
}
