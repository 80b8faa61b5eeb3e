import { operationTable } from "../operation.js";
import { createApiKey } from "./create-api-key.js";
import { listApiKeys } from "./list-api-keys.js";
import { revokeApiKey } from "./revoke-api-key.js";
import { rotateApiKey } from "./rotate-api-key.js";

/** The API keys of the caller's organization (Decision §15). */
export const keys = operationTable({ createApiKey, listApiKeys, rotateApiKey, revokeApiKey });
