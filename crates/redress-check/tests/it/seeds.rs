//! What the documents that the contract comes from ask of a scan of sources, each test by the number of its clause.

use redress_check::{CheckReport, Contract, Day, Project, Sources, check, infer};
use redress_registry::{Source, load, shipped};

const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n";

fn report(files: &[(&str, &str)], contracts: &[Contract]) -> CheckReport {
    let sources = Sources::of_texts(files);
    let project = Project::new(&sources, contracts, |_| Some(0));
    check(&project, Day::parse("2026-11-01").unwrap())
}

fn core() -> Contract {
    let source = Source::new("errors.toml", CONTRACT);
    Contract::new(load(&source, &|_, _| None).unwrap(), source)
}

fn stagewright() -> Contract {
    let registry = std::sync::Arc::clone(shipped::get("stagewright").unwrap());
    Contract::new(registry, Source::new("stagewright", ""))
}

/// The rules that are broken, each with its file and line.
fn found(files: &[(&str, &str)], contract: Contract) -> Vec<String> {
    let report = report(files, &[contract]);
    let place =
        |it: &redress_registry::Finding| format!("{} {}:{}", it.rule, it.place.file, it.place.line);
    report.hits.iter().map(|it| place(&it.finding)).collect()
}

#[test]
fn seed_000_62_a_logged_error_is_found_without_a_catch() {
    let tool = |body: &str| {
        format!(
            "server.registerTool('a', {{}}, async (args) => {{\n{body}\n  return {{ content: [] }};\n}});\n"
        )
    };
    for body in [
        "  console.error(\"Error occurred\");\n  // Continue execution...",
        "  if (!args.ok) {\n    console.error('Failed to save', args);\n  }",
    ] {
        let line = 1 + body.lines().position(|it| it.contains("console.error")).unwrap() + 1;
        let expected = [format!("CK902 src/a.ts:{line}")];
        assert_eq!(found(&[("src/a.ts", &tool(body))], core()), expected, "{body}");
    }
    for body in [
        "  console.error('Server is running on stdio');",
        "  if (!args.ok) {\n    console.error('Failed to save');\n    return toResult(args);\n  }",
        "  if (!args.ok) {\n    console.error('Failed to save');\n    throw new NoteFault('NOT_FOUND', 'x');\n  }",
        "  process.on('exit', () => { console.error('Failed to stop'); });",
    ] {
        assert_eq!(found(&[("src/a.ts", &tool(body))], core()), [""; 0], "{body}");
    }
    let python = "@mcp.tool()\ndef save(name: str) -> str:\n    if not put(name):\n        logger.error(f\"Could not save {name}\")\n    return \"saved\"\n";
    assert_eq!(found(&[("src/a.py", python)], core()), ["CK902 src/a.py:4"]);
    let rust = "#[tool]\nasync fn save(&self) -> Result<String, NoteFault> {\n    if !self.put() {\n        tracing::error!(\"could not save\");\n    }\n    Ok(\"saved\".into())\n}\n";
    assert_eq!(found(&[("src/a.rs", rust)], core()), ["CK902 src/a.rs:4"]);
}

#[test]
fn seed_001_17_a_union_that_two_files_declare_is_found() {
    let json = "export type JsonValue =\n  | string\n  | number\n  | boolean\n  | null\n  | readonly JsonValue[]\n  | { readonly [key: string]: JsonValue };\n";
    let tool = format!("{json}server.registerTool('a', {{}}, read);\n");
    let files = [("src/mcp/output-schemas.ts", json), ("src/mcp/types.ts", tool.as_str())];
    assert_eq!(found(&files, core()), ["CK914 src/mcp/types.ts:1"]);
    let other = "export type JsonValue = Map<string, Tree> | Leaf;\n";
    let files = [("src/mcp/output-schemas.ts", other), ("src/mcp/types.ts", tool.as_str())];
    assert_eq!(found(&files, core()), [""; 0]);
}

#[test]
fn seed_001_25_json_of_any_size_in_a_suggestion_is_found() {
    let tool = |made: &str| {
        format!(
            "server.registerTool('a', {{}}, async (args) => {{\n  return toResult({made});\n}});\n"
        )
    };
    for made in [
        "{ code: 'NOT_FOUND', message: 'No.', retry, suggestion: `Call with ${JSON.stringify(args)}` }",
        "{ code: 'NOT_FOUND', message: 'No.', retry, suggestion: 'Use ' + JSON.stringify(args, null, 2) }",
        "errNotRetryable('NOT_FOUND', 'No.', { suggestion: JSON.stringify(args.template) })",
    ] {
        assert_eq!(found(&[("src/a.ts", &tool(made))], core()), ["CK913 src/a.ts:2"], "{made}");
    }
    for made in [
        "{ code: 'NOT_FOUND', message: 'No.', retry, suggestion: `Call with ${JSON.stringify(args).slice(0, 200)}` }",
        "{ code: 'NOT_FOUND', message: 'No.', retry, suggestion: bounded(args) }",
        "{ code: 'NOT_FOUND', message: 'No.', retry, suggestion: `Like ${JSON.stringify({ id: 1 })}` }",
    ] {
        assert_eq!(found(&[("src/a.ts", &tool(made))], core()), [""; 0], "{made}");
    }
}

#[test]
fn seed_003_15_the_error_codes_of_a_plugin_are_its_manifest() {
    let plugin = "export const plugin = {\n  name: 'production',\n  errorCodes: {\n    NOTARIZATION_FAILED: { http: 502, retryable: true, hint: 'Check the credentials.' },\n  },\n};\n";
    let raises = |code: &str| {
        format!("export const failed = () => makePluginError('{code}', {{ message: 'x' }});\n")
    };
    let run = |code: &str, home: &str| {
        let text = raises(code);
        let files = [("packages/plugin-production/src/index.ts", plugin), (home, text.as_str())];
        report(&files, &[stagewright()]).hits.into_iter().map(|it| it.finding).collect::<Vec<_>>()
    };
    let inside = "packages/plugin-production/src/sign.ts";
    assert_eq!(run("production.NOTARIZATION_FAILED", inside), []);
    let found = run("production.NOTARIZATION_FAILDE", inside);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].rule, "CK001");
    assert!(found[0].message.contains("errorCodes of packages/plugin-production/src/index.ts"));
    assert!(found[0].fix.contains("production.NOTARIZATION_FAILED"), "{}", found[0].fix);
    // Another package has no manifest, so the code belongs to somebody else.
    let found = run("production.NOTARIZATION_FAILED", "packages/core/src/a.ts");
    assert_eq!(found.iter().map(|it| it.rule).collect::<Vec<_>>(), ["CK005"]);
}

#[test]
fn seed_003_70_a_described_retry_agrees_with_the_registry() {
    let tool = |said: &str| {
        format!("server.registerTool('click', {{ description: 'Clicks. {said}' }}, click);\n")
    };
    let wrong = tool("Errors: REF_NOT_FOUND (retryable).");
    assert_eq!(found(&[("src/a.ts", &wrong)], stagewright()), ["CK408 src/a.ts:1"]);
    let right = tool("Errors: REF_NOT_FOUND (not retryable), LAUNCH_TIMEOUT (retryable).");
    assert_eq!(found(&[("src/a.ts", &right)], stagewright()), [""; 0]);
}

#[test]
fn a_code_in_a_struct_literal_of_rust_is_raised() {
    let text =
        "fn f() -> ToolError { ToolError { code: \"ZEBRA_STRIPED\".into(), message: x() } }\n";
    assert_eq!(found(&[("src/a.rs", text)], core()), ["CK001 src/a.rs:1"]);
    let other = "fn f() -> Key { Key { code: \"ARROW_LEFT\".into(), message: x() } }\n";
    assert_eq!(found(&[("src/a.rs", other)], core()), [""; 0]);
}

#[test]
fn a_fault_that_is_thrown_as_a_value_needs_a_wrapper() {
    let tool = |handler: &str| {
        format!(
            "function noteFault(code, message) {{\n  return {{ code, message, retry: 'never' }};\n}}\nserver.registerTool('a', {{}}, {handler});\n"
        )
    };
    for thrown in [
        "makeFault('NOT_FOUND')",
        "{ code: 'NOT_FOUND', message: 'No.' }",
        "noteFault('NOT_FOUND', 'No.')",
    ] {
        let bare = tool(&format!("async () => {{ throw {thrown}; }}"));
        assert_eq!(found(&[("src/a.ts", &bare)], core()), ["CK409 src/a.ts:4"], "{thrown}");
        let wrapped = tool(&format!("wrapHandler(async () => {{ throw {thrown}; }})"));
        assert_eq!(found(&[("src/a.ts", &wrapped)], core()), [""; 0], "{thrown}");
    }
    let own = tool("async () => { throw toError('NOT_FOUND'); }");
    assert_eq!(found(&[("src/a.ts", &own)], core()), [""; 0]);
}

#[test]
fn a_draft_keeps_what_a_table_says_of_its_codes() {
    let table = "export const ERROR_CODES = {\n  NOT_RUNNING: { http: 409, retryable: false, hint: 'Call launch first, then try again.' },\n  LAUNCH_SLOW: { http: 408, retryable: true, hint: 'Check the main process startup time.' },\n} as const;\n";
    let draft = infer(&Sources::of_texts(&[("src/codes.ts", table)]), "stage");
    let registry = load(&Source::new("errors.toml", &draft), &|_, _| None).unwrap();
    for (code, http, is_retryable, hint) in [
        ("NOT_RUNNING", 409, false, "Call launch first, then try again."),
        ("LAUNCH_SLOW", 408, true, "Check the main process startup time."),
    ] {
        let row = registry.get(code).unwrap();
        let kept = (row.http, row.retry.retryable(), row.hint.as_str());
        assert_eq!(kept, (http, is_retryable, hint), "{draft}");
    }
}

#[test]
fn a_draft_has_codes_for_errors_without_one() {
    let server = "@mcp.tool()\ndef lend(book_id: str) -> str:\n    if book_id in loans:\n        raise ValueError(f\"Book {book_id} is on loan.\")\n    return \"lent\"\n\n\ndef helper():\n    raise ValueError(\"No tool reaches this.\")\n";
    let draft = infer(&Sources::of_texts(&[("server.py", server)]), "library");
    for part in [
        "[code.BOOK_ON_LOAN]",
        "class = \"invalid_argument\"",
        "message = \"Book {book_id} is on loan.\"",
        "params.book_id = {",
        "may = [\"BOOK_ON_LOAN\"]",
    ] {
        assert!(draft.contains(part), "no {part} in\n{draft}");
    }
    assert!(!draft.contains("REACHES"), "{draft}");
    load(&Source::new("errors.toml", &draft), &|_, _| None).unwrap();
}
