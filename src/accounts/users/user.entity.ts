import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import type { Role } from './user.js';

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

  /** Until the password is changed nothing else may be done (contract 14.11). */
  @Column({ name: 'must_change_password', type: 'boolean', default: false })
  mustChangePassword!: boolean;

  /** The secret of the second factor, sealed; null without one. */
  @Column({ name: 'second_factor_secret', type: 'bytea', nullable: true })
  secondFactorSecret!: Buffer | null;

  @Column({ name: 'second_factor_confirmed_at', type: 'timestamptz', precision: 3, nullable: true })
  secondFactorConfirmedAt!: Date | null;

  /** The last time step whose code was used: a code is good once. */
  @Column({ name: 'second_factor_step', type: 'bigint', nullable: true })
  secondFactorStep!: string | null;

  /** When an admin removed the second factor; null once the user has taken notice (contract 14.20). */
  @Column({ name: 'second_factor_removed_at', type: 'timestamptz', precision: 3, nullable: true })
  secondFactorRemovedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** Table `recovery_codes`: digests of the codes that stand in for the second factor, each once. */
@Entity('recovery_codes')
export class RecoveryCodeEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'recovery_codes_pkey' })
  @ForeignKey('users', { name: 'recovery_codes_user_fkey' })
  userId!: string;

  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'recovery_codes_pkey' })
  digest!: Buffer;

  @Column({ name: 'used_at', type: 'timestamptz', precision: 3, nullable: true })
  usedAt!: Date | null;
}

/** Table `sign_in_addresses`: where somebody has signed in from, so that strangers cannot lock them out. */
@Entity('sign_in_addresses')
export class SignInAddressEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'sign_in_addresses_pkey' })
  @ForeignKey('users', { name: 'sign_in_addresses_user_fkey' })
  userId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'sign_in_addresses_pkey' })
  address!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;
}
