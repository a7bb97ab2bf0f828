import { AsyncLocalStorage } from 'node:async_hooks';
import { Database } from '../../src/platform/database/index.js';

/**
 * A transaction that waits for a second connection can wait for ever: when as many run as there are connections, each
 * waits for one that another holds. Here such a statement is an error, in whatever test comes by it.
 */
const running = new AsyncLocalStorage<boolean>();
// Each is called on the database it was asked of, below.
// eslint-disable-next-line @typescript-eslint/unbound-method
const { transaction, query, execute } = Database.prototype;

function refuse(what: string): void {
  if (running.getStore() !== true) return;
  throw new Error(`A transaction waits for a second connection: ${what.slice(0, 200)}`);
}

Database.prototype.transaction = function (this: Database, work, options) {
  refuse('another transaction');
  return transaction.call(this, (tx) => running.run(true, async () => work(tx)), options) as never;
};
Database.prototype.query = async function (this: Database, statement, values) {
  refuse(typeof statement === 'string' ? statement : statement.text);
  return query.call(this, statement, values) as never;
};
Database.prototype.execute = async function (this: Database, statement, values) {
  refuse(typeof statement === 'string' ? statement : statement.text);
  return execute.call(this, statement, values);
};
