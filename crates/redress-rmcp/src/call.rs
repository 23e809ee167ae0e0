//! One call of a tool: the tool is known, its arguments fit, the handler answers in time, the answer fits; or it is a fault.

mod run;

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use redress::{
    Fault, codes,
    dialect::wire,
    fault::{Origin, ParamValue, Similar},
    text::tokens::MAX_SIMILAR,
};
use redress_registry::nearest::nearest_n;
use redress_wire::json::RawJson;
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, MetaObject,
        PaginatedRequestParams, Tool,
    },
    service::{MaybeSendFuture, RequestContext, RoleServer},
};
use serde_json::Value;
use tokio::time::Instant;

use self::run::{Answer, Timer, run};
use crate::{
    answer,
    asked::Asked,
    catalog::KnownTool,
    contract::Contract,
    judge::Judge,
    panics, schema, size, start,
    tell::{self, PreparedFault},
    tool_fault::Carried,
};

type Context = RequestContext<RoleServer>;

/// A call that failed, before the client is answered.
enum Failed {
    /// The model hears of it.
    Call(Box<Fault>, Option<MetaObject>),
    /// It stays an error of the protocol.
    Error(Box<Fault>, ErrorData),
    /// Its failure could not be recorded, so that it was not made.
    Unrecordable,
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self::Call(Box::new(fault), None)
    }
}

impl<H: ServerHandler> Contract<H> {
    /// Answers a call. Nothing of a call that goes well is boxed, since rmcp has room for more than this takes.
    #[expect(clippy::manual_async_fn, reason = "an async fn may hold what it is given twice")]
    pub(crate) fn call(
        &self,
        mut request: CallToolRequestParams,
        context: Context,
    ) -> impl Future<Output = Answer> + MaybeSendFuture {
        async move {
            let known = self.state.catalog.get(&request.name);
            let name = known.as_ref().map_or(&request.name, |it| &it.name);
            let asked = Asked::call(name.clone(), &request, &context, &self.settings);
            let tool = match known {
                Some(tool) => Some(tool),
                None => Box::pin(self.find(&request.name, &context)).await,
            };
            let failed = match self.admit(&mut request, tool.as_deref()) {
                Err(failed) => failed,
                Ok(()) => {
                    let limit = self.settings.timeout(&request.name);
                    let stop = context.ct.clone();
                    let mut carried = Carried::default();
                    let call = async move { self.handler.call_tool(request, context).await };
                    let end = run(pin!(Some(call)), asked.limit(limit), &mut carried).await;
                    let judge = self.judge(&asked, tool.as_deref());
                    match end {
                        Ok(Some(Ok(answer))) => {
                            match self.flaw(&answer, &judge, tool.as_deref(), &mut carried) {
                                None => return Ok(answer),
                                Some(fault) => Failed::Call(fault, meta(answer)),
                            }
                        }
                        Ok(Some(Err(error))) => stays(error, &judge, tool.is_none()),
                        Err(panic) => judge.seen(panic.fault()).into(),
                        Ok(None) => {
                            // What the handler has started elsewhere hears of it by the token.
                            stop.cancel();
                            judge.seen(late(&asked, limit)).into()
                        }
                    }
                }
            };
            Box::pin(self.answer(failed, &asked, tool.as_deref())).await
        }
    }

    /// Whether the handler is asked at all.
    fn admit(
        &self,
        request: &mut CallToolRequestParams,
        tool: Option<&KnownTool>,
    ) -> Result<(), Failed> {
        if !tell::admit(&self.settings) {
            return Err(Failed::Unrecordable);
        }
        match tool {
            Some(tool) if tool.operation.is_none() => {
                Err(start::without_operation(&[&request.name]).into())
            }
            Some(tool) => fitting(request, tool),
            // A tool that is declared may be hidden from the list.
            None if self.has_operation(&request.name) => Ok(()),
            None => Err(self.unknown(&request.name)),
        }
    }

    /// Why an answer is a failure, if it is one.
    fn flaw(
        &self,
        answer: &CallToolResponse,
        judge: &Judge<'_>,
        tool: Option<&KnownTool>,
        carried: &mut Carried,
    ) -> Option<Box<Fault>> {
        let CallToolResponse::Complete(result) = answer else { return None };
        let fault = if result.is_error == Some(true) {
            carried.take(result).map_or_else(|| judge.result(result), |it| judge.seen(it))
        } else {
            // A tool that only reads has done nothing, although it came to its end.
            judge.seen(self.broken(result, tool)?)
        };
        Some(Box::new(fault))
    }

    /// A result that says it went well must be what it promises to be.
    fn broken(&self, result: &CallToolResult, tool: Option<&KnownTool>) -> Option<Fault> {
        let limit = self.settings.max_result_bytes;
        if let Some(size) = size::over(result, limit) {
            return Some(too_large(limit, size));
        }
        let schema = tool?.output.as_ref()?;
        let (pointer, reason) = match &result.structured_content {
            None => (String::new(), "missing"),
            Some(value) => {
                let wrong = schema.wrongs(value).into_iter().next()?;
                (wrong.pointer, wrong.reason)
            }
        };
        let pointer = format!("/structuredContent{pointer}");
        let mut fault = codes::OUTPUT_INVALID.raise([("pointer", &*pointer), ("reason", reason)]);
        fault.origin = Origin::Server;
        Some(fault)
    }

    fn judge<'j>(&'j self, asked: &'j Asked, tool: Option<&KnownTool>) -> Judge<'j> {
        let traits = tool.map(|it| it.traits).unwrap_or_default();
        Judge { asked, state: &self.state, traits }
    }

    async fn answer(&self, failed: Failed, asked: &Asked, tool: Option<&KnownTool>) -> Answer {
        let (fault, meta, error) = match failed {
            Failed::Call(fault, meta) => (fault, meta, None),
            Failed::Error(fault, error) => (fault, None, Some(error)),
            Failed::Unrecordable => {
                let told = self.refused(asked);
                return self.result(&told, None, true);
            }
        };
        let told = self.tell(*fault, asked).await;
        let has_output_schema = tool.is_none_or(|it| it.output.is_some());
        match error {
            Some(_) if told.is_unrecorded => Err(answer::rpc_error(&told.fault, None)),
            Some(error) => Err(answer::dressed(error, &told.fault, &self.settings.redactor)),
            None => self.result(&told, meta, has_output_schema || told.is_unrecorded),
        }
    }

    /// What a failed result had as `_meta`, without secrets.
    pub(crate) fn meta(&self, meta: &Value) -> Option<RawJson> {
        let meta = answer::without_secrets(meta, &self.settings.redactor);
        RawJson::parse(meta.to_string().as_bytes()).ok().filter(|_| meta.is_object())
    }

    fn result(
        &self,
        told: &PreparedFault,
        meta: Option<MetaObject>,
        has_output_schema: bool,
    ) -> Result<CallToolResponse, ErrorData> {
        let meta = meta.and_then(|it| serde_json::to_value(it).ok());
        let meta = meta.and_then(|it| self.meta(&it));
        let how = wire::Answer {
            dialect: self.settings.dialect,
            has_output_schema,
            stamp: told.stamp(),
            meta: meta.as_ref(),
            said: None,
        };
        Ok(answer::tool_result(&told.fault, how)?.into())
    }

    fn has_operation(&self, tool: &str) -> bool {
        self.settings.operation(tool, &self.state.codes.registry()).is_some()
    }

    /// Looks up a tool that is not known: it may be new.
    async fn find(&self, name: &str, context: &Context) -> Option<Arc<KnownTool>> {
        match panics::caught(|| self.handler.get_tool(name)) {
            Ok(Some(tool)) => {
                let registry = self.state.codes.registry();
                self.state.catalog.learn(&[tool], false, (&self.settings, &registry));
            }
            // A list that never comes must not keep the call from its answer.
            _ => {
                drop(within(self.settings.timeout(name), Box::pin(self.learn(context))).await);
            }
        }
        self.state.catalog.get(name)
    }

    /// Asks the handler for all of its tools.
    pub(crate) async fn learn(&self, context: &Context) -> Result<(), ErrorData> {
        let mut tools: Vec<Tool> = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = cursor.map(|it| PaginatedRequestParams::default().with_cursor(Some(it)));
            let list = async { self.handler.list_tools(page, context.clone()).await };
            let listed = panics::catch(Box::pin(list)).await;
            let listed = listed.map_err(|it| answer::rpc_error(&it.fault(), None))??;
            tools.extend(listed.tools);
            cursor = listed.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let registry = self.state.codes.registry();
        self.state.catalog.learn(&tools, cursor.is_none(), (&self.settings, &registry));
        Ok(())
    }

    fn unknown(&self, name: &str) -> Failed {
        let mut fault = codes::UNKNOWN_TOOL.raise([("tool", name)]);
        fault.origin = Origin::Client;
        let names = self.state.catalog.names().unwrap_or_default();
        let near = nearest_n(name, names.iter().map(String::as_str), MAX_SIMILAR);
        fault.similar_refs = near.into_iter().map(Similar::new).collect();
        let error = ErrorData::invalid_params(wire::error_message(&fault), None);
        Failed::Error(Box::new(fault), error)
    }
}

/// A list that has more pages than this has no end.
const MOST_PAGES: usize = 1_000;

/// Checks the arguments of a call.
fn fitting(request: &mut CallToolRequestParams, tool: &KnownTool) -> Result<(), Failed> {
    if request.arguments.as_ref().is_some_and(|it| tool.input.surely_takes(it)) {
        return Ok(());
    }
    let is_given = request.arguments.is_some();
    let arguments = Value::Object(request.arguments.take().unwrap_or_default());
    let wrongs = tool.input.wrongs(&arguments);
    if let (true, Value::Object(arguments)) = (is_given, arguments) {
        request.arguments = Some(arguments);
    }
    schema::invalid_arguments(&wrongs).map_or(Ok(()), |it| Err(it.into()))
}

/// What an error of the handler is: the model hears of it, or it stays one.
#[cold]
fn stays(error: ErrorData, judge: &Judge<'_>, is_unlisted: bool) -> Failed {
    let fault = judge.error(&error);
    let has_state = judge.asked.call.as_ref().is_some_and(|it| it.has_state);
    if wire::error_stays(error.code.0, true, is_unlisted || has_state) {
        Failed::Error(Box::new(fault), error)
    } else {
        fault.into()
    }
}

fn too_large(limit: usize, size: usize) -> Fault {
    let params = [("limit_bytes", limit), ("size_bytes", size)];
    let params = params.map(|(name, it)| (name, ParamValue::from(it as u64)));
    let mut fault = codes::OUTPUT_TOO_LARGE.raise(params);
    fault.origin = Origin::Server;
    fault
}

fn meta(answer: CallToolResponse) -> Option<MetaObject> {
    if let CallToolResponse::Complete(result) = answer { result.meta } else { None }
}

/// Waits for the end of a future, or until it took too long.
fn within<F: Future + Unpin>(
    limit: Option<Duration>,
    mut future: F,
) -> impl Future<Output = Option<F::Output>> + Unpin {
    let mut timer = Timer::new(limit.and_then(|it| Instant::now().checked_add(it)));
    poll_fn(move |cx| {
        if let Poll::Ready(output) = Pin::new(&mut future).poll(cx) {
            return Poll::Ready(Some(output));
        }
        if timer.is_over(cx) { Poll::Ready(None) } else { Poll::Pending }
    })
}

fn late(asked: &Asked, limit: Option<Duration>) -> Fault {
    let tool = asked.call.as_ref().map(|it| ("tool", ParamValue::from(&*it.tool)));
    let millis = limit.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
    let waited = millis.map(|it| ("timeout_ms", ParamValue::from(it)));
    let mut fault = codes::TIMEOUT.raise(tool.into_iter().chain(waited));
    fault.origin = Origin::Server;
    fault
}
