import { expect, it } from 'vitest';
import { messageOf, stackOf } from './error-text.js';

const bare = Object.assign(new Error('away'), { stack: undefined });

it.each([
  [new Error('away'), 'away', /^Error: away\n +at /],
  [bare, 'away', /^away$/],
  ['away', 'away', /^away$/],
  [undefined, 'undefined', /^undefined$/],
])('%s', (thrown, message, stack) => {
  expect(messageOf(thrown)).toBe(message);
  expect(stackOf(thrown)).toMatch(stack);
});
