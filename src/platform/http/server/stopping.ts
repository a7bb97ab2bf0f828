import { Injectable } from '@nestjs/common';

/**
 * Tells whether this replica is about to stop (contract 8.32). From then on `/health/ready` answers 503, and every
 * answer ends its connection, so that load balancers and clients use other replicas. Requests are accepted until the
 * application is closed.
 */
@Injectable()
export class Stopping {
  private readonly listeners: (() => void)[] = [];
  private begun = false;

  get isStopping(): boolean {
    return this.begun;
  }

  /** Can be called more than once. */
  begin(): void {
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.listeners) listener();
  }

  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }
}
