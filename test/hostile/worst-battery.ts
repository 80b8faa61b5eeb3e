import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Attacker } from "./attacker.js";
import { Target } from "./target.js";
import { fillStore, REFUSED, worstRequests } from "./worst-requests.js";

const ATTACKER = "11111111-1111-4111-8111-111111111111";
const NEIGHBOUR = "22222222-2222-4222-8222-222222222222";
/** Processor time of one turn of the event loop, in ms. */
const TURN_CPU_MS_MAX = 50;

/** Sends requests of one organization at once, while another runs `SELECT 1` again and again. */
export function worstBattery(share: number): void {
  describe("requests that arrive together", () => {
    let target: Target;
    const figures: string[] = [];
    beforeAll(async () => {
      target = await Target.start();
      await fillStore(new Attacker(target.url, ATTACKER));
      // Compiles what all requests have in common, and shows that they ask for what exists.
      for (const { name, statuses = [200], send } of worstRequests(share / 10)) {
        const answers = new Set(await send({ url: target.url, orgId: ATTACKER }));
        const wrong = [...answers].filter((status) => ![...statuses, ...REFUSED].includes(status));
        expect({ name, wrong }).toEqual({ name, wrong: [] });
      }
    }, 300_000);
    afterAll(async () => {
      process.stdout.write(`${figures.join("\n")}\n`);
      await target[Symbol.asyncDispose]();
    });

    it.each(worstRequests(share))(
      "leave the event loop to others in between: $name",
      async ({ name, send }) => {
        target.longestTurnsMs();
        const stop = new AbortController();
        const probing = probe(target, stop.signal);
        await send({ url: target.url, orgId: ATTACKER });
        stop.abort();
        const select1Ms = await probing;
        const turnsMs = target.longestTurnsMs();
        // Shown, not checked: other processes of the machine take part in it.
        const longestSelect1Ms = Math.round(Math.max(...select1Ms));
        figures.push(
          `${name}: longest turn ${turnsMs[0] ?? 0} ms of processor time, SELECT 1 up to ${longestSelect1Ms} ms`,
        );
        expect({ name, turnsMs, longestSelect1Ms, longest: turnsMs[0] ?? 0 }).toEqual({
          ...{ name, turnsMs, longestSelect1Ms },
          longest: expect.toSatisfy((ms: number) => ms <= TURN_CPU_MS_MAX) as unknown,
        });
      },
      120_000,
    );
  });
}

/** The durations of the other organization's statements, in ms; each of them succeeds. */
async function probe(target: Target, signal: AbortSignal): Promise<readonly number[]> {
  const neighbour = new Attacker(target.url, NEIGHBOUR);
  const durations: number[] = [];
  do {
    const startMs = performance.now();
    expect(await neighbour.run("SELECT 1")).toMatchObject({ status: 200, error: "" });
    durations.push(performance.now() - startMs);
    await delay(5);
  } while (!signal.aborted);
  return durations;
}
