//! `SchemaShape`: what a schema of the common kind asks for, in few words, so that a value that fits is known to fit at once.

mod read;

use serde_json::{Map, Number, Value};

/// What a schema asks for. What fits a shape fits its schema; of what does not, nothing is said.
///
/// It is small, so that a call has little to load.
#[derive(Debug)]
pub(super) struct SchemaShape {
    types: u8,
    /// Members without a name here may be there, too.
    is_open: bool,
    required: usize,
    /// In the order of their names.
    members: Vec<Property>,
    limits: Option<Box<Bounds>>,
}

/// What most parts of a schema do not ask for.
#[derive(Debug)]
struct Bounds {
    /// Least and most, as are the others.
    numbers: (i64, i64),
    characters: (usize, usize),
    items: (usize, usize),
    each: Option<SchemaShape>,
    values: Option<Vec<Value>>,
    all: Vec<SchemaShape>,
    any: Option<Vec<SchemaShape>>,
}

#[derive(Debug)]
struct Property {
    name: String,
    is_required: bool,
    shape: SchemaShape,
}

/// The types of JSON Schema as bits.
mod types {
    pub(super) const NULL: u8 = 1;
    pub(super) const BOOLEAN: u8 = 2;
    pub(super) const INTEGER: u8 = 4;
    pub(super) const NUMBER: u8 = 8;
    pub(super) const STRING: u8 = 16;
    pub(super) const ARRAY: u8 = 32;
    pub(super) const OBJECT: u8 = 64;
    pub(super) const ALL: u8 = 127;
}

impl SchemaShape {
    /// Any value at all.
    const ANYTHING: Self =
        Self { types: types::ALL, is_open: true, required: 0, members: Vec::new(), limits: None };

    /// Whether a value surely fits. This goes no deeper than the shape.
    pub(super) fn fits(&self, value: &Value) -> bool {
        let fits = match value {
            Value::Null => self.is(types::NULL),
            Value::Bool(_) => self.is(types::BOOLEAN),
            Value::Number(it) if it.is_f64() => self.is(types::NUMBER),
            Value::Number(_) => self.is(types::INTEGER | types::NUMBER),
            Value::String(_) => self.is(types::STRING),
            Value::Array(_) => self.is(types::ARRAY),
            Value::Object(it) => self.is(types::OBJECT) && self.fits_members(it),
        };
        fits && self.limits.as_ref().is_none_or(|it| it.fit(value))
    }

    /// Whether an object surely fits.
    pub(super) fn takes(&self, object: &Map<String, Value>) -> bool {
        self.is(types::OBJECT) && self.limits.is_none() && self.fits_members(object)
    }

    const fn is(&self, types: u8) -> bool {
        self.types & types != 0
    }

    fn fits_members(&self, object: &Map<String, Value>) -> bool {
        let mut required = 0;
        for (name, value) in object {
            let at = self.members.binary_search_by(|it| it.name.as_str().cmp(name));
            match at.ok().and_then(|at| self.members.get(at)) {
                Some(member) if member.shape.fits(value) => {
                    required += usize::from(member.is_required);
                }
                None if self.is_open => (),
                _ => return false,
            }
        }
        required == self.required
    }
}

impl Bounds {
    const NONE: Self = Self {
        numbers: (i64::MIN, i64::MAX),
        characters: (0, usize::MAX),
        items: (0, usize::MAX),
        each: None,
        values: None,
        all: Vec::new(),
        any: None,
    };

    fn fit(&self, value: &Value) -> bool {
        let fit = match value {
            Value::Number(it) => self.fit_number(it),
            Value::String(it) => self.fit_text(it),
            Value::Array(it) => self.fit_items(it),
            _ => true,
        };
        fit && self.values.as_ref().is_none_or(|it| it.contains(value))
            && self.all.iter().all(|it| it.fits(value))
            && self.any.as_ref().is_none_or(|it| it.iter().any(|it| it.fits(value)))
    }

    /// Numbers with a fraction and very large ones are left to the schema.
    fn fit_number(&self, number: &Number) -> bool {
        let (least, most) = self.numbers;
        number.as_i64().is_some_and(|it| (least..=most).contains(&it))
    }

    fn fit_text(&self, text: &str) -> bool {
        let (least, most) = self.characters;
        // There are no more characters than bytes.
        (least == 0 && text.len() <= most) || (least..=most).contains(&text.chars().count())
    }

    fn fit_items(&self, items: &[Value]) -> bool {
        (self.items.0..=self.items.1).contains(&items.len())
            && self.each.as_ref().is_none_or(|shape| items.iter().all(|it| shape.fits(it)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::SchemaShape;

    /// Schemas, each said to have a shape or not.
    fn schemas() -> Vec<(bool, Value)> {
        vec![
            (true, json!({})),
            (
                true,
                json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a"}),
            ),
            (
                true,
                json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}),
            ),
            (true, json!({"type": "string", "minLength": 2, "maxLength": 3})),
            (true, json!({"type": ["integer", "null"], "format": "uint32", "minimum": 1})),
            (true, json!({"type": "number", "maximum": 2})),
            (true, json!({"enum": ["a", 1, null, {"a": "a"}]})),
            (true, json!({"const": "a"})),
            (
                true,
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}),
            ),
            (true, json!({"items": true})),
            (
                true,
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": true}, "required": ["a"]}),
            ),
            (
                true,
                json!({"properties": {"b": {"$ref": "#/$defs/B"}}, "required": ["c", "c"], "$defs": {"B": {"minimum": 2}}}),
            ),
            (true, json!({"properties": {"a": {}}, "additionalProperties": false})),
            (
                true,
                json!({"anyOf": [{"$ref": "#/definitions/B"}, {"type": "null"}], "definitions": {"B": {"type": "boolean"}}}),
            ),
            (true, json!({"allOf": [{"minimum": 1}, {"maximum": 1}], "type": "integer"})),
            (false, json!({"type": "string", "pattern": "^a"})),
            (false, json!({"type": "string", "format": "date"})),
            (
                false,
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": "date"}),
            ),
            (false, json!({"minimum": 1.5})),
            (false, json!({"type": "integer", "exclusiveMinimum": 1})),
            (false, json!({"oneOf": [{"type": "string"}, {}]})),
            (false, json!({"properties": {"a": false}})),
            (false, json!({"additionalProperties": {"type": "string"}})),
            (false, json!({"$ref": "#"})),
            (false, json!({"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}})),
            (false, json!({"items": [{"type": "string"}]})),
            (false, json!({"not": {"type": "string"}})),
            (false, json!({"type": "text"})),
            (
                false,
                json!({"properties": {"a": {"$schema": "http://json-schema.org/draft-04/schema#"}}}),
            ),
        ]
    }

    fn values() -> Vec<Value> {
        let scalars = [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(2),
            json!(-1),
            json!(1.0),
            json!(1.5),
            json!(u64::MAX),
            json!(""),
            json!("a"),
            json!("ab"),
            json!("äöü"),
            json!("abcd"),
            json!("2026-02-30"),
        ];
        let mut all = scalars.to_vec();
        all.extend([
            json!([]),
            json!({}),
            json!([["a"], ["b"]]),
            json!({"a": "a", "b": 1, "c": {}}),
        ]);
        for one in &scalars {
            all.push(json!([one]));
            all.push(json!([one, "a"]));
            all.push(json!([one, 1, 1]));
            all.push(json!({"a": one}));
            all.push(json!({"b": one, "c": 1}));
            all.push(json!({"c": one, "a": "a"}));
        }
        all
    }

    #[test]
    fn what_fits_a_shape_fits_its_schema() {
        for (has_shape, schema) in schemas() {
            let shape = SchemaShape::of(schema.as_object().unwrap());
            assert_eq!(shape.is_some(), has_shape, "{schema}");
            let (Some(shape), Ok(whole)) = (shape, jsonschema::validator_for(&schema)) else {
                continue;
            };
            let (mut fitting, mut missed) = (0, 0);
            for value in values() {
                match (shape.fits(&value), whole.is_valid(&value)) {
                    (true, false) => panic!("{schema} does not allow {value}"),
                    (true, true) => fitting += 1,
                    (false, true) => missed += 1,
                    (false, false) => (),
                }
            }
            // Only numbers with a fraction or beyond the largest integer are left to the schema.
            assert!(fitting > 0 && missed <= 36, "{schema}: {fitting} fit, {missed} were missed");
        }
    }

    #[test]
    fn a_schema_that_grows_without_end_has_no_shape() {
        let mut defs = serde_json::Map::new();
        for at in 0..14 {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            defs.insert(format!("d{at}"), json!({"allOf": [next, next]}));
        }
        defs.insert("d14".to_owned(), json!({}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": defs});
        assert!(SchemaShape::of(schema.as_object().unwrap()).is_none());
    }
}
