//! `Param`: which Rust types can be which parameters of a code.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::kind::{Array, Boolean, Integer, Number, Object, Text};
use crate::fault::ParamValue;
use redress_wire::json::{Members, RawJson};

/// A value that a parameter of the type `K` can have.
///
/// ```
/// use redress::{contract::{Param, kind}, fault::ParamValue};
///
/// struct NoteId(u32);
///
/// impl Param<kind::Text> for NoteId {
///     fn to_param(&self) -> Option<ParamValue> {
///         Some(format!("n-{}", self.0).into())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of the type `{K}`",
    label = "the registry says `{K}`",
    note = "change the type of the field, or that of the parameter in the registry; a type of your own can implement `Param<{K}>`"
)]
pub trait Param<K> {
    /// The value; `None` leaves the parameter out.
    fn to_param(&self) -> Option<ParamValue>;
}

impl<K, T: Param<K> + ?Sized> Param<K> for &T {
    fn to_param(&self) -> Option<ParamValue> {
        (**self).to_param()
    }
}

impl<K, T: Param<K> + ?Sized> Param<K> for Box<T> {
    fn to_param(&self) -> Option<ParamValue> {
        (**self).to_param()
    }
}

impl<K, T: Param<K> + ?Sized> Param<K> for Arc<T> {
    fn to_param(&self) -> Option<ParamValue> {
        (**self).to_param()
    }
}

impl<K, T: Param<K>> Param<K> for Option<T> {
    fn to_param(&self) -> Option<ParamValue> {
        self.as_ref()?.to_param()
    }
}

/// JSON is of the type that it is; one that the row does not say is left out.
impl<K> Param<K> for RawJson {
    fn to_param(&self) -> Option<ParamValue> {
        Some(self.clone().into())
    }
}

/// The same for the tree of `serde_json`; `null` is left out.
impl<K> Param<K> for serde_json::Value {
    fn to_param(&self) -> Option<ParamValue> {
        if self.is_null() { None } else { json(&self.to_string()) }
    }
}

impl Param<Text> for str {
    fn to_param(&self) -> Option<ParamValue> {
        Some(self.into())
    }
}

impl Param<Text> for String {
    fn to_param(&self) -> Option<ParamValue> {
        Some(self.as_str().into())
    }
}

impl Param<Text> for Cow<'_, str> {
    fn to_param(&self) -> Option<ParamValue> {
        Some((**self).into())
    }
}

impl Param<Text> for char {
    fn to_param(&self) -> Option<ParamValue> {
        Some(self.to_string().into())
    }
}

/// What is not Unicode in a path is shown as `�`.
impl Param<Text> for Path {
    fn to_param(&self) -> Option<ParamValue> {
        Some((*self.to_string_lossy()).into())
    }
}

impl Param<Text> for PathBuf {
    fn to_param(&self) -> Option<ParamValue> {
        self.as_path().to_param()
    }
}

impl Param<Boolean> for bool {
    fn to_param(&self) -> Option<ParamValue> {
        Some((*self).into())
    }
}

macro_rules! whole_numbers {
    ($($number:ty),+) => {$(
        impl Param<Integer> for $number {
            fn to_param(&self) -> Option<ParamValue> {
                Some((*self).into())
            }
        }

        impl Param<Number> for $number {
            fn to_param(&self) -> Option<ParamValue> {
                Some((*self).into())
            }
        }
    )+};
}
whole_numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

/// What JSON has no number for is left out.
impl Param<Number> for f64 {
    fn to_param(&self) -> Option<ParamValue> {
        if self.is_finite() { json(&self.to_string()) } else { None }
    }
}

impl Param<Number> for f32 {
    fn to_param(&self) -> Option<ParamValue> {
        if self.is_finite() { json(&self.to_string()) } else { None }
    }
}

impl<T: Clone + Into<ParamValue>> Param<Array> for [T] {
    fn to_param(&self) -> Option<ParamValue> {
        Some(array(self))
    }
}

impl<T: Clone + Into<ParamValue>, const N: usize> Param<Array> for [T; N] {
    fn to_param(&self) -> Option<ParamValue> {
        Some(array(self))
    }
}

impl<T: Clone + Into<ParamValue>> Param<Array> for Vec<T> {
    fn to_param(&self) -> Option<ParamValue> {
        Some(array(self))
    }
}

impl<T: Clone + Into<ParamValue>> Param<Array> for BTreeSet<T> {
    fn to_param(&self) -> Option<ParamValue> {
        Some(array(self))
    }
}

impl<T: Clone + Into<ParamValue>> Param<Object> for BTreeMap<String, T> {
    fn to_param(&self) -> Option<ParamValue> {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        for (name, value) in self {
            let value: ParamValue = value.clone().into();
            members.raw(name, value.json().as_str());
        }
        members.close();
        Some(RawJson::written(out).into())
    }
}

impl Param<Object> for serde_json::Map<String, serde_json::Value> {
    fn to_param(&self) -> Option<ParamValue> {
        json(&serde_json::Value::Object(self.clone()).to_string())
    }
}

fn array<'a, T: Clone + Into<ParamValue> + 'a>(
    values: impl IntoIterator<Item = &'a T>,
) -> ParamValue {
    let values: Vec<ParamValue> = values.into_iter().map(|it| it.clone().into()).collect();
    let values: Vec<&str> = values.iter().map(|it| it.json().as_str()).collect();
    RawJson::written(format!("[{}]", values.join(","))).into()
}

fn json(text: &str) -> Option<ParamValue> {
    RawJson::parse(text.as_bytes()).ok().map(Into::into)
}
