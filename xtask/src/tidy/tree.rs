//! The module tree of a crate: each module's items, imports, paths and inherent `impl` blocks, without test code.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use quote::ToTokens as _;
use syn::{Attribute, Item, Type, UseTree};

use super::paths::{is_test_code, paths};

/// The segments of a path, as they are written.
pub(super) type Segments = Vec<String>;

/// Reads a file, or says that there is none.
pub(super) type Load<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Everything that a crate's root file reaches through `mod` declarations.
pub(super) struct Tree {
    /// By path from the root, which is empty.
    pub(super) modules: BTreeMap<Segments, Module>,
    /// Files that cannot be read or parsed, each with why.
    pub(super) problems: Vec<String>,
}

/// One module, whether it has a file of its own or not.
#[derive(Default)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    /// A task wrote the file.
    pub(super) is_generated: bool,
    /// Names of child modules.
    pub(super) children: BTreeSet<String>,
    /// Names of all other items.
    pub(super) items: BTreeSet<String>,
    pub(super) imports: Vec<Import>,
    /// Paths of more than one segment that the code names outside of imports, and single names.
    pub(super) paths: Vec<Segments>,
    /// The types of the `impl` blocks without a trait.
    pub(super) inherent: Vec<Segments>,
}

/// One name that a `use` brings in.
pub(super) struct Import {
    /// None for a `*`.
    pub(super) name: Option<String>,
    pub(super) path: Segments,
}

impl Tree {
    /// Reads the crate whose root is `file`.
    pub(super) fn read(file: &Path, load: Load<'_>) -> Self {
        let tree = Self { modules: BTreeMap::new(), problems: Vec::new() };
        let mut reader = Reader { tree, load };
        reader.file(Vec::new(), file, file.parent().unwrap_or(Path::new("")));
        reader.tree
    }

    /// Reads sources that a test has at hand, each with its path below `src`.
    #[cfg(test)]
    pub(super) fn of(sources: &[(&str, &str)]) -> Self {
        let load = |file: &Path| {
            let source = sources.iter().find(|it| Path::new(it.0) == file);
            source.map(|it| it.1.to_owned())
        };
        Self::read(Path::new("lib.rs"), &load)
    }
}

/// A tree on its way.
struct Reader<'a> {
    tree: Tree,
    load: Load<'a>,
}

impl Reader<'_> {
    /// Reads the module `at`, whose children are in `folder`.
    fn file(&mut self, at: Segments, file: &Path, folder: &Path) {
        let Some(text) = (self.load)(file) else {
            self.tree.problems.push(format!("{}: no such file", file.display()));
            return;
        };
        match syn::parse_file(&text) {
            Ok(parsed) => {
                let is_generated =
                    text.lines().take(3).any(|it| it.contains("cargo xtask codegen"));
                let module = Module { file: file.to_path_buf(), is_generated, ..Module::default() };
                self.items(at, module, &parsed.items, folder);
            }
            Err(error) => self.tree.problems.push(format!("{}: {error}", file.display())),
        }
    }

    fn items(&mut self, at: Segments, mut module: Module, items: &[Item], folder: &Path) {
        for item in items.iter().filter(|it| !attributes(it).iter().any(is_test_code)) {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let child: Segments = at.iter().cloned().chain([name.clone()]).collect();
                    let below = folder.join(&name);
                    if let Some((_, items)) = &inner.content {
                        let file = module.file.clone();
                        let is_generated = module.is_generated;
                        let part = Module { file, is_generated, ..Module::default() };
                        self.items(child, part, items, &below);
                    } else {
                        self.file(child, &below.with_extension("rs"), &below);
                    }
                    module.children.insert(name);
                }
                Item::Use(it) => imports(&it.tree, &mut Vec::new(), &mut module.imports),
                other => {
                    if let Item::Impl(block) = other
                        && block.trait_.is_none()
                        && let Type::Path(path) = &*block.self_ty
                    {
                        let segments = path.path.segments.iter();
                        module.inherent.push(segments.map(|it| it.ident.to_string()).collect());
                    }
                    module.items.extend(name(other));
                    paths(other.to_token_stream(), &mut module.paths);
                }
            }
        }
        self.tree.modules.insert(at, module);
    }
}

fn imports(tree: &UseTree, prefix: &mut Segments, found: &mut Vec<Import>) {
    let mut add = |name: Option<String>, last: Option<String>| {
        let path = prefix.iter().cloned().chain(last).collect();
        found.push(Import { name, path });
    };
    match tree {
        UseTree::Path(it) => {
            prefix.push(it.ident.to_string());
            imports(&it.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(it) if it.ident == "self" => add(prefix.last().cloned(), None),
        UseTree::Name(it) => add(Some(it.ident.to_string()), Some(it.ident.to_string())),
        UseTree::Rename(it) if it.ident == "self" => add(Some(it.rename.to_string()), None),
        UseTree::Rename(it) => add(Some(it.rename.to_string()), Some(it.ident.to_string())),
        UseTree::Glob(_) => add(None, None),
        UseTree::Group(it) => it.items.iter().for_each(|it| imports(it, prefix, found)),
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::ExternCrate(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::ForeignMod(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::TraitAlias(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Union(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::TraitAlias(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Union(it) => &it.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
