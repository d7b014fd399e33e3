import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import type { SiteSpec } from './engine.ts'

/** The first page of a plain PHP or HTML site. */
export function starterPage(spec: Pick<SiteSpec, 'siteType' | 'title'>): { name: string; content: string } {
  const title = escapeHtml(spec.title)
  const name = spec.siteType === 'php' ? 'index.php' : 'index.html'
  const running = spec.siteType === 'php' ? '<p>PHP <?= PHP_VERSION ?> is running.</p>' : ''
  // The page is public, so it does not say where the folder is.
  const line = `${running}<p>This page is the file <code>${name}</code>. To change it, edit or replace that file; the page of this site in Easydash says in which folder it is.</p>`
  return {
    name,
    content: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:18px/1.6 system-ui,sans-serif;max-width:40rem;margin:20vh auto;padding:0 24px}</style></head>
<body><h1>${title}</h1>${line}</body>
</html>
`,
  }
}
