import type { Caller } from "@steward/kernel/caller.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { isoTime } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { NamedThing, ResolvedParameters } from "@steward/operations";
import { migrationDigest } from "@steward/schema";
import { commitId } from "@steward/state";
import type { ResolvedOperation, ShownName } from "../../approvals/index.js";
import { SHOWN_DIFFERENCES_MAX, SHOWN_VALUE_BYTES_MAX } from "../../approvals/limits.js";
import { cutToBytes, type QueryRuntimeContext } from "../../plans/index.js";
import { stepDetailsOf } from "../journal.js";
import { asPlanId, asStepId } from "../plan-ids.js";
import type { Services, ShownOperation } from "../services.js";
import { changesOfBranch } from "./changes-of-branch.js";

/** The services that know what names stand for. */
export type NamingServices = Pick<Services, "state" | "migrations" | "orchestrator">;

type Parameters = Readonly<Record<string, JsonValue | undefined>>;

/** A name to resolve. */
interface Asked {
  readonly name: string;
  readonly parameters: Parameters;
  readonly mayBeNew: boolean;
}

type Resolution = Pick<ShownName, "id" | "shown">;

/**
 * Resolves the names in the parameters of an operation that persons have to approve. It is the only place, so that the
 * request of an approval and its use cannot differ in what they take a name for.
 * @throws AppError `NOT_FOUND` and its kind for what does not exist, before persons are asked.
 */
export async function resolveNames(
  services: NamingServices,
  caller: Caller,
  { operation, request, resolves = {} }: NonNullable<ShownOperation>,
): Promise<ResolvedOperation> {
  // A wire has made the request of the operation's parameters.
  const parameters = request as Parameters;
  const resolved: ShownName[] = [];
  for (const { parameter, name, names, mayBeNew } of namesIn(parameters, resolves)) {
    const resolution = await RESOLVERS[names](services, caller, { name, parameters, mayBeNew });
    resolved.push({ parameter, name, names, ...resolution });
  }
  const asked = { operation, request, resolved };
  return { ...asked, wouldChange: changesOfBranch(services, caller, asked) };
}

function namesIn(
  parameters: Parameters,
  resolves: ResolvedParameters,
): readonly (Pick<ShownName, "parameter" | "name"> & {
  readonly names: NamedThing;
  readonly mayBeNew: boolean;
})[] {
  return Object.entries(resolves).flatMap(([parameter, { names, mayBeNew = false, ...rest }]) => {
    const name = parameters[parameter] ?? rest.default;
    return typeof name === "string" ? [{ parameter, name, names, mayBeNew }] : [];
  });
}

type Resolver = (services: NamingServices, caller: Caller, asked: Asked) => Promise<Resolution>;

const RESOLVERS: Readonly<Record<NamedThing, Resolver>> = {
  commit: ({ state }, caller, { name }) => commitOf(state, caller, name),
  branch: async ({ state }, caller, { name, mayBeNew }) => {
    const ref = `heads/${name}`;
    const exists = !mayBeNew || (await state.refs(caller)).some((each) => each.name === ref);
    return exists
      ? commitOf(state, caller, ref)
      : { id: null, shown: "a new branch, which does not exist yet" };
  },
  migration: async ({ migrations }, caller, { name }) => {
    const migration = await migrations.show(caller, name);
    const { database, author, message, status, up, down } = migration;
    const id = migrationDigest(migration);
    const count = (script: typeof up): number =>
      script.reduce((sum, { statements }) => sum + statements.length, 0);
    const statements = { up_statements: count(up), down_statements: count(down) };
    return { id, shown: { digest: id, database, author, message, status, ...statements } };
  },
  schema: async ({ migrations }, caller, { name }) => {
    const { liveRoot, expectedRoot, differences } = await migrations.drift(caller, name);
    const named = differences.slice(0, SHOWN_DIFFERENCES_MAX);
    const shown = {
      ...{ root: liveRoot, recorded_root: expectedRoot, difference_count: differences.length },
      differences: named.map(({ action, kind, path }) => `${action} ${kind} ${path}`),
    };
    return { id: liveRoot, shown };
  },
  plan: async ({ orchestrator }, caller, { name: planId }) => {
    const plan = await orchestrator.getPlan(asPlanId(planId), contextOf(caller));
    if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
    const { revision = 1, name, status, steps } = plan;
    return { id: String(revision), shown: { revision, name, status, steps: steps.length } };
  },
  step: async ({ orchestrator }, caller, { name: stepId, parameters: { plan_id } }) => {
    const planId = asPlanId(typeof plan_id === "string" ? plan_id : "");
    const steps = stepDetailsOf(orchestrator);
    const step = await steps.getStep(planId, asStepId(stepId), contextOf(caller));
    if (step === undefined) {
      throw new AppError("STEP_NOT_FOUND", `There is no step ${stepId} of a plan ${planId}`);
    }
    const { revision = 1, toolName, dataSource, intent, queryTemplate } = step.prepared;
    const shown = {
      ...{ revision, tool_name: toolName, data_source: dataSource, intent },
      query_template: cutToBytes(queryTemplate, SHOWN_VALUE_BYTES_MAX),
      query_template_bytes: Buffer.byteLength(queryTemplate),
    };
    return { id: String(revision), shown };
  },
};

async function commitOf(
  state: NamingServices["state"],
  caller: Caller,
  name: string,
): Promise<Resolution> {
  const id = commitId(await state.commitOf(caller, name));
  const [commit] = await state.log(caller, id, 1);
  if (commit === undefined) return { id, shown: { commit: id } };
  const { author, message, timeMs, size } = commit;
  const shown = {
    ...{ commit: id, author, message: cutToBytes(message, SHOWN_VALUE_BYTES_MAX) },
    ...{ committed_at: isoTime(timeMs), quads: size },
  };
  return { id, shown };
}

/** Reading a plan for an approver ends with its answer, whether the requester still waits or not. */
function contextOf(caller: Caller): QueryRuntimeContext {
  const requestId = caller.request?.requestId ?? "";
  return { ...caller, requestId, signal: new AbortController().signal };
}
