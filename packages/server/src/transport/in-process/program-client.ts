import type { StewardClient } from "@steward/client";
import { programCaller, type ProgramIdentity } from "./program-caller.js";
import { type ProgramCalls, stewardErrorOf } from "./program-calls.js";
import { programPlans } from "./program-plans.js";

/** The parts of a client that a program uses without a wire. */
export type ProgramClient = Pick<StewardClient, "plans">;

/**
 * The service as one caller of the program uses it.
 * @param organization of callers who name none.
 * @throws StewardError when the identity is malformed, or there is no organization.
 */
export function programClient(
  calls: ProgramCalls,
  identity: ProgramIdentity,
  organization: string | undefined,
): ProgramClient {
  try {
    return { plans: programPlans(calls, programCaller(identity, organization)) };
  } catch (error) {
    throw stewardErrorOf(error);
  }
}
