import 'reflect-metadata';
import { NestFactory, RouterModule } from '@nestjs/core';
import { InitializeOnPreviewAllowlist } from '@nestjs/core/inspector/initialize-on-preview.allowlist.js';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { readFile, writeFile } from 'node:fs/promises';
import { AppModule, switchedOn } from './app.module.js';
import { loadConfiguration } from './config/index.js';
import { buildOpenApiDocument } from './openapi-document.js';

/*
 * `npm run openapi` writes test/openapi.json, and `npm run openapi:check` says whether it is still true, so that a change of
 * the contract shows in review.
 */

const PATH = 'test/openapi.json';

/** Never used for anything: the document depends on the modules alone, and nothing is started. */
const ENVIRONMENT = {
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  JWT_SECRET: 'x'.repeat(32),
  DATABASE_URL: 'postgres://localhost/none',
};

/** The document of the real modules. Preview builds none of their providers, so that no database is needed. */
async function currentDocument(): Promise<string> {
  const configuration = loadConfiguration(ENVIRONMENT);
  // The one provider that says something about paths: without it the phone's endpoints would be missing their prefix.
  InitializeOnPreviewAllowlist.add(RouterModule);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot({ configuration, databaseUrl: ENVIRONMENT.DATABASE_URL }),
    new FastifyAdapter(),
    { preview: true, abortOnError: false, logger: ['fatal', 'error'] },
  );
  return `${JSON.stringify(buildOpenApiDocument(app, switchedOn(configuration)), null, 2)}\n`;
}

async function main(): Promise<void> {
  const current = await currentDocument();
  if (!process.argv.includes('--check')) {
    await writeFile(PATH, current);
    return say(`Wrote ${PATH}.`);
  }
  const kept = await readFile(PATH, 'utf8').catch(() => '');
  if (kept === current) return say(`${PATH} is up to date.`);
  const [keptLines, currentLines] = [kept.split('\n'), current.split('\n')];
  const line = currentLines.findIndex((text, index) => text !== keptLines[index]);
  process.exitCode = 1;
  say(
    `${PATH} is out of date: run "npm run openapi", and look at the difference.\n` +
      `It begins in line ${line + 1}:\n- ${keptLines[line] ?? '(nothing)'}\n+ ${currentLines[line] ?? '(nothing)'}`,
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
