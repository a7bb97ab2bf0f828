import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EventStreams } from './event-streams.js';

/*
 * Rules: contract 14.42, 14.43.
 *
 * Goal: a place is taken at once and given back when the response is closed, and no reader takes the place of another
 * (contract 14.42 and 14.43). Method: responses that know only what a stream asks of them.
 */

class FakeResponse extends EventEmitter {
  closed = false;
  destroyed = false;
  writableEnded = false;
  headersSent = false;

  end(): void {
    this.writableEnded = true;
  }
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const response = () => new FakeResponse() as FakeResponse & ServerResponse;
const SESSION = [{ name: 'session one', most: 2 }];

describe('the places of a replica', () => {
  it('are counted at once, and given back with the response', () => {
    const streams = new EventStreams(10);
    const first = response();
    streams.take(first, 'a', SESSION);
    streams.take(response(), 'a', SESSION);
    expect(() => streams.take(response(), 'a', SESSION)).toThrow('Too many open event streams.');
    first.close();
    expect(() => streams.take(response(), 'a', SESSION)).not.toThrow();
    expect(streams.size).toBe(2);
  });

  it('are not taken by a reader that has gone', () => {
    const streams = new EventStreams(1);
    const gone = response();
    gone.close();
    streams.take(gone, 'a', []);
    expect(streams.size).toBe(0);
  });

  it('attack: a reader that fills the replica loses its oldest stream to each other reader, and gets none itself', () => {
    const streams = new EventStreams(100);
    const many = Array.from({ length: 100 }, response);
    for (const one of many) streams.take(one, 'of many', []);
    expect(() => streams.take(response(), 'of many', [])).toThrow('Too many open event streams.');
    for (let reader = 0; reader < 50; reader += 1) streams.take(response(), `honest ${reader}`, []);
    expect(many.map(({ writableEnded }) => writableEnded).lastIndexOf(true)).toBe(49);
    expect(many.filter(({ writableEnded }) => writableEnded)).toHaveLength(50);
    expect(streams.size).toBe(100);
  });

  it('are not taken from readers that have as few', () => {
    const streams = new EventStreams(3);
    for (const reader of ['a', 'b', 'c']) streams.take(response(), reader, []);
    expect(() => streams.take(response(), 'd', [])).toThrow('Too many open event streams.');
  });
});
