//! Names to what they stand for, through the imports of all files.

mod modules;

use rustc_hash::FxHashMap;

use crate::{
    facts::{CodeTable, Constant, Function, Import, Member, Value},
    sources::Sources,
};
use modules::Modules;

/// What a name represents, and in which file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'w> {
    Constant(usize, &'w Constant),
    Member(&'w Member),
    /// A table without the member that is asked for.
    NoMember(&'w CodeTable),
    Function(usize, &'w Function),
    Unknown,
}

/// The names of all files.
#[derive(Debug)]
pub(crate) struct Index<'w> {
    sources: &'w Sources,
    files: Vec<FileNames<'w>>,
    modules: Modules<'w>,
}

/// The names of one file.
#[derive(Debug, Default)]
struct FileNames<'w> {
    constants: FxHashMap<&'w str, &'w Constant>,
    tables: FxHashMap<&'w str, &'w CodeTable>,
    functions: FxHashMap<&'w str, &'w Function>,
    /// Methods by their names alone; nothing where two classes have one of that name.
    methods: FxHashMap<&'w str, Option<&'w Function>>,
    imports: FxHashMap<&'w str, &'w Import>,
    /// Files whose every name comes in.
    whole: Vec<&'w Import>,
}

/// Longer ways from a name to its value are circles.
const MAX_HOPS: u8 = 12;

/// Files that take in every name of each other give more ways than anybody can follow.
const MAX_STEPS: u16 = 100;

impl<'w> Index<'w> {
    pub(crate) fn new(sources: &'w Sources) -> Self {
        let files = sources.files.iter().map(|it| FileNames::new(&it.facts)).collect();
        Self { sources, files, modules: Modules::new(sources) }
    }

    /// What a path in a file represents.
    pub(crate) fn target(&self, file: usize, path: &str) -> Target<'w> {
        self.follow(file, path, (MAX_HOPS, &mut { MAX_STEPS }))
    }

    /// The text that a path in a file represents.
    pub(crate) fn text(&self, file: usize, path: &str) -> Option<&'w str> {
        let mut target = self.target(file, path);
        for _ in 0..MAX_HOPS {
            match target {
                Target::Member(member) => return Some(&member.text),
                Target::Constant(home, constant) => match &constant.value {
                    Value::Text(text) => return Some(text),
                    Value::Path(path) => target = self.target(home, path),
                    Value::Computed(_) => return None,
                },
                _ => return None,
            }
        }
        None
    }

    fn follow(&self, file: usize, path: &str, (hops, steps): (u8, &mut u16)) -> Target<'w> {
        *steps = steps.saturating_sub(1);
        let names = self.files.get(file).filter(|_| hops > 0 && *steps > 0);
        let Some(names) = names else { return Target::Unknown };
        if let Some(found) = names.own(file, path) {
            return found;
        }
        let (head, rest) = path.split_once('.').unwrap_or((path, ""));
        let joined = |name: &str| match (name, rest) {
            ("*", rest) => rest.to_owned(),
            (name, "") => name.to_owned(),
            (name, rest) => format!("{name}.{rest}"),
        };
        if let Some(import) = names.imports.get(head) {
            for home in self.modules.find(self.sources, file, import) {
                let path = if home.is_name { joined("*") } else { joined(&import.name) };
                let found = self.follow(home.file, &path, (hops - 1, steps));
                if !matches!(found, Target::Unknown) {
                    return found;
                }
            }
        }
        for import in &names.whole {
            for home in self.modules.find(self.sources, file, import) {
                let found = self.follow(home.file, path, (hops - 1, steps));
                if !matches!(found, Target::Unknown) {
                    return found;
                }
            }
        }
        self.by_module(file, path, hops)
    }

    /// `errors::GONE` in Rust needs no import.
    fn by_module(&self, file: usize, path: &str, hops: u8) -> Target<'w> {
        let Some((module, name)) = path.rsplit_once('.') else { return Target::Unknown };
        let module = module.rsplit('.').next().unwrap_or_default();
        for home in self.modules.of_rust(self.sources, file, module) {
            if home != file
                && let Some(found) = self.files.get(home).and_then(|it| it.own(home, name))
                && hops > 0
            {
                return found;
            }
        }
        Target::Unknown
    }
}

impl<'w> FileNames<'w> {
    fn new(facts: &'w crate::facts::Facts) -> Self {
        let mut names = Self::default();
        for it in &facts.constants {
            names.constants.entry(&it.name).or_insert(it);
        }
        for it in facts.tables.iter().filter(|it| !it.name.is_empty()) {
            names.tables.entry(&it.name).or_insert(it);
        }
        for it in facts.functions.iter().filter(|it| !it.name.is_empty()) {
            names.functions.entry(&it.name).or_insert(it);
            if let Some((_, method)) = it.name.rsplit_once('.') {
                names.methods.entry(method).and_modify(|it| *it = None).or_insert(Some(it));
            }
        }
        for it in &facts.imports {
            if &*it.local == "*" {
                names.whole.push(it);
            } else {
                names.imports.entry(&it.local).or_insert(it);
            }
        }
        names
    }

    /// What the file itself has under a path.
    fn own(&self, file: usize, whole: &str) -> Option<Target<'w>> {
        let path = whole.strip_prefix("this.").unwrap_or(whole);
        if let Some(it) = self.constants.get(path) {
            return Some(Target::Constant(file, it));
        }
        let (head, rest) = path.split_once('.').unwrap_or((path, ""));
        let member = rest.split('.').next().unwrap_or_default();
        if let Some(table) = self.tables.get(head)
            && !member.is_empty()
        {
            let found = table.members.iter().find(|it| &*it.name == member);
            return Some(found.map_or(Target::NoMember(table), Target::Member));
        }
        let method = ["this.", "self.", "cls."].iter().find_map(|it| whole.strip_prefix(it));
        let method = method.and_then(|it| self.methods.get(it).copied().flatten());
        let function = self.functions.get(path).copied().or(method);
        function.map(|it| Target::Function(file, it))
    }
}
