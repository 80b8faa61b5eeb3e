import type { DescMethod, DescMethodUnary, DescService, Message } from "@bufbuild/protobuf";
import { type GrpcMethod, placesOf } from "@steward/operations";
import {
  CatalogService,
  ControlPlaneService,
  MemoryService,
  UsageService,
} from "@steward/protocol/grpc";
import { assert } from "@steward/kernel/assert.js";
import { invalidField } from "@steward/kernel/errors.js";
import type { QueryRuntimeContext } from "../../../plans/index.js";
import type { MethodRegistry } from "../../grpc/method-registry.js";
import type { Implemented } from "../implement.js";
import { answerOf } from "./proto-answers.js";
import { inputOf } from "./proto-messages.js";
import { inputCheckOf } from "./request-parts.js";

const SERVICES: readonly DescService[] = [
  CatalogService,
  ControlPlaneService,
  MemoryService,
  UsageService,
];

/** Adds the method of each operation that gRPC serves. Its request is checked like a request over REST. */
export function addOperationMethods(
  methods: MethodRegistry,
  implemented: readonly Implemented[],
): void {
  for (const { operation, run } of implemented) {
    const { grpc, input, name } = operation;
    if (grpc === undefined) continue;
    const method = methodOf(grpc);
    const check = inputCheckOf(operation);
    const { path } = placesOf(operation);
    const answer = async (request: Message, context: QueryRuntimeContext) => {
      const given = inputOf(input, method.input, request);
      const missing = path.find((member) => given[member] === "");
      if (missing !== undefined) throw invalidField(missing, "it is missing");
      const payload = await run({ input: check(given), context });
      return answerOf(method.output, payload, grpc.response, context);
    };
    methods.unary(method, answer, name);
  }
}

/** The description of an operation's method. */
export function methodOf({ method: path }: GrpcMethod): DescMethodUnary {
  const [serviceName, name] = path.split("/");
  const service = SERVICES.find((each) => each.name === serviceName);
  const method = service?.methods.filter(isUnary).find((each) => each.name === name);
  assert(method !== undefined, `${path} is a method with one answer`);
  return method;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}
