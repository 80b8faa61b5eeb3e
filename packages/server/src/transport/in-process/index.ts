/**
 * The service for the program that embeds it: operations of REST without a wire. The program names the caller of its
 * calls, and vouches for the caller's identity.
 */
export { ProgramCalls } from "./program-calls.js";
export type { ProgramIdentity } from "./program-caller.js";
export { programClient, type ProgramClient } from "./program-client.js";
