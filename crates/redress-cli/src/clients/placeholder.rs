//! What a client fills in before it starts a server: `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `{env:NAME}` and `${workspaceFolder}`.

use std::{env, path::Path};

/// The text that a client would use; else the first placeholder that only the client can fill in.
pub(crate) fn filled(text: &str, project: &Path) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        let Some((inside, behind)) = after.get(1..).unwrap_or_default().split_once('}') else {
            break;
        };
        let is_dollar = before.ends_with('$');
        if !is_dollar && !["env:", "file:"].iter().any(|it| inside.starts_with(it)) {
            out.push_str(before);
            out.push('{');
            rest = after.get(1..).unwrap_or_default();
            continue;
        }
        out.push_str(before.strip_suffix('$').unwrap_or(before));
        let whole = if is_dollar { format!("${{{inside}}}") } else { format!("{{{inside}}}") };
        out.push_str(&value(inside, project).ok_or(whole)?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

fn value(inside: &str, project: &Path) -> Option<String> {
    if inside == "workspaceFolder" {
        return Some(project.to_string_lossy().into_owned());
    }
    let name = inside.strip_prefix("env:").unwrap_or(inside);
    let (name, default) = name.split_once(":-").map_or((name, None), |(name, it)| (name, Some(it)));
    let is_name =
        !name.is_empty() && name.chars().all(|it| it == '_' || it.is_ascii_alphanumeric());
    let found = env::var_os(name).and_then(|it| it.into_string().ok()).filter(|_| is_name);
    found.or_else(|| default.map(ToOwned::to_owned))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::filled;

    #[test]
    fn variables_are_filled_in_and_inputs_are_not() {
        let filled = |text| filled(text, Path::new("/p"));
        let path = std::env::var_os("PATH").unwrap().into_string().unwrap();
        assert_eq!(filled("${PATH}"), Ok(path.clone()));
        assert_eq!(filled("a${env:PATH}b{env:PATH}"), Ok(format!("a{path}b{path}")));
        assert_eq!(filled("${NO_SUCH_VARIABLE:-x}"), Ok("x".to_owned()));
        assert_eq!(filled("${workspaceFolder}/a"), Ok("/p/a".to_owned()));
        assert_eq!(filled("{\"a\": {}} ${"), Ok("{\"a\": {}} ${".to_owned()));
        assert_eq!(filled("x ${input:key}"), Err("${input:key}".to_owned()));
        assert_eq!(filled("${NO_SUCH_VARIABLE}"), Err("${NO_SUCH_VARIABLE}".to_owned()));
    }
}
