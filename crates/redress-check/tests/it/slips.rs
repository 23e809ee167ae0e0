//! A misspelt code is found in every common way of raising one, and a word that only looks alike is left alone.

use redress_check::{Contract, Day, Project, Sources, check};
use redress_registry::{Source, load};

const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n";

fn is_found(file: &str, text: &str) -> bool {
    let source = Source::new("errors.toml", CONTRACT);
    let contracts = [Contract::new(load(&source, &|_, _| None).unwrap(), source)];
    let sources = Sources::of_texts(&[(file, text)]);
    let project = Project::new(&sources, &contracts, |_| Some(0));
    check(&project, Day::default()).hits.iter().any(|it| it.finding.rule == "CK001")
}

fn silent<'t>(file: &str, texts: &[&'t str]) -> Vec<&'t str> {
    texts.iter().copied().filter(|it| !is_found(file, it)).collect()
}

#[test]
fn typescript_hides_no_slip() {
    let texts = [
        "const NOTE = 'FILE_NOT_FUOND'; throw new ToolError(NOTE, 'x');",
        "export const Codes = { A: 'FILE_NOT_FUOND', B: 'FILE_NOT_FOUND' } as const;",
        "export enum Code { Missing = 'FILE_NOT_FUOND', File = 'FILE_NOT_FOUND' }",
        "export type Code = 'FILE_NOT_FUOND' | 'FILE_NOT_FOUND';",
        "class Missing extends ToolError { constructor() { super('FILE_NOT_FUOND', 'x'); } }",
        "class Missing extends Error { code = 'FILE_NOT_FUOND'; }",
        "export const f = (a: any) => ({ isError: true, error: { code: a.code ?? 'FILE_NOT_FUOND' } });",
        "export function f(e: any) { switch (e.code) { case 'FILE_NOT_FUOND': return 1; } }",
        "function codeOf(e: any) { if (e) return 'FILE_NOT_FUOND'; return 'INTERNAL'; }",
        "export const f = () => ({ isError: true, error: 'FILE_NOT_FUOND' });",
        "export const f = (a: string) => ({ isError: true, content: [{ type: 'text', text: `FILE_NOT_FUOND: No ${a}.` }] });",
        "export const f = () => ({ ok: false, code: 'ZEBRA_STRIPED', message: 'x' });",
        "const NOTE = 'ZEBRA_STRIPED'; throw new ToolError(NOTE, 'x');",
    ];
    assert_eq!(silent("a.ts", &texts), [""; 0]);
}

#[test]
fn python_hides_no_slip() {
    let texts = [
        "NOTE = 'FILE_NOT_FUOND'\ndef f():\n    raise ToolError(NOTE, 'x')\n",
        "class Code(str, Enum):\n    A = 'FILE_NOT_FUOND'\n    B = 'FILE_NOT_FOUND'\n",
        "class Missing(ToolError):\n    def __init__(self):\n        super().__init__('FILE_NOT_FUOND', 'x')\n",
        "class Missing(Exception):\n    code: str = 'FILE_NOT_FUOND'\n",
        "def f(a):\n    raise ToolError(a or 'FILE_NOT_FUOND', 'x')\n",
        "def f(e):\n    match e.code:\n        case 'FILE_NOT_FUOND':\n            return 1\n",
        "def f(a):\n    raise ToolError(f'FILE_NOT_FUOND: No {a}.')\n",
        "def f():\n    return {'success': False, 'code': 'ZEBRA_STRIPED', 'message': 'x'}\n",
    ];
    assert_eq!(silent("a.py", &texts), [""; 0]);
}

#[test]
fn rust_hides_no_slip() {
    let texts = [
        "fn f() -> ToolError { ToolError { code: \"FILE_NOT_FUOND\".into(), message: x() } }",
        "fn f() -> ToolError { ToolError { code: String::from(\"FILE_NOT_FUOND\"), message: x() } }",
        "const NOTE: &str = \"FILE_NOT_FUOND\"; fn f() -> ToolError { ToolError::new(NOTE, \"x\") }",
        "impl E { fn code(&self) -> &str { match self { Self::A => { \"FILE_NOT_FUOND\" } Self::B => \"INTERNAL\" } } }",
        "impl Coded for A { fn code(&self) -> &str { \"FILE_NOT_FUOND\" } }",
        "fn f(a: bool) -> ToolError { ToolError::new(if a { \"ZEBRA_STRIPED\" } else { \"INTERNAL\" }, \"x\") }",
        "fn f(e: &E) -> u8 { match e.code() { \"FILE_NOT_FUOND\" => 1, _ => 2 } }",
        "fn f() -> R { CallToolResult::error(vec![Content::text(\"FILE_NOT_FUOND: No such file.\")]) }",
    ];
    assert_eq!(silent("a.rs", &texts), [""; 0]);
}

#[test]
fn what_only_looks_like_a_code_is_left_alone() {
    let texts = [
        "const level = getenv('FILE_NOT_FUOND');",
        "const url = 'DATABASE_URL'; open(url);",
        "throw new Error('DATABASE_URL: must be set');",
        "console.log('FILE_NOT_FUOND: never mind');",
        "const KEYS = ['FILES_NOT_FOUND', 'LOG_LEVEL'];",
    ];
    assert_eq!(silent("a.ts", &texts), texts);
    let texts = [
        "LEVEL = os.environ.get('LOG', 'DATABASE_URL')\n",
        "class A:\n    def _find(self, code, name):\n        pass\n    def f(self):\n        self._find('ZEBRA_STRIPED', 'x')\n",
        "def f(e):\n    return e.get('FILE_NOT_FUOND')\n",
    ];
    assert_eq!(silent("a.py", &texts), texts);
    let texts = [
        "enum Mode { #[serde(rename = \"READ_ONLY\")] Read, #[serde(rename = \"READ_WRITE\")] Write }",
        "fn f() -> B { build().with_name(\"FILE_NOT_FUOND\") }",
    ];
    assert_eq!(silent("a.rs", &texts), texts);
}

#[test]
fn no_slip_is_hidden_by_what_a_code_passes_through() {
    let typescript = [
        "export const f = (e: any) => ['FILE_NOT_FUOND'].includes(e.code);",
        "export const f = (e: any) => new Set(['FILE_NOT_FUOND']).has(e.code);",
        "export const f = () => build().withCode('FILE_NOT_FUOND');",
        "const STATUS = { ['FILE_NOT_FUOND']: 404, ['FILE_NOT_FOUND']: 404 };",
        "class A { fail(code: string, message: string) {} f() { this.fail('ZEBRA_STRIPED', 'x'); } }",
    ];
    assert_eq!(silent("a.ts", &typescript), [""; 0]);
    let python = [
        "MAP = {}\ndef f(a):\n    raise ToolError(MAP.get(a, 'ZEBRA_STRIPED'), 'x')\n",
        "MAP = {}\ndef f(a):\n    return MAP.get(a, 'FILE_NOT_FUOND')\n",
        "def f(e):\n    return e.code in ('FILE_NOT_FUOND', 'OTHER')\n",
        "class A:\n    def f(self):\n        self._fail('FILE_NOT_FUOND')\n",
        "class A:\n    def _fail(self, code, message):\n        pass\n    def f(self):\n        self._fail('ZEBRA_STRIPED', 'x')\n",
    ];
    assert_eq!(silent("a.py", &python), [""; 0]);
    let rust = [
        "fn f() -> ToolError { ToolError::default().with_code(\"FILE_NOT_FUOND\") }",
        "fn f() -> T { built().with_code(\"FILE_NOT_FUOND\") }",
        "enum Code { #[serde(rename = \"FILE_NOT_FUOND\")] Missing, #[serde(rename = \"FILE_NOT_FOUND\")] File }",
        "fn f(a: Option<&str>) -> ToolError { ToolError::new(a.unwrap_or(\"ZEBRA_STRIPED\"), \"x\") }",
        "impl A { fn fail(&self, code: &str) -> E { e() } fn f(&self) -> E { self.fail(\"ZEBRA_STRIPED\") } }",
    ];
    assert_eq!(silent("a.rs", &rust), [""; 0]);
}
