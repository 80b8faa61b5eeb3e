import { toBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { jsonSize } from "@steward/kernel/json-size.js";
import type { Asker } from "../../answers/encoded-in-turns.js";
import { isLarge, oneAfterTheOther, turnOfPiece } from "../../answers/large-turns.js";
import { EncodedMessage } from "../../grpc/codec.js";
import { ANSWER_PIECE_BYTES } from "../../limits.js";
import { responseOf } from "./proto-messages.js";

/**
 * A payload as the answer of a method. The messages of a large one are made and encoded piece by piece, in turns of the
 * event loop in which organizations alternate.
 * @param field The response's field that holds the payload; absent: the payload is the response.
 */
export function answerOf<Desc extends DescMessage>(
  desc: Desc,
  payload: unknown,
  field: string | undefined,
  asker: Asker,
): MessageShape<Desc> | Promise<EncodedMessage> {
  if (!isLarge(payload)) return responseOf(desc, payload, field);
  const whole = field === undefined ? payload : { [field]: payload };
  // What an operation answers is an object, or has a field of its own.
  return oneAfterTheOther(asker.orgId, () => encodedInTurns(desc, whole as object, asker));
}

async function encodedInTurns(
  desc: DescMessage,
  payload: object,
  { orgId, signal }: Asker,
): Promise<EncodedMessage> {
  const encoded: Uint8Array[] = [];
  for (const part of partsOf(payload)) {
    await turnOfPiece(orgId);
    if (signal.aborted) break;
    encoded.push(toBinary(desc, responseOf(desc, part, undefined)));
  }
  await turnOfPiece(orgId);
  return new EncodedMessage(Buffer.concat(encoded));
}

/**
 * Parts of a payload whose encodings, one after the other, are an encoding of the whole: a decoder appends the values of
 * a repeated field (protobuf.dev/programming-guides/encoding#last-one-wins).
 */
function* partsOf(payload: object): Generator<object, void> {
  const lists = Object.entries(payload).filter(isList);
  yield { ...payload, ...Object.fromEntries(lists.map(([name]) => [name, []])) };
  for (const [name, items] of lists) {
    for (const group of groupsOf(items)) yield { [name]: group };
  }
}

function isList(member: readonly [string, unknown]): member is [string, readonly unknown[]] {
  return Array.isArray(member[1]);
}

/** The items in their order, in groups that are about as large as a piece. */
function* groupsOf(items: readonly unknown[]): Generator<readonly unknown[], void> {
  let group: unknown[] = [];
  let size = 0;
  for (const item of items) {
    group.push(item);
    size += jsonSize(item, ANSWER_PIECE_BYTES);
    if (size < ANSWER_PIECE_BYTES) continue;
    yield group;
    [group, size] = [[], 0];
  }
  if (group.length > 0) yield group;
}
