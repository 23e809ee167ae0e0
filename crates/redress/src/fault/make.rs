//! Making a fault from whatever was thrown, with the defaults of the ATLAS-GATE contract.

use std::{any::Any, borrow::Cow, error::Error, fmt::Write as _, sync::Arc};

use redress_registry::{Entry, Registry};

use super::{Cause, Context, Fault, Origin, codes};
use redress_wire::json::{Kind, RawJson};

/// What is known when a failure is made.
#[derive(Debug, Clone, Default)]
pub struct Ctx {
    /// The code, where the maker leaves it open.
    pub code: Option<Arc<Entry>>,
    /// What happened, in the maker's words.
    pub message: Option<String>,
    /// Where it happened.
    pub context: Context,
    /// What was thrown.
    pub cause: Option<Thrown>,
}

/// Anything that can be thrown.
#[derive(Debug, Clone)]
pub enum Thrown {
    /// A fault, ready-made.
    Fault(Box<Fault>),
    /// A text.
    Text(String),
    /// An error with its causes, outermost first.
    Error {
        /// What it said and what it is.
        links: Vec<Cause>,
        /// Its code, if it has one of its own.
        code: Option<String>,
        /// The invariant it names.
        invariant_id: Option<String>,
        /// Its stack.
        stack: Option<String>,
    },
    /// Any other value.
    Json(RawJson),
}

impl Thrown {
    /// An error of Rust with its chain of sources.
    pub fn error(error: &(dyn Error + 'static)) -> Self {
        let chain =
            std::iter::successors(Some(error), |it: &&(dyn Error + 'static)| (*it).source());
        let links = chain.take(8).map(|it| Cause::Error {
            message: said(it),
            code: None,
            name: "Error".to_owned(),
        });
        Self::Error { links: links.collect(), code: None, invariant_id: None, stack: None }
    }

    /// What a panic carried.
    pub fn panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|it| (*it).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self::Text(text.unwrap_or_else(|| "panic".to_owned()))
    }

    /// What it says by itself.
    fn message(&self) -> Option<String> {
        match self {
            Self::Fault(fault) => Some(fault.message.clone()),
            Self::Text(text) => Some(text.clone()),
            Self::Error { links, .. } => match links.first()? {
                Cause::Error { message, .. } | Cause::Text(message) => Some(message.clone()),
                Cause::Json(_) => None,
            },
            Self::Json(json) => json
                .with(|it| {
                    let said = if it.kind() == Kind::Object { it.get("message")? } else { it };
                    said.as_str().map(Cow::into_owned)
                })
                .flatten(),
        }
    }

    /// The chain that the operator sees, normalised as the contract says: scalars become text.
    fn causes(self) -> Vec<Cause> {
        match self {
            Self::Fault(fault) => fault.private.causes,
            Self::Text(text) => vec![Cause::Text(text)],
            Self::Error { links, .. } => links,
            Self::Json(json) => match json.kind() {
                Kind::Object | Kind::Array => vec![Cause::Json(json)],
                Kind::Null => Vec::new(),
                _ => vec![Cause::Text(json.text().into_owned())],
            },
        }
    }
}

/// What an error says of itself; one that cannot say it is quiet, not fatal.
fn said(error: &dyn Error) -> String {
    let mut text = String::new();
    write!(text, "{error}").unwrap_or_default();
    text
}

/// Turns anything thrown into a fault. A fault stays itself and only gets absent context filled;
/// an error with a code of `registry` keeps it.
pub fn from_unknown(thrown: Thrown, ctx: Ctx, registry: &Registry) -> Fault {
    if let Thrown::Fault(mut fault) = thrown {
        fault.context.fill_absent(&ctx.context);
        return *fault;
    }
    let (own_code, invariant) = match &thrown {
        Thrown::Error { code, invariant_id, .. } => (code.clone(), invariant_id.clone()),
        _ => (None, None),
    };
    let own = own_code.and_then(|it| registry.get(&it).map(Arc::clone));
    let said = thrown.message().filter(|it| !it.is_empty());
    let said = match (&own, said) {
        (Some(row), Some(text)) => Some(without_code(&row.code, text)),
        (_, said) => said,
    };
    let entry = own.or(ctx.code).unwrap_or_else(|| Arc::clone(codes::INTERNAL_ERROR.entry()));
    let message = ctx.message.or(said).unwrap_or_else(|| "An unexpected error occurred".to_owned());
    let context = Context { invariant_id: invariant, ..ctx.context };
    made(&entry, message, context, Some(thrown))
}

/// A tool failed with a code that it knows.
pub fn tool_failure(code: &Arc<Entry>, ctx: Ctx) -> Fault {
    let context = Context { invariant_id: None, ..ctx.context };
    let message = ctx.message.unwrap_or_else(|| "Tool execution failed".to_owned());
    made(code, message, context, ctx.cause)
}

/// An invariant broke; what broke it is not the caller's business.
pub fn invariant_violation(id: &str, ctx: Ctx) -> Fault {
    let context = Context { invariant_id: Some(id.to_owned()), ..ctx.context };
    let message = ctx.message.unwrap_or_else(|| format!("Invariant {id} was violated"));
    made(codes::INVARIANT_VIOLATION.entry(), message, context, None)
}

/// The server did not start; there is no session yet.
pub fn startup_failure(code: &Arc<Entry>, ctx: Ctx) -> Fault {
    let context = Context { tool: Some("startup".to_owned()), ..Context::default() };
    let message = ctx.message.unwrap_or_else(|| "Startup failed".to_owned());
    let mut fault = made(code, message, context, ctx.cause);
    fault.origin = Origin::Server;
    fault
}

fn made(entry: &Arc<Entry>, message: String, context: Context, cause: Option<Thrown>) -> Fault {
    let mut fault = Fault::of(entry);
    fault.message = message;
    fault.context = context;
    if let Some(Thrown::Error { stack, .. }) = &cause {
        fault.private.stack.clone_from(stack);
    }
    for link in cause.map(Thrown::causes).unwrap_or_default() {
        fault.private.push_cause(link);
    }
    fault
}

/// Old errors put their code in brackets before the text; it has a place of its own now.
fn without_code(code: &str, text: String) -> String {
    let rest = text
        .strip_prefix('[')
        .and_then(|it| it.strip_prefix(code))
        .and_then(|it| it.strip_prefix("] "));
    rest.map(str::to_owned).unwrap_or(text)
}
