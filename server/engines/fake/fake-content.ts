import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { wordpressSettingNames, type WordPressValues } from '#shared/rules/wordpress-settings.ts'
import type { WordPressUser } from '#shared/responses/wordpress.ts'
import type { FakeContext } from './fake-context.ts'
import { fakeWww } from './fake-files.ts'
import type { FakeContent, FakeSite } from './fake-site.ts'
import { writeSite } from './fake-store.ts'
import { newWordPress } from './fake-wordpress-state.ts'

/** What stays each site's own. */
const ownRows = new Set(['options search_engines', 'options admin_email'])
const isOwnFile = (path: string): boolean => path === 'wp-config.php' || path.startsWith('wp-content/database/')

/** The content of a site now. */
export function contentOf(context: FakeContext, site: FakeSite): FakeContent {
  const www = fakeWww(context, site)
  const files: Record<string, string> = {}
  for (const path of readdirSync(www, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(www, path)).isFile() && !isOwnFile(path)) files[path] = readFileSync(join(www, path), 'latin1')
  const rows: Record<string, string> = {}
  if (site.siteType === 'wp') {
    const values: Partial<WordPressValues> = { title: site.title, ...site.wordpress }
    for (const name of wordpressSettingNames)
      if (values[name] !== undefined && !ownRows.has(`options ${name}`))
        rows[`options ${name}`] = JSON.stringify(values[name])
    const { users } = site.management ?? newWordPress(site.adminUser)
    for (const user of users) rows[`users ${user.login}`] = JSON.stringify(user)
  }
  return { files, rows }
}

/** Gives a site another content. */
export function writeContent(context: FakeContext, site: FakeSite, { files, rows }: FakeContent): void {
  const www = fakeWww(context, site)
  for (const path of Object.keys(contentOf(context, site).files)) rmSync(join(www, path))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(www, path)), { recursive: true })
    writeFileSync(join(www, path), text, 'latin1')
  }
  if (site.siteType !== 'wp') return
  const valuesOf = (kind: string) =>
    Object.entries(rows).flatMap(([name, text]): [string, unknown][] =>
      name.startsWith(`${kind} `) ? [[name.slice(kind.length + 1), JSON.parse(text)]] : [],
    )
  const own = Object.fromEntries(
    Object.entries(site.wordpress ?? {}).filter(([name]) => ownRows.has(`options ${name}`)),
  ) as Partial<WordPressValues>
  const management = site.management ?? newWordPress(site.adminUser)
  writeSite(context, {
    ...site,
    wordpress: { ...own, ...(Object.fromEntries(valuesOf('options')) as Partial<WordPressValues>) },
    management: { ...management, users: valuesOf('users').map(([, user]) => user as WordPressUser) },
  })
}
