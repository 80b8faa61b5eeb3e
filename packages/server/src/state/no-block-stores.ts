import { AppError } from "../kernel/errors.js";
import type { BlockStores, StateUpkeep } from "./ports.js";

function notKept(): AppError {
  const message =
    "The state is not kept: it needs an embedded store; set SERVICE_DATABASE_URL=sqlite:PATH";
  return new AppError("STORE_UNAVAILABLE", message);
}

/** The stores of a build that keeps nothing: every use says what is missing. */
export const noBlockStores: BlockStores = {
  open: () => {
    throw notKept();
  },
  organizations: () => [],
};

/** The upkeep of what is not kept. */
export const noStateUpkeep: StateUpkeep = {
  check: () => Promise.reject(notKept()),
  collect: () => Promise.reject(notKept()),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
