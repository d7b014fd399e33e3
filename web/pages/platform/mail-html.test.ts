import { expect, test } from 'vitest'
import { previewHtml } from './mail-html.ts'

test('inline styles become rules of one style sheet with the page’s nonce', () => {
  const html =
    '<html><head><title>x</title><style>p{margin:0}</style></head><body style="margin:0"><p style="font-family:&quot;A B&quot;">Hi</p></body></html>'
  expect(previewHtml(html, 'n1')).toBe(
    '<html><head><title>x</title><style nonce="n1">p{margin:0}</style><style nonce="n1">a{text-decoration:underline}[data-look="0"]{margin:0}[data-look="1"]{font-family:"A B"}</style></head><body data-look="0"><p data-look="1">Hi</p></body></html>',
  )
})

test('links are disabled but keep their styles', () => {
  expect(previewHtml('<a href="https://x.example/web/verify-email?token=t" style="color:red">Verify</a>', '')).toBe(
    '<style nonce="">a{text-decoration:underline}[data-look="0"]{color:red}</style><a data-href="https://x.example/web/verify-email?token=t" data-look="0">Verify</a>',
  )
})

test('text that looks like markup stays text, and a value cannot escape its rule', () => {
  expect(previewHtml('<p>write &lt;p style=&quot;x&quot;&gt; or style="y"</p>', 'n')).toContain(
    '<p>write &lt;p style=&quot;x&quot;&gt; or style="y"</p>',
  )
  expect(previewHtml('<p style="color:red}body{display:none">a</p>', 'n')).not.toContain('display:none')
  expect(previewHtml('<p style="&lt;/style&gt;&lt;script&gt;">a</p>', 'n')).not.toContain('<script')
})
