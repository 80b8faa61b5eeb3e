import type * as AttackerModule from "../../test/hostile/attacker.js";
import type * as RequestsModule from "../../test/hostile/hostile-requests.js";
import type * as TargetModule from "../../test/hostile/target.js";

/** The hostile requests of the tests, loaded from their build. */
const dist = new URL("../../../test/dist/hostile/", import.meta.url);

async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, dist).href)) as Module;
}

export const { Attacker }: typeof AttackerModule = await part("attacker.js");
export const { hostileRequests }: typeof RequestsModule = await part("hostile-requests.js");
export const { Target }: typeof TargetModule = await part("target.js");
