//! `RowFile`: the errors.toml or redress.toml that rows are added to.

use std::{path::Path, sync::Arc};

use redress_registry::{
    Registry, Source,
    edit::{self, Drafted, NewCode},
    read,
};

use crate::{config, contract, failure::Failure, files, registry::lint};

/// How the first line of a registry names its format.
const REGISTRY: &str = "redress-registry/";

/// A file that rows are added to.
#[derive(Debug)]
pub(super) struct RowFile {
    path: String,
    source: Source,
    kind: RowTarget,
}

#[derive(Debug)]
enum RowTarget {
    /// A contract.
    Registry(Arc<Registry>),
    /// The configuration of the gate, and the server in it.
    Config { server: String, codes: Arc<Registry> },
}

impl RowFile {
    /// Reads the file. A configuration with several servers needs the name of one.
    pub(super) fn open(path: &str, server: Option<&str>) -> Result<Self, Failure> {
        let source = contract::source(path)?;
        let root = read::tree(&source).map_err(|it| contract::refused(&it))?;
        let format = root.get_ref().get("format").and_then(|it| it.get_ref().as_str());
        let kind = if format.is_some_and(|it| it.starts_with(REGISTRY)) {
            RowTarget::Registry(contract::from_source(&source)?)
        } else {
            let config = config::load(Path::new(path))?;
            let config = match server {
                Some(name) => config.only(name),
                None => Ok(config),
            };
            let config = config.map_err(|it| it.fix("Name a server of the file with --server."))?;
            let server = config
                .single()
                .map_err(|it| it.fix("Name the server that is meant with --server."))?;
            RowTarget::Config { server: server.name.clone(), codes: server.codes() }
        };
        drop(root);
        Ok(Self { path: path.to_owned(), source, kind })
    }

    /// The codes and rows that there are.
    pub(super) fn registry(&self) -> Arc<Registry> {
        let (RowTarget::Registry(codes) | RowTarget::Config { codes, .. }) = &self.kind;
        Arc::clone(codes)
    }

    /// The domain of new codes: the first of a registry. The configuration has no codes.
    pub(super) fn domain(&self) -> Option<String> {
        let RowTarget::Registry(_) = &self.kind else { return None };
        let draft = read(&self.source).ok()?;
        draft.domains.first().map(|it| it.value.name.value.clone())
    }

    /// Adds the rows and their codes, if the file is as good afterwards as before. Says how many rows.
    pub(super) fn write(&self, new: &[NewCode], rows: &[Drafted]) -> Result<usize, Failure> {
        let _held = files::hold_folder(&self.path)?;
        if contract::source(&self.path)?.text != self.source.text {
            return Err(Failure::changed(&self.path));
        }
        let mut source = self.source.clone();
        let find = |name: &str| contract::base(&self.source, name);
        for new in new {
            let text =
                edit::add(&source, new, &find).map_err(|it| unsound(contract::refused(&it)))?;
            source = Source { text: text.into(), ..source };
        }
        let place = match &self.kind {
            RowTarget::Registry(_) => Vec::new(),
            RowTarget::Config { server, .. } => vec!["server", server.as_str()],
        };
        let text = edit::teach(&source.text, &place, rows)
            .map_err(|it| unsound(Failure::config(&self.path, &it)))?;
        let source = Source { text: text.into(), ..source };
        self.check(&source)?;
        files::replace(&self.path, &source.text)?;
        Ok(rows.len())
    }

    /// Whether the new text can be read, and the lint finds nothing in it that it did not find before.
    fn check(&self, source: &Source) -> Result<(), Failure> {
        if let RowTarget::Config { .. } = &self.kind {
            let machine = config::Machine::around(Path::new(&self.path));
            let read = config::read(source, &machine);
            return read.map(drop).map_err(|it| unsound(contract::refused(&it)));
        }
        contract::from_source(source).map_err(unsound)?;
        let before = lint::all(&self.source, None)?;
        let known = |rule: &str, message: &str| {
            before.iter().any(|it| it.rule == rule && it.message == message)
        };
        let after = lint::all(source, None)?;
        match after.iter().find(|it| !known(it.rule, &it.message)) {
            None => Ok(()),
            Some(it) => Err(unsound(Failure::config(
                &it.place.to_string(),
                &format!("{}: {} {}", it.rule, it.message, it.fix),
            ))),
        }
    }
}

/// The file would not be sound, so that it is left as it is.
fn unsound(failure: Failure) -> Failure {
    failure.fix("Nothing was written. Leave out --write, and add the rows that fit by hand.")
}
