/**
 * Puts an entry at the end of a map that holds at most `max` of them; the one that was put there longest ago makes
 * room.
 */
export function keepLatest<Key, Value>(map: Map<Key, Value>, max: number, key: Key, value: Value): void {
  map.delete(key);
  for (const oldest of map.keys()) {
    if (map.size < max) break;
    map.delete(oldest);
  }
  map.set(key, value);
}
