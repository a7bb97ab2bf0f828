import type { FaultPoint } from '../notifications.settings.js';

/**
 * Ends this process as a power cut would, when `FAULT_POINT` names this place. What such an end leaves behind is part
 * of the promise (contract 7.3, "at least once"), and cannot be seen reliably by killing a process from outside.
 */
export function reachFaultPoint(here: FaultPoint, configured: FaultPoint | null): void {
  if (here === configured) process.kill(process.pid, 'SIGKILL');
}
