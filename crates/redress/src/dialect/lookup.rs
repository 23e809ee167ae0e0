//! `Lookup`: which row a code or a dialect's spelling names, in the registries that are given and in all that ship.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use redress_registry::{
    Entry, Registry, model::Ordered, nearest::nearest, plugin::Plugins, shipped,
};

use crate::dialect::Dialect;

/// The shipped registries, ready to be searched.
static SHIPPED: LazyLock<LookupIndex> =
    LazyLock::new(|| LookupIndex::new(shipped::all().map(Arc::clone).collect()));

/// The registries that a reader knows: those that are given come first, in their order, then all that ship, then
/// what plugins have registered by then.
#[derive(Debug, Default)]
pub struct Lookup {
    given: Option<LookupIndex>,
    plugins: Option<Arc<Plugins>>,
}

impl Lookup {
    /// Only the shipped registries.
    pub const fn shipped() -> Self {
        Self { given: None, plugins: None }
    }

    /// The contract of a server before the shipped registries.
    pub fn with(registries: impl IntoIterator<Item = Arc<Registry>>) -> Self {
        Self { given: Some(LookupIndex::new(registries.into_iter().collect())), plugins: None }
    }

    /// The codes of plugins, too.
    #[must_use]
    pub fn and_plugins(self, plugins: Arc<Plugins>) -> Self {
        Self { plugins: Some(plugins), ..self }
    }

    /// The contract whose taught rows name failures: the first that is given and has some, else `core`.
    pub(crate) fn teacher(&self) -> &Registry {
        let given = self.given.iter().flat_map(|it| &it.registries);
        let mut teachers = given.filter(|it| !it.matches.rows().is_empty());
        teachers.next().map_or_else(|| &**shipped::core(), |it| &**it)
    }

    /// The row of a code in the registry of that name, or in the first that has it.
    pub fn row(&self, contract: Option<&str>, code: &str) -> Option<Arc<Entry>> {
        let known = self.indexes().find_map(|it| it.row(contract, code)).map(Arc::clone);
        known.or_else(|| {
            let row = self.plugins.as_ref()?.get(code)?;
            contract.is_none_or(|it| *row.registry == *it).then_some(row)
        })
    }

    /// The row that a dialect means by `spelling`.
    pub fn spelled(&self, dialect: Dialect, spelling: &str) -> Option<Arc<Entry>> {
        let known =
            |it: &LookupIndex| it.spellings.get(dialect.place())?.get(spelling).map(Arc::clone);
        self.indexes().find_map(known).or_else(|| {
            let (namespace, code) = spelling.split_once('.')?;
            let code = format!("{namespace}.{}", code.to_ascii_uppercase());
            let row = self.plugins.as_ref()?.get(&code)?;
            (dialect.spells(&row)? == spelling).then_some(row)
        })
    }

    /// The row that has this number in JSON-RPC.
    pub fn numbered(&self, number: i64) -> Option<Arc<Entry>> {
        self.indexes().find_map(|it| it.numbers.get(&number)).map(Arc::clone)
    }

    /// Every spelling of a dialect with its row. Where one comes twice, the first counts.
    pub fn spellings(&self, dialect: Dialect) -> impl Iterator<Item = (&str, &Arc<Entry>)> {
        let known = self.indexes().filter_map(move |it| it.spellings.get(dialect.place()));
        known.flat_map(|it| it.iter().map(|(spelling, row)| (&**spelling, row)))
    }

    /// Every number in JSON-RPC with its row. Where one comes twice, the first counts.
    pub fn numbers(&self) -> impl Iterator<Item = (i64, &Arc<Entry>)> {
        self.indexes().flat_map(|it| it.numbers.iter().map(|(number, row)| (*number, row)))
    }

    /// Every row, those of the given registries first. A row that registries share comes more than once.
    pub fn rows(&self) -> impl Iterator<Item = &Arc<Entry>> {
        let registries = self.indexes().flat_map(|it| &it.registries);
        registries.flat_map(|it| it.codes.values())
    }

    /// The spelling that was probably meant: what a retired name leads to, else the nearest.
    pub fn near(&self, dialect: Dialect, spelling: &str) -> Option<&str> {
        let mut registries = self.indexes().flat_map(|it| &it.registries);
        if let Some(to) = registries.find_map(|it| it.retired.get(spelling)?.to.as_deref()) {
            return Some(to);
        }
        let known = self.indexes().filter_map(|it| it.spellings.get(dialect.place()));
        nearest(spelling, known.flat_map(|it| it.keys().map(|it| &**it)))
    }

    fn indexes(&self) -> impl Iterator<Item = &LookupIndex> {
        self.given.iter().chain(std::iter::once_with(|| &*SHIPPED))
    }
}

/// Registries with their spellings in every dialect.
#[derive(Debug)]
struct LookupIndex {
    registries: Vec<Arc<Registry>>,
    /// By the dialect's place in [`Dialect::ALL`].
    spellings: [Ordered<Arc<Entry>>; Dialect::ALL.len()],
    numbers: BTreeMap<i64, Arc<Entry>>,
}

impl LookupIndex {
    fn new(registries: Vec<Arc<Registry>>) -> Self {
        let spellings = Dialect::ALL.map(|it| spellings(it, &registries));
        let mut numbers = BTreeMap::new();
        for row in rows(&registries, Dialect::Rpc.home()) {
            if let Some(number) = row.number {
                numbers.entry(i64::from(number)).or_insert_with(|| Arc::clone(row));
            }
        }
        Self { registries, spellings, numbers }
    }

    fn row(&self, contract: Option<&str>, code: &str) -> Option<&Arc<Entry>> {
        self.registries
            .iter()
            .filter(|it| contract.is_none_or(|name| *it.name == *name))
            .find_map(|it| it.get(code))
    }
}

/// What every spelling of a dialect means. Where rows share one, it means the row that it is the name of, then the
/// first row that is written so, then any that is read so; the dialect's home registry goes before the others.
fn spellings(dialect: Dialect, registries: &[Arc<Registry>]) -> Ordered<Arc<Entry>> {
    let mut index: Ordered<Arc<Entry>> = Ordered::default();
    let mut add = |spelling: &str, row: &Arc<Entry>| {
        if !index.contains_key(spelling) {
            index.insert(spelling.into(), Arc::clone(row));
        }
    };
    for row in rows(registries, dialect.home()) {
        if let (Some(name), Some(written)) = (dialect.own_spelling(row), dialect.spells(row))
            && name == written
        {
            add(&name, row);
        }
    }
    for row in rows(registries, dialect.home()) {
        if let Some(written) = dialect.spells(row) {
            add(&written, row);
        }
    }
    for row in rows(registries, dialect.home()) {
        let alias = row.alias.iter().find(|it| *it.dialect == *dialect.name());
        for spelling in alias.iter().flat_map(|it| &it.spellings) {
            add(spelling, row);
        }
        if let Some(name) = dialect.own_spelling(row) {
            add(&name, row);
        }
    }
    index
}

/// Every row once, those of the registry `home` first.
fn rows<'a>(
    registries: &'a [Arc<Registry>],
    home: Option<&str>,
) -> impl Iterator<Item = &'a Arc<Entry>> {
    let is_home = move |it: &&Arc<Registry>| home == Some(&*it.name);
    let first = registries.iter().filter(is_home);
    first.chain(registries.iter().filter(move |it| !is_home(it))).flat_map(|it| it.codes.values())
}
