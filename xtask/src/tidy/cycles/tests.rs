//! Small crates with and without import cycles.

use super::check;
use crate::tidy::tree::Tree;

fn problems(sources: &[(&str, &str)], allowed: &[&str]) -> Vec<String> {
    let tree = Tree::of(sources);
    assert_eq!(tree.problems, [""; 0]);
    check("small", &tree, allowed)
}

/// The modules `a` and `b` with these texts; `a` has a child `inner`, which has a child `deep`.
fn two(root: &str, a: &str, b: &str) -> Vec<String> {
    inside(root, a, b, "", "")
}

fn inside(root: &str, a: &str, b: &str, inner: &str, deep: &str) -> Vec<String> {
    let root = format!("mod a; mod b; {root}");
    let a = format!("mod inner; {a}");
    let inner = format!("mod deep; {inner}");
    let sources = [
        ("lib.rs", root.as_str()),
        ("a.rs", &a),
        ("b.rs", b),
        ("a/inner.rs", &inner),
        ("a/inner/deep.rs", deep),
    ];
    problems(&sources, &[])
}

#[test]
fn modules_in_one_direction_are_fine() {
    let b = "pub(crate) struct B; use std::fmt; use tokio::{self, sync::mpsc};";
    assert_eq!(two("", "use crate::b::B; use self::inner::X;", b), [""; 0]);
}

#[test]
fn two_modules_that_import_each_other_are_refused() {
    let found = two("", "use crate::b::B; struct A;", "use crate::a::A; struct B;");
    let [problem] = found.as_slice() else { panic!("{found:?}") };
    assert!(problem.starts_with("small: import cycle through `a`, `b`"), "{problem}");
    assert!(problem.contains("a.rs uses `crate::b::B`; b.rs uses `crate::a::A`"), "{problem}");
}

#[test]
fn a_ring_of_three_modules_is_refused_once() {
    let sources = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use crate::a; pub struct C;"),
        ("d.rs", "use crate::{a, b, c};"),
    ];
    let found = problems(&sources, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found.concat().contains("`a`, `b`, `c`:"), "{found:?}");
}

#[test]
fn nested_use_trees_are_read() {
    let a = "use crate::{x, b::{self as other, Deep as Shallow}};";
    assert_eq!(two("mod x {}", a, "use crate::{a::{inner::{Y}}};").len(), 1);
    assert_eq!(two("mod x {}", a, "use crate::{x::{inner::{Y}}};"), [""; 0]);
}

#[test]
fn super_is_resolved_at_any_depth() {
    let b = "use super::a;";
    assert_eq!(two("", "use super::b::B;", b).len(), 1);
    assert_eq!(inside("", "", b, "use super::super::b::B;", "").len(), 1);
    assert_eq!(inside("", "", b, "", "use super::super::super::b;").len(), 1);
    assert_eq!(inside("", "", b, "", "use self::super::super::super::b;").len(), 1);
    // One `super` less is a module of `a`.
    assert_eq!(inside("", "mod b {}", b, "use super::b;", ""), [""; 0]);
    assert_eq!(inside("", "mod b {}", b, "", "use super::super::b;"), [""; 0]);
}

#[test]
fn a_reexport_at_the_root_means_its_module() {
    let roots = [
        "pub use b::B;",
        "pub use self::b::{B};",
        "pub(crate) use crate::b::Other as B;",
        "pub use b::*;",
        "use b::B;",
    ];
    let b = "pub struct B; pub struct Other; use crate::a;";
    for root in roots {
        assert_eq!(two(root, "use crate::B;", b).len(), 1, "{root}");
        assert_eq!(two(root, "fn f() -> crate::B { super::B }", b).len(), 1, "{root}");
    }
    assert_eq!(two("mod c { pub struct B; } pub use c::B;", "use crate::B;", b), [""; 0]);
}

#[test]
fn a_reexport_on_the_way_hides_no_cycle() {
    let sources = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::c::B; pub struct A;"),
        ("b.rs", "use crate::a::A; pub struct B;"),
        ("c.rs", "pub(crate) use crate::b::B;"),
    ];
    assert_eq!(problems(&sources, &[]).len(), 1);
}

#[test]
fn paths_in_code_and_in_macros_count() {
    let b = "use crate::a;";
    for a in [
        "fn f() { crate::b::run(); }",
        "fn f(b: &crate::b::B) {}",
        "fn f() { println!(\"{}\", crate::b::NAME); }",
        "fn f() { use crate::{b::B}; }",
        "macro_rules! m { () => { $crate::b::run() } }",
        "impl crate::b::Trait for u8 {}",
        "#[derive(Clone)] struct A { inner: Vec<super::b::B> }",
    ] {
        assert_eq!(two("", a, b).len(), 1, "{a}");
    }
    assert_eq!(two("", "/// [`crate::b::B`]\nfn f() {} // crate::b::B", b), [""; 0]);
}

#[test]
fn test_code_is_left_out() {
    let b = "use crate::a;";
    for a in [
        "#[cfg(test)] mod tests { use crate::b; }",
        "#[cfg(test)] use crate::b;",
        "#[cfg(test)] mod inner_tests;",
        "impl A { #[cfg(test)] fn f<K, V>() -> Option<(K, V)> { crate::b::f() } fn g() {} }",
        "struct A { #[cfg(test)] b: Option<crate::b::B>, c: u8 }",
        "fn f() { #[cfg(test)] crate::b::f(); g(); }",
    ] {
        assert_eq!(two("", a, b), [""; 0], "{a}");
    }
    assert_eq!(two("", "#[cfg(not(test))] use crate::b;", b).len(), 1);
    assert_eq!(two("", "fn f() { #[cfg(test)] g(); crate::b::f(); }", b).len(), 1);
}

#[test]
fn what_the_root_defines_is_in_cycles_too() {
    assert_eq!(two("struct Args; fn main() { a::run() }", "use crate::Args;", "").len(), 1);
    assert_eq!(two("pub struct Args; pub use a::A;", "use crate::Args;", ""), [""; 0]);
    assert_eq!(two("struct Args; use a::A; fn f(a: A) {}", "use crate::Args;", "").len(), 1);
}

#[test]
fn an_exception_is_kept_only_while_it_is_needed() {
    let sources =
        |b: &'static str| [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b;"), ("b.rs", b)];
    assert_eq!(problems(&sources("use crate::a;"), &["a", "b"]), [""; 0]);
    assert_eq!(problems(&sources("use crate::a;"), &["a"]).len(), 1);
    let found = problems(&sources(""), &["a", "b"]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.concat().contains("take it off the list"), "{found:?}");
}

#[test]
fn rings_of_reexports_end() {
    let found = two("pub use a::X; pub use b::X;", "pub use crate::X;", "pub use crate::X;");
    assert!(found.len() <= 1, "{found:?}");
}
