import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { BrowserSessions, noApiKeys, noBrowserSessions } from "../../identity/index.js";
import type { SignIn } from "../services.js";

/** The sign-in of a server that asks nobody to sign in. */
export function openSignIn(): SignIn {
  const parts = { clock: systemClock, log: silentLog };
  const sessions = new BrowserSessions({ store: noBrowserSessions, apiKeys: noApiKeys, ...parts });
  return { sessions, isOpen: true, isSecure: false };
}
