//! The codes of class 1.0.0-rc.1+build.5. Written by `redress registry export --format rust`; not to be edited.

use std::sync::{Arc, LazyLock};

use redress::codes::{Code, locked};
use redress_registry::Registry;

/// """ ''' */ // # ${x} y \ @@rows@@ x(y) b.
pub const CODES: Code = Code::new("CODES", registry);

/// Lock.
pub const LOCK: Code = Code::new("LOCK", registry);

/// Registry.
pub const REGISTRY: Code = Code::new("REGISTRY", registry);

/// Digits.
pub const A1_2B_3: Code = Code::new("A1_2B_3", registry);

/// The codes of the plugin `type`.
pub mod type_ {
    use super::{Code, registry};

    /// Plugin.
    pub const SELF: Code = Code::new("type.SELF", registry);
}

/// The codes of the plugin `my-plugin`.
pub mod my_plugin {
    use super::{Code, registry};

    /// Plugin.
    pub const CRATE: Code = Code::new("my-plugin.CRATE", registry);
}

/// Every code, in the order of the file.
pub const fn codes() -> [Code; 6] {
    [
        CODES,
        LOCK,
        REGISTRY,
        A1_2B_3,
        type_::SELF,
        my_plugin::CRATE,
    ]
}

/// The registry itself.
pub fn registry() -> &'static Arc<Registry> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| locked(lock_::LOCK));
    &REGISTRY
}

/// Its lock.
mod lock_ {
    pub(super) const LOCK: &str = r###"{
"format":"redress-lock/1",
"hash":"3df58156ba193b0e2d69027680bc5609c55aaadbf56dfe9e5e0dbf2bf1691b07",
"name":"class",
"version":"1.0.0-rc.1+build.5",
"extends":[],
"domains":{
"hostile":{"range":[5000,5099],"title":"`${1}` */ \"\"\" '''"}
},
"codes":{
"CODES":{"alias":{"mailvault":["__proto__"],"rpc":["E_CODES"]},"class":"internal","domain":"hostile","effect":"none","example":{"text":"'''"},"explain":"\"\"\" ''' */ \n # x\n```","hint":"Read '''this''' \"\"\"text\"\"\" */ ${x} `y` \\ \u2028 \u2029 \u202e \n and @@codes@@ to the end.","http":500,"message":"{{}} \"\"\" ''' */ ${{x}} `{text}` \\n \u0000 \r\n \u0085 \ufeff 󠁁 😀 \"#\"## --> </script>","next":[{"args":{"__proto__":1,"constructor":"x"},"tool":"__proto__"}],"number":5000,"params":[{"doc":"\"\"\" ''' */ \n \u2028","enum":["'''","\"\"\"","*/","\n","\u2028"],"name":"text","required":true,"secret":false,"type":"string","untrusted":false},{"doc":"A word of every language.","name":"class","required":false,"secret":false,"type":"object","untrusted":false},{"doc":"Another.","name":"constructor","required":false,"secret":false,"type":"array","untrusted":false}],"registry":"class","retry":{"kind":"never"},"severity":"error","since":"NEXT","stability":"draft","title":"\"\"\" ''' */ // # ${x} `y` \\ \u2028 \u2029 \u202e @@rows@@ [x](y) <b>"},
"LOCK":{"alias":{},"class":"internal","domain":"hostile","effect":"none","example":{},"explain":"x","hint":"Use the name for this code all the same.","http":500,"message":"A name that the exported module may want for itself.","next":[],"params":[],"registry":"class","retry":{"kind":"never"},"severity":"error","since":"NEXT","stability":"draft","title":"Lock"},
"REGISTRY":{"alias":{},"class":"internal","domain":"hostile","effect":"none","example":{},"explain":"x","hint":"Use the name for this code all the same.","http":500,"message":"Another one.","next":[],"params":[],"registry":"class","retry":{"kind":"never"},"severity":"error","since":"NEXT","stability":"draft","title":"Registry"},
"A1_2B_3":{"alias":{},"class":"internal","domain":"hostile","effect":"none","example":{},"explain":"x","hint":"Use the name for this code all the same.","http":500,"message":"Digits first in a word.","next":[],"params":[],"registry":"class","retry":{"kind":"never"},"severity":"error","since":"NEXT","stability":"draft","title":"Digits"},
"type.SELF":{"alias":{},"class":"unavailable","domain":"hostile","effect":"none","example":{},"explain":"x","hint":"Use the name for this code all the same.","http":503,"message":"The code of a plugin that is called like a keyword.","next":[],"params":[],"registry":"class","retry":{"after_ms":9007199254740991,"kind":"after_delay","max":4294967295},"severity":"error","since":"NEXT","stability":"draft","title":"Plugin"},
"my-plugin.CRATE":{"alias":{},"class":"unavailable","domain":"hostile","effect":"none","example":{},"explain":"x","hint":"Use the name for this code all the same.","http":503,"message":"The code of a plugin with a dash.","next":[],"params":[],"registry":"class","retry":{"kind":"now"},"severity":"error","since":"NEXT","stability":"draft","title":"Plugin"}
},
"retired":{},
"tools":{
"__proto__":{"idempotent":false,"may":["CODES"],"operation":"query","paths":[],"read_only":true},
"*/ \"x\" '''":{"idempotent":false,"may":["type.SELF"],"operation":"command","paths":[],"read_only":false}
},
"allows":[]
}
"###;
}
