import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';

/** Table `sso_accounts`: which account belongs to which subject of the company's identity provider. */
@Entity('sso_accounts')
@Unique('sso_accounts_user_key', ['userId'])
export class SsoAccountEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'sso_accounts_pkey' })
  issuer!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'sso_accounts_pkey' })
  subject!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey('users', { name: 'sso_accounts_user_fkey' })
  userId!: string;

  /** When the token was issued whose name and role the account has. */
  @Column({ name: 'told_at', type: 'timestamptz', precision: 3 })
  toldAt!: Date;
}
