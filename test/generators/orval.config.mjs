export default {
  client: { input: './openapi.json', output: { target: './generated/orval/client.ts', client: 'fetch' } },
  zod: { input: './openapi.json', output: { target: './generated/orval/zod.ts', client: 'zod' } },
};
