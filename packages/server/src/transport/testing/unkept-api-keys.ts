import { ApiKeyService, noApiKeys } from "../../identity/index.js";
import { systemClock } from "@steward/kernel/clock.js";

/** API keys of a server that has nothing to keep them in. */
export function unkeptApiKeys(): ApiKeyService {
  return new ApiKeyService(noApiKeys, systemClock);
}
