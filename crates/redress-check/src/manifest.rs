//! `Manifest`: the codes that a plugin declares in its own sources, as the keys of an object named `errorCodes`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{facts::TableKind, sources::Sources, table::PLUGIN_CODES};

/// The codes of one package. Its sources name them with the namespace of the plugin before them.
#[derive(Debug)]
pub(crate) struct Manifest<'w> {
    /// The folder of the package.
    root: PathBuf,
    /// The file that declares them.
    pub(crate) file: Arc<str>,
    /// The codes without a namespace.
    pub(crate) keys: BTreeSet<&'w str>,
}

/// The manifests of all packages.
pub(crate) fn manifests(sources: &Sources) -> Vec<Manifest<'_>> {
    let mut list: Vec<Manifest<'_>> = Vec::new();
    for source in sources.files.iter().filter(|it| !it.facts.is_test) {
        let tables = source.facts.tables.iter();
        let declared = tables.filter(|it| &*it.name == PLUGIN_CODES && it.kind == TableKind::Keys);
        for table in declared {
            let keys = table.members.iter().map(|it| &*it.text);
            let root = package(&source.path);
            match list.iter_mut().find(|it| it.root == root) {
                Some(known) => known.keys.extend(keys),
                None => list.push(Manifest {
                    root: root.to_path_buf(),
                    file: source.path.to_string_lossy().into(),
                    keys: keys.collect(),
                }),
            }
        }
    }
    list
}

/// The manifest of the package that a file belongs to: the innermost one.
pub(crate) fn of<'m, 'w>(list: &'m [Manifest<'w>], path: &Path) -> Option<&'m Manifest<'w>> {
    let around = list.iter().filter(|it| path.starts_with(&it.root));
    around.max_by_key(|it| it.root.components().count())
}

/// The folder of the package: the one above `src`, else that of the file.
fn package(path: &Path) -> &Path {
    let mut above = path.ancestors().skip(1);
    let folder = above.next().unwrap_or(path);
    let sources = path.ancestors().skip(1).find(|it| it.ends_with("src"));
    sources.and_then(Path::parent).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::package;

    #[test]
    fn a_package_is_the_folder_above_its_sources() {
        for (file, folder) in [
            ("packages/voice/src/tools/a.ts", "packages/voice"),
            ("src/a.ts", ""),
            ("plugins/voice/index.ts", "plugins/voice"),
            ("index.ts", ""),
        ] {
            assert_eq!(package(Path::new(file)), Path::new(folder), "{file}");
        }
    }
}
