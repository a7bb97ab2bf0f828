const DEADLINE_MS = 15_000;
const PAUSE_MS = 10;

/**
 * Asks again until the answer is what is waited for; fails with the last answer after the deadline. Never a fixed
 * sleep.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  isIt: (answer: Answer) => boolean,
  what = 'what was waited for',
  deadlineMs = DEADLINE_MS,
): Promise<Answer> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`${what} did not happen; the last answer was ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
