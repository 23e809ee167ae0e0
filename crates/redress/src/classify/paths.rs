//! Which values are paths, and of what: by the name of the argument, by their signs, by their ends.

/// Ends of names that are files without doubt.
const EXTENSIONS: [&str; 39] = [
    "txt", "md", "json", "jsonl", "toml", "yaml", "yml", "xml", "html", "css", "csv", "tsv", "log",
    "ini", "cfg", "conf", "js", "ts", "jsx", "tsx", "py", "rs", "go", "java", "sh", "sql", "db",
    "sqlite", "pdf", "docx", "xlsx", "pptx", "png", "jpg", "jpeg", "gif", "svg", "zip", "lock",
];
/// Before the path in the address of a file.
const LOCAL: &str = "file://";

pub(crate) enum PathKind {
    File,
    Directory,
    Address,
}

/// Whether an argument is a path, and of what.
pub(crate) fn path_kind(key: &str, value: &str) -> Option<PathKind> {
    let is_local = value.starts_with(LOCAL);
    let value = local(value);
    if value.contains("://") {
        return Some(PathKind::Address);
    }
    if value.len() > 512 || value.contains('\n') {
        return None;
    }
    let named_dir = is_directory(key);
    let key = key.to_ascii_lowercase();
    let named_path = named_dir || is_local || ["path", "file"].iter().any(|it| key.contains(it));
    let has_slash = value.contains(['/', '\\']) && !value.contains(' ');
    let last = value.rsplit(['/', '\\']).next().unwrap_or_default();
    match (has_extension(last), named_path || has_slash) {
        _ if named_dir => Some(PathKind::Directory),
        (true, true) => Some(PathKind::File),
        (true, false) if !value.contains(' ') => Some(PathKind::File),
        (false, true) if named_path || is_absolute(value) => Some(PathKind::Directory),
        _ => None,
    }
}

/// Whether an argument is named as a directory.
pub(crate) fn is_directory(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["dir", "folder", "cwd", "root"].iter().any(|it| key.contains(it))
}

/// The path in the address of a file; any other value is itself.
pub(crate) fn local(value: &str) -> &str {
    value.strip_prefix(LOCAL).unwrap_or(value)
}

/// Whether a name ends as those of files do.
pub(crate) fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|it| it.is_ascii_alphanumeric())
            && end.bytes().any(|it| it.is_ascii_alphabetic())
    })
}

pub(crate) fn is_absolute(value: &str) -> bool {
    value.starts_with('/') || value.get(1..3).is_some_and(|it| it == ":\\" || it == ":/")
}

/// Whether a word of the first line has the extension of a file.
pub(crate) fn names_file(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    let words = line
        .split(|it: char| it.is_whitespace() || matches!(it, '\'' | '"' | '(' | ')' | ',' | ';'));
    words.take(64).any(is_file_name)
}

/// Whether a word has the extension of a file.
pub(crate) fn is_file_name(word: &str) -> bool {
    let name = word.trim_end_matches(['.', ':']).rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && EXTENSIONS.contains(&end))
}
