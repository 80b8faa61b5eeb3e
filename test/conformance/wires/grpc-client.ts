import * as grpc from "@grpc/grpc-js";
import type { MessageTypeDefinition, PackageDefinition } from "@grpc/proto-loader";
import {
  Refusal,
  type Client,
  type EventView,
  type Execution,
  type ForkInput,
  type Identity,
  type ListQuery,
  type Page,
  type PageInput,
  type PlanCheck,
  type PlanInput,
  type PlanView,
  type Revised,
  type StepChanges,
  type StepsInput,
  type Submitted,
} from "../client.js";
import type { Catalog, Match } from "../catalog.js";
import { BillingCalls } from "./billing-calls.js";
import { MemoryCalls } from "./memory-calls.js";
import { overGrpc } from "./operation-calls.js";
import { loadProto, serverStream, stubOf, unary, type Stub } from "./grpc-stub.js";

const services = loadProto(
  ["control_plane", "usage", "memory", "catalog"].map((name) => `controlplane/v1/${name}.proto`),
);
const errors = loadProto(["google/rpc/status.proto", "google/rpc/error_details.proto"]);

/** A typical gRPC client: grpc-js and the .proto file, without generated code. */
export class GrpcClient implements Client, Disposable {
  readonly wire = "grpc";
  readonly billing: BillingCalls;
  readonly memory: MemoryCalls;
  readonly catalog: Catalog;
  readonly #stubs: Stubs;
  readonly #identity: Identity;

  private constructor(stubs: Stubs, identity: Identity) {
    this.#stubs = stubs;
    this.#identity = identity;
    const { usage, memory, catalog } = stubs;
    this.billing = new BillingCalls(
      overGrpc((method, request) => this.#call(method, request, {}, usage)),
      (events) => this.#call("ReportUsage", { events }, {}, usage),
    );
    this.memory = new MemoryCalls(
      overGrpc((method, request) => this.#call(method, request, {}, memory)),
    );
    const ask = <Answer>(method: string, request: object): Promise<Answer> =>
      this.#call(method, request, {}, catalog);
    this.catalog = {
      list: () => ask("ListCatalog", {}),
      search: async (query) =>
        (await ask<{ tables: readonly Match[] }>("SearchCatalog", { query })).tables,
      describe: (table, budget) => ask("DescribeTable", { table, token_budget: budget }),
    };
  }

  /** @param address host:port. */
  static connect(address: string, identity: Identity): GrpcClient {
    const stubs = {
      plans: stubOf(services, "controlplane.v1.ControlPlaneService", address),
      usage: stubOf(services, "controlplane.v1.UsageService", address),
      memory: stubOf(services, "controlplane.v1.MemoryService", address),
      catalog: stubOf(services, "controlplane.v1.CatalogService", address),
    };
    return new GrpcClient(stubs, identity);
  }

  [Symbol.dispose](): void {
    for (const stub of Object.values(this.#stubs)) stub.close();
  }

  as(identity: Identity): Client {
    return new GrpcClient(this.#stubs, { ...this.#identity, ...identity });
  }

  submit(plan: PlanInput, idempotencyKey?: string): Promise<Submitted> {
    const steps = plan.steps.map(({ id, ...step }) => ({ step_id: id, ...step }));
    return this.#call("SubmitPlan", { ...plan, steps }, keyMetadata(idempotencyKey));
  }

  getPlan(planId: string): Promise<PlanView> {
    return this.#call("GetPlanStatus", { plan_id: planId });
  }

  async execute(planId: string, stepId: string, page: PageInput = {}): Promise<Execution> {
    const answer = await this.#call<Omit<Execution, "status">>("ExecuteStep", {
      plan_id: planId,
      step_id: stepId,
      ...page,
    });
    const { llm_context_update: update } = answer;
    if (update?.next_offset === 0) delete update.next_offset;
    return { status: "OK", ...answer };
  }

  cancel(planId: string, reason = ""): Promise<Submitted> {
    return this.#call("CancelPlan", { plan_id: planId, reason });
  }

  retry(planId: string): Promise<Submitted> {
    return this.#call("RetryPlan", { plan_id: planId });
  }

  finish(planId: string): Promise<Submitted> {
    return this.#call("FinishPlan", { plan_id: planId });
  }

  check(plan: PlanInput): Promise<PlanCheck> {
    const steps = plan.steps.map(({ id, ...step }) => ({ step_id: id, ...step }));
    return this.#call("CheckPlan", { plan: { ...plan, steps } });
  }

  append(
    planId: string,
    { steps, ...rest }: StepsInput,
    idempotencyKey?: string,
  ): Promise<Revised> {
    const request = {
      plan_id: planId,
      steps: steps.map(({ id, ...step }) => ({ step_id: id, ...step })),
      ...rest,
    };
    return this.#call("AppendSteps", request, keyMetadata(idempotencyKey));
  }

  revise(
    planId: string,
    stepId: string,
    { expected_revision, ...changes }: StepChanges,
    idempotencyKey?: string,
  ): Promise<Revised> {
    const fields = Object.entries(changes).map(([name, value]) => [
      name,
      typeof value === "string" ? { value } : Array.isArray(value) ? { values: value } : value,
    ]);
    const request = {
      plan_id: planId,
      step_id: stepId,
      expected_revision,
      ...(Object.fromEntries(fields) as object),
    };
    return this.#call("ReviseStep", request, keyMetadata(idempotencyKey));
  }

  fork(
    planId: string,
    { steps = [], ...rest }: ForkInput,
    idempotencyKey?: string,
  ): Promise<Revised> {
    const request = {
      plan_id: planId,
      steps: steps.map(({ id, ...step }) => ({ step_id: id, ...step })),
      ...rest,
    };
    return this.#call("ForkPlan", request, keyMetadata(idempotencyKey));
  }

  list(query: ListQuery): Promise<Page> {
    return this.#call("ListPlans", query);
  }

  async *events(planId: string, afterSequence = 0): AsyncGenerator<EventView, void> {
    const request = { plan_id: planId, after_sequence: afterSequence };
    try {
      yield* serverStream<EventView>(
        this.#stubs.plans,
        "StreamPlanEvents",
        request,
        this.#metadata({}),
      );
    } catch (error) {
      throw refusalOf(error as grpc.ServiceError);
    }
  }

  async #call<Answer>(
    method: string,
    request: object,
    extra: Identity = {},
    stub: Stub = this.#stubs.plans,
  ): Promise<Answer> {
    try {
      return await unary<Answer>(stub, method, request, this.#metadata(extra));
    } catch (error) {
      throw refusalOf(error as grpc.ServiceError);
    }
  }

  #metadata(extra: Identity): grpc.Metadata {
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries({ ...this.#identity, ...extra })) {
      metadata.set(name, value);
    }
    return metadata;
  }
}

/** One stub for each service. */
interface Stubs {
  readonly plans: Stub;
  readonly usage: Stub;
  readonly memory: Stub;
  readonly catalog: Stub;
}

interface Any {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/** Converts an error with its google.rpc.Status. */
function refusalOf(error: grpc.ServiceError): Refusal {
  const [status] = error.metadata.get("grpc-status-details-bin");
  const details =
    status instanceof Uint8Array
      ? decode<{ details: readonly Any[] }>("google.rpc.Status", status).details
      : [];
  const find = (type: string): Uint8Array | undefined =>
    details.find(({ type_url }) => type_url === `type.googleapis.com/${type}`)?.value;
  const read = <Message>(type: string): Message | undefined => {
    const value = find(type);
    return value && decode<Message>(type, value);
  };
  const violations = read<BadRequest>("google.rpc.BadRequest")?.field_violations ?? [];
  const delay = read<RetryInfo>("google.rpc.RetryInfo")?.retry_delay;
  return new Refusal({
    status: grpc.status[error.code],
    code: read<{ reason: string }>("google.rpc.ErrorInfo")?.reason ?? "",
    message: error.details,
    details: violations.map(({ field, description }) => ({ field, reason: description })),
    retryAfterS: delay === undefined ? 0 : delay.seconds + delay.nanos / 1e9,
  });
}

interface RetryInfo {
  readonly retry_delay: { readonly seconds: number; readonly nanos: number };
}

interface BadRequest {
  readonly field_violations: readonly { readonly field: string; readonly description: string }[];
}

function decode<Message>(type: string, bytes: Uint8Array): Message {
  const definition = errors[type];
  if (!isMessage(definition)) throw new Error(`${type} is not a message`);
  return definition.deserialize(Buffer.from(bytes)) as Message;
}

function isMessage(
  definition: PackageDefinition[string] | undefined,
): definition is MessageTypeDefinition<object, object> {
  return definition !== undefined && "type" in definition && "deserialize" in definition;
}

function keyMetadata(idempotencyKey: string | undefined): Identity {
  return idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
}
