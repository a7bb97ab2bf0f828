import { Injectable } from '@nestjs/common';

/**
 * Whether this replica is about to stop (contract 8.32). From then on `/health/ready` is 503 and answers end their connections, so that
 * load balancers and clients go elsewhere; requests are still accepted until the application is closed.
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
