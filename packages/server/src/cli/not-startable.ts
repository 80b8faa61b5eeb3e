import type { Finding } from "../app/start-checks/index.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-code.js";

/** The error for checks of a start that failed: each with what was found, and what to do. */
export function notStartable(failed: readonly Finding[]): CliError {
  const [only, ...others] = failed;
  // The store may be back soon, so that another start can succeed; a wrong setting stays wrong.
  const isStoreOnly = failed.every(({ name }) => name === "database");
  const kind = isStoreOnly
    ? { exitCode: EXIT.failed, code: "STORE_UNAVAILABLE" }
    : { exitCode: EXIT.usage, code: "CONFIGURATION" };
  if (only !== undefined && others.length === 0) {
    return new CliError(`${only.name}: ${only.found}`, { ...kind, fix: only.fix });
  }
  return new CliError("A server cannot start with these settings; nothing was started", {
    ...kind,
    fix: "correct these; `steward doctor` checks everything",
    details: failed.map(({ name, found, fix }) => ({
      field: name,
      reason: fix === undefined ? found : `${found}; fix: ${fix}`,
    })),
  });
}
