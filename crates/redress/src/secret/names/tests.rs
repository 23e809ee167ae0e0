//! Which names hide their values, and which only look so.

use super::{Secrecy, secrecy};
use crate::secret::holds_secret;

#[test]
fn names_are_judged_by_their_words() {
    for strong in [
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
        "VAULT_SECRET_ID",
        "password_hash",
    ] {
        assert_eq!(secrecy(strong), Some(Secrecy::Strong), "{strong}");
    }
    for texts in [
        "token",
        "tokens",
        "access_token",
        "GITHUB_TOKEN",
        "auth",
        "sessionToken",
        "SSHPASS",
        "DBPASS",
        "DB_PASS_PROD",
        "GITHUB_PAT",
        "OPENAI_KEY",
        "OPENAI_KEY_2",
        "GITHUB_TOKEN2",
        "GITHUB_TOKEN_RO",
        "GHTOKEN",
        "refreshToken",
        "page_access_token",
    ] {
        assert_eq!(secrecy(texts), Some(Secrecy::Texts), "{texts}");
    }
    for plain in [
        "author",
        "AUTHOR",
        "authority",
        "key",
        "max_tokens",
        "MAX_TOKENS",
        "tokenizer",
        "TOKENIZERS_PARALLELISM",
        "PASSENGER_APP_ENV",
        "KEYBOARD",
        "MONKEY",
        "COMPASS",
        "nextPageToken",
        "next_token",
        "NextContinuationToken",
        "progressToken",
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
        assert_eq!(secrecy(plain), None, "{plain}");
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
