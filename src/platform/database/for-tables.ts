import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Table } from './table.js';

/** For the imports of the module that owns these tables: TypeORM knows them then, and compares them with the database. */
export function forTables(...tables: readonly Pick<Table<never>, 'entity'>[]): DynamicModule {
  return TypeOrmModule.forFeature(tables.map((table) => table.entity()));
}
