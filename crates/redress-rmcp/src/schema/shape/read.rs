//! Reading a shape out of a schema: every word of it must be known here, else there is none.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::{Bounds, Property, SchemaShape, types};

/// A schema with more parts than this, each use of a definition counted, has no shape.
const MOST_PARTS: usize = 256;

/// A schema that nests deeper than this has none, either.
const DEEPEST: usize = 16;

/// Formats that say how a program holds a number, which JSON Schema does not know.
const NUMBERS: [&str; 12] = [
    "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
    "float", "double",
];

impl SchemaShape {
    /// The shape of a schema of the common kind.
    pub(in crate::schema) fn of(schema: &JsonObject) -> Option<Self> {
        SchemaReader { root: schema, parts: 0 }.object(schema, 0)
    }
}

struct SchemaReader<'s> {
    root: &'s JsonObject,
    parts: usize,
}

impl SchemaReader<'_> {
    fn any(&mut self, schema: &Value, depth: usize) -> Option<SchemaShape> {
        match schema {
            Value::Bool(true) => Some(SchemaShape::ANYTHING),
            Value::Object(it) => self.object(it, depth),
            _ => None,
        }
    }

    fn each(&mut self, schemas: &Value, depth: usize) -> Option<Vec<SchemaShape>> {
        schemas.as_array()?.iter().map(|it| self.any(it, depth)).collect()
    }

    fn object(&mut self, schema: &JsonObject, depth: usize) -> Option<SchemaShape> {
        self.parts += 1;
        if depth > DEEPEST || self.parts > MOST_PARTS {
            return None;
        }
        let mut shape = SchemaShape::ANYTHING;
        for (word, value) in schema {
            self.word(&mut shape, word, value, depth)?;
        }
        shape.require(schema.get("required"))?;
        Some(shape)
    }

    fn word(
        &mut self,
        shape: &mut SchemaShape,
        word: &str,
        value: &Value,
        depth: usize,
    ) -> Option<()> {
        let below = depth + 1;
        match word {
            "title" | "description" | "default" | "examples" | "deprecated" | "readOnly"
            | "writeOnly" | "$comment" | "$defs" | "definitions" | "required" => (),
            "$schema" if depth == 0 => (),
            "format" if NUMBERS.contains(&value.as_str()?) => (),
            "type" => shape.types = bits(value)?,
            "minimum" => shape.limits().numbers.0 = value.as_i64()?,
            "maximum" => shape.limits().numbers.1 = value.as_i64()?,
            "minLength" => shape.limits().characters.0 = count(value)?,
            "maxLength" => shape.limits().characters.1 = count(value)?,
            "minItems" => shape.limits().items.0 = count(value)?,
            "maxItems" => shape.limits().items.1 = count(value)?,
            "items" => shape.limits().each = Some(self.any(value, below)?),
            "properties" => shape.members = self.members(value, below)?,
            "additionalProperties" => shape.is_open = value.as_bool()?,
            "enum" if shape.limits().values.is_none() => {
                shape.limits().values = Some(value.as_array()?.clone());
            }
            "const" if shape.limits().values.is_none() => {
                shape.limits().values = Some(vec![value.clone()]);
            }
            "allOf" => shape.limits().all.extend(self.each(value, below)?),
            "anyOf" => shape.limits().any = Some(self.each(value, below)?),
            "$ref" => shape.limits().all.push(self.referred(value.as_str()?, below)?),
            _ => return None,
        }
        Some(())
    }

    fn members(&mut self, properties: &Value, depth: usize) -> Option<Vec<Property>> {
        let members = properties.as_object()?.iter().map(|(name, schema)| {
            let shape = self.any(schema, depth)?;
            Some(Property { name: name.clone(), is_required: false, shape })
        });
        let mut members: Vec<_> = members.collect::<Option<_>>()?;
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Some(members)
    }

    /// The shape of a definition at the root.
    fn referred(&mut self, path: &str, depth: usize) -> Option<SchemaShape> {
        let (place, name) = path.strip_prefix("#/")?.split_once('/')?;
        let is_plain = !name.contains(['/', '~', '%']);
        let root = self.root;
        let place =
            root.get(place).filter(|_| is_plain && matches!(place, "$defs" | "definitions"));
        self.any(place?.get(name)?, depth)
    }
}

impl SchemaShape {
    fn limits(&mut self) -> &mut Bounds {
        self.limits.get_or_insert_with(|| Box::new(Bounds::NONE))
    }

    fn require(&mut self, names: Option<&Value>) -> Option<()> {
        let Some(names) = names else { return Some(()) };
        for name in names.as_array()? {
            let name = name.as_str()?;
            match self.members.binary_search_by(|it| it.name.as_str().cmp(name)) {
                Ok(at) => self.members.get_mut(at)?.is_required = true,
                // With members that must not be there it could never be met.
                Err(_) if !self.is_open => return None,
                Err(at) => {
                    let (name, shape) = (name.to_owned(), Self::ANYTHING);
                    self.members.insert(at, Property { name, is_required: true, shape });
                }
            }
        }
        self.required = self.members.iter().filter(|it| it.is_required).count();
        Some(())
    }
}

fn count(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

fn bits(value: &Value) -> Option<u8> {
    match value {
        Value::Array(several) => several.iter().try_fold(0, |all, it| Some(all | bits(it)?)),
        _ => Some(match value.as_str()? {
            "null" => types::NULL,
            "boolean" => types::BOOLEAN,
            "integer" => types::INTEGER,
            "number" => types::NUMBER,
            "string" => types::STRING,
            "array" => types::ARRAY,
            "object" => types::OBJECT,
            _ => return None,
        }),
    }
}
