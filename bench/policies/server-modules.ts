import type * as PoliciesModule from "../../packages/server/src/app/rooms/policies.js";

/** Internal parts of the server, loaded from its build. */
const dist = new URL("../../../packages/server/dist/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { openPolicies }: typeof PoliciesModule = await part("app/rooms/policies.js");
export { systemClock } from "@steward/kernel/clock.js";
