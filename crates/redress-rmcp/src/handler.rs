//! `Contract` as a handler: every method of rmcp's is passed on, and what fails in one is answered with its fault.
#![expect(deprecated, reason = "older revisions have methods that the newest has not")]

use std::borrow::Cow;

use redress::{ErrorStats, outcome::ToolTraits};
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
        CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
        DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
        GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{
        MaybeSendFuture, NotificationContext, RequestContext, RoleServer, SubscriptionContext,
    },
};

use crate::{
    answer,
    asked::Asked,
    contract::Contract,
    judge::Judge,
    panics::{self, Panic},
    tasks,
    tell::tell,
};

type Context = RequestContext<RoleServer>;

/// Methods of every revision whose requests reach the handler in types of their own: as a custom request they were
/// malformed. Methods that only some revisions have may as well be unknown.
const TYPED: [&str; 4] = ["tools/call", "prompts/get", "resources/read", "completion/complete"];

/// Methods that change nothing, whatever becomes of them.
const READING: [&str; 9] = [
    "ping",
    "server/discover",
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "tools/list",
];

// Futures are boxed before they begin, because rmcp moves the largest of all methods' around for each request.

/// What a method gives to rmcp.
macro_rules! promise {
    ($output:ty) => { impl Future<Output = $output> + MaybeSendFuture + '_ };
}

/// Requests that the handler answers; an error or a panic gets its envelope.
macro_rules! requests {
    ($(fn $name:ident($($given:ident: $type:ty),*) -> $answer:ty = $method:literal;)*) => {
        $(fn $name(&self, $($given: $type,)* context: Context) -> promise!(Result<$answer, ErrorData>) {
            Box::pin(async move {
                let asked = Asked::new($method, &context);
                let answer = async { self.handler.$name($($given,)* context).await };
                self.answered(panics::catch(Box::pin(answer)).await, &asked).await
            })
        })*
    };
}

/// Notifications: no answer is awaited, so that a panic is only recorded.
macro_rules! notifications {
    ($(fn $name:ident($($given:ident: $type:ty),*);)*) => {
        $(fn $name(&self, $($given: $type,)* context: NotificationContext<RoleServer>) -> promise!(()) {
            Box::pin(async move {
                let taken = async { self.handler.$name($($given,)* context).await };
                if let Err(panic) = panics::catch(Box::pin(taken)).await {
                    drop(tell(panic.fault(), &self.settings, &self.state).await);
                }
            })
        })*
    };
}

impl<H: ServerHandler> ServerHandler for Contract<H> {
    requests! {
        fn ping() -> () = "ping";
        fn initialize(request: InitializeRequestParams) -> InitializeResult = "initialize";
        fn discover() -> DiscoverResult = "server/discover";
        fn complete(request: CompleteRequestParams) -> CompleteResult = "completion/complete";
        fn set_level(request: SetLevelRequestParams) -> () = "logging/setLevel";
        fn get_prompt(request: GetPromptRequestParams) -> GetPromptResponse = "prompts/get";
        fn list_prompts(request: Option<PaginatedRequestParams>) -> ListPromptsResult = "prompts/list";
        fn list_resources(request: Option<PaginatedRequestParams>) -> ListResourcesResult = "resources/list";
        fn list_resource_templates(request: Option<PaginatedRequestParams>) -> ListResourceTemplatesResult = "resources/templates/list";
        fn read_resource(request: ReadResourceRequestParams) -> ReadResourceResponse = "resources/read";
        fn subscribe(request: SubscribeRequestParams) -> () = "resources/subscribe";
        fn unsubscribe(request: UnsubscribeRequestParams) -> () = "resources/unsubscribe";
        fn update_task(request: UpdateTaskParams) -> () = "tasks/update";
        fn cancel_task(request: CancelTaskParams) -> () = "tasks/cancel";
    }

    notifications! {
        fn on_cancelled(notification: CancelledNotificationParam);
        fn on_progress(notification: ProgressNotificationParam);
        fn on_initialized();
        fn on_roots_list_changed();
        fn on_custom_notification(notification: CustomNotification);
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.handler.get_tool(name)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        panics::caught(|| self.handler.accepted_subscription_filter(requested)).ok().flatten()
    }

    fn listen(&self, context: SubscriptionContext) -> promise!(Result<(), ErrorData>) {
        Box::pin(async move {
            let asked = Asked::new("subscriptions/listen", context.request_context());
            let listening = async { self.handler.listen(context).await };
            self.answered(panics::catch(Box::pin(listening)).await, &asked).await
        })
    }

    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> promise!(Result<CallToolResponse, ErrorData>) {
        self.call(request, context)
    }

    /// The tools that are served, each with its errors in its description and with what it is known for.
    fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> promise!(Result<ListToolsResult, ErrorData>) {
        Box::pin(async move {
            let asked = Asked::new("tools/list", &context);
            let is_first = request.as_ref().is_none_or(|it| it.cursor.is_none());
            let list = async { self.handler.list_tools(request, context).await };
            let mut listed = self.answered(panics::catch(Box::pin(list)).await, &asked).await?;
            let is_whole = is_first && listed.next_cursor.is_none();
            let registry = self.state.codes.registry();
            self.state.catalog.learn(&listed.tools, is_whole, (&self.settings, &registry));
            listed.tools.retain_mut(|tool| {
                let known = self.state.catalog.get(&tool.name);
                if let Some(known) = &known {
                    known.describe(tool, &registry);
                }
                known.is_some_and(|it| it.operation.is_some())
            });
            Ok(listed)
        })
    }

    fn get_task(
        &self,
        request: GetTaskParams,
        context: Context,
    ) -> promise!(Result<GetTaskResult, ErrorData>) {
        Box::pin(async move {
            let asked = Asked::new("tasks/get", &context);
            let answer = async { self.handler.get_task(request, context).await };
            let mut found = self.answered(panics::catch(Box::pin(answer)).await, &asked).await?;
            if tasks::has_failed(&found.task.payload) {
                Box::pin(self.tell_task(&mut found.task.payload, &asked)).await;
            }
            Ok(found)
        })
    }

    fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> promise!(Result<CustomResult, ErrorData>) {
        Box::pin(async move {
            let asked = Asked::new(request.method.clone(), &context);
            if TYPED.contains(&&*request.method) {
                return Err(Box::pin(self.malformed(&request, &asked)).await);
            }
            let stats = if request.method == ErrorStats::METHOD { self.stats() } else { None };
            if let Some(stats) = stats.and_then(|it| serde_json::from_str(&it).ok()) {
                return Ok(CustomResult::new(stats));
            }
            let answer = async { self.handler.on_custom_request(request, context).await };
            self.answered(panics::catch(Box::pin(answer)).await, &asked).await
        })
    }
}

impl<H: ServerHandler> Contract<H> {
    /// The answer to a request of any method but `tools/call`.
    async fn answered<T>(
        &self,
        end: Result<Result<T, ErrorData>, Panic>,
        asked: &Asked,
    ) -> Result<T, ErrorData> {
        match end {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(Box::pin(self.failed(Ok(error), asked)).await),
            Err(panic) => Err(Box::pin(self.failed(Err(panic), asked)).await),
        }
    }

    async fn failed(&self, end: Result<ErrorData, Panic>, asked: &Asked) -> ErrorData {
        let (mut fault, error) = match end {
            Ok(error) => {
                let traits = ToolTraits::default();
                let judge = Judge { asked, state: &self.state, traits };
                (judge.error(&error), Some(error))
            }
            Err(panic) => (panic.fault(), None),
        };
        if READING.contains(&&*asked.method) {
            fault.nothing_changed();
        }
        let told = self.tell(fault, asked).await;
        match error {
            Some(error) if !told.is_unrecorded => {
                answer::dressed(error, &told.fault, &self.settings.redactor)
            }
            _ => answer::rpc_error(&told.fault, None),
        }
    }

    /// The answer to a request whose parameters are not those of its method.
    async fn malformed(&self, request: &CustomRequest, asked: &Asked) -> ErrorData {
        let told = self.tell(crate::judge::malformed(request), asked).await;
        answer::rpc_error(&told.fault, Some(ErrorCode::INVALID_PARAMS))
    }
}
