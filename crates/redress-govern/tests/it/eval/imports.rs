//! What Python may import, and what it may do with it.

use redress_govern::eval::{Refusal, python_modules};

use super::{assert_all_blocked, assert_none_refused, python, python_with_names};

#[test]
fn modules_that_compute_may_be_imported() {
    let codes = [
        "class A:\n    def __init__(self):\n        self._n = 1\na = A()\nprint(a._n, A()._n, [A()][0]._n)",
        "import csv, io\nrows = list(csv.DictReader(io.StringIO(text)))",
        "from io import StringIO",
        "from contextlib import contextmanager, suppress\n@contextmanager\ndef f():\n    yield 1\nwith suppress(KeyError):\n    pass",
        "import contextlib\nwith contextlib.suppress(KeyError):\n    pass",
        "from urllib.parse import urlparse, quote, urlencode\nurlparse(u).netloc",
        "import urllib.parse\nurllib.parse.quote(x)",
        "from urllib import parse\nparse.unquote(x)",
        "from zoneinfo import ZoneInfo\nfrom datetime import datetime\ndatetime.now(ZoneInfo('Europe/Berlin'))",
        "import ipaddress\nipaddress.ip_network('10.0.0.0/8').num_addresses",
        "import colorsys, graphlib, secrets, hmac, binascii",
        "from operator import itemgetter, add\nsorted(rows, key=itemgetter('a'))",
        "import operator\nfunctools_reduce = operator.mul",
        "import operator as op\nop.add(1,2)",
        "import xml.etree.ElementTree as ET\nET.fromstring(t).find('a').text",
        "from typing_extensions import TypedDict",
        "from html.parser import HTMLParser\nclass P(HTMLParser):\n    def __init__(self):\n        super().__init__()\n        self._n = 0\n    def handle_data(self, d):\n        self._n += 1",
        "import math\nclass A:\n    def __init__(self):\n        self._x = math.pi\n    def x(self):\n        return self._x\n",
        "from functools import wraps\ndef deco(f):\n    @wraps(f)\n    def g(*a):\n        return f(*a)\n    return g\n",
        "import functools\ndef deco(n):\n    def inner(f):\n        @functools.wraps(f)\n        async def g(*a):\n            return await f(*a)\n        return g\n    return inner",
    ];
    assert_none_refused(&codes, python_with_names);
}

#[test]
fn no_module_and_no_built_in_name_is_a_way_out() {
    let codes = [
        "from functools import wraps\nwraps(re)(W())",
        "from functools import wraps\n@wraps(re)\nclass X: pass",
        "from functools import wraps\n@wraps(re)\n@make\ndef f(): pass",
        "import uuid\n_find_mac_near_keyword = None\nuuid._find_mac_near_keyword('x')",
        "import uuid\n_go = None\nu = uuid\nu._go('x')",
        "import uuid\n_go = None\n(lambda m: m._go('x'))(uuid)",
        "license._Printer__filenames = ['x']\nlicense()",
        "license()",
        "credits",
        "class A:\n    _Printer__filenames = 1\ndef f(license):\n    pass\nprint(x._Printer__filenames)",
        "import io\nio.open('x')",
        "import io\nf = io",
        "from io import open_code",
        "from io import FileIO",
        "import contextlib\ncontextlib.chdir('/')",
        "from contextlib import chdir",
        "import contextlib\ncontextlib.os",
        "from operator import attrgetter",
        "import operator\noperator.methodcaller('x')",
        "import operator\ngetattr(operator, 'attr'+'getter')",
        "import urllib.request",
        "from urllib import request",
        "import urllib.parse\nurllib.parse.sys",
        "import urllib.parse\nurllib.request",
        "import xml.etree.ElementTree as ET\nET.parse('/etc/passwd')",
        "import io, csv as io\nio.open('x')",
        "import zoneinfo\nzoneinfo.reset_tzpath",
        "import logging",
        "import foo.bar",
        "('{0.__cl'*2).format(x)",
        "('ass__}{0.__cl'*2).format(x)",
        "from json import loads as dedent\ndedent(x).format(x)",
        "def dedent(t): return t\ndedent('a').format(x)",
        "import typing_extensions as t\nt.get_type_hints(x)",
        "import io\ndef f():\n    return io\nf().open",
        "import random\n(random)._os",
        "import io\n[io][0].open('x')",
    ];
    assert_all_blocked(&codes, python);
}

#[test]
fn the_refusal_of_an_import_names_only_well_known_modules() {
    for (code, told) in [
        ("import logging.handlers", "import of logging"),
        ("import os", "import of os"),
        ("from pathlib import Path", "import of pathlib"),
        ("import my_secret", "import of a module"),
        ("from io import my_secret", "a member of io"),
    ] {
        assert_eq!(python(code), Err(Refusal::Construct(told.to_owned())), "{code}");
    }
}

#[test]
fn the_documentation_lists_the_modules() {
    let listed = python_modules().into_iter().map(|(module, members)| {
        format!("{module}: {}", members.into_iter().collect::<Vec<_>>().join(", "))
    });
    let listed = listed.collect::<Vec<_>>().join("\n");
    let page = include_str!("../../../../../docs/reference/eval.md");
    assert!(page.contains(&listed), "{listed}");
}
