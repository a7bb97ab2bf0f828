import { Injectable } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';

/** Tells this process which payments have changed, after the commit. Other replicas' changes are not heard here. */
@Injectable()
export class PaymentChanges {
  private readonly subject = new Subject<string>();

  get changes(): Observable<string> {
    return this.subject.asObservable();
  }

  announce(paymentId: string): void {
    this.subject.next(paymentId);
  }
}
