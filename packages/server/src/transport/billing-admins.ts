import { requireBillingAdmin } from "../governance/index.js";
import type { Authenticate } from "./services.js";

/**
 * Who may not see billing is told so as soon as it is known who they are: before anything else of a
 * request is looked at, on either wire (Contract §5).
 */
export function billingAdminsOnly(authenticate: Authenticate): Authenticate {
  return async (shown) => {
    const caller = await authenticate(shown);
    requireBillingAdmin(caller);
    return caller;
  };
}
