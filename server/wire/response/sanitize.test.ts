import fc from 'fast-check'
import { Window } from 'happy-dom'
import { describe, expect, test } from 'vitest'
import { allowedTags } from '#shared/rules/allowed-html.ts'
import { sanitize } from './sanitize.ts'

const link = (href: string, text: string) =>
  `<a href="${href}" rel="noopener noreferrer nofollow" target="_blank">${text}</a>`

describe('kept markup', () => {
  test.each([
    ['<p>a <b>b</b> <i>c</i> <em>d</em> <strong>e</strong><br />f</p>', null],
    ['<ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>', null],
    [link('https://example.com/a?b=c&amp;d=e', 'x'), null],
    ['<A HREF=HTTP://Example.com>x</A>', link('http://example.com/', 'x')],
    ["<a href='mailto:ann@example.com?subject=a b'>x</a>", link('mailto:ann@example.com?subject=a%20b', 'x')],
    [
      '<a class="x" onclick="y()" href="https://example.com/" target="_self" rel="opener">x</a>',
      link('https://example.com/', 'x'),
    ],
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['&lt;b&gt; &amp; &#60; &eacute;', '&lt;b&gt; &amp; &lt; é'],
    ['<BR/>a<br>', '<br />a<br />'],
    ['5 <6', '5 &lt;6'],
  ])('%s', (input, output) => expect(sanitize(input)).toBe(output ?? input))
})

describe('removed markup', () => {
  test.each([
    ['<script>alert(1)</script>a', 'a'],
    ['<script>a</scriptx>b</script >c', 'c'],
    ['<style>*{}</style><title>t</title><textarea><b></textarea>a', 'a'],
    ['<svg><a href="https://x.example"><b>x</b></a></svg>a', 'a'],
    ['<div><h1>a</h1><img src=x onerror=alert(1)><span style="x">b</span></div>', 'ab'],
    ['<b onclick="alert(1)">a</b>', '<b>a</b>'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<a href=" java\nscript:alert(1)">x</a>', 'x'],
    ['<a href="javascript&colon;alert(1)">x</a>', 'x'],
    ['<a href="&#106;avascript:alert(1)">x</a>', 'x'],
    ['<a href="&#x6A;avascript&#58;alert(1)">x</a>', 'x'],
    ['<a href="\u0001javascript:alert(1)">x</a>', 'x'],
    ['<a href="data:text/html,x">x</a><a href="vbscript:x">y</a><a href="blob:x">z</a>', 'xyz'],
    ['<a href="/relative">x</a><a href="//example.com">y</a><a>z</a><a href>0</a>', 'xyz0'],
    ['<a href="https://good.example@evil.example/">x</a>', 'x'],
    ['a<!-- <b>x</b> -->b<!-->c<!doctype x>d<?php x ?>e</ x>f', 'abcdef'],
    ['a<b', 'a'],
    ['a<a href="https://x', 'a'],
    ['a<!-- no end <b>', 'a'],
    ['</b></i></script>a', 'a'],
    ['a\u0000b\ud800', 'ab\ufffd'],
    ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
  ])('%s', (input, output) => expect(sanitize(input)).toBe(output))
})

describe('nesting', () => {
  test.each([
    ['<b>a', '<b>a</b>'],
    ['<b><i>a</b>b</i>', '<b><i>a</i></b>b'],
    ['<p>a<p>b', '<p>a</p><p>b</p>'],
    ['<p>a<ul><li>b', '<p>a</p><ul><li>b</li></ul>'],
    [
      '<ul><li>a<li>b<ul><li>c<li>d</ul><li>e</ul>',
      '<ul><li>a</li><li>b<ul><li>c</li><li>d</li></ul></li><li>e</li></ul>',
    ],
    [
      '<a href="https://a.example/">a<a href="https://b.example/">b</a>',
      link('https://a.example/', 'a') + link('https://b.example/', 'b'),
    ],
  ])('%s', (input, output) => expect(sanitize(input)).toBe(output))

  test('has a bottom', () => {
    const deep = sanitize('<b>'.repeat(1000) + 'x')
    expect(deep).toBe(`${'<b>'.repeat(50)}x${'</b>'.repeat(50)}`)
  })
})

test('all tags on request', () => {
  expect(sanitize('<p>a <b>b</b><script>x</script> &amp; c < d</p>', { tags: 'none' })).toBe('a b &amp; c &lt; d')
})

test('takes time in proportion to the text, also with unclosed markup', () => {
  for (const piece of ['<', '<a ', '<!--', '<script>', '</', '<a href="', '&', '<b>', '<a b=', '< a'])
    expect(sanitize(piece.repeat(100_000)).length).toBeLessThan(1_000_000)
})

test('text longer than a notice is truncated', () => {
  expect(sanitize('x'.repeat(20_000))).toBe('x'.repeat(16_384))
  expect(sanitize(`${'x'.repeat(16_380)}<b>yyyy</b>`)).toBe(`${'x'.repeat(16_380)}<b>y</b>`)
})

/** A second, independent definition of everything the output may contain. */
const grammar =
  /^(?:[^<>&\x00-\x08\x0b\x0c\x0e-\x1f]|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});|<\/?(?:p|b|i|em|strong|ul|ol|li)>|<br \/>|<\/a>|<a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener noreferrer nofollow" target="_blank">)*$/iu

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...allowedTags.flatMap((tag) => [`<${tag}>`, `</${tag}>`, `<${tag} x="`])) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '<a href="https://x.example/">',
      "<a href='javascript:alert(1)'>",
      '<a href=mailto:a@b.example>',
      '<script>',
      '</script>',
      '<!--',
      '-->',
      '--!>',
      '<svg>',
      '</svg>',
      '<math><mtext>',
      '<style>',
      '</style>',
      '<template>',
      '<textarea>',
      '</textarea>',
      '<noscript>',
      '</noscript>',
      '<table>',
      '<select>',
      '<option>',
      '<img src=x onerror=y>',
      '<![CDATA[',
      ']]>',
      '<?',
      '<!',
      '</',
      '/>',
      '<',
      '>',
      '"',
      "'",
      '=',
      ' ',
      '\n',
      '\t',
      '&',
      '&lt;',
      '&#60;',
      '&#x3c;',
      '&lt',
      '&colon;',
      ';',
      '`',
      '\u0000',
      '\ufffe',
      'onload=x',
      'href=',
      'java',
      'script:',
      '<A HREF=',
      '<iMg/src=',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
)
const inputs = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''))

test('random inputs: returns only allowed markup, and sanitizing twice changes nothing', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const output = sanitize(input)
      expect(output).toMatch(grammar)
      expect(sanitize(output)).toBe(output)
      expect(sanitize(input, { tags: 'none' })).not.toMatch(/[<>]/)
    }),
    { numRuns: process.env['EASYDASH_TEST_LONG'] === '1' ? 10_000 : 2_000 },
  )
})

test('a parser that is not ours finds only allowed elements and attributes in it', () => {
  const window = new Window()
  const body = window.document.body
  fc.assert(
    fc.property(inputs, (input) => {
      body.innerHTML = sanitize(input)
      for (const element of body.querySelectorAll('*')) {
        expect(allowedTags).toContain(element.tagName.toLowerCase())
        const names = element.getAttributeNames()
        if (element.tagName !== 'A') expect(names).toEqual([])
        else {
          expect(names).toEqual(['href', 'rel', 'target'])
          expect(element.getAttribute('href')).toMatch(/^(?:https?:\/\/|mailto:)/)
        }
      }
    }),
    { numRuns: 2000 },
  )
  window.close()
})
