//! `Contract::run`: one client, from its first word to its last, in a single call for a `main`.

use std::fmt;

use rmcp::{ServerHandler, service::ServerInitializeError};

use crate::{contract::Contract, pipe::Connection};

/// Why a client was not served to its end.
pub struct RunError(Box<dyn std::error::Error + Send + Sync>);

/// The same words: a `main` that returns it prints this one.
impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The client could not be served: {}", self.0)
    }
}

impl std::error::Error for RunError {}

impl<H: ServerHandler> Contract<H> {
    /// Serves one client until it closes its side, and answers what it has asked. One that leaves before it begins is no
    /// failure. [`Self::serve`] gives more to hold on to, such as a token that ends the session.
    pub async fn run<T, E, Kind>(self, connection: T) -> Result<(), RunError>
    where
        T: Connection<E, Kind>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let session = match self.serve(connection).await {
            Ok(session) => session,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(RunError(error.into())),
        };
        session.waiting().await.map(drop).map_err(|it| RunError(it.into()))
    }
}
