import { describe, expect, it } from 'vitest';
import { phoneAgreement, phoneEndsIn } from './phones.js';

/*
 * Rules: contract 4.33.
 */

describe('phoneAgreement', () => {
  it.each([
    ['01712345678', '01712345678', 'agrees'],
    ['+880 1712-345678', '01712345678', 'agrees'],
    ['01712345678', '8801712345678', 'agrees'],
    ['01712345678', '01712***678', 'agrees'],
    ['01712345678', '01712***679', 'disagrees'],
    ['01712345678', '01812345678', 'disagrees'],
    // Six digits of the ten that count can be seen.
    ['01712345678', '0171****678', 'unknown'],
    ['01712345678', '***678', 'unknown'],
    // A Rocket account: the phone and a check digit.
    ['01712345678', '017123456789', 'agrees'],
    ['01712345679', '017123456789', 'disagrees'],
    [null, '01712345678', 'unknown'],
    ['01712345678', null, 'unknown'],
    ['2345678', '01712345678', 'unknown'],
  ])('of %s with %s: %s', (phone, counterparty, expected) => {
    expect(phoneAgreement(phone, counterparty)).toBe(expected);
  });
});

describe('phoneEndsIn', () => {
  it.each([
    ['01712340042', '0042', true],
    ['+88017-1234 0042', '0042', true],
    ['01712340042', '0043', false],
    [null, '0042', false],
    ['0042', '0042', false],
  ])('%s in %s: %s', (phone, digits, expected) => {
    expect(phoneEndsIn(phone, digits)).toBe(expected);
  });
});
