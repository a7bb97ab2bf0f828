import { InitialSchema1763700000000 } from './1763700000000-initial-schema.js';

/**
 * Every migration of the core, in order. Listed by hand: a folder that is scanned at run time hides what a build left
 * behind.
 */
export const MIGRATIONS = [InitialSchema1763700000000];
