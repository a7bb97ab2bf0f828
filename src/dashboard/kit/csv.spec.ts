import { describe, expect, it } from 'vitest';
import { csvLines } from './csv.js';

/*
 * Rules: contract 14.59.
 */

describe('csvLines', () => {
  it.each([
    ['=HYPERLINK("x",1)', `"'=HYPERLINK(""x"",1)"`],
    ['+8801700000001', "'+8801700000001"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1+1', "'＝1+1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['＋8801700000001', "'＋8801700000001"],
    ['−1', "'−1"],
    [' =1', "' =1"],
    ['\u200b\ufeff=1', "'\u200b\ufeff=1"],
    ['"=1', `"'""=1"`],
    ['a;=1', "a;'=1"],
    ['a,@x', `"a,'@x"`],
    ['a\n+1', `"a\n'+1"`],
    ['a|-1', "a|'-1"],
    ['\u202egpj.exe', 'gpj.exe'],
    ['\u202e=1', "'=1"],
    ['a=b-c@d+1', 'a=b-c@d+1'],
    ['a,b', '"a,b"'],
    ['say "no" now', '"say ""no"" now"'],
    ['two\nlines', '"two\nlines"'],
    ['two\rlines', '"two\rlines"'],
    ['', ''],
    ['করিম মিয়া', 'করিম মিয়া'],
    [-12.5, '-12.5'],
    [true, 'true'],
    [null, ''],
  ])('%j cannot become a formula or another cell', (value, written) => {
    expect(csvLines([[value, 1]])).toBe(`${written},1\r\n`);
  });
});
