import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { Role } from './person.js';

/** Table `users`. Statements are written by hand; this is the schema as TypeORM compares it with the database. */
@Entity('users')
@Unique('users_email_key', ['email'])
@Check('users_email_lower', `email = lower(email)`)
@Check('users_role', `role IN ('admin', 'merchant')`)
export class UserEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'users_pkey' })
  id!: string;

  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  role!: Role;

  @Column({ type: 'boolean', default: true })
  active!: boolean;

  /** Argon2id in PHC notation, which holds salt and parameters. */
  @Column({ name: 'password_hash', type: 'text' })
  passwordHash!: string;

  @Column({ name: 'token_version', type: 'integer', default: 1 })
  tokenVersion!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
