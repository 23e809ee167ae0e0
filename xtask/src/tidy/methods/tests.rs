//! Small crates whose types have their methods in one file, or in several.

use super::check;
use crate::tidy::tree::Tree;

fn problems(a: &str, b: &str, inner: &str, allowed: &[&str]) -> Vec<String> {
    let a = format!("mod inner; {a}");
    let root = "mod a; mod b; pub use a::A;";
    let sources = [("lib.rs", root), ("a.rs", &a), ("b.rs", b), ("a/inner.rs", inner)];
    let tree = Tree::of(&sources);
    assert_eq!(tree.problems, [""; 0]);
    check("small", &tree, allowed)
}

const A: &str = "pub struct A; impl A { fn one(&self) {} }";

#[test]
fn methods_in_one_file_are_fine() {
    let a = format!("{A} impl<T> A {{ fn two(&self) {{}} }} mod same {{ impl super::A {{ }} }}");
    assert_eq!(problems(&a, "", "", &[]), [""; 0]);
}

#[test]
fn methods_in_two_files_are_refused() {
    let inner = "use super::A; impl A { fn two(&self) {} }";
    let found = problems(A, "", inner, &[]);
    let [problem] = found.as_slice() else { panic!("{found:?}") };
    assert!(problem.contains("the methods of `a::A`"), "{problem}");
    assert!(problem.contains("(a.rs, a/inner.rs)"), "{problem}");
}

#[test]
fn the_type_is_found_however_it_is_named() {
    for b in [
        "impl crate::a::A { fn two() {} }",
        "impl super::a::A { fn two() {} }",
        "use crate::a::{A as Other}; impl Other { fn two() {} }",
        "use crate::a; impl a::A { fn two() {} }",
        "use crate::a::*; impl A { fn two() {} }",
        "use crate::A; impl A { fn two() {} }",
        "impl crate::A { fn two() {} }",
    ] {
        assert_eq!(problems(A, b, "", &[]).len(), 1, "{b}");
    }
    let generic = "pub struct A<T>(T); impl<T> A<T> {}";
    assert_eq!(problems(generic, "use crate::A; impl A<u8> {}", "", &[]).len(), 1);
}

#[test]
fn traits_tests_and_types_of_the_same_name_are_no_matter() {
    for b in [
        "use crate::A; impl Clone for A {}",
        "#[cfg(test)] mod tests { use crate::A; impl A { fn two() {} } }",
        "struct A; impl A { fn two() {} }",
        "impl Elsewhere { fn two() {} }",
        "//! Written by `cargo xtask codegen`.\nuse crate::A; impl A { fn two() {} }",
    ] {
        assert_eq!(problems(A, b, "", &[]), [""; 0], "{b}");
    }
}

#[test]
fn an_exception_is_kept_only_while_it_is_needed() {
    let inner = "use super::A; impl A { fn two(&self) {} }";
    assert_eq!(problems(A, "", inner, &["a::A"]), [""; 0]);
    let found = problems(A, "", "", &["a::A"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found.concat().contains("take it off the list"), "{found:?}");
}
