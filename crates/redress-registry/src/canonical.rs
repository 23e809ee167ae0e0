//! The resolved registry as canonical JSON: every default filled in, keys sorted as RFC 8785 says, one spelling per value.
//!
//! Locks hash this text, so what it says about a registry may grow but never change.

use serde_json::{Map, Number, Value, json};

use crate::{
    Alias, Allow, Deprecated, Domain, Entry, NextStep, Param, Registry, Retired, Retry, Tool,
    model::Ordered, read::FORMAT,
};

/// The one text of a registry: equal registries have equal bytes.
pub fn canonical(registry: &Registry) -> String {
    canonical_json(&document(registry))
}

/// Any JSON value as RFC 8785 writes it. Integers beyond 2^53 keep their digits.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// A resolved registry as a JSON value. What is absent has no key.
pub fn document(registry: &Registry) -> Value {
    object([
        ("format", Some(json!(FORMAT))),
        ("name", Some(json!(&*registry.name))),
        ("version", Some(json!(registry.version))),
        ("docs_base", registry.docs_base.as_ref().map(|it| json!(it))),
        ("extends", Some(json!(registry.extends))),
        ("namespace", registry.namespace.as_ref().map(|it| json!(it))),
        ("domains", Some(rows(&registry.domains, domain))),
        ("codes", Some(rows(&registry.codes, |it| entry(it)))),
        ("retired", Some(rows(&registry.retired, retired))),
        ("tools", Some(rows(&registry.tools, tool))),
        ("allows", Some(registry.allows.iter().map(allow).collect())),
    ])
}

/// One row as a JSON value.
pub fn entry(entry: &Entry) -> Value {
    object([
        ("registry", Some(json!(&*entry.registry))),
        ("number", entry.number.map(|it| json!(it))),
        ("domain", Some(json!(entry.domain))),
        ("class", Some(json!(entry.class.name()))),
        ("http", Some(json!(entry.http))),
        ("retry", Some(retry(entry.retry))),
        ("effect", Some(json!(entry.effect.name()))),
        ("severity", Some(json!(entry.severity.name()))),
        ("title", Some(json!(entry.title))),
        ("message", Some(json!(entry.message))),
        ("hint", Some(json!(entry.hint))),
        ("next", Some(entry.next.iter().map(next).collect())),
        ("similar", entry.similar.as_ref().map(|it| json!(it))),
        // A list, because the order of parameters is that of `details` on the wire.
        ("params", Some(entry.params.iter().map(param).collect())),
        ("explain", Some(json!(entry.explain))),
        ("example", Some(json!(entry.example))),
        ("since", entry.since.as_ref().map(|it| json!(it))),
        ("stability", Some(json!(entry.stability.name()))),
        ("deprecated", entry.deprecated.as_ref().map(deprecated)),
        ("alias", Some(alias(&entry.alias))),
    ])
}

fn retry(retry: Retry) -> Value {
    object([
        ("kind", Some(json!(retry.kind.name()))),
        ("after_ms", retry.after_ms.map(|it| json!(it))),
        ("max", retry.max.map(|it| json!(it))),
    ])
}

fn next(step: &NextStep) -> Value {
    object([("tool", Some(json!(step.tool))), ("args", Some(json!(step.args)))])
}

fn param(param: &Param) -> Value {
    object([
        ("name", Some(json!(param.name))),
        ("type", Some(json!(param.kind.name()))),
        ("doc", Some(json!(param.doc))),
        ("required", Some(json!(param.required))),
        ("enum", (!param.values.is_empty()).then(|| json!(param.values))),
        ("untrusted", Some(json!(param.untrusted))),
        ("secret", Some(json!(param.secret))),
        ("max_chars", param.max_chars.map(|it| json!(it))),
    ])
}

fn deprecated(deprecated: &Deprecated) -> Value {
    object([
        ("since", Some(json!(deprecated.since))),
        ("reason", Some(json!(deprecated.reason))),
        ("to", deprecated.to.as_ref().map(|it| json!(it))),
        ("until", deprecated.until.as_ref().map(|it| json!(it))),
    ])
}

fn alias(spelt: &[Alias]) -> Value {
    spelt.iter().map(|it| (it.dialect.to_string(), json!(it.spellings))).collect()
}

pub(crate) fn domain(domain: &Domain) -> Value {
    object([
        ("title", Some(json!(domain.title))),
        ("range", domain.range.map(|(first, last)| json!([first, last]))),
    ])
}

fn retired(retired: &Retired) -> Value {
    object([
        ("number", retired.number.map(|it| json!(it))),
        ("since", Some(json!(retired.since))),
        ("why", Some(json!(retired.why))),
        ("to", retired.to.as_ref().map(|it| json!(it))),
    ])
}

fn tool(tool: &Tool) -> Value {
    object([
        ("may", Some(json!(tool.may))),
        ("operation", tool.operation.map(|it| json!(it.name()))),
        ("read_only", Some(json!(tool.read_only))),
        ("idempotent", Some(json!(tool.idempotent))),
        ("paths", Some(json!(tool.paths))),
        ("content", tool.content.as_ref().map(|it| json!(it))),
        ("patch", tool.patch.as_ref().map(|it| json!(it))),
    ])
}

fn allow(allow: &Allow) -> Value {
    json!({ "rule": allow.rule, "code": allow.code, "why": allow.why, "until": allow.until })
}

fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn rows<T>(rows: &Ordered<T>, row: impl Fn(&T) -> Value) -> Value {
    rows.iter().map(|(name, it)| (name.to_string(), row(it))).collect()
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                separate(out, at);
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => write_object(out, members),
        Value::Number(number) => write_number(out, number),
        Value::Null | Value::Bool(_) | Value::String(_) => write_plain(out, value),
    }
}

fn write_object(out: &mut String, members: &Map<String, Value>) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (at, (key, value)) in sorted.into_iter().enumerate() {
        separate(out, at);
        write_plain(out, &json!(key));
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

fn separate(out: &mut String, at: usize) {
    if at > 0 {
        out.push(',');
    }
}

/// What `serde_json` already writes in the one way that RFC 8785 allows.
fn write_plain(out: &mut String, value: &Value) {
    out.push_str(&value.to_string());
}

/// ECMAScript's `Number::toString`, which RFC 8785 asks for.
fn write_number(out: &mut String, number: &Number) {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
        return out.push_str(&number.to_string());
    };
    if float == 0.0 {
        return out.push('0');
    }
    let scientific = format!("{:e}", float.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if float < 0.0 {
        out.push('-');
    }
    write_digits(out, &digits, exponent);
}

/// Writes `d.ddd × 10^exponent` with the shortest digits.
fn write_digits(out: &mut String, digits: &str, exponent: i32) {
    let point = exponent + 1;
    let len = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let split = usize::try_from(point).unwrap_or_default();
    if (len..=21).contains(&point) {
        out.push_str(digits);
        out.extend(std::iter::repeat_n('0', split - digits.len()));
    } else if (1..len.min(22)).contains(&point) {
        let (whole, rest) = digits.split_at(split);
        out.extend([whole, ".", rest]);
    } else if (-5..=0).contains(&point) {
        out.push_str("0.");
        out.extend((point..0).map(|_| '0'));
        out.push_str(digits);
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        out.extend([first, dot, rest, &format!("e{exponent:+}")]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{canonical, canonical_json};
    use crate::shipped;

    #[test]
    fn keys_are_sorted_and_text_is_escaped_as_rfc_8785_says() {
        let value = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control",
            "\u{f6}": "Latin Small Letter O With Diaeresis"
        });
        assert_eq!(
            canonical_json(&value),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
             \"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\
             \"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        );
        assert_eq!(
            canonical_json(&json!("\u{1b}\u{8}\"\\/\u{7f}")),
            "\"\\u001b\\b\\\"\\\\/\u{7f}\""
        );
    }

    #[test]
    fn numbers_are_written_as_rfc_8785_says() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x3ff8_0000_0000_0000, "1.5"),
            (0x4059_0000_0000_0000, "100"),
        ] {
            assert_eq!(canonical_json(&json!(f64::from_bits(bits))), expected, "{bits:x}");
        }
        assert_eq!(canonical_json(&json!(u64::MAX)), "18446744073709551615");
    }

    #[test]
    fn the_text_of_a_registry_says_all_and_is_a_fixed_point() {
        let text = canonical(shipped::core());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(canonical_json(&value), text);
        assert_eq!(value["codes"]["TIMEOUT"]["retry"]["kind"], "after_delay");
        assert_eq!(value["codes"].as_object().unwrap().len(), shipped::core().codes.len());
    }
}
