import { STORE_ROLES, type StoreRole } from '../stores/index.js';

/** Whether a role may do what takes at least another one (decisions §15). */
export function reaches(role: StoreRole, least: StoreRole): boolean {
  return STORE_ROLES.indexOf(role) >= STORE_ROLES.indexOf(least);
}
