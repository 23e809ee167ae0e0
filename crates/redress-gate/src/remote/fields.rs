//! `Fields`: the headers of one message, few enough to be searched one by one.

use hyper::http::{HeaderName, HeaderValue};

/// Headers in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(HeaderName, HeaderValue)>);

impl Fields {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    /// Puts a header in the place of all that have its name.
    pub(super) fn insert(&mut self, name: HeaderName, value: HeaderValue) {
        self.remove(&name);
        self.append(name, value);
    }

    /// Puts a header beside others, of which some may have its name.
    pub(super) fn append(&mut self, name: HeaderName, value: HeaderValue) {
        self.0.push((name, value));
    }

    pub(super) fn remove(&mut self, name: &HeaderName) {
        self.0.retain(|it| it.0 != *name);
    }

    pub(super) fn get(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.0.iter().find(|it| it.0 == *name).map(|it| &it.1)
    }

    /// The same as text; what is no text is not there.
    pub(super) fn text(&self, name: &HeaderName) -> Option<&str> {
        self.get(name)?.to_str().ok()
    }

    /// All texts under one name.
    pub(super) fn texts(&self, name: &HeaderName) -> impl Iterator<Item = &str> {
        let same = self.0.iter().filter(move |it| it.0 == *name);
        same.filter_map(|it| it.1.to_str().ok())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(HeaderName, HeaderValue)> {
        self.0.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Extend<(HeaderName, HeaderValue)> for Fields {
    fn extend<I: IntoIterator<Item = (HeaderName, HeaderValue)>>(&mut self, fields: I) {
        self.0.extend(fields);
    }
}

impl FromIterator<(HeaderName, HeaderValue)> for Fields {
    fn from_iter<I: IntoIterator<Item = (HeaderName, HeaderValue)>>(fields: I) -> Self {
        Self(fields.into_iter().collect())
    }
}
