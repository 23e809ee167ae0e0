//! `SucceededCall`: a call that succeeded and is recorded: each one of a governed server, and of any other the first of a tool that had
//! failed in its run.

use redress_govern::CallRecord;
use redress_ledger::{Record, RequestInfo};
use redress_wire::json::Members;

use crate::{failed_tools::Mended, request_facts::RequestFacts, settings::Settings};

/// A call that succeeded and is recorded.
#[derive(Debug)]
pub struct SucceededCall {
    /// What its governor keeps of it, if its server is governed.
    pub(crate) governed: Option<CallRecord>,
    /// The tool.
    pub(crate) tool: Box<str>,
    /// How long it took.
    pub(crate) elapsed_ms: u64,
    /// The failures that it ends.
    pub(crate) mended: Option<Mended>,
    /// What is known of the request.
    pub(crate) request: RequestFacts,
}

impl SucceededCall {
    /// The record of it.
    pub fn record(&self, settings: &Settings) -> Record {
        let object = match &self.governed {
            Some(governed) => governed.object(&settings.server),
            None => self.object(&settings.server),
        };
        let told = self.request.told(settings, None);
        let RequestInfo { client, session, run, .. } = told;
        let call = self.mended.map(|it| it.call);
        let request = RequestInfo { client, session, run, call, ..RequestInfo::default() };
        Record::call(&object, &settings.redactor).with_request(&request)
    }

    fn object(&self, server: &str) -> String {
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        members.str("server", server).str("tool", &self.tool);
        if let Some(mended) = self.mended {
            members.int("failures", mended.failures);
        }
        members.int("elapsed_ms", self.elapsed_ms);
        members.close();
        object
    }
}
