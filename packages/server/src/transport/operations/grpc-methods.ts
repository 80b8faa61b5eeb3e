import type { DescMethod, DescMethodUnary, DescService } from "@bufbuild/protobuf";
import type { GrpcMethod } from "@steward/operations";
import { CatalogService, MemoryService, UsageService } from "@steward/protocol/grpc";
import { assert } from "@steward/kernel/assert.js";
import type { MethodRegistry } from "../grpc/method-registry.js";
import { zodValidation } from "../rest/validation/validation.js";
import type { Implemented } from "./implement.js";
import { inputOf, responseOf } from "./proto-messages.js";

const SERVICES: readonly DescService[] = [CatalogService, MemoryService, UsageService];

/** Adds the method of each operation that gRPC serves. Its request is validated like a request over REST. */
export function addOperationMethods(
  methods: MethodRegistry,
  implemented: readonly Implemented[],
): void {
  for (const { operation, run } of implemented) {
    const { grpc, input, name } = operation;
    if (grpc === undefined) continue;
    const method = methodOf(grpc);
    assert(method.localName === name, `${name} has the name of its method ${grpc.method}`);
    const validate = zodValidation("INVALID_ARGUMENT")({ schema: input, httpPart: "body" });
    methods.unary(method, async (request, context) => {
      const checked = validate(inputOf(input, method.input, request));
      if ("error" in checked) throw checked.error;
      const payload = await run({ input: checked.value, context });
      return responseOf(method.output, payload, grpc.response);
    });
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
