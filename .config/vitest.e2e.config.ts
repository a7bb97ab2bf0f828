import { defineConfig } from 'vitest/config';
import all from './vitest.config.js';

/** `npm run test:e2e -- matching/`: the rules from outside, or some of them. Nothing here needs the built output. */
export default defineConfig({ test: { ...all.test, include: ['test/e2e/**/*.spec.ts'] } });
