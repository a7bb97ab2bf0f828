import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A connection of Node's HTTP server, which keeps the response that is under way here, and looks at it for the same
 * purpose.
 */
export type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };
