//! `RequestFacts`: what is known of a request that failed, until its record is written.

use std::{fmt, sync::Arc};

use redress::text;
use redress_ledger::{ClientInfo, Redactor, RequestInfo};
use redress_wire::json::{Doc, RawJson, Value};

use crate::{canonical::canonical, frame::limits, settings::Settings, trace_id::TraceId};

/// The longest name or version of a client that is kept.
const MAX_NAME: usize = 256;

/// Where a request names its client, since 2026-07-28.
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";

/// The program that opened a session, as it names itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClientName {
    name: String,
    version: String,
}

impl ClientName {
    /// Reads `clientInfo`, without its secrets.
    pub(crate) fn read(info: Value<'_>, redactor: &Redactor) -> Self {
        let member = |key: &str| {
            let text = info.get(key).and_then(Value::as_str).unwrap_or_default();
            redactor.text(&text::cut(&text, MAX_NAME))
        };
        Self { name: member("name"), version: member("version") }
    }
}

/// How the record of a failure tells of the arguments of its call.
#[derive(Clone, Copy)]
pub struct ArgumentsRule<'a> {
    /// Digests canonical arguments under a key of the installation.
    pub digest: &'a dyn Fn(&str) -> String,
    /// Whether the arguments themselves are recorded, without their secrets.
    pub are_kept: bool,
}

impl fmt::Debug for ArgumentsRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArgumentsRule").field("are_kept", &self.are_kept).finish_non_exhaustive()
    }
}

/// What is known of a request, until its record is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestFacts {
    /// The program that opened its session.
    pub(crate) client: Option<Arc<ClientName>>,
    /// Its session.
    pub(crate) session: Option<String>,
    /// Its trace, if its `_meta` or a header of its HTTP request names one.
    pub(crate) trace: Option<TraceId>,
    /// Its parameters, if it was short enough to keep.
    pub(crate) params: Option<Box<str>>,
    /// The number of the attempt, from 1.
    pub(crate) attempt: u64,
    /// The number of the call among those of its run since its first failure that is still open.
    pub(crate) call: Option<u64>,
    /// Whether the server flagged the failure itself; `None` without an answer.
    pub(crate) is_flagged: Option<bool>,
}

impl RequestFacts {
    /// What the record says of the request.
    pub(crate) fn told(
        &self,
        settings: &Settings,
        rule: Option<ArgumentsRule<'_>>,
    ) -> RequestInfo<'_> {
        let redactor = &*settings.redactor;
        let params = self.params.as_deref();
        let doc = params.and_then(|it| Doc::parse(it.as_bytes(), limits(it.len())).ok());
        let param = |key: &str| doc.as_ref().and_then(|it| it.root().get(key));
        let meta = |key: &str| param("_meta").and_then(|it| it.get(key));
        let client = match (meta(CLIENT_KEY), &self.client) {
            (Some(named), _) => {
                let ClientName { name, version } = ClientName::read(named, redactor);
                Some(ClientInfo { name: name.into(), version: version.into() })
            }
            (None, opened) => opened.as_ref().map(|it| ClientInfo {
                name: it.name.as_str().into(),
                version: it.version.as_str().into(),
            }),
        };
        let canonical = param("arguments").map(canonical);
        let digest = canonical.as_ref().zip(rule).map(|(it, rule)| (rule.digest)(it).into());
        let kept = canonical.filter(|_| rule.is_some_and(|it| it.are_kept));
        let kept = kept.and_then(|it| RawJson::parse(it.as_bytes()).ok());
        RequestInfo {
            client,
            session: self.session.as_deref().map(Into::into),
            run: self.trace.map(|it| it.to_string().into()),
            arguments_hmac: digest,
            arguments: kept.map(|it| redactor.json(&it).as_str().to_owned().into()),
            attempt: Some(self.attempt),
            call: self.call,
            mode: Some(settings.mode.name().into()),
            dialect: Some(settings.dialect.name().into()),
            flagged: self.is_flagged,
            ..RequestInfo::default()
        }
    }
}
