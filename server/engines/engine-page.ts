import { escapeHtml } from '#server/platform/mail/escape-html.ts'

/** A page of an engine, shown instead of a site. */
export interface EnginePage {
  status: 401 | 403 | 404 | 410 | 413 | 502 | 503 | 504
  title: string
  text: string
  /** Seconds until a retry; the page then reloads itself. */
  retryAfterSeconds?: number
}

/** Its owners are working on the site. */
export const maintenancePage: EnginePage = {
  status: 503,
  title: 'This site is under maintenance',
  text: 'It will be back soon. The page reloads by itself.',
  retryAfterSeconds: 300,
}

/** A page of an engine: self-contained, light and dark. */
export function enginePageHtml(page: EnginePage): string {
  const refresh =
    page.retryAfterSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${page.retryAfterSeconds}">`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">${refresh}
<title>${escapeHtml(page.title)}</title><style>
:root{color-scheme:light dark;--back:#fafafa;--card:#fff;--line:#e4e4e7;--text:#18181b;--soft:#52525b}
@media(prefers-color-scheme:dark){:root{--back:#09090b;--card:#18181b;--line:#27272a;--text:#fafafa;--soft:#a1a1aa}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--back);color:var(--text);font:16px/1.6 ui-sans-serif,system-ui,sans-serif}
main{max-width:30rem;width:100%;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:12px}
p{margin:0;color:var(--soft)}small{display:block;margin-bottom:8px;color:var(--soft);font-variant-numeric:tabular-nums}h1{margin:0 0 8px;font-size:1.375rem;line-height:1.3;letter-spacing:-.01em}
</style></head><body><main><small>${page.status}</small><h1>${escapeHtml(page.title)}</h1><p>${escapeHtml(page.text)}</p></main></body></html>
`
}
