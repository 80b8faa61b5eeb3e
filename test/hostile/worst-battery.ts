import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Attacker } from "./attacker.js";
import { type Probe, Prober } from "./prober.js";
import { Target } from "./target.js";
import { fillStore, REFUSED, worstRequests } from "./worst-requests.js";

const ATTACKER = "11111111-1111-4111-8111-111111111111";
const NEIGHBOUR = "22222222-2222-4222-8222-222222222222";
/** Processor time of one turn of the event loop, in ms. */
const TURN_CPU_MS_MAX = 50;
/**
 * Processor time of the event loop's thread during one statement of the other organization, in ms. The statement
 * takes longer: this leaves out the server's other threads, waits for the disk, and the process that runs SQL.
 */
const SELECT_1_CPU_MS_MAX = 250;

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
        await using prober = await Prober.start(target, NEIGHBOUR);
        target.longestTurnsMs();
        await send({ url: target.url, orgId: ATTACKER });
        const probes = await prober.stop();
        const turnsMs = target.longestTurnsMs();
        const longest = turnsMs[0] ?? 0;
        const select1CpuMs = Math.max(...probes.map(({ loopCpuMs }) => loopCpuMs));
        figures.push(
          `${name}: longest turn ${String(longest)} ms of processor time; ${shown(probes, select1CpuMs)}`,
        );
        expect({ name, turnsMs, longest, select1CpuMs }).toEqual({
          ...{ name, turnsMs },
          longest: atMost(TURN_CPU_MS_MAX),
          select1CpuMs: atMost(SELECT_1_CPU_MS_MAX),
        });
      },
      120_000,
    );
  });
}

function atMost(max: number): unknown {
  return expect.toSatisfy((ms: number) => ms <= max);
}

/** The longest probe. Its duration is not checked: other processes of the machine take part in it. */
function shown(probes: readonly Probe[], cpuMs: number): string {
  const [longest] = probes.toSorted((a, b) => b.durationMs - a.durationMs);
  const { durationMs = 0, delayedMs = 0 } = longest ?? {};
  return (
    `SELECT 1 up to ${cpuMs.toFixed(0)} ms of processor time, and up to ${durationMs.toFixed(0)} ms, ` +
    `${delayedMs.toFixed(0)} ms of them without a processor`
  );
}
