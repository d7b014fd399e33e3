import { describe, expect, test } from 'vitest'
import { containsTitle } from './page-check.ts'

describe('the title on a page', () => {
  test.each([
    ["Ann's & Bob", '<title>Ann&#8217;s &amp; Bob &#8211; Just another site</title>'],
    ['"Quoted" -- 50% ...', '<title>&#8220;Quoted&#8221; &#8212; 50% &#8230;</title>'],
    ['Größe', '<title>Größe</title>'],
    ['Größe', '<title>Gr&#xF6;&#xDF;e</title>'],
    ['日本語のサイト', '<title>日本語のサイト – x</title>'],
    ['2x3 shop', '<title>2&#215;3 shop</title>'],
    ['a < b', '<title>a &lt; b</title>'],
    ['My <b>bold</b> site', '<title>My bold site</title>'],
    ['🎉', '<title>🎉</title>'],
  ])('%s is found in %s', (title, html) => {
    expect(containsTitle(html, title)).toBe(true)
  })

  test.each([
    ['Ann', '<title>Bob</title>'],
    ['Largest', '<html></html>'],
    ['y', '&#99999999;&#x110000;'],
  ])('%s is not found in %s', (title, html) => {
    expect(containsTitle(html, title)).toBe(false)
  })
})
