import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { plainPage } from './plain-page.ts'
import { renderShell, openShell, pageModules } from './shell.ts'

const template =
  '<script nonce="__NONCE__">window.csrf_token = "__CSRF_TOKEN__";window.easydash=__BOOT__</script><script src="/web/assets/a.js"></script>'

describe('the page', () => {
  it('lets no value end a script or a string, and hands every value over unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('</script><script>alert(1)', '<!--', '$&', '__NONCE__', '"', '\u2028'),
        ),
        (csrfToken, value) => {
          const html = renderShell(template, { nonce: 'n', csrfToken, boot: { value } })
          expect(html.match(/<\/?script\b[^>]*>/g)).toEqual([
            '<script nonce="n">',
            '</script>',
            '<script nonce="n" src="/web/assets/a.js">',
            '</script>',
          ])
          const code = /<script nonce="n">(.*?)<\/script>/s.exec(html)?.[1] ?? ''
          const page: { csrf_token?: string; easydash?: unknown } = {}
          // eslint-disable-next-line typescript/no-implied-eval -- the browser would run exactly this text
          new Function('window', code)(page)
          expect(page).toEqual({ csrf_token: csrfToken, easydash: { value } })
        },
      ),
      { seed: 1, numRuns: 300 },
    )
  })

  it('is read again after a new build, and missing it stops the start', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'easydash-shell-'))
    try {
      await expect(openShell(dir)).rejects.toBeInstanceOf(StartupError)
      await mkdir(join(dir, '.vite'))
      await writeFile(join(dir, '.vite', 'manifest.json'), '{}')
      await writeFile(join(dir, 'index.html'), 'old')
      const shell = await openShell(dir)
      expect(await shell.template('/web')).toBe('old')
      await writeFile(join(dir, 'index.html'), 'new')
      await utimes(join(dir, 'index.html'), 1, 1)
      expect(await shell.template('/web')).toBe('new')
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  it('knows what signed-in pages import beyond the page itself', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'easydash-shell-'))
    try {
      await mkdir(join(dir, '.vite'))
      await writeFile(join(dir, 'index.html'), '<head></head>')
      const manifest = {
        'index.html': { file: 'assets/index-1.js', imports: ['_react.js'] },
        '_react.js': { file: 'assets/react-1.js' },
        'shell/frame/app-shell.tsx': { file: 'assets/app-shell-1.js', imports: ['_shell.js'] },
        '_shell.js': { file: 'assets/shell-1.js', imports: ['_react.js', '_more.js'] },
        '_more.js': { file: 'assets/more-1.js' },
        '_pages.js': { file: 'assets/pages-1.js', name: 'pages', imports: ['_shell.js'] },
        '_lists.js': { file: 'assets/lists-1.js', name: 'lists', imports: ['_pages.js'] },
        'pages/sites/sites-page.tsx': { file: 'assets/sites-1.js', imports: ['_lists.js', '_shell.js'] },
      }
      await writeFile(join(dir, '.vite', 'manifest.json'), JSON.stringify(manifest))
      const shell = await openShell(dir)
      const scripts = (...names: string[]) => names.map((name) => `/web/assets/${name}-1.js`)
      const preload = await shell.signedInScripts('/web')
      expect(preload).toEqual(scripts('shell', 'more', 'app-shell', 'pages'))
      const list = await shell.signedInScripts('/web/site')
      expect(list).toEqual(scripts('shell', 'more', 'app-shell', 'lists', 'pages', 'sites'))
      expect(await shell.signedInScripts('/web/site/abc')).toEqual(preload)
      const html = renderShell(await shell.template('/web'), { nonce: 'n', csrfToken: '', boot: {}, preload })
      const tag = '<link nonce="n" rel="modulepreload" crossorigin href="/web/assets/shell-1.js">'
      expect(html).toContain(tag)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  it('names pages that are there', () => {
    const web = new URL('../../../web/', import.meta.url)
    const modules = pageModules.flatMap(([, page, reads = page]) => [page, reads])
    expect(modules.filter((module) => !existsSync(new URL(module, web)))).toEqual([])
  })

  it('escapes plain pages', () => {
    const html = plainPage({
      title: '<b>',
      text: ['"&\''],
      productName: 'P<',
      nonce: '"><x>',
      link: { href: '"x', label: '<' },
    })
    expect(html).not.toMatch(/<b>|<x>|P<|"&'/)
  })
})
