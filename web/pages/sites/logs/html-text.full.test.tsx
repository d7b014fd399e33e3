import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { htmlText } from './html-text.tsx'

const shown = (html: string): string => render(<div>{htmlText(html)}</div>).container.innerHTML

test.each([
  ['<p>Hi <b>Ada</b></p>', '<div><p>Hi <b>Ada</b></p></div>'],
  ['<h1 style="x">Title</h1>', '<div><p><strong>Title</strong></p></div>'],
  ['<script>alert(1)</script><style>p{}</style>text', '<div>text</div>'],
  ['<img src="http://x/y.png" alt="logo" onerror="alert(1)">', '<div>logo</div>'],
  ['<p onclick="alert(1)" class="x">a</p>', '<div><p>a</p></div>'],
  ['<form><input value="x"><button>Go</button></form>', '<div>Go</div>'],
  ['<a href="javascript:alert(1)">x</a>', '<div>x</div>'],
  ['<a href="https://user:pw@host/">x</a>', '<div>x</div>'],
  ['<svg><script>alert(1)</script></svg><iframe src="/"></iframe>', '<div></div>'],
])('%s is shown as %s', (html, expected) => {
  expect(shown(html)).toBe(expected)
})

test('links open elsewhere, without a reference to this page', () => {
  const { container } = render(<>{htmlText('<a href="https://example.com/x" target="_self">x</a>')}</>)
  const link = container.querySelector('a')
  expect([link?.href, link?.target, link?.rel]).toEqual([
    'https://example.com/x',
    '_blank',
    'noopener noreferrer nofollow',
  ])
})

test('neither many elements nor deep ones stop the page', () => {
  expect(shown('<b>'.repeat(5_000)).length).toBeLessThan(5_000)
  expect(shown('<p>x</p>'.repeat(50_000)).length).toBeLessThan(200_000)
})
