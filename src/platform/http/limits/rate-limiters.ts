// Each from its own file: the library's index reads the limiters of ten databases that are not ours, 30 files at
// every start.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterPostgres from 'rate-limiter-flexible/lib/RateLimiterPostgres.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';

export type { RateLimiterAbstract } from 'rate-limiter-flexible';
export { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes };
