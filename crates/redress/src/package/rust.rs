//! The registry as a Rust module: one constant for each code, which can be raised, and the registry itself as its lock.

use std::{fmt::Write as _, sync::Arc};

use redress_registry::{Entry, Registry, lock::lock, name};

use super::{File, Runtime, literal};
use crate::text::strip;

/// Words that no module can be called.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

pub(super) fn files(registry: &Arc<Registry>, _: Runtime) -> Vec<File> {
    vec![File::new(format!("{}_codes.rs", registry.name.replace('-', "_")), module(registry))]
}

fn module(registry: &Registry) -> String {
    let mut text = format!(
        "//! The codes of {name} {version}. Written by `redress registry export --format rust`; not to be edited.\n\n\
         use std::sync::{{Arc, LazyLock}};\n\n\
         use redress::codes::{{Code, locked}};\n\
         use redress_registry::Registry;\n",
        name = registry.name,
        version = registry.version,
    );
    for row in registry.codes.values().filter(|it| !it.code.contains('.')) {
        write_code(row, &row.code, "", &mut text);
    }
    for namespace in namespaces(registry) {
        write_plugin(registry, namespace, &mut text);
    }
    write_registry(registry, &mut text);
    text
}

/// The lock is inside a function, because every word in capitals can be the name of a code.
fn write_registry(registry: &Registry, text: &mut String) {
    let lock = literal::seen(&lock(registry));
    let hashes = hashes(&lock);
    let count = registry.codes.len();
    _ = write!(
        text,
        "\n/// Every code, in the order of the file.\n\
         pub const fn codes() -> [Code; {count}] {{\n    [\n"
    );
    for row in registry.codes.values() {
        _ = writeln!(text, "        {},", path(&row.code));
    }
    _ = write!(
        text,
        "    ]\n}}\n\n/// The registry itself.\n\
         pub fn registry() -> &'static Arc<Registry> {{\n    \
             static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| locked(lock_::LOCK));\n    \
             &REGISTRY\n\
         }}\n\n/// Its lock.\nmod lock_ {{\n    pub(super) const LOCK: &str = r{hashes}\"{lock}\"{hashes};\n}}\n"
    );
}

fn write_plugin(registry: &Registry, namespace: &str, text: &mut String) {
    let module = identifier(namespace);
    _ = write!(
        text,
        "\n/// The codes of the plugin `{namespace}`.\npub mod {module} {{\n    use super::{{Code, registry}};\n"
    );
    for row in registry.codes.values() {
        if let (Some(of), code) = name::split(&row.code)
            && of == namespace
        {
            write_code(row, code, "    ", text);
        }
    }
    text.push_str("}\n");
}

fn write_code(row: &Entry, name: &str, indent: &str, text: &mut String) {
    let title = strip(&row.title);
    // What rustdoc would take for a link or a tag.
    let title = title.replace(['[', ']', '`', '<', '>'], "");
    _ = write!(
        text,
        "\n{indent}/// {}.\n{indent}pub const {name}: Code = Code::new({}, registry);\n",
        title.trim_end_matches('.'),
        literal::text(&row.code),
    );
}

/// The namespaces of the codes, in the order of the file, each once.
fn namespaces(registry: &Registry) -> Vec<&str> {
    let mut found = Vec::new();
    for namespace in registry.codes.keys().filter_map(|it| name::split(it).0) {
        if !found.contains(&namespace) {
            found.push(namespace);
        }
    }
    found
}

fn path(code: &str) -> String {
    match name::split(code) {
        (Some(namespace), code) => format!("{}::{code}", identifier(namespace)),
        (None, code) => code.to_owned(),
    }
}

/// A namespace as the name of a module. Namespaces have no underscores, so no two become one.
fn identifier(namespace: &str) -> String {
    let name = namespace.replace('-', "_");
    if KEYWORDS.contains(&namespace) { name + "_" } else { name }
}

/// As many marks as a raw text needs so that nothing in it can end it.
fn hashes(text: &str) -> String {
    let mut most = 0;
    for after in text.split('"').skip(1) {
        most = most.max(after.len() - after.trim_start_matches('#').len() + 1);
    }
    "#".repeat(most)
}
