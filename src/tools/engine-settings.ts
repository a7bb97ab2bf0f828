import { setFlagsFromString } from 'node:v8';

// Settings of V8 that a service under load needs. Set here, so that they hold however the process is started;
// imported before anything else, so that nothing has been decided yet. A version of Node that does not know one says
// so and goes on.

// While the service starts, most of what it makes stays. V8 concludes that what the same lines make later will stay,
// too, and makes it old from the start; each request's objects then live until the next full collection, and copying
// them takes a fifth of the processor.
setFlagsFromString('--no-allocation-site-pretenuring');

// A full collection comes when the heap has doubled since the last one, not quadrupled: 240 MB instead of up to 400.
setFlagsFromString('--heap-growing-percent=100');

// Code that runs often is compiled after a quarter of the work that V8 would wait for: a request runs through much
// code that is not its own (Nest, Fastify, the driver), so that by default it takes some ten thousand requests until
// most of it is fast.
setFlagsFromString('--interrupt-budget=16000');
