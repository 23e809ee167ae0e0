//! Patterns of files that no file of a workspace has, and folders that get in each other's way.

use redress_registry::problems::quoted;

use super::{Config, Doubt};

impl Config {
    pub(super) fn idle_paths(&self) -> Vec<Doubt> {
        let governance = &self.general.governance;
        let of_rules = governance.write_rules.0.iter();
        let of_rules = of_rules.map(|it| ("write_rules", it.name.as_str(), &it.paths));
        let of_checks = governance.preflight.0.iter();
        let of_checks = of_checks.map(|it| ("preflight", it.name.as_str(), &it.paths));
        let mut doubts = Vec::new();
        for (table, name, paths) in of_rules.chain(of_checks) {
            let idle = paths.iter().filter_map(|it| self.idle_path(it));
            let place = ["governance", table, name, "paths"];
            doubts.extend(idle.map(|(what, fix)| Doubt::new(&place, what, fix)));
        }
        doubts.extend(self.hidden_reports());
        doubts
    }

    /// Why a pattern means no file, and what to write.
    fn idle_path(&self, pattern: &str) -> Option<(String, String)> {
        let shown = quoted(pattern);
        let mut names = pattern.split('/');
        if names.clone().any(|it| it == "..") {
            let what = format!("{shown} leads out of the workspace, where nothing is written");
            return Some((what, "Name files from the workspace on.".to_owned()));
        }
        let plain: Vec<&str> = names.clone().filter(|it| !matches!(*it, "" | ".")).collect();
        let is_folder = pattern.ends_with('/') || pattern.ends_with("/.");
        let plain = plain.join("/");
        let meant = if is_folder || plain.is_empty() {
            format!("{plain}/**").trim_start_matches('/').to_owned()
        } else {
            plain
        };
        if names.any(|it| matches!(it, "" | ".")) {
            let what = format!("{shown} means no file: they are named from the workspace on");
            return Some((what, format!("Write {}.", quoted(&meant))));
        }
        let is_directory = self.workspaces().iter().any(|it| it.join(pattern).is_dir());
        is_directory.then(|| {
            let what = format!("{shown} is a directory, and so no file");
            (what, format!("Write {} for all that is in it.", quoted(&format!("{pattern}/**"))))
        })
    }

    /// No tool may write into the folder of the plans, and so no report.
    fn hidden_reports(&self) -> Option<Doubt> {
        let governance = &self.general.governance;
        let rest = governance.reports.strip_prefix(&governance.plans)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| {
            let plans = quoted(&governance.plans);
            let what = format!("{plans} is the folder of the plans, into which no tool may write");
            let fix = "Choose another folder, such as `docs/reports`.".to_owned();
            Doubt::new(&["governance", "reports"], what, fix)
        })
    }
}
