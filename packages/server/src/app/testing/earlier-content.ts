import { Client, credentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  grpcOperations,
  type Operation,
  restOperations,
} from "../../testing/isolation/operations.js";
import {
  type CallerName,
  headersOf,
  openStoredContent,
  OTHERS,
  type StoredContent,
  tellsValue,
} from "./stored-content.js";

/**
 * Every operation of REST, every method of gRPC, streams among them, and every tool, resource and prompt of MCP is
 * asked for what statements on SQLite and on PostgreSQL have read in a column, by the only person who may read it
 * and by all kinds of others. Values of the column must be in the answers to that person exactly where the table says
 * so, so that a new operation fails the test until it is classified, and never in those to the others.
 */
const SHOWS: ReadonlySet<string> = new Set([
  ...["executeStep", "getStep", "getPlan", "streamPlanEvents"],
  ...["searchMemory", "listMemoryEntries", "getMemoryEntry", "describeTable"],
  ...["listAuditRecords", "getAuditRecord"],
  ...["ControlPlaneService.ExecuteStep", "ControlPlaneService.GetPlanStatus"],
  ...["ControlPlaneService.StreamPlanEvents", "CatalogService.DescribeTable"],
  ...["MemoryService.SearchMemory", "MemoryService.ListMemoryEntries"],
  ...["MemoryService.GetMemoryEntry"],
  ...["execute_step", "get_plan", "search_memory", "query", "explore_data", "wait_for_events"],
  ...["resource plan", "prompt repair_plan"],
]);
/** Asked last, because they change or end what the others are asked about. */
const CHANGING: readonly string[] = [
  ...["retryPlan", "cancelPlan", "finishPlan", "reviseStep", "deleteMemoryEntry"],
  ...["deleteMemorySession", "setMemoryRetention", "setRetention", "putPolicies", "beginErasure"],
];
const isChanging = ({ name }: Pick<Operation, "name">): boolean => {
  const bare = name
    .slice(name.indexOf(".") + 1)
    .replaceAll("_", "")
    .toLowerCase();
  return CHANGING.some((each) => each.toLowerCase() === bare);
};
/**
 * What is asked for of the stored results. `once`: those of the first plan, on SQLite and run before the policy, and
 * of the last, on PostgreSQL and run under it; by operations without contents in their answers, one of the last.
 */
type Extent = "all" | "once";
/** Enough for a stream that ends by itself. */
const STREAM_MS = 20_000;

/** Who was told values by an operation. */
class Told {
  readonly #by = new Map<string, Set<CallerName>>();

  add(operation: string, name: CallerName, answer: string): void {
    const told = this.#by.get(operation) ?? new Set();
    this.#by.set(operation, told);
    if (tellsValue(answer)) told.add(name);
  }

  /** Compares what was told with the table. */
  expectAsListed(): void {
    const told = [...this.#by].map(([operation, names]) => [operation, [...names]] as const);
    const listed = told.map(([operation]) => [operation, SHOWS.has(operation) ? ["root"] : []]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(listed));
  }
}

/** What a request is asked for: the ids of a stored result, with what else operations ask for. */
type Ids = Readonly<Record<string, string>>;

class Questions {
  readonly #results: readonly Ids[];
  readonly #plans: readonly Ids[];

  constructor({ stored }: StoredContent, extent: Extent) {
    const results = stored.map((ids) => ({
      ...{ ...ids, table: "leads", query: "SELECT email FROM leads" },
      ...{ ref: "main", path: "$.status", equals_json: '"completed"', subject: ids.plan_id },
    }));
    const plans = new Map(results.map((ids) => [ids["plan_id"], ids]));
    const planIds = [...plans.keys()];
    const few = extent === "all" ? planIds : [planIds.at(0), planIds.at(-1)];
    this.#results = results.filter((ids) => few.includes(ids["plan_id"]));
    this.#plans = extent === "all" ? [...plans.values()] : [...plans.values()].slice(-1);
  }

  /** Results for an operation that hands out contents, and one of each plan for any other. */
  of(operation: string): readonly Ids[] {
    return SHOWS.has(operation) ? this.#results : this.#plans;
  }
}

async function askAll(
  operations: readonly Operation[],
  told: Told,
  askedFor: (operation: string) => readonly Ids[],
): Promise<void> {
  for (const operation of operations) {
    const { name } = operation;
    const asked = new Set<string>();
    for (const ids of askedFor(name)) {
      const request = operation.request((field) => ids[field]);
      if (asked.has(request.text)) continue;
      asked.add(request.text);
      for (const caller of [...OTHERS, "root" as const]) {
        told.add(name, caller, (await request.send(headersOf(caller))).text);
      }
    }
  }
}

/** Runs the test. */
export function describeEarlierContent(extent: Extent): void {
  describe("what was read in a column is not told to whoever may not read it", () => {
    let content: StoredContent;
    let questions: Questions;
    let grpc: Client;
    beforeAll(async () => {
      content = await openStoredContent();
      questions = new Questions(content, extent);
      grpc = new Client(new URL(content.url).host, credentials.createInsecure());
    }, 240_000);
    afterAll(async () => {
      grpc.close();
      await content[Symbol.asyncDispose]();
    });

    it("by any method of gRPC", async () => {
      const told = new Told();
      const operations = grpcOperations(grpc, STREAM_MS);
      expect(operations.length).toBeGreaterThan(40);
      await askAll(
        operations.filter((each) => !isChanging(each)),
        told,
        (name) => questions.of(name),
      );
      told.expectAsListed();
    }, 600_000);

    it("by any tool, resource or prompt of MCP", async () => {
      const told = new Told();
      for (const caller of [...OTHERS, "root" as const]) {
        const client = await content.mcp(caller);
        const ask = async (name: string, answer: Promise<unknown>): Promise<void> => {
          told.add(name, caller, JSON.stringify(await answer.catch(String)));
        };
        const { tools } = await client.listTools();
        for (const { name, inputSchema } of tools) {
          if (isChanging({ name })) continue;
          const known = Object.keys(inputSchema.properties ?? {});
          const asked = new Set<string>();
          for (const { plan_id, step_id, ...ids } of questions.of(name)) {
            const given: Readonly<Record<string, unknown>> = known.includes("step_id")
              ? { plan_id, step_id }
              : {
                  ...{ ...ids, plan_id, tables: [ids["table"]] },
                  ...{ sql: ids["query"], wait_seconds: 1 },
                };
            const args = Object.fromEntries(
              known.flatMap((key) => (key in given ? [[key, given[key]]] : [])),
            );
            if (asked.has(JSON.stringify(args))) continue;
            asked.add(JSON.stringify(args));
            await ask(name, client.callTool({ name, arguments: args }));
          }
        }
        const { resourceTemplates } = await client.listResourceTemplates();
        const { prompts } = await client.listPrompts();
        await ask("resources", client.listResources());
        const plansOf = (operation: string) =>
          new Set(questions.of(operation).map((ids) => ids["plan_id"] ?? ""));
        for (const { name, uriTemplate } of resourceTemplates) {
          for (const planId of plansOf(`resource ${name}`)) {
            const ids: Readonly<Record<string, string>> = { plan_id: planId, branch: "main" };
            for (const source of ["shop", "crm"]) {
              const uri = uriTemplate.replace(
                /\{(\w+)\}/,
                (_all, key: string) => ids[key] ?? source,
              );
              await ask(`resource ${name}`, client.readResource({ uri }));
            }
          }
        }
        for (const { name } of prompts) {
          for (const planId of plansOf(`prompt ${name}`)) {
            const args = { plan_id: planId, task: "x" };
            await ask(`prompt ${name}`, client.getPrompt({ name, arguments: args }));
          }
        }
      }
      told.expectAsListed();
    }, 600_000);

    it("by any operation of REST", async () => {
      const told = new Told();
      const operations = await restOperations(content.url, STREAM_MS);
      expect(operations.length).toBeGreaterThan(90);
      await askAll(
        operations.filter((each) => !isChanging(each)),
        told,
        (name) => questions.of(name),
      );
      told.expectAsListed();
    }, 600_000);

    it("by webhooks or by the export of the audit log, which nobody asks for", async () => {
      await expect.poll(() => content.sent()).toContain("plan.failed");
      expect(tellsValue(content.sent())).toBe(false);
      await expect.poll(() => content.exported()).toContain("PlanFailed");
      expect(tellsValue(content.exported())).toBe(false);
    }, 90_000);

    it("by operations that change or end what is stored", async () => {
      const told = new Told();
      const all = [...grpcOperations(grpc, 1_000), ...(await restOperations(content.url, 1_000))];
      const changing = all.filter(isChanging);
      expect(changing.length).toBeGreaterThan(CHANGING.length);
      const inOrder = CHANGING.flatMap((name) =>
        changing.filter((each) => each.name.toLowerCase().endsWith(name.toLowerCase())),
      );
      await askAll(inOrder, told, (name) => questions.of(name));
      told.expectAsListed();
    }, 600_000);
  });
}
