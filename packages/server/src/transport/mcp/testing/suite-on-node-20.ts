import { register } from "node:module";

// The official suite imports a function of Node 22, `fs.globSync`, for a command that the tests do not
// use. A program that is started with `--import` of this module gets an `fs` that has the name.
register("./suite-hooks.js", import.meta.url);
