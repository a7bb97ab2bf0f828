/** An address with one or more hosts, taken apart: what stands before the hosts, the hosts, and what stands behind. */
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;

/**
 * The addresses that a `DATABASE_URL` names, one for each of its hosts (contract 8.14):
 * `postgres://u:p@a:5432,b:5432/joma` are two. Null when it is none.
 */
export function hostUrls(databaseUrl: string): readonly string[] | null {
  const [, before, hosts, behind] = ADDRESS.exec(databaseUrl) ?? [];
  if (before === undefined || hosts === undefined || behind === undefined) return null;
  const names = hosts.split(',');
  if (names.length > 1 && names.includes('')) return null;
  const urls = names.map((name) => `${before}${name}${behind}`);
  return urls.every(isWhole) ? urls : null;
}

/** Also its parts: a `%` in a password that is not written as `%25` parses as an address, and then names nobody. */
function isWhole(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, pathname } = new URL(url);
  try {
    [username, password, pathname].forEach(decodeURIComponent);
    return true;
  } catch {
    return false;
  }
}
