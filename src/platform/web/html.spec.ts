import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHtml, fillSlots, fillText, html, webAddress } from './html.js';

/** Reads escaped text the way a browser does, as far as this module writes it. */
function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

describe('html', () => {
  it('escapes every value, and leaves markup from its own tag alone', () => {
    expect(html`<p title="${'"><b>'}">${'<script>'}${html`<i>${'&'}</i>`}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;script&gt;<i>&amp;</i></p>',
    );
  });

  it('prints lists in order, numbers as they are, and nothing for what is absent', () => {
    expect(html`${['<', html`<br />`, 2]}${null}${undefined}${false}${0}`.toString()).toBe('&lt;<br />20');
  });

  it('never lets a value end its attribute or its text, whatever the value is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const escaped = escapeHtml(value);
        expect(escaped).not.toMatch(/[<>"']/);
        expect(escaped.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
    );
  });

  it('keeps readable text readable: unescaping gives it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(unescapeHtml(escapeHtml(value))).toBe(value);
      }),
    );
  });

  it('replaces control characters and lone surrogates, and drops overrides of the text direction', () => {
    expect(escapeHtml('a\u0000b\ud800c\u202Ed\u2066e')).toBe('a\uFFFDb\uFFFDcde');
  });

  it('fills slots with escaped values and with markup', () => {
    expect(fillSlots('<{name}> & {part}', { name: '"x"', part: html`<b>y</b>` }).toString()).toBe(
      '&lt;&quot;x&quot;&gt; &amp; <b>y</b>',
    );
    expect(fillText('{one} {two}', { one: '1' })).toBe('1 ');
  });
});

describe('webAddress', () => {
  it('takes absolute http and https addresses only', () => {
    expect(webAddress('https://shop.example/a?b=c')).toBe('https://shop.example/a?b=c');
    expect(webAddress('http://localhost:8080')).toBe('http://localhost:8080/');
    for (const refused of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      '//x.example',
      '/a',
      '',
      null,
    ]) {
      expect(webAddress(refused)).toBeNull();
    }
  });
});
