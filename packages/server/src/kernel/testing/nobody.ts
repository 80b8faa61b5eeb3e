import { anonymousCaller, type Caller } from "../caller.js";

/** A caller who may do nothing that has to be allowed. */
export const NOBODY: Caller = anonymousCaller();

/** A person with the role `admin`. */
export const ADMIN: Caller = { ...NOBODY, kind: "person", userId: "ada", roles: ["admin"] };
