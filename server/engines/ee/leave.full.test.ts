import { createWriteStream } from 'node:fs'
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { hashesOfFiles } from '#tests/support/local-content.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec } from '../engine.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

const log: string[] = []
const leave = () =>
  t.engine.host.leave?.(t.server, { signal: AbortSignal.timeout(300_000), log: (line) => void log.push(line) })
const inSite = ({ domain }: SiteSpec, path: string) => join(t.root, 'opt/easyengine/sites', domain, path)
const conf = (site: SiteSpec) => inSite(site, 'config/nginx/custom/user.conf')

const passwordsOf = (name: string) =>
  readFile(join(t.root, 'opt/easyengine/services/nginx-proxy/htpasswd', name), 'utf8').catch(() => '')

/** What of a site others than Easydash see: its files and configuration, and who has to enter a password. */
async function seenOf(site: SiteSpec) {
  const configs = [conf(site), inSite(site, 'config/php/php/conf.d/custom.ini')]
  // The last line of one has no end at first.
  const texts = configs.map((path) =>
    readFile(path, 'utf8').then(
      (text) => text.trimEnd(),
      () => '',
    ),
  )
  const auth = await passwordsOf(site.domain)
  return { files: await hashesOfFiles(inSite(site, 'app/htdocs')), configs: await Promise.all(texts), auth }
}

test('a server that is left has its sites as they were, and nothing of Easydash', async () => {
  const site = { ...t.newSpec({ siteType: 'wp' }), isFound: true }
  await t.ee('site', 'create', site.domain, '--type=wp')
  await appendFile(conf(site), '# Of its owner\n')
  const before = await seenOf(site)
  await t.engine.settings.change(site, { memoryMb: 384, uploadMb: 64 })
  await t.engine.settings.change(site, { httpAuth: { user: 'guest', password: 'Guest0123456789' } })
  await t.engine.settings.change(site, { maintenance: true })
  await t.engine.domains.setAliases(site, [{ domain: 'alias.example.com', mode: 'redirect' }])
  await t.engine.loginLink(site, wordpressPerson(), 30)
  await runSteps(t.engine.backups.packSteps(site))
  const archive = join(t.root, 'backup.tar.zst')
  await pipeline((await t.engine.backups.packed(site)).file.open(), createWriteStream(archive))
  await runSteps(t.engine.restores.restoreSteps(site, { archive, rehearsal: site }, 'files'))
  await t.engine.restores.finishRestore(site)
  expect(await seenOf(site)).not.toEqual(before)

  await leave()
  const after = await seenOf(site)
  // The password of visitors is of somebody who set it, and served by EasyEngine.
  expect(after.auth).toMatch(/^guest:.*\n$/)
  // What redirected serves the site now.
  expect(await passwordsOf('alias.example.com')).toBe(after.auth)
  expect({ ...after, auth: before.auth }).toEqual(before)
  expect(await exists(join(t.root, 'var/lib/easydash'))).toBe(false)
  const volumes = await readdir(join(t.root, 'var/lib/docker/volumes'), { recursive: true })
  expect(volumes.filter((path) => path.includes('easydash'))).toEqual([])
  expect(await t.violations()).toEqual([])
  await leave()
}, 300_000)

test('lines without which the web server refuses a configuration stay, and are named', async () => {
  const site = await t.create({ siteType: 'html' })
  const text = 'location /own {\n# easydash aliases begin\n}\n# easydash aliases end\n'
  await writeFile(conf(site), text)
  log.length = 0
  await leave()
  expect(await readFile(conf(site), 'utf8')).toBe(text)
  expect(log.join('\n')).toContain(`${site.domain} does not work without the lines`)
}, 300_000)
