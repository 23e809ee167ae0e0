//! `Request`: one message to a remote server, and the bytes of its head.

use hyper::{
    body::Bytes,
    http::{HeaderValue, header, uri::PathAndQuery},
};

use super::fields::Fields;

/// What is asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Post,
    Get,
    Delete,
}

/// One message on its way out.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: PathAndQuery,
    pub(super) fields: Fields,
    pub(super) body: Bytes,
}

impl Request {
    /// Says who asks, where somebody does.
    pub(super) fn authorize(&mut self, authorization: Option<&HeaderValue>) {
        if let Some(authorization) = authorization {
            self.fields.insert(header::AUTHORIZATION, authorization.clone());
        }
    }

    /// Writes the head in the place of what was there. Names and values were checked when they were made: none has a line
    /// break in it.
    pub(super) fn write_head(&self, out: &mut Vec<u8>) {
        out.clear();
        let method: &[u8] = match self.method {
            Method::Post => b"POST ",
            Method::Get => b"GET ",
            Method::Delete => b"DELETE ",
        };
        out.extend_from_slice(method);
        out.extend_from_slice(self.path.as_str().as_bytes());
        out.extend_from_slice(b" HTTP/1.1\r\n");
        for (name, value) in self.fields.iter() {
            write_field(name.as_str(), value.as_bytes(), out);
        }
        if self.method == Method::Post {
            write_field("content-length", self.body.len().to_string().as_bytes(), out);
        }
        out.extend_from_slice(b"\r\n");
    }
}

fn write_field(name: &str, value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use hyper::{
        body::Bytes,
        http::{HeaderName, HeaderValue, header, uri::PathAndQuery},
    };

    use super::{Fields, Method, Request};

    fn head(method: Method, path: &'static str, body: &'static [u8]) -> String {
        let mut fields = Fields::default();
        fields.insert(header::HOST, HeaderValue::from_static("a.test"));
        fields.append(HeaderName::from_static("x-key"), HeaderValue::from_static("1"));
        fields.append(HeaderName::from_static("x-key"), HeaderValue::from_static("2"));
        let path = PathAndQuery::from_static(path);
        let request = Request { method, path, fields, body: Bytes::from_static(body) };
        let mut out = b"what was there".to_vec();
        request.write_head(&mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn a_head_is_written_as_http_wants_it() {
        assert_eq!(
            head(Method::Post, "/mcp?a=b", b"{}"),
            "POST /mcp?a=b HTTP/1.1\r\nhost: a.test\r\nx-key: 1\r\nx-key: 2\r\ncontent-length: 2\r\n\r\n"
        );
        assert_eq!(
            head(Method::Get, "/", b""),
            "GET / HTTP/1.1\r\nhost: a.test\r\nx-key: 1\r\nx-key: 2\r\n\r\n"
        );
    }
}
