//! Options with a closed set of values, which help and completions list.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// One of the names, as what `parse` makes of it.
pub(crate) fn one_of<T, N>(
    names: impl IntoIterator<Item = N>,
    parse: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
    N: Into<PossibleValue>,
{
    PossibleValuesParser::new(names)
        .try_map(move |name| parse(&name).ok_or("there is no such value"))
}
