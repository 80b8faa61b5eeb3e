import { type Caller, NIL_ORG_ID } from "../caller.js";

/** A caller who may do nothing that has to be allowed. */
export const NOBODY: Caller = { orgId: NIL_ORG_ID, roles: [], permissions: [] };
