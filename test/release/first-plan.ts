import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";

/**
 * Starts the server as `steward dev` does, and runs the plan that is packed with it.
 * @param node the program that runs it.
 * @param server the folder of the server's package.
 * @param cwd an empty folder, for the store and the sample data.
 * @returns the seconds until the server was ready.
 */
export async function firstPlan(node: string, server: string, cwd: string): Promise<number> {
  const program = join(server, "bin/steward.js");
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const running = spawn(node, [program, "dev", "--port", port], { cwd, stdio: "ignore" });
  const ended = new Promise((resolve) => running.once("close", resolve));
  try {
    const ready = await timed(() => expect.poll(() => isReady(url), { interval: 20 }).toBe(true));
    const plan = join(server, "examples/first-plan.json");
    const output = await run([node, program, "plan", "run", plan, "--server", url], cwd);
    expect(output).toContain("Hand grinder");
    return ready;
  } finally {
    running.kill("SIGINT");
    await ended;
  }
}

/** @returns the seconds that work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return Math.round((performance.now() - begin) / 100) / 10;
}

/** @returns the standard output of a program that succeeds. */
export function run(
  [program = "", ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const said = `${program} ${args.join(" ")} ended with ${String(code)}: ${errors}${output}`;
      if (code === 0) resolve(output);
      else reject(new Error(said));
    });
  });
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  return answer?.ok ?? false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
