//! Every link of a page to a file, or to a heading, leads there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::pages::{self, Page};
use crate::counts::counted;

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let pages = pages::all();
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|it| (it.path.as_str(), anchors(&it.text))).collect();
    let mut broken = Vec::new();
    let mut links = 0;
    for page in &pages {
        for link in relative(&page.text) {
            links += 1;
            broken.extend(problem(page, link, &anchors).map(|it| format!("{}: {it}", page.path)));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(links > 200, "only {links} links");
    counted(links, "doc links");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = fs::read_to_string(pages::root().join("docs/SUMMARY.md")).unwrap();
    let listed: BTreeSet<&str> = relative(&summary).into_iter().collect();
    for page in pages::all() {
        let Some(path) = page.path.strip_prefix("docs/") else { continue };
        // The site lists decisions by itself.
        let is_listed = listed.contains(path) || path.starts_with("decisions/");
        assert!(path == "SUMMARY.md" || is_listed, "docs/SUMMARY.md lacks {path}");
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = |text: &str| Page { path: "docs/a/b.md".to_owned(), text: text.to_owned() };
    let anchors = BTreeMap::from([("docs/a/b.md", anchors("# A `b`, c\n## A b c\n"))]);
    let problem = |link: &str| problem(&page(""), link, &anchors);
    assert_eq!(problem("#a-b-c"), None);
    assert_eq!(problem("b.md#a-b-c-1"), None);
    assert_eq!(problem("../../README.md"), None);
    assert!(problem("#a-b").is_some());
    assert!(problem("c.md").is_some());
    assert!(problem("../../../README.md").is_some());
    let text = "[a](b.md) `[c](d.md)` [e](https://example.com) ![f](g.svg)";
    assert_eq!(relative(text), ["b.md", "g.svg"]);
}

/// What is wrong with a link of a page.
fn problem(page: &Page, link: &str, anchors: &BTreeMap<&str, BTreeSet<String>>) -> Option<String> {
    let (file, heading) = link.split_once('#').map_or((link, None), |it| (it.0, Some(it.1)));
    let path = if file.is_empty() { Some(page.path.clone()) } else { joined(&page.path, file) };
    let Some(path) = path else { return Some(format!("{link} leads out of the repository")) };
    if !pages::root().join(&path).exists() && !anchors.contains_key(path.as_str()) {
        return Some(format!("{link} leads to no file"));
    }
    let heading = heading?;
    let known = anchors.get(path.as_str()).is_some_and(|it| it.contains(heading));
    (!known).then(|| format!("{link} leads to no heading of {path}"))
}

/// The path of a file from the root, if it is in the repository.
fn joined(page: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = Path::new(page).parent()?.to_str()?.split('/').collect();
    parts.retain(|it| !it.is_empty());
    for part in file.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." | "" => (),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The targets of the links in a text that are no addresses.
fn relative(text: &str) -> Vec<&str> {
    let mut links = Vec::new();
    for line in pages::lines(text) {
        // What is between backticks is code.
        for prose in line.split('`').step_by(2) {
            links.extend(prose.split("](").skip(1).filter_map(|it| Some(it.split_once(')')?.0)));
        }
    }
    links.retain(|it| !it.contains("://") && !it.starts_with("mailto:"));
    links
}

/// The names of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in pages::lines(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().to_lowercase();
        let kept = kept.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
        let name = kept.collect::<String>().replace(' ', "-");
        let mut free = name.clone();
        let mut again = 0;
        while anchors.contains(&free) {
            again += 1;
            free = format!("{name}-{again}");
        }
        anchors.insert(free);
    }
    anchors
}
