import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';

/** Table `company_accounts`: which account belongs to which subject of the company's identity provider. */
@Entity('company_accounts')
@Unique('company_accounts_user_key', ['userId'])
export class CompanyAccountEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'company_accounts_pkey' })
  issuer!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'company_accounts_pkey' })
  subject!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey('users', { name: 'company_accounts_user_fkey' })
  userId!: string;

  /** When the token was issued whose name and role the account has. */
  @Column({ name: 'told_at', type: 'timestamptz', precision: 3 })
  toldAt!: Date;
}
