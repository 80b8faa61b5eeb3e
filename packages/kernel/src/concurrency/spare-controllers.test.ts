import { expect, it } from "vitest";
import { giveBackController, takeController } from "./spare-controllers.js";

it("gives a controller out again that nobody listens to any more", () => {
  const controller = takeController();
  const listener = (): void => undefined;
  controller.signal.addEventListener("abort", listener);
  controller.signal.removeEventListener("abort", listener);
  giveBackController(controller);
  expect(takeController()).toBe(controller);
});

it("never gives out a controller that was aborted or still has a listener", () => {
  const [aborted, heard] = [takeController(), takeController()];
  aborted.abort();
  heard.signal.addEventListener("abort", () => undefined);
  for (const controller of [aborted, heard]) giveBackController(controller);
  const next = [takeController(), takeController()];
  expect(next.some((each) => each === aborted || each === heard)).toBe(false);
  expect(next.every(({ signal }) => !signal.aborted)).toBe(true);
});
