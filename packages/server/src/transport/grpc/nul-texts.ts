import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import {
  isReflectList,
  isReflectMessage,
  reflect,
  type ReflectMessage,
} from "@bufbuild/protobuf/reflect";

/**
 * Fields that name a plan or step. An id with a NUL does not exist, so the answer is that there is
 * no such plan or step.
 */
const LOOKED_UP: ReadonlySet<string> = new Set(["plan_id", "step_id"]);

/** The first field of a message whose text contains a NUL character, which no store can keep. */
export function fieldWithNul<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): string | undefined {
  return inMessage(reflect(schema, message));
}

/** A path is only made on the way back from a text that has a NUL. */
function inMessage(message: ReflectMessage): string | undefined {
  for (const field of message.fields) {
    if (LOOKED_UP.has(field.name) || !message.isSet(field)) continue;
    const found = inValue(message.get(field));
    if (found !== undefined) return field.name + found;
  }
  return undefined;
}

/** The path within the value: empty for a text, `.name` in a message, `[0]` in a list. */
function inValue(value: unknown): string | undefined {
  if (typeof value === "string") return value.includes("\0") ? "" : undefined;
  if (isReflectMessage(value)) {
    const found = inMessage(value);
    return found === undefined ? undefined : `.${found}`;
  }
  if (!isReflectList(value)) return undefined;
  let index = 0;
  for (const item of value) {
    const found = inValue(item);
    if (found !== undefined) return `[${String(index)}]${found}`;
    index += 1;
  }
  return undefined;
}
