import { Injectable } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';

/**
 * Tells this process, after the commit, which stores can be sent to again: their webhook URL is another one, or is no
 * longer paused.
 */
@Injectable()
export class StoreChanges {
  private readonly subject = new Subject<string>();

  get reachable(): Observable<string> {
    return this.subject.asObservable();
  }

  announceReachable(storeId: string): void {
    this.subject.next(storeId);
  }
}
