//! Which names hide their values, and which only look so.

use crate::redact::{Strength, holds_secret, is_secret_name, strength};

#[test]
fn names_are_judged_by_their_words() {
    for secret in [
        "password",
        "DB_PASSWORD",
        "apiKey",
        "X-Api-Key",
        "clientSecret",
        "AWS_SECRET_ACCESS_KEY",
        "Cookie",
        "PGPASSWORD",
        "APIKEY2",
        "API_KEY_1",
        "DB_CREDS",
    ] {
        assert!(strength(secret) >= Some(Strength::Secret), "{secret}");
    }
    for token in [
        "token",
        "tokens",
        "access_token",
        "GITHUB_TOKEN",
        "auth",
        "sessionToken",
        "SSHPASS",
        "DBPASS",
        "GITHUB_PAT",
        "GITHUB_TOKEN2",
        "GHTOKEN",
        "refreshToken",
        "page_access_token",
    ] {
        assert_eq!(strength(token), Some(Strength::Token), "{token}");
    }
    for plain in [
        "author",
        "AUTHOR",
        "authority",
        "key",
        "tokenizer",
        "TOKENIZERS_PARALLELISM",
        "PASSENGER_APP_ENV",
        "KEYBOARD",
        "MONKEY",
        "COMPASS",
        "AWS_ACCESS_KEY_ID",
        "PUBLIC_KEY",
        "sort_key",
        "session_id",
        "keyboard",
        "secretary",
        "compass",
        "path",
        "INIT_PATH",
        "SSH_AUTH_SOCK",
        "AWS_SHARED_CREDENTIALS_FILE",
        "PASSWORD_STORE_DIR",
        "CREDENTIALS_DIRECTORY",
        "SECRETS_DIR",
        "COOKIE_DOMAIN",
        "DOCKER_CREDENTIAL_HELPER",
        "",
    ] {
        assert!(!is_secret_name(plain), "{plain}");
    }
}

#[test]
fn a_secret_word_within_a_name_lets_the_value_decide() {
    for name in
        ["VAULT_SECRET_ID", "password_hash", "DB_PASS_PROD", "OPENAI_KEY_2", "GITHUB_TOKEN_RO"]
    {
        assert_eq!(strength(name), Some(Strength::Mention), "{name}");
        assert!(holds_secret(name, "hunter2Z99") && holds_secret(name, "hunter2"), "{name}");
    }
    for (name, value) in [
        ("SSH_AUTH_SOCK", "/tmp/ssh-agent/agent.123"),
        ("SECRETS_DIR", "/run/here"),
        ("COOKIE_DOMAIN", "example.org"),
        ("PASSWORD_POLICY", "strict"),
        ("TOKEN_URL", "https://example.org/token"),
        ("TOKEN_TTL", "3600"),
        ("MAX_TOKENS", "4096"),
        ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
    ] {
        assert!(!holds_secret(name, value), "{name}={value}");
    }
}

#[test]
fn passwords_have_names_in_many_languages() {
    for name in [
        "Passwort",
        "DB_KENNWORT",
        "contraseña",
        "Contraseña",
        "senha",
        "пароль",
        "密码",
        "pin",
        "mot_de_passe",
    ] {
        assert_eq!(strength(name), Some(Strength::Password), "{name}");
    }
    for name in ["mapping", "spin", "opinion", "pinned", "signal", "parolado"] {
        assert_eq!(strength(name), None, "{name}");
    }
}

#[test]
fn where_a_secret_is_kept_is_none() {
    for (name, value) in [
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/gcp key.json"),
        ("SSH_KEY", "~/.ssh/id_rsa"),
        ("VAULT_AUTH", "C:\\vault\\auth"),
        ("AUTH", "oauth2"),
        ("TOKEN", "${OTHER}"),
        ("HOME", "/home/me"),
    ] {
        assert!(!holds_secret(name, value), "{name}={value}");
    }
    for (name, value) in [
        ("GOOGLE_CREDENTIALS", "{\"type\":\"service_account\"}"),
        ("AWS_SECRET_ACCESS_KEY", "/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("DB_PASSWORD", "/home"),
        ("DB_PASSWORD", "required"),
    ] {
        assert!(holds_secret(name, value), "{name}={value}");
    }
}
