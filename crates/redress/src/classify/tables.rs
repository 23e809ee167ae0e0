//! The tables that ship with the library, searched with one automaton.

use std::sync::LazyLock;

use super::{
    formats::PRODUCERS,
    phrase::{Finder, Gathering},
    prose,
    table::Table,
};

/// The rows of formats and of prose, and where every phrase is found.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) formats: Table,
    pub(crate) prose: Table,
    pub(crate) finder: Finder,
}

#[expect(clippy::expect_used, reason = "the texts are embedded and a test reads them")]
pub(crate) static TABLES: LazyLock<Tables> =
    LazyLock::new(|| Tables::read().expect("embedded rules are valid"));

impl Tables {
    fn read() -> Result<Self, String> {
        let mut gathering = Gathering::default();
        let (mut formats, mut prose) = (Table::default(), Table::default());
        for (producer, text) in PRODUCERS {
            formats.read(producer, text, &mut gathering)?;
        }
        prose.read(prose::NAME, prose::TEXT, &mut gathering)?;
        Ok(Self { formats, prose, finder: gathering.build()? })
    }
}
