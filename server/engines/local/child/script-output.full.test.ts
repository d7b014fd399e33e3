import { expect, test } from 'vitest'
import { shownOutput } from './script-output.ts'

test('of an error page of WordPress, its sentence', () => {
  const page = `<!DOCTYPE html>
<html lang="en-US"><head><meta charset="utf-8"><title>WordPress &rsaquo; Error</title>
<style type="text/css">html { background: #f1f1f1; }</style></head>
<body id="error-page"><script>document.body.className = 'js'</script><div class="wp-die-message">
<p>There has been a critical error &amp; nothing else.</p><p><a href="https://wordpress.org/">Learn more.</a></p></div></body></html>`
  expect(shownOutput(page)).toBe('There has been a critical error & nothing else. Learn more.')
})

test('what is no page stays as it is, cut to a line or two', () => {
  expect(shownOutput('PHP Fatal error: array<int> expected\n')).toBe('PHP Fatal error: array<int> expected')
  expect(shownOutput('x'.repeat(1_000))).toHaveLength(300)
})
