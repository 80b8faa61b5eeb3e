import type { Caller } from "@steward/kernel/caller.js";
import { SESSION_ID_LENGTH_MAX } from "../kernel/limits.js";
import { headerText } from "./header-text.js";
import type { IdentityHeaders } from "./services.js";

/** Width of `usage_events.orm_model` (Contract §2.9). */
const ORM_MODEL_LENGTH_MAX = 64;

/**
 * The attributes of a request that do not depend on the credential: its session and its ORM model.
 * @throws AppError `INVALID_ARGUMENT` for a malformed header.
 */
export function requestOwn(headers: IdentityHeaders): Pick<Caller, "sessionId" | "ormModel"> {
  const sessionId = headerText(headers, "x-session-id", SESSION_ID_LENGTH_MAX);
  const ormModel = headerText(headers, "x-orm-model", ORM_MODEL_LENGTH_MAX);
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(ormModel === undefined ? {} : { ormModel }),
  };
}
