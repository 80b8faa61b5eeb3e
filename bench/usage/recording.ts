import { openUsageRoom } from "./usage-room.js";

/** Rows per second that the recorder durably makes from a log of tool calls. */
export async function measureRecording(path: string, calls: number): Promise<number> {
  await using room = openUsageRoom(path);
  const started = performance.now();
  await room.recorder.flush();
  return Math.round(calls / ((performance.now() - started) / 1000));
}
