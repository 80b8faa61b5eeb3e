import { expect, it } from "vitest";
import { ANSWER_PIECE_BYTES } from "../limits.js";
import { encodedInTurns, type Asker } from "./encoded-in-turns.js";

const asker = (orgId: string, signal = new AbortController().signal): Asker => ({ orgId, signal });

function* pieces(count: number): Generator<string, void> {
  for (let n = 0; n < count; n += 1) yield "x".repeat(ANSWER_PIECE_BYTES);
}

it("gives each organization its turns, whatever another one has waiting", async () => {
  const ended: string[] = [];
  const encode = async (orgId: string, count: number): Promise<void> => {
    await encodedInTurns(pieces(count), asker(orgId));
    ended.push(orgId);
  };
  await Promise.all([
    ...Array.from({ length: 10 }, () => encode("a", 20)),
    encode("b", 10),
    encode("c", 2),
  ]);
  expect(ended).toEqual(["c", "b", ...Array.from({ length: 10 }, () => "a")]);
});

it("encodes one piece in a turn of the event loop", async () => {
  let turns = 0;
  const next = (): void => {
    turns += 1;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const encoded = await encodedInTurns(pieces(10), asker("a"));
  clearImmediate(immediate);
  expect(encoded.slice(0, 10).map(({ length }) => length)).toEqual(
    Array.from({ length: 10 }, () => ANSWER_PIECE_BYTES),
  );
  expect(turns).toBeGreaterThanOrEqual(9);
});

it("encodes nothing more when nobody waits any more", async () => {
  const gone = new AbortController();
  let made = 0;
  const counted = pieces(100);
  const encoded = await encodedInTurns(
    {
      next: () => {
        made += 1;
        if (made === 3) gone.abort();
        return counted.next();
      },
    },
    asker("a", gone.signal),
  );
  expect([made, encoded.length]).toEqual([3, 3]);
});
