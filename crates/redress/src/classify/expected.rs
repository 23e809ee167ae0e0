//! The type of JSON that a validator asks for, where its own form names it.

/// What stands right before the name of a type.
const LEADS: [&str; 6] = [
    "expected ",
    "must be ",
    "is not of type '",
    "should be a valid ",
    "should be an ",
    "should be a ",
];

/// Names of types, in the validators' words and in those of JSON.
const NAMES: [(&str, &str); 16] = [
    ("string", "string"),
    ("str", "string"),
    ("number", "number"),
    ("float", "number"),
    ("double", "number"),
    ("integer", "integer"),
    ("int", "integer"),
    ("boolean", "boolean"),
    ("bool", "boolean"),
    ("object", "object"),
    ("dictionary", "object"),
    ("map", "object"),
    ("array", "array"),
    ("list", "array"),
    ("sequence", "array"),
    ("null", "null"),
];

/// Whether a word is the name of a type of JSON, as we tell it.
pub(super) fn is_type(word: &str) -> bool {
    NAMES.iter().any(|(_, told)| *told == word)
}

/// The type that a text asks for. Only names of types are ever read from it.
pub(super) fn type_in(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    LEADS.iter().find_map(|lead| {
        let rest = lower.get(lower.find(lead)? + lead.len()..)?;
        let rest = rest.strip_prefix("a ").or_else(|| rest.strip_prefix("an ")).unwrap_or(rest);
        let word = rest.split(|it: char| !it.is_ascii_alphanumeric()).next()?;
        NAMES.iter().find(|(name, _)| *name == word).map(|(_, told)| *told)
    })
}

#[cfg(test)]
mod tests {
    use super::type_in;

    #[test]
    fn a_type_is_read_in_the_words_of_every_validator() {
        for (text, named) in [
            ("Invalid input: expected string, received number", Some("string")),
            ("Expected array, received object at \"items\"", Some("array")),
            ("data/path must be string", Some("string")),
            ("5 is not of type 'string'", Some("string")),
            ("  Input should be a valid integer [type=int_parsing]", Some("integer")),
            ("  Input should be a valid list [type=list_type]", Some("array")),
            ("invalid type: integer `5`, expected a string at line 1", Some("string")),
            ("expected you to obey", None),
            ("must be between 1 and 5", None),
            ("", None),
        ] {
            assert_eq!(type_in(text), named, "{text}");
        }
    }
}
