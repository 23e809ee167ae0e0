//! Statuses of gRPC: `rpc error: code = NotFound desc = …`, `StatusCode.NOT_FOUND`, `5 NOT_FOUND: …`.

use redress_registry::{Class, Effect, RetryKind};

use super::super::{
    evidence::Evidence,
    prose,
    tier::{Finding, Tier},
};
use crate::codes;

pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let class = find(&evidence.message.text)?;
    let again = Some(RetryKind::AfterDelay);
    let (code, retry) = match class {
        Class::ResourceExhausted => (codes::RATE_LIMITED, None),
        Class::PermissionDenied => (codes::INSUFFICIENT_PERMISSIONS, None),
        Class::Internal | Class::DataLoss | Class::Unknown => (codes::INTERNAL_ERROR, again),
        _ => (prose::of_class(class), None),
    };
    let finding = Finding::new(Tier::Format, format!("grpc: {}", class.name()), code.name());
    Some(Finding { retry, ..finding.effect(Effect::Unknown) })
}

/// The class that a text in our spelling names in one of the forms.
fn find(text: &str) -> Option<Class> {
    let after = |lead: &str| text.split_once(lead).and_then(|it| class(it.1)).map(|it| it.0);
    let numbered = || {
        let (number, rest) = text.trim_start().split_once(' ')?;
        let is_number = number.parse::<u8>().is_ok_and(|it| it <= 16);
        class(rest).filter(|it| is_number && it.1.starts_with(':')).map(|it| it.0)
    };
    after("code = ").or_else(|| after("status code.")).or_else(numbered)
}

/// The class whose name a text starts with, and the rest of it.
fn class(text: &str) -> Option<(Class, &str)> {
    Class::ALL.iter().find_map(|it| {
        let rest = text.strip_prefix(&*it.name().replace('_', " "))?;
        (!rest.starts_with(char::is_alphanumeric)).then_some((*it, rest))
    })
}

#[cfg(test)]
mod tests {
    use redress_registry::Class;

    use super::find;

    #[test]
    fn a_status_is_read_in_each_of_its_forms() {
        for (text, class) in [
            ("rpc error: code = not found desc = no such key", Some(Class::NotFound)),
            ("status = status code.unavailable details = \"x\"", Some(Class::Unavailable)),
            ("8 resource exhausted: quota", Some(Class::ResourceExhausted)),
            ("5 not found in the list", None),
            ("not found", None),
        ] {
            assert_eq!(find(text), class, "{text}");
        }
    }
}
