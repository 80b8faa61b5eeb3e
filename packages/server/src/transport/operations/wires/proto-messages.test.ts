import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { operations, type Operation } from "@steward/operations";
import { expect, it } from "vitest";
import * as z from "zod";
import { methodOf } from "./grpc-methods.js";
import { innerOf, memberOf, shapeOf, valueFieldOf } from "./proto-messages.js";

/**
 * Compares each request and response of gRPC with the schema of its operation: the names of their fields, and the
 * kinds of their values.
 */
const OVER_GRPC = Object.values(operations)
  .flatMap((table): Operation[] => Object.values(table))
  .flatMap(({ name, input, output, grpc }) =>
    grpc === undefined ? [] : [{ name, input, output, grpc }],
  );

it.each(OVER_GRPC)("the messages of $name have the members of its schemas", (operation) => {
  const method = methodOf(operation.grpc);
  const { response } = operation.grpc;
  expect(messageKind(method.input, operation.input)).toEqual(schemaKind(operation.input));
  const holder =
    response === undefined ? operation.output : z.object({ [response]: operation.output });
  expect(messageKind(method.output, holder)).toEqual(schemaKind(holder));
});

type Kind = string | { readonly [member: string]: Kind } | readonly [Kind];

/** @param schema whose members name the fields that hold JSON texts. */
function messageKind({ fields }: DescMessage, schema: z.ZodType | undefined): Kind {
  const shape = shapeOf(schema);
  return Object.fromEntries(
    fields.map((field) => {
      const name = memberOf(field, shape);
      return [name, fieldKind(field, shape[name])];
    }),
  );
}

function fieldKind(field: DescField, schema: z.ZodType | undefined): Kind {
  const only = field.message && valueFieldOf(field.message);
  if (only !== undefined) return fieldKind(only, schema);
  if (field.message !== undefined) {
    const kind = messageKind(field.message, schema);
    return field.fieldKind === "list" ? [kind] : kind;
  }
  const kind = field.scalar === undefined ? "other" : (SCALARS[field.scalar] ?? "number");
  return field.fieldKind === "list" ? [kind] : kind;
}

const SCALARS: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: "text",
  [ScalarType.BOOL]: "boolean",
  [ScalarType.BYTES]: "bytes",
};

function schemaKind(schema: z.ZodType): Kind {
  if (schema instanceof z.ZodObject) {
    // A message does not say what is always so, such as `removed: true`.
    const members = Object.entries(shapeOf(schema)).filter(
      ([, member]) => !(member instanceof z.ZodLiteral && member.value === true),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, schemaKind(member)]));
  }
  const inner = innerOf(schema);
  if (inner !== undefined) {
    return schema instanceof z.ZodArray ? [schemaKind(inner)] : schemaKind(inner);
  }
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodBoolean) return "boolean";
  return "text";
}
