import { openUsageRoom } from "./usage-room.js";

/** Rows a second that the recorder makes of a log of tool calls, durably. */
export async function measureRecording(path: string, calls: number): Promise<number> {
  await using room = openUsageRoom(path);
  const started = performance.now();
  await room.recorder.flush();
  return Math.round(calls / ((performance.now() - started) / 1000));
}
