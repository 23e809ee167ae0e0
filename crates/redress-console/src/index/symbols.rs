//! `Symbols`: every text of the index once, under a number.

use indexmap::IndexSet;

/// The number of a text.
pub(crate) type Symbol = u32;

/// The text that is empty, in every table.
pub(crate) const EMPTY: Symbol = 0;

/// Every text once, under a number. The texts are foreign, so that their hashes must not be guessed.
#[derive(Debug)]
pub(crate) struct Symbols {
    texts: IndexSet<Box<str>>,
    bytes: usize,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self { texts: IndexSet::new(), bytes: 0 };
        symbols.add("");
        symbols
    }
}

impl Symbols {
    /// The number of a text, which is kept if it is new.
    pub(crate) fn add(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.find(text) {
            return symbol;
        }
        self.bytes += text.len() + 48;
        let (at, _) = self.texts.insert_full(text.into());
        Symbol::try_from(at).unwrap_or(EMPTY)
    }

    /// The same, if the text of `last` is another one: what repeats costs one comparison.
    pub(crate) fn add_after(&mut self, last: &mut Symbol, text: &str) -> Symbol {
        if self.text(*last) != text {
            *last = self.add(text);
        }
        *last
    }

    /// The number of a text that is known.
    pub(crate) fn find(&self, text: &str) -> Option<Symbol> {
        self.texts.get_index_of(text).and_then(|it| Symbol::try_from(it).ok())
    }

    /// The text of a number.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        self.texts.get_index(symbol as usize).map_or("", |it| it)
    }

    /// About how many bytes it takes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}
