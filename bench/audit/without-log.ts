import { register } from "node:module";

/** Preloaded into a server to switch off the audit log: it replaces the modules that store what records are made of. */
register("./without-log-hooks.js", import.meta.url);
