/*
 * Rules: contract 4.1.
 *
 * Goal: no story of payments breaks the rules of money (contract 4.1), however many are told. Method: the stories of
 * `npm test`, half an hour of them instead of half a minute. A failure prints its seed; `MONEY_SEED` tells them again.
 */
process.env['MONEY_RUNS'] ??= '5000';

await import('../e2e/matching/stories.properties.spec.js');
