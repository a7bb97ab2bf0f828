import { type PipeTransform, Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';

/** A path parameter that is no UUID names nothing here: 404, like any other id that is not there (contract 1.36). */
@Injectable()
export class IdParameter implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!isId(value))
      throw new DomainError('not_found', 'request.not_found', 'There is nothing under this id.');
    return value.toLowerCase();
  }
}
