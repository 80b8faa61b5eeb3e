import { anonymousCaller, type Caller } from "../caller.js";

/** An anonymous caller without roles or permissions. */
export const NOBODY: Caller = anonymousCaller();

/** A person with the role `admin`. */
export const ADMIN: Caller = { ...NOBODY, kind: "person", userId: "ada", roles: ["admin"] };
