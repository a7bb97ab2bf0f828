/*
 * Rules: contract 7.3, 7.24.
 *
 * Goal: nothing is lost over many kills. Method: the test of `npm test`, with forty kills instead of eight.
 */
process.env['KILLS'] ??= '40';

await import('../faults/delivery-crash.spec.js');
