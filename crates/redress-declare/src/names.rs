//! Names of Rust as names of a registry.

use syn::Type;

use redress_registry::ParamType;

/// The code of a type or variant: `RefNotFound` is `REF_NOT_FOUND`, `HTTPTimeout` is `HTTP_TIMEOUT`.
pub(crate) fn code(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut code = String::with_capacity(name.len() + 8);
    for (at, it) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|it| letters.get(it));
        let after = letters.get(at + 1);
        let starts_word = it.is_uppercase()
            && before.is_some_and(|before| {
                let ends_capitals =
                    before.is_uppercase() && after.is_some_and(|it| it.is_lowercase());
                before.is_lowercase() || before.is_numeric() || ends_capitals
            });
        if starts_word {
            code.push('_');
        }
        code.extend(it.to_uppercase());
    }
    code
}

/// The JSON type that a type of Rust has, as far as its name tells.
pub(crate) fn kind(ty: &Type) -> Option<ParamType> {
    let path = match ty {
        Type::Reference(it) => return kind(&it.elem),
        Type::Paren(it) => return kind(&it.elem),
        Type::Group(it) => return kind(&it.elem),
        Type::Array(_) | Type::Slice(_) => return Some(ParamType::Array),
        Type::Path(it) => &it.path,
        _ => return None,
    };
    let last = path.segments.last()?;
    Some(match last.ident.to_string().as_str() {
        "Option" | "Box" | "Arc" | "Cow" => return kind(last_argument(ty)?),
        "String" | "str" | "char" | "Path" | "PathBuf" => ParamType::String,
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" => ParamType::Integer,
        "f32" | "f64" => ParamType::Number,
        "bool" => ParamType::Boolean,
        "Vec" | "BTreeSet" => ParamType::Array,
        "BTreeMap" | "Map" => ParamType::Object,
        _ => return None,
    })
}

/// Whether the type is an `Option`.
pub(crate) fn is_option(ty: &Type) -> bool {
    match ty {
        Type::Path(it) => it.path.segments.last().is_some_and(|it| it.ident == "Option"),
        Type::Paren(it) => is_option(&it.elem),
        Type::Group(it) => is_option(&it.elem),
        _ => false,
    }
}

/// The last type between the angle brackets.
fn last_argument(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let syn::PathArguments::AngleBracketed(list) = &path.path.segments.last()?.arguments else {
        return None;
    };
    list.args.iter().rev().find_map(|it| match it {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{code, kind};
    use redress_registry::ParamType;

    #[test]
    fn a_name_becomes_the_code_that_a_person_would_write() {
        for (name, expected) in [
            ("RefNotFound", "REF_NOT_FOUND"),
            ("HTTPTimeout", "HTTP_TIMEOUT"),
            ("Utf8Invalid", "UTF8_INVALID"),
            ("TooManyU", "TOO_MANY_U"),
            ("Io", "IO"),
            ("X2Y", "X2_Y"),
        ] {
            assert_eq!(code(name), expected);
        }
    }

    #[test]
    fn the_type_of_a_parameter_is_read_from_the_name_of_its_type() {
        let kind = |text: &str| kind(&syn::parse_str(text).unwrap());
        assert_eq!(kind("Option<&'a str>"), Some(ParamType::String));
        assert_eq!(kind("std::borrow::Cow<'static, str>"), Some(ParamType::String));
        assert_eq!(kind("Box<u64>"), Some(ParamType::Integer));
        assert_eq!(kind("[String; 2]"), Some(ParamType::Array));
        assert_eq!(kind("BTreeMap<String, u8>"), Some(ParamType::Object));
        assert_eq!(kind("NoteId"), None);
    }
}
