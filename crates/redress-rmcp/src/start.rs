//! The check before a server begins: every tool says what it does, every code that a tool may have exists, every schema is one.

use std::fmt;

use redress::{
    Fault, card, codes,
    fault::{Ctx, startup_failure},
};
use redress_registry::{Registry, shipped};
use rmcp::{
    ServerHandler,
    model::RequestId,
    service::{RequestContext, RoleServer, serve_directly},
};

use tokio::time::timeout;

use crate::contract::Contract;

/// Why a server does not begin.
pub struct StartError(Box<Fault>);

impl StartError {
    /// The failure.
    pub fn fault(&self) -> &Fault {
        &self.0
    }
}

/// The same words: a `main` that returns it prints this one.
impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&card(&self.0))
    }
}

impl std::error::Error for StartError {}

impl From<Fault> for StartError {
    fn from(fault: Fault) -> Self {
        Self(Box::new(fault))
    }
}

impl<H: ServerHandler> Contract<H> {
    /// Asks the handler for its tools and refuses those that do not keep the contract, before a client comes.
    ///
    /// Needs a runtime of tokio, as serving does.
    pub async fn start(self) -> Result<Self, StartError> {
        unknown_codes(&self.state.codes.registry())?;
        let (ours, theirs) = tokio::io::duplex(64);
        let nobody = serve_directly::<RoleServer, _, _, _, _>(Nobody, ours, None);
        let context = RequestContext::new(RequestId::Number(0), nobody.peer().clone());
        let limit = self.settings.longest_timeout();
        let learnt = timeout(limit, self.learn(&context)).await;
        drop((nobody, theirs));
        let why = match learnt {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.message.into_owned()),
            Err(_) => Some(format!("no answer within {} ms", limit.as_millis())),
        };
        if let Some(why) = why {
            return Err(failure(&format!("The tools cannot be listed: {why}")).into());
        }
        self.check_tools()?;
        Ok(self)
    }

    fn check_tools(&self) -> Result<(), StartError> {
        let names = self.state.catalog.names().unwrap_or_default();
        let mut idle: Vec<&str> = Vec::new();
        for name in names.iter() {
            let Some(tool) = self.state.catalog.get(name) else { continue };
            if tool.operation.is_none() {
                idle.push(name);
            }
            let schemas = [Some(&tool.input), tool.output.as_ref()];
            if let Some(problem) = schemas.into_iter().flatten().find_map(|it| it.problem()) {
                let what = format!("A schema of the tool {name:?} is none: {problem}");
                return Err(failure(&what).into());
            }
        }
        if idle.is_empty() { Ok(()) } else { Err(without_operation(&idle).into()) }
    }
}

/// A peer for the time before there is a client.
struct Nobody;

impl ServerHandler for Nobody {}

/// The failure of tools without a declared operation.
pub(crate) fn without_operation(tools: &[&str]) -> Fault {
    let names = tools.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ");
    let mut fault = failure(&format!("No operation type is declared for: {names}."));
    let first = tools.first().copied().unwrap_or_default();
    fault.hint = format!(
        "Declare what each tool does: .operation({first:?}, Operation::Query) on the contract, or operation = \"query\" in [tool.{first}] of its registry."
    );
    fault
}

fn unknown_codes(registry: &Registry) -> Result<(), StartError> {
    for (name, tool) in &registry.tools {
        let is_unknown =
            |it: &&String| registry.get(it).is_none() && shipped::core().get(it).is_none();
        if let Some(code) = tool.may.iter().find(is_unknown) {
            let what = format!("The tool {name:?} may fail with {code}, which no registry has.");
            return Err(failure(&what).into());
        }
    }
    Ok(())
}

fn failure(message: &str) -> Fault {
    let ctx = Ctx { message: Some(message.to_owned()), ..Ctx::default() };
    startup_failure(codes::BOOTSTRAP_FAILURE.entry(), ctx)
}
