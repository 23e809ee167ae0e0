//! Tools whose calls all come to one handler: what is done for the name of each is its work.

use redress_check::{Contract, Day, Project, Sources, check};
use redress_registry::{Source, load};

const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n\
    [domain.notes]\n";

fn contract() -> Contract {
    let row = |code: &str| {
        format!(
            "[code.{code}]\ndomain = \"notes\"\nclass = \"not_found\"\ntitle = \"T\"\nmessage = \"M.\"\nhint = \"Do it.\"\n"
        )
    };
    let tools =
        "[tool.read_note]\nmay = [\"NOTE_GONE\"]\n[tool.edit_note]\nmay = [\"NOTE_LOCKED\"]\n";
    let text = [CONTRACT, &row("NOTE_GONE"), &row("NOTE_LOCKED"), tools].concat();
    let source = Source::new("errors.toml", &text);
    Contract::new(load(&source, &|_, _| None).unwrap(), source)
}

/// The lines of codes that a tool raises and its row does not list.
fn outside(files: &[(&str, &str)]) -> Vec<usize> {
    let contracts = [contract()];
    let sources = Sources::of_texts(files);
    let project = Project::new(&sources, &contracts, |_| Some(0));
    let hits = check(&project, Day::default()).hits;
    hits.iter().filter(|it| it.finding.rule == "CK401").map(|it| it.finding.place.line).collect()
}

const LIST: &str = "export const TOOLS = [\n  { name: 'read_note', description: 'Reads.', inputSchema: {} },\n  \
    { name: 'edit_note', description: 'Edits.', inputSchema: {} },\n];\n";

const SWITCH: &str = "server.setRequestHandler(CallToolRequestSchema, async (request) => {\n  switch (request.params.name) {\n    \
    case 'read_note':\n      return toolError('NOTE_LOCKED', 'x');\n    case 'edit_note':\n      return edit();\n    \
    default:\n      return toolError('NOTE_GONE', 'x');\n  }\n});\nfunction edit() {\n  return toolError('NOTE_GONE', 'x');\n}\n";

#[test]
fn a_case_is_the_work_of_its_tool() {
    let whole = format!("{LIST}{SWITCH}");
    assert_eq!(outside(&[("src/a.ts", &whole)]), [8, 16]);
    assert_eq!(outside(&[("src/list.ts", LIST), ("src/call.ts", SWITCH)]), [4, 12]);
    let two = format!("{whole}{SWITCH}");
    assert_eq!(outside(&[("src/a.ts", &two)]), [0; 0], "nobody knows which is meant");
    let other = whole.replace("request.params.name", "request.params.mode");
    assert_eq!(outside(&[("src/a.ts", &other)]), [0; 0]);
}

#[test]
fn so_is_what_a_comparison_leads_to() {
    let typescript = format!(
        "{LIST}export async function call(name: string) {{\n  if (name === 'read_note') {{\n    return toolError('NOTE_LOCKED', 'x');\n  \
         }} else if (name === 'edit_note') {{\n    return toolError('NOTE_LOCKED', 'x');\n  }}\n}}\n"
    );
    assert_eq!(outside(&[("src/a.ts", &typescript)]), [7]);
    let python = "TOOLS = [Tool(name='read_note', description='Reads.'), Tool(name='edit_note', description='Edits.')]\n\
                  def call(name):\n    if name == 'read_note':\n        return tool_error('NOTE_LOCKED', 'x')\n    \
                  elif name == 'edit_note':\n        return tool_error('NOTE_GONE', 'x')\n";
    assert_eq!(outside(&[("src/a.py", python)]), [4, 6]);
    let python = "TOOLS = [Tool(name='read_note', description='Reads.')]\ndef call(name):\n    match name:\n        \
                  case 'read_note':\n            return tool_error('NOTE_LOCKED', 'x')\n";
    assert_eq!(outside(&[("src/a.py", python)]), [5]);
}
