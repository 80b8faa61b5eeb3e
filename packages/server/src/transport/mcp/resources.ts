import { shownJson, shownLine, shownText } from "@steward/kernel/shown-text.js";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { AppError } from "@steward/kernel/errors.js";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_DEFAULT } from "../limits.js";
import type { Action } from "../../identity/index.js";
import { journalOf } from "../journal.js";
import { actionOf } from "../operations.js";
import { asPlanId } from "../plan-ids.js";
import { commitMessage } from "../rest/state/state-messages.js";
import { pageWithin } from "../paging/page-within.js";
import { PLAN_APP_URI, readPlanApp } from "./plan-app.js";
import type { ToolScope } from "./tool.js";
import { planAnswer } from "./tools/plan-answer.js";

/** One kind of resource, named by the scheme of its URIs. */
interface ResourceKind {
  readonly template: ResourceTemplateType;
  readonly action: Action;
  /** @param id the part of the URI after the scheme, decoded. */
  readonly read: (id: string, scope: ToolScope) => Promise<string>;
}

const JSON_TYPE = "application/json";

/** Number of plans in a listing. People attach the newest ones to a conversation. */
const PLANS_LISTED = 20;

const KINDS: ReadonlyMap<string, ResourceKind> = new Map(
  [
    {
      template: {
        uriTemplate: "plan://{plan_id}",
        name: "plan",
        title: "A plan and its steps",
        description: "The plan, the status of each step, and which steps can be executed now",
        mimeType: JSON_TYPE,
      },
      action: actionOf("getPlan"),
      read: async (id: string, { context, services: { orchestrator } }: ToolScope) => {
        const plan = await orchestrator.getPlan(asPlanId(id), context);
        if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${id}`);
        return shownJson(JSON.stringify(planAnswer(plan)));
      },
    },
    {
      template: {
        uriTemplate: "schema://{data_source}",
        name: "schema",
        title: "The schema of a database",
        description: "Tables, columns, types, keys and indexes as SQL definitions",
        mimeType: "application/sql",
      },
      action: actionOf("dumpSchema"),
      read: async (id: string, { context, services: { migrations } }: ToolScope) => {
        const { sql } = await migrations.dump(context, id);
        return shortened(shownText(sql).split("\n")).join("\n");
      },
    },
    {
      template: {
        uriTemplate: "state://{branch}",
        name: "state",
        title: "The history of a branch of the state",
        description: "The newest commits of the branch, such as state://main",
        mimeType: JSON_TYPE,
      },
      action: actionOf("getStateLog"),
      read: async (id: string, { context, services: { state } }: ToolScope) => {
        const commits = await state.log(context, id, LLM_ROWS_DEFAULT);
        return shownJson(
          JSON.stringify({ branch: id, commits: shortened(commits.map(commitMessage)) }),
        );
      },
    },
  ].map((kind) => [kind.template.name, kind]),
);

/** The templates of the resources, in a stable order. */
export const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [...KINDS.values()].map(
  ({ template }) => template,
);

/** Resources that a person may want to attach: the newest plans, for callers who may list them. */
export async function listResources(scope: ToolScope): Promise<readonly Resource[]> {
  const { context, services } = scope;
  try {
    await services.authorize(context, actionOf("listPlans"));
    const page = { limit: PLANS_LISTED };
    const { plans } = await journalOf(services.orchestrator).listPlans({}, page, context);
    return plans.map(({ planId, name, status }) => ({
      uri: `plan://${planId}`,
      name: planId,
      title: name === "" ? `Plan ${planId}` : shownLine(name),
      description: status,
      mimeType: JSON_TYPE,
    }));
  } catch (error) {
    if (NOTHING_LISTED.has(AppError.from(error).code)) return [];
    throw error;
  }
}

/**
 * Errors that make the listing empty: the caller may not list plans, or the orchestrator cannot
 * list them.
 */
const NOTHING_LISTED: ReadonlySet<string> = new Set(["POLICY_DENIED", "UNIMPLEMENTED"]);

/**
 * @throws ProtocolError for a URI of an unknown kind; the AppErrors of the service that is asked.
 */
export async function readResource(uri: string, scope: ToolScope): Promise<ReadResourceResult> {
  if (uri === PLAN_APP_URI) return readPlanApp();
  const [, scheme = "", id = ""] = /^([a-z]+):\/\/(.+)$/.exec(uri) ?? [];
  const kind = KINDS.get(scheme);
  if (kind === undefined) throw unknownResource(uri);
  await scope.services.authorize(scope.context, kind.action);
  const text = await kind.read(decoded(id), scope);
  return { contents: [{ uri, mimeType: kind.template.mimeType, text }] };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    // Malformed percent-encoding cannot match a name, so the text is looked up unchanged.
    return id;
  }
}

/** The items that fit into one answer to an LLM. */
function shortened<Item>(items: readonly Item[]): readonly Item[] {
  const bounds = { offset: 0, itemsMax: Infinity, bytesMax: LLM_ANSWER_BYTES_MAX };
  return pageWithin(items, bounds).items;
}

function unknownResource(uri: string): ProtocolError {
  const known = RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate).join(", ");
  const message = `Unknown resource ${uri.slice(0, 255)}: the resources are ${known}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
}
