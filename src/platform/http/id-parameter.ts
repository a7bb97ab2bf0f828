import { type PipeTransform, Injectable } from '@nestjs/common';
import { isId } from '../../kernel/ids.js';
import { notFound } from './problems/http.problems.js';

/** A path parameter that is no UUID names nothing here: 404, like any other id that is not there (contract 1.36). */
@Injectable()
export class IdParameter implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!isId(value)) throw notFound.saying('There is nothing under this id.');
    return value.toLowerCase();
  }
}
