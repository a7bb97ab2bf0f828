/** Rules of the contract that no spec holds, by the reason. */
export const UNTESTED: Readonly<Record<string, string>> = {
  'It names a thing, or points to other rules.': '1.1, 4.7, 4.8, 5.11, 6.1, 6.12, 6.19, 6.48, 15.7',
  'It says which document decides.': '1.2',
  'It is about what merchants do.': '5.31',
  'It is the run of the tests itself; `.ci/run` is the proof.': '8.6',
};
