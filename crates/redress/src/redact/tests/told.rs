//! What systems, sentences and commands say of a secret, with it and without.

use super::hidden;

#[test]
fn what_systems_say_beside_a_telling_name_stays() {
    for text in [
        "docker run -u node:node img",
        "sort -u file:name",
        "ls | sort -u a:b",
        "{\"password\":[\"This field is required.\"]}",
        "{\"password\":[\"This password is too short. It must contain at least 8 characters.\"]}",
        "near \"password\": syntax error",
        "PWD=/workspace",
        "PWD=/code/project",
        "GOOGLE_APPLICATION_CREDENTIALS=./sa.json not found",
        "private_key: certs/server.key could not be read",
        "ssl_key: ./certs/server.key",
        "Authorization: header is missing",
        "token = parts[1]\ntoken = next(it, None)\ntoken = m.group(1)",
        "password: z.string().min(8),",
        "{\"password\":[\"can't be blank\",\"is too short (minimum is 8 characters)\"]}",
        "    password = form.cleaned_data[\"password\"]",
        "create(password=args.password, n=1)",
        "'password' => Hash::make($request->password),",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn what_looks_like_that_and_is_a_value_goes() {
    for text in [
        "invalid token 'main2024x'",
        "unexpected token 'u8jzPde0IgxLd6Gn'",
        "unknown password 'main2024'",
        "curl -u node:node img",
        "sort a; curl -u node:node img",
        "{\"password\":[\"This field is hunter2Z9\"]}",
        "{\"password\": \"required|hunter\"}",
        "PWD=/u8jzPde0IgxLd6",
        "Pwd=/workspace",
        "private_key: certs/server",
        "password: 'include'",
        "Authorization: headerx9",
        "password = parts[1]",
    ] {
        assert_ne!(hidden(text), text);
    }
}

#[test]
fn a_credential_goes_from_a_sentence() {
    for (text, clean) in [
        ("API key 'zz00aa11bb22' is invalid", "API key '§' is invalid"),
        ("api key zz00aa11bb22 is invalid", "api key § is invalid"),
        ("Incorrect API key provided: fj38xxQQ91", "Incorrect API key provided: §"),
        ("Invalid API key zz00aa11bb22cc33dd44ee55", "Invalid API key §"),
        ("token fj38xxQQ91kk has expired", "token § has expired"),
        ("client secret 'zz00aa11bb22' is invalid", "client secret '§' is invalid"),
        ("The password is corgi99Tail", "The password is §"),
        ("secret is 'corgi99Tail'", "secret is '§'"),
        ("password: This!Is!Secret9", "password: §"),
        ("password: in.the.end", "password: §"),
        ("DB_PASSWORD: this.is.my.password", "DB_PASSWORD: §"),
        (
            "/a.jpg?Expires=1&Signature=nitfHRCrtziwO2&Key-Pair-Id=A",
            "/a.jpg?Expires=1&Signature=§&Key-Pair-Id=A",
        ),
        (
            "invalid DSN \"root:corgiTail@tcp(db:3306)/app\"",
            "invalid DSN \"root:§@tcp(db:3306)/app\"",
        ),
    ] {
        assert_eq!(hidden(text), clean);
    }
    for text in [
        "token parse_2nd_arg has no type",
        "secret db-creds-2024 not found",
        "secret \"regcred99aa\" not found",
        "the token at 2026-01-19T10:00:00Z",
        "API key must be sent in a header",
        "Invalid API key provided",
        "password is required",
        "the key src/a1b2c3d4e5.rs",
        "missing tokens [\"alpha\", \"beta\"]",
        "password: Required.",
        "mail bob@tcp(x)",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn a_credential_goes_from_elements_and_columns() {
    for (text, clean) in [
        (
            "<wsse:Password Type=\"PasswordText\">corgi99Tail</wsse:Password>",
            "<wsse:Password Type=\"PasswordText\">§</wsse:Password>",
        ),
        (
            "<password encrypted=\"false\">corgi</password>",
            "<password encrypted=\"false\">§</password>",
        ),
        ("<password><![CDATA[corgi<99]]></password>", "<password><![CDATA[§]]></password>"),
        ("<key>APIKey</key>\n<string>zz00</string>", "<key>APIKey</key>\n<string>§</string>"),
        (
            "INSERT INTO users (name, password) VALUES ('bob', 'corgi, Tail') failed",
            "INSERT INTO users (name, password) VALUES ('bob', '§') failed",
        ),
        ("Key (token)=(zz00aa11bb) already exists.", "Key (token)=(§) already exists."),
        (
            "Key (email, token, n)=(a@b, zz00aa11bb, 1) already",
            "Key (email, token, n)=(a@b, §, 1) already",
        ),
    ] {
        assert_eq!(hidden(text), clean);
    }
    for text in [
        "<input type=\"text\" name=\"a\"> and <password>",
        "INSERT INTO users (name, password) VALUES ($1, $2)",
        "Key (id, email)=(7, a@b) already exists.",
        "unique (token) and (name)",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn a_password_goes_from_the_options_of_commands_that_have_one() {
    for (text, clean) in [
        ("docker login -u bob -p corgiTail x.io", "docker login -u bob -p § x.io"),
        ("Command failed: sshpass -p 'corgi Tail' ssh a", "Command failed: sshpass -p '§' ssh a"),
        ("/usr/bin/sshpass -pcorgi ssh a", "/usr/bin/sshpass -p§ ssh a"),
        ("redis-cli -h r -a corgiTail ping", "redis-cli -h r -a § ping"),
        ("`mysql -u root -pcorgi`", "`mysql -u root -p§`"),
    ] {
        assert_eq!(hidden(text), clean);
    }
    for text in [
        "mkdir -p a/b && docker run -p 80:80 x",
        "mysql -u root -p shop",
        "sshpass -p $PASS ssh a",
        "docker login x; mkdir -p abc",
        "ls -a corgi",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn what_a_validator_shows_of_a_secret_goes() {
    let shown = "1 validation error for Login\nuser.password\n  String should have at least 12 characters [type=string_too_short, input_value='corgi', input_type=str]";
    assert_eq!(hidden(shown), shown.replace("corgi", "§"));
    let plain = shown.replace("password", "name");
    assert_eq!(hidden(&plain), plain);
}

#[test]
fn credentials_go_from_the_lines_below_their_name() {
    for (text, clean) in [
        (
            "tokens:\n  bob: zz00aa11bb22\n  al: \"zz00aa11bb33\"\nport: a1234567",
            "tokens:\n  bob: §\n  al: \"§\"\nport: a1234567",
        ),
        ("passwords:\n  - corgi99Tail\n  - x\n", "passwords:\n  - §\n  - x\n"),
        (
            "tokens:\n  bob: zz00aa11bb22\n  u: x://a:hunt@h\n  al: zz00aa11bb33",
            "tokens:\n  bob: §\n  u: x://a:§@h\n  al: §",
        ),
        (
            "Private-Lines: 2\nAAABAQCq\nbW9yZQ==\nPrivate-MAC: 8a",
            "Private-Lines: 2\n§\nPrivate-MAC: 8a",
        ),
    ] {
        assert_eq!(hidden(text), clean);
    }
    for text in [
        "imagePullSecrets:\n  - name: regcred2024x\n",
        "secrets:\n  - db-creds\n  type: oauth2flow\n",
        "password:\n  - is too short\n",
        "tokens:\nbob: zz00aa11bb22",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn names_and_settings_beside_a_telling_word_stay() {
    for text in [
        "credentials:\n  provider: aws-sso2\n  region: eu-west-1\n  profile: acme-prod1",
        "Could not use the token:\n  url: https://api.acme.io/v1/me\n  status: 401\n  request-id: req_12ab",
        "Invalid credentials:\n  host: db1.internal\n  user: app1\n  port: 5432",
        "credentials:\n  source: Environment2\n  role_arn: arn:aws:iam::123456789012:role/Deploy",
        "secrets:\n  - db_password1\n  - api_key_v2",
        "Error from server (NotFound): secrets \"default-token-x2k9d\" not found",
        "Error from server (AlreadyExists): secrets \"sa-token-x2k9d\" already exists",
        "token is HS256-signed but RS256 was expected",
        "The token is base64url-encoded and must have 3 parts",
        "INSERT INTO users (id, password, name) VALUES (1, DEFAULT, 'bob1')",
        "INSERT INTO users (id, password, name) VALUES (1, @p1, 'bob1')",
        "cp src/login -p dest1",
        "gcloud auth login -p proj1",
        "ssh mysql -p2222",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn what_looks_like_a_parsers_token_and_is_assigned_goes() {
    assert_eq!(hidden("syntax error near token=corgi99Tail"), "syntax error near token=§");
    assert_eq!(hidden("error near token: corgi99Tail"), "error near token: §");
}
