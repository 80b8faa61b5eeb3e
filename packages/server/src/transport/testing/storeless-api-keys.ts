import { ApiKeyService, noApiKeys } from "../../identity/index.js";
import { systemClock } from "@steward/kernel/clock.js";

/** API keys of a server without a store. */
export function storelessApiKeys(): ApiKeyService {
  return new ApiKeyService(noApiKeys, systemClock, () => Promise.resolve(new Set()));
}
