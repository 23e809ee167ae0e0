//! The other fields of an error: what was probably meant, what to call next, how long to wait.

use std::{collections::BTreeSet, time::Duration};

use crate::fault::NextAction;

/// Names that exist and are near to what was asked for: the type of a field with `#[similar]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no names that a caller may have meant",
    label = "`#[similar]` wants texts, such as `Vec<String>` or `Option<String>`"
)]
pub trait Names {
    /// Each name, the nearest first.
    fn each(&self, tell: &mut dyn FnMut(&str));
}

impl Names for str {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        tell(self);
    }
}

impl Names for String {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        tell(self);
    }
}

impl<T: Names + ?Sized> Names for &T {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        (**self).each(tell);
    }
}

impl<T: Names> Names for Option<T> {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        if let Some(it) = self {
            it.each(tell);
        }
    }
}

impl<T: Names> Names for [T] {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        for it in self {
            it.each(tell);
        }
    }
}

impl<T: Names, const N: usize> Names for [T; N] {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        self.as_slice().each(tell);
    }
}

impl<T: Names> Names for Vec<T> {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        self.as_slice().each(tell);
    }
}

impl<T: Names> Names for BTreeSet<T> {
    fn each(&self, tell: &mut dyn FnMut(&str)) {
        for it in self {
            it.each(tell);
        }
    }
}

/// Calls that help this time, in place of the row's: the type of a field with `#[next]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no next calls",
    label = "`#[next]` wants a `NextAction`, or an `Option` or `Vec` of them"
)]
pub trait Steps {
    /// The calls, in order. Without any, those of the row stay.
    fn steps(&self) -> Vec<NextAction>;
}

impl Steps for NextAction {
    fn steps(&self) -> Vec<NextAction> {
        vec![self.clone()]
    }
}

impl<T: Steps> Steps for Option<T> {
    fn steps(&self) -> Vec<NextAction> {
        self.iter().flat_map(Steps::steps).collect()
    }
}

impl<T: Steps> Steps for Vec<T> {
    fn steps(&self) -> Vec<NextAction> {
        self.iter().flat_map(Steps::steps).collect()
    }
}

impl<T: Steps, const N: usize> Steps for [T; N] {
    fn steps(&self) -> Vec<NextAction> {
        self.iter().flat_map(Steps::steps).collect()
    }
}

/// How long to wait this time: the type of a field with `#[retry_after]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no time to wait",
    label = "`#[retry_after]` wants a `Duration` or an `Option<Duration>`"
)]
pub trait Wait {
    /// The time. `None` leaves it to the row.
    fn wait(&self) -> Option<Duration>;
}

impl Wait for Duration {
    fn wait(&self) -> Option<Duration> {
        Some(*self)
    }
}

impl<T: Wait> Wait for Option<T> {
    fn wait(&self) -> Option<Duration> {
        self.as_ref()?.wait()
    }
}
