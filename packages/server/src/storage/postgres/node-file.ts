import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { isUuid } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import { makePrivateDirectory } from "../private-files.js";

/** The process that used a data directory last, as a node. */
interface NamedProcess {
  readonly node_id: string;
  readonly host: string;
  readonly pid: number;
}

/**
 * The name of the node that uses a data directory. A server that was killed and comes back knows by it
 * that its former self is gone, and need not wait until that one's lease is over. Whatever is in doubt
 * is left to the lease.
 */
export class NodeFile {
  readonly #path: string;
  readonly #log: Log;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** The node that was named last, if its process has ended for sure. */
  former(): string | undefined {
    const named = this.#read();
    if (named === undefined || named.host !== hostname()) return undefined;
    // In a container each process that comes after another has its number.
    return named.pid === process.pid || hasEnded(named.pid) ? named.node_id : undefined;
  }

  /** Names this process's node. A directory that cannot be written costs the next start a lease, no more. */
  name(nodeId: string): void {
    const named: NamedProcess = { node_id: nodeId, host: hostname(), pid: process.pid };
    try {
      makePrivateDirectory(dirname(this.#path));
      writeFileSync(this.#path, JSON.stringify(named));
    } catch (error) {
      this.#log.warn({ err: error }, "the name of this node could not be written");
    }
  }

  #read(): NamedProcess | undefined {
    try {
      const named = JSON.parse(readFileSync(this.#path, "utf8")) as Partial<NamedProcess> | null;
      const { node_id = "", host = "", pid = 0 } = named ?? {};
      return isUuid(node_id) && Number.isInteger(pid) && pid > 0
        ? { node_id, host, pid }
        : undefined;
    } catch {
      // The first start with this directory, or one that was cut off while it wrote.
      return undefined;
    }
  }
}

/** Whether no process of this host has this number. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
