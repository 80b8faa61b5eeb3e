import { AppError } from "@steward/kernel/errors.js";
import { systemClock } from "@steward/kernel/clock.js";
import { noRepositories, StateService } from "@steward/state";

/** The state of a server without a store. */
export function storelessState(): StateService {
  const absent = (): never => {
    throw new AppError("UNIMPLEMENTED", "This server reads no RDF");
  };
  const nothingOpen = async (): Promise<void> => undefined;
  return new StateService({
    repositories: noRepositories,
    rdf: { read: async () => absent(), write: absent, [Symbol.asyncDispose]: nothingOpen },
    sparql: { query: async () => absent(), [Symbol.asyncDispose]: nothingOpen },
    clock: systemClock,
  });
}
