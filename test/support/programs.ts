import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps what is for administrators, and what an ordinary PATH leaves out. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** The path of a program of the system. Throws where it is missing, naming the package that brings it. */
export function systemProgram(name: string, debianPackage: string): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS];
  for (const folder of folders.filter(Boolean)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The next folder may have it.
    }
  }
  throw new Error(
    `${name} is missing. It comes with the package ${debianPackage}: apt-get install ${debianPackage}`,
  );
}
