import { fileURLToPath } from "node:url";
import { Client, credentials, loadPackageDefinition, Metadata } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ECHO_METHOD } from "./echo-method.js";
import { STEPS_PER_PLAN, type LoadOrder, type LoadResult } from "./load-order.js";

/** About the size of the answer to an ExecuteStep call. */
const ECHO_BYTES = 400;
const PROTO = fileURLToPath(
  new URL("../../../packages/protocol/proto/controlplane/v1/control_plane.proto", import.meta.url),
);
const PROTO_DIR = fileURLToPath(new URL("../../../packages/protocol/proto", import.meta.url));

type Unary = (
  request: object,
  metadata: Metadata,
  answer: (error: Error | null, response: never) => void,
) => void;

process.on("message", (order: LoadOrder) => {
  void run(order).then((result) => process.send?.(result));
});

async function run(order: LoadOrder): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await call();
    latenciesMs.push(performance.now() - started);
    return result;
  };
  const metadata = new Metadata();
  if (order.authorization !== undefined) metadata.set("authorization", order.authorization);
  const clients = order.addresses.map((address) =>
    order.kind === "echo" ? echoPlan(address) : stepsPlan(address, metadata),
  );
  const started = performance.now();
  await Promise.all(
    Array.from({ length: order.concurrency }, async (_, index) => {
      const onePlan = clients[index % clients.length];
      for (let plan = 0; plan < order.plansEach; plan += 1) await onePlan?.(timed);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return { calls: latenciesMs.length, seconds, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

type Timed = <T>(call: () => Promise<T>) => Promise<T>;

function echoPlan(address: string): (timed: Timed) => Promise<void> {
  const client = new Client(address, credentials.createInsecure());
  const payload = Buffer.alloc(ECHO_BYTES, 1);
  const echo = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = ECHO_METHOD;
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, payload, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  return async (timed) => {
    for (let call = 0; call < STEPS_PER_PLAN; call += 1) await timed(echo);
  };
}

function stepsPlan(address: string, metadata: Metadata): (timed: Timed) => Promise<void> {
  const definition = loadPackageDefinition(
    loadSync(PROTO, { includeDirs: [PROTO_DIR], keepCase: true }),
  ) as unknown as {
    controlplane: {
      v1: { ControlPlaneService: new (a: string, c: object) => Record<string, Unary> };
    };
  };
  const client = new definition.controlplane.v1.ControlPlaneService(
    address,
    credentials.createInsecure(),
  );
  const call = <T>(method: string, request: object): Promise<T> =>
    new Promise((resolve, reject) => {
      client[method]?.(request, metadata, (error, response) => {
        if (error === null) resolve(response);
        else reject(error);
      });
    });
  return async (timed) => {
    const { plan_id } = await call<{ plan_id: string }>("SubmitPlan", PLAN);
    for (const { step_id } of PLAN.steps) {
      const answer = await timed(() =>
        call<{ success: boolean; error_message: string }>("ExecuteStep", { plan_id, step_id }),
      );
      if (!answer.success) throw new Error(answer.error_message);
    }
  };
}

const PLAN = {
  session_id: "bench",
  name: "ten dependent reads",
  description: "",
  steps: Array.from({ length: STEPS_PER_PLAN }, (_, index) => ({
    step_id: `s${String(index)}`,
    name: `read ${String(index)}`,
    tool_name: "sql",
    intent: "read_select",
    query_template:
      index === 0
        ? "SELECT id, name, email FROM customers WHERE id = 1"
        : `SELECT id, name, email FROM customers WHERE id = {{step.s${String(index - 1)}.output[0].id}} + 1`,
    depends_on: index === 0 ? [] : [`s${String(index - 1)}`],
    schema_table_hints: [],
  })),
};
