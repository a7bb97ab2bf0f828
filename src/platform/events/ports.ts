import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

/** An abstract class that features extend to be called; whoever calls them does not know them. */
type Port<Of> = abstract new (...args: never[]) => Of;

/**
 * Finds who extends an abstract class: a provider of any module, without being registered anywhere. Who is called is
 * then a search for `extends X`.
 */
@Injectable()
export class Ports {
  private readonly found = new Map<Port<unknown>, readonly unknown[]>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** Once all modules have been put together; the answer stays what it is. */
  implementationsOf<Of>(port: Port<Of>): readonly Of[] {
    const known = this.found.get(port);
    if (known !== undefined) return known as readonly Of[];
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    const found = [...new Set(instances)].filter((instance): instance is Of => instance instanceof port);
    this.found.set(port, found);
    return found;
  }
}
