/** How many callers resume in each turn of the event loop, when all of them call at once. */
export async function resumedByTurn(
  count: number,
  call: (n: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const byTurn: number[] = [];
  let [resumed, left] = [0, count];
  const resume = (): void => {
    resumed += 1;
    left -= 1;
  };
  for (let n = 0; n < count; n += 1) void call(n).then(resume, resume);
  await new Promise<void>((resolve) => {
    const turn = (): void => {
      if (resumed > 0) byTurn.push(resumed);
      resumed = 0;
      if (left === 0) resolve();
      else setImmediate(turn);
    };
    turn();
  });
  return byTurn;
}
