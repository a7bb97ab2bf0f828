/** The time as the service sees it. Injected everywhere, so that a test can stand at any instant. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
