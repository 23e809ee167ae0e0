//! A registry in other forms. A form is one file below and one row here; equal registries give equal bytes.

mod json;
mod json_schema;
mod markdown;

use crate::Registry;

/// A form that a registry can be exported to.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What comes out, one sentence.
    pub about: &'static str,
    /// How the name of a file of this form ends.
    pub ending: &'static str,
    /// Writes it.
    pub write: fn(&Registry) -> String,
}

/// Every form.
pub const FORMATS: &[Format] = &[
    Format {
        name: "json",
        about: "The resolved registry as canonical JSON, every default filled in.",
        ending: "json",
        write: json::write,
    },
    Format {
        name: "json-schema",
        about: "A JSON Schema (2020-12) of the envelopes that this registry allows.",
        ending: "schema.json",
        write: json_schema::write,
    },
    Format {
        name: "markdown",
        about: "A page for people: an index, and a section for each code.",
        ending: "md",
        write: markdown::write,
    },
];

/// The form of that name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|it| it.name == name)
}
