//! The rules of deny.toml that need nothing but the graph.

use semver::VersionReq;
use toml::{Table, Value};

use super::graph::Package;

/// What deny.toml says.
pub(super) struct Rules {
    pub(super) all_features: bool,
    pub(super) targets: Vec<String>,
    licences: Vec<String>,
    /// Licences that only one crate may have.
    exceptions: Vec<(Spec, Vec<String>)>,
    pub(super) banned: Vec<Spec>,
    pub(super) no_duplicates: bool,
    pub(super) no_wildcards: bool,
    pub(super) skipped: Vec<Spec>,
    pub(super) skipped_trees: Vec<Spec>,
}

/// A crate, in some versions, and why the rules name it.
pub(super) struct Spec {
    name: String,
    versions: VersionReq,
    pub(super) reason: String,
}

impl Spec {
    pub(super) fn fits(&self, package: &Package) -> bool {
        self.name == package.name && self.versions.matches(&package.version)
    }

    fn read(value: &Value) -> Result<Self, String> {
        let key = |key| value.get(key).and_then(Value::as_str);
        let spec = value.as_str().or_else(|| key("crate")).or_else(|| key("name"));
        let spec = spec.ok_or_else(|| format!("deny.toml: `{value}` names no crate"))?;
        let (name, versions) = spec.split_once('@').unwrap_or((spec, "*"));
        let versions = VersionReq::parse(versions).map_err(|it| format!("{spec}: {it}"))?;
        let reason = key("reason").unwrap_or("without a reason").to_owned();
        Ok(Self { name: name.to_owned(), versions, reason })
    }
}

impl Rules {
    /// Reads the file. Rules that this task does not keep, such as those on advisories, `cargo deny` does.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let file: Table = text.parse().map_err(|it| format!("deny.toml: {it}"))?;
        let at = |table: &str, key: &str| file.get(table).and_then(|it| it.get(key));
        let is_denied = |table, key| at(table, key).and_then(Value::as_str) == Some("deny");
        for key in ["unknown-registry", "unknown-git"] {
            if !is_denied("sources", key) {
                return Err(format!("deny.toml: [sources] {key} must be \"deny\""));
            }
        }
        let licences = strings(at("licenses", "allow"));
        if licences.is_empty() {
            return Err("deny.toml: [licenses] allow names no licence".to_owned());
        }
        let exceptions = items(at("licenses", "exceptions"));
        let exceptions =
            exceptions.map(|it| Spec::read(it).map(|spec| (spec, strings(it.get("allow")))));
        Ok(Self {
            all_features: at("graph", "all-features").and_then(Value::as_bool) == Some(true),
            targets: strings(at("graph", "targets")),
            licences,
            exceptions: exceptions.collect::<Result<_, _>>()?,
            banned: specs(at("bans", "deny"))?,
            no_duplicates: is_denied("bans", "multiple-versions"),
            no_wildcards: is_denied("bans", "wildcards"),
            skipped: specs(at("bans", "skip"))?,
            skipped_trees: specs(at("bans", "skip-tree"))?,
        })
    }

    /// Whether a package may have a licence.
    pub(super) fn allows(&self, package: &Package, licence: &str) -> bool {
        let exceptions = self.exceptions.iter().filter(|it| it.0.fits(package));
        let mut allowed = self.licences.iter().chain(exceptions.flat_map(|it| &it.1));
        allowed.any(|it| it == licence)
    }
}

fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn strings(value: Option<&Value>) -> Vec<String> {
    items(value).filter_map(Value::as_str).map(str::to_owned).collect()
}

fn specs(value: Option<&Value>) -> Result<Vec<Spec>, String> {
    items(value).map(Spec::read).collect()
}
