//! Plugins: the rows of the seed that concern codes, and the two checks that it lacked.

use super::{PluginCode, PluginError, Plugins, unregistered};
use crate::{Class, Param, ParamType, Retry, Source, read, resolve};

fn code(key: &str) -> PluginCode {
    PluginCode::new(key, Class::FailedPrecondition, "Sign the build, then try again.")
}

fn other(key: &str) -> PluginCode {
    PluginCode { retry: Retry::after(500), ..code(key) }
}

fn refused(namespace: &str, codes: &[PluginCode]) -> String {
    Plugins::default().register(namespace, codes).unwrap_err().to_string()
}

#[test]
fn codes_are_namespaced() {
    let plugins = Plugins::default();
    let _kept = plugins.register("production", &[code("NOTARIZATION_FAILED")]).unwrap();
    let entry = plugins.get("production.NOTARIZATION_FAILED").unwrap();
    assert_eq!((&*entry.code, entry.http), ("production.NOTARIZATION_FAILED", 409));
    assert_eq!(entry.title, "Notarization failed");
    assert_eq!(entry.message, entry.hint);
    assert!(plugins.get("NOTARIZATION_FAILED").is_none());
}

#[test]
fn a_key_equal_to_a_core_code_is_fine() {
    let plugins = Plugins::default();
    let _kept = plugins.register("clock", &[code("TIMEOUT")]).unwrap();
    assert!(plugins.get("clock.TIMEOUT").is_some());
}

#[test]
fn teardown_is_idempotent() {
    let plugins = Plugins::default();
    let kept = plugins.register("a", &[code("ONE_GONE")]).unwrap();
    plugins.unregister(kept);
    assert!(plugins.get("a.ONE_GONE").is_none());
    let stranger = Plugins::default().register("a", &[code("ONE_GONE")]).unwrap();
    plugins.unregister(stranger);
    assert!(plugins.get("a.ONE_GONE").is_none());
}

#[test]
fn shared_codes_stay_until_the_last_teardown() {
    let plugins = Plugins::default();
    let first = plugins.register("a", &[code("SHARED_ONE")]).unwrap();
    let second = plugins.register("a", &[code("SHARED_ONE"), code("OWN_ONE")]).unwrap();
    plugins.unregister(second);
    assert!(plugins.get("a.SHARED_ONE").is_some());
    assert!(plugins.get("a.OWN_ONE").is_none());
    plugins.unregister(first);
    assert!(plugins.get("a.SHARED_ONE").is_none());
}

#[test]
fn a_conflict_leaves_the_first_intact() {
    let plugins = Plugins::default();
    let first = plugins.register("a", &[code("SHARED_ONE")]).unwrap();
    let error = plugins.register("a", &[code("NEW_ONE"), other("SHARED_ONE")]).unwrap_err();
    assert_eq!(error, PluginError::Collision("a.SHARED_ONE".to_owned()));
    assert_eq!(error.to_string(), "Duplicate error code registration for \"a.SHARED_ONE\".");
    assert!(!plugins.get("a.SHARED_ONE").unwrap().retry.retryable());
    assert!(plugins.get("a.NEW_ONE").is_none());
    plugins.unregister(first);
    assert!(plugins.get("a.SHARED_ONE").is_none());
}

#[test]
fn a_malformed_second_key_registers_nothing() {
    let plugins = Plugins::default();
    let error = plugins.register("a", &[code("GOOD_ONE"), code("badOne")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Plugin \"a\" error code \"badOne\" must be SCREAMING_SNAKE_CASE."
    );
    assert!(plugins.get("a.GOOD_ONE").is_none());
}

#[test]
fn keys_outside_the_grammar_are_refused() {
    for key in ["", "A__B", "_ABC", "ABC_", "1ABC", "AB", "A.BC", "ABC\n"] {
        let error = Plugins::default().register("a", &[code(key)]).unwrap_err();
        assert!(matches!(error, PluginError::BadKey { .. }), "{key:?}");
    }
}

#[test]
fn bad_name_and_electron_are_refused() {
    assert_eq!(refused("Bad Name", &[]), "Plugin namespace \"Bad Name\" must be kebab-case.");
    assert_eq!(refused("electron", &[]), "Plugin namespace \"electron\" is reserved.");
    assert_eq!(refused("core", &[]), "Plugin namespace \"core\" is reserved.");
}

#[test]
fn a_status_outside_400_to_599_is_refused() {
    for http in [0, 200, 399, 600] {
        let code = PluginCode { http: Some(http), ..code("ABC") };
        assert_eq!(
            refused("a", &[code]),
            format!("Error code \"a.ABC\" has http {http}, which is not from 400 to 599.")
        );
    }
}

#[test]
fn an_empty_hint_is_refused() {
    for hint in ["", " \n"] {
        let code = PluginCode { hint: hint.to_owned(), ..code("ABC") };
        assert_eq!(refused("a", &[code]), "Error code \"a.ABC\" has an empty hint.");
    }
}

#[test]
fn a_message_may_show_only_declared_parameters() {
    let path = Param {
        name: "path".into(),
        kind: ParamType::String,
        doc: String::new(),
        required: true,
        values: Vec::new(),
        untrusted: true,
        secret: false,
        max_chars: None,
    };
    let shows = |message: &str| PluginCode {
        message: Some(message.to_owned()),
        params: vec![path.clone()],
        ..code("ABC")
    };
    let plugins = Plugins::default();
    assert!(plugins.register("a", &[shows("No {path}.")]).is_ok());
    for wrong in ["No {file}.", "No {", "No }"] {
        let error = Plugins::default().register("a", &[shows(wrong)]).unwrap_err();
        assert!(matches!(error, PluginError::BadMessage { .. }), "{wrong}");
    }
}

#[test]
fn a_hint_with_braces_is_a_message_as_it_is() {
    let plugins = Plugins::default();
    let hint = "Call electron_launch({ allowMultiple: true }) instead.";
    let code = PluginCode::new("ABC", Class::Aborted, hint);
    let _kept = plugins.register("a", &[code]).unwrap();
    assert_eq!(
        plugins.get("a.ABC").unwrap().message,
        "Call electron_launch({{ allowMultiple: true }}) instead."
    );
}

#[test]
fn a_plugins_registry_file_is_registered_whole() {
    let text = "format = \"redress-registry/1\"\n[registry]\nname = \"clock\"\nversion = \"0.1.0\"\n\
                [plugin]\nnamespace = \"clock\"\n[domain.clock]\n[code.TICK_LOST]\ndomain = \"clock\"\n\
                class = \"data_loss\"\ntitle = \"Tick lost\"\nmessage = \"M.\"\nhint = \"Wind it up.\"\n";
    let registry = resolve(&read(&Source::new("f", text)).unwrap(), &|_| None).unwrap();
    let plugins = Plugins::default();
    let kept = plugins.register_all(&registry).unwrap();
    assert_eq!(plugins.get("clock.TICK_LOST").unwrap().http, 500);
    plugins.unregister(kept);
    assert!(plugins.get("clock.TICK_LOST").is_none());
    let error = plugins.register_all(crate::shipped::core()).unwrap_err();
    assert_eq!(error, PluginError::NoNamespace("core".to_owned()));
}

#[test]
fn readers_see_all_of_a_registration_or_nothing() {
    let plugins = Plugins::default();
    let both = [code("ONE_HALF"), code("OTHER_HALF")];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..500 {
                let kept = plugins.register("a", &both).unwrap();
                plugins.unregister(kept);
            }
        });
        for _ in 0..500 {
            let seen = plugins.snapshot();
            let has = |code| seen.codes.contains_key(code);
            assert_eq!(has("a.ONE_HALF"), has("a.OTHER_HALF"));
        }
    });
}

#[test]
fn seed_003_40_a_plugin_brings_codes_and_tools_to_a_contract() {
    let plugin = |reads: bool| {
        let text = format!(
            "format = \"redress-registry/1\"\n[registry]\nname = \"beta\"\nversion = \"1.0.0\"\n[plugin]\nnamespace = \"beta\"\n\
             [domain.beta]\ntitle = \"Beta\"\n[code.NOT_READY]\ndomain = \"beta\"\nclass = \"unavailable\"\ntitle = \"Not ready\"\nmessage = \"Not ready.\"\n\
             hint = \"Wait.\"\n[tool.beta_start]\nmay = [\"beta.NOT_READY\"]\nread_only = {reads}\n"
        );
        resolve(&read(&Source::new("beta.toml", &text)).unwrap(), &|_| None).unwrap()
    };
    let plugins = Plugins::default();
    let first = plugins.register_all(&plugin(true)).unwrap();
    let refused = plugins.register_all(&plugin(false)).unwrap_err();
    assert_eq!(refused, PluginError::ToolCollision("beta_start".to_owned()));
    let core = crate::shipped::core();
    let whole = plugins.taken_into(core);
    assert_eq!(whole.codes.len(), core.codes.len() + 1);
    assert_eq!(whole.get("beta.NOT_READY").unwrap().hint, "Wait.");
    assert_eq!(whole.tools.get("beta_start").unwrap().may, ["beta.NOT_READY"]);
    plugins.unregister(first);
    let whole = plugins.taken_into(core);
    assert_eq!((whole.codes.len(), whole.tools.len()), (core.codes.len(), core.tools.len()));
}

#[test]
fn seed_003_42_an_unregistered_code_has_a_row_by_its_name() {
    let row = unregistered("beta.NOT_READY").unwrap();
    assert_eq!((&*row.registry, &*row.code, row.http), ("beta", "beta.NOT_READY", 500));
    for none in ["NOT_READY", "Beta.NOT_READY", "beta.not_ready", "core.X_Y", ".NOT_READY", "beta."]
    {
        assert!(unregistered(none).is_none(), "{none}");
    }
}

#[test]
fn a_status_says_a_class_that_has_it() {
    for class in Class::ALL {
        let said = Class::of_http(class.http());
        assert_eq!(said.http(), class.http(), "{class:?}");
    }
    assert_eq!(Class::of_http(422), Class::InvalidArgument);
    assert_eq!((Class::of_http(500), Class::of_http(0)), (Class::Unknown, Class::Unknown));
}
