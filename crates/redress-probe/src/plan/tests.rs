//! Plans for servers that say anything of their tools.
