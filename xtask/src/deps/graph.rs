//! The packages of a build and what each depends on, as `cargo metadata` tells them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use semver::Version;
use serde_json::Value;

/// One version of one crate.
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: Version,
    pub(super) licence: Option<String>,
    /// Where it comes from; a package in a folder has none.
    pub(super) source: Option<String>,
    pub(super) is_member: bool,
    /// Dependencies of a member, not of the workspace, that take any version.
    pub(super) wildcards: Vec<String>,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// All packages, and the ids of what each depends on.
pub(super) struct Graph {
    pub(super) packages: Vec<Package>,
    arrows: BTreeMap<String, Vec<String>>,
}

impl Graph {
    /// Reads the output of `cargo metadata`. It also lists packages behind features that are off, which no build uses.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let json: Value = serde_json::from_slice(json).map_err(|it| it.to_string())?;
        let members: BTreeSet<&str> =
            list(&json, "workspace_members").filter_map(Value::as_str).collect();
        let mut manifests = BTreeMap::new();
        for manifest in list(&json, "packages") {
            manifests.insert(text(manifest, "id")?, manifest);
        }
        let nodes = json.get("resolve").ok_or("cargo metadata has no graph")?;
        let mut arrows = BTreeMap::new();
        for node in list(nodes, "nodes") {
            let id = text(node, "id")?;
            let below = list(node, "dependencies").filter_map(Value::as_str);
            let below = below.filter(|it| uses(node, manifests.get(&id), manifests.get(*it)));
            let below = below.map(str::to_owned).collect();
            arrows.insert(id, below);
        }
        let packages = manifests.values().map(|it| package(it, &members));
        let mut graph = Self { packages: packages.collect::<Result<_, _>>()?, arrows };
        let used = graph.below(|it| it.is_member);
        let used: BTreeSet<String> = used.into_iter().map(str::to_owned).collect();
        graph.packages.retain(|it| used.contains(&it.id));
        Ok(graph)
    }

    /// The ids of the packages that a rule names, and of all that they depend on.
    pub(super) fn below(&self, is_root: impl Fn(&Package) -> bool) -> BTreeSet<&str> {
        let roots = self.packages.iter().filter(|it| is_root(it));
        let mut open: Vec<&str> = roots.map(|it| it.id.as_str()).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.arrows.get(id).into_iter().flatten().map(String::as_str));
            }
        }
        seen
    }
}

/// Whether a package with the features of its node really uses another one.
fn uses(node: &Value, owner: Option<&&Value>, other: Option<&&Value>) -> bool {
    let (Some(owner), Some(other)) = (owner, other) else { return true };
    let is_other = |it: &&Value| it.get("name") == other.get("name");
    list(owner, "dependencies").filter(is_other).any(|dependency| {
        let is_optional = dependency.get("optional").is_some_and(|it| it == true);
        !is_optional || is_switched_on(node, owner, dependency)
    })
}

/// Whether a feature that is on asks for an optional dependency; `name?/feature` does not.
fn is_switched_on(node: &Value, owner: &Value, dependency: &Value) -> bool {
    let rename = dependency.get("rename").and_then(Value::as_str);
    let Some(name) = rename.or_else(|| dependency.get("name")?.as_str()) else { return true };
    let on = list(node, "features").filter_map(Value::as_str);
    let asked = on.flat_map(|it| list(owner.get("features").unwrap_or(owner), it));
    asked.filter_map(Value::as_str).any(|it| {
        let it = it.strip_prefix("dep:").unwrap_or(it);
        it.split('/').next() == Some(name)
    })
}

fn package(json: &Value, members: &BTreeSet<&str>) -> Result<Package, String> {
    let id = text(json, "id")?;
    let optional = |key| json.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_member = members.contains(id.as_str());
    let version = text(json, "version")?;
    let wildcards = list(json, "dependencies").filter(|it| is_member && is_wild(it));
    Ok(Package {
        name: text(json, "name")?,
        version: Version::parse(&version).map_err(|it| format!("{version}: {it}"))?,
        licence: optional("license"),
        source: optional("source"),
        wildcards: wildcards.map(|it| text(it, "name")).collect::<Result<_, _>>()?,
        is_member,
        id,
    })
}

/// A dependency on any version; one in a folder has the version that is there.
fn is_wild(dependency: &Value) -> bool {
    dependency.get("req").is_some_and(|it| it == "*")
        && dependency.get("path").is_none_or(Value::is_null)
}

fn list<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    json.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text(json: &Value, key: &str) -> Result<String, String> {
    let text = json.get(key).and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| format!("cargo metadata names no `{key}`"))
}
