//! The exceptions that Python has built in, and their kinds.

/// Each with the one that it is a kind of.
const BUILT_IN: &[(&str, &str)] = &[
    ("Exception", "BaseException"),
    ("ArithmeticError", "Exception"),
    ("AssertionError", "Exception"),
    ("AttributeError", "Exception"),
    ("BufferError", "Exception"),
    ("EOFError", "Exception"),
    ("ImportError", "Exception"),
    ("LookupError", "Exception"),
    ("OSError", "Exception"),
    ("RuntimeError", "Exception"),
    ("StopIteration", "Exception"),
    ("TypeError", "Exception"),
    ("ValueError", "Exception"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("ConnectionError", "OSError"),
    ("FileExistsError", "OSError"),
    ("FileNotFoundError", "OSError"),
    ("InterruptedError", "OSError"),
    ("IsADirectoryError", "OSError"),
    ("NotADirectoryError", "OSError"),
    ("PermissionError", "OSError"),
    ("TimeoutError", "OSError"),
    ("NotImplementedError", "RuntimeError"),
    ("UnicodeDecodeError", "ValueError"),
];

/// Whether an exception is one of the language.
pub(super) fn is_built_in(name: &str) -> bool {
    let name = today(name);
    name == "BaseException" || kind_of(name).is_some()
}

/// Whether a handler for exceptions of one type gets those of another.
pub(crate) fn catches(name: &str, raised: &str) -> bool {
    let name = today(name.rsplit('.').next().unwrap_or(name));
    let mut kinds = std::iter::successors(Some(today(raised)), |it| kind_of(it));
    kinds.any(|it| it == name)
}

fn kind_of(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// The name of an exception that has older ones, too.
fn today(name: &str) -> &str {
    match name {
        "EnvironmentError" | "IOError" => "OSError",
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::catches;

    #[test]
    fn a_handler_gets_every_kind_of_what_it_names() {
        for (name, raised) in [
            ("OSError", "FileNotFoundError"),
            ("IOError", "InterruptedError"),
            ("OSError", "EnvironmentError"),
            ("builtins.LookupError", "KeyError"),
            ("ArithmeticError", "ZeroDivisionError"),
            ("Exception", "UnicodeDecodeError"),
            ("NoteError", "NoteError"),
        ] {
            assert!(catches(name, raised), "{name} {raised}");
        }
        for (name, raised) in
            [("KeyError", "LookupError"), ("ValueError", "KeyError"), ("OSError", "NoteError")]
        {
            assert!(!catches(name, raised), "{name} {raised}");
        }
    }
}
