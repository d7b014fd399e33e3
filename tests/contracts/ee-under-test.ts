import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { openLocalThumbnails } from '#server/engines/local/thumbnails/local-thumbnails.ts'
import { browserStarts } from '#server/platform/browser/browser-fixture.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { readDatabase, writeDatabase } from '#server/providers/simulator/easyengine/wordpress/state.ts'
import { startEeServer } from '#tests/support/ee-server.ts'
import type { EngineUnderTest } from './engine.contract.ts'

const logFiles = { php: 'logs/php/error.log', debug: 'app/htdocs/wp-content/debug.log' } as const

/** The engine of EasyEngine on a simulated server. */
export async function startEe(): Promise<EngineUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ee-screenshots-'))
  const cacheDir = process.env['EASYDASH_CACHE_DIR'] ?? join(dataDir, 'cache')
  const options = { enabled: await browserStarts(), browser: null, cacheDir, dataDir, log: silentLog }
  const screenshots = await openLocalThumbnails(options)
  const { engine, server, root, end, ee } = await startEeServer(screenshots)
  await ee('config', 'set', 'le-mail', 'ops@example.com')
  const siteFile = (domain: string, path: string) => join(root, 'opt/easyengine/sites', domain, path)
  return {
    engine: engine as EngineUnderTest['engine'],
    server,
    now: () => Date.now(),
    // The clock of the server is that of this machine, so links and debug modes age instead.
    async pass(seconds) {
      const sites = join(root, 'opt/easyengine/sites')
      for (const domain of await readdir(sites)) {
        const config = siteFile(domain, 'app/wp-config.php')
        const text = await readFile(config, 'utf8').catch(() => '')
        const aged = text.replace(/(?<=time\(\) \* 1000 < )\d+/, (until) => String(Number(until) - seconds * 1000))
        if (aged !== text) await writeFile(config, aged)
        const links = siteFile(domain, 'app/htdocs/wp-content/easydash-login')
        for (const name of await readdir(links).catch(() => [])) {
          const [head = '', json = ''] = (await readFile(join(links, name), 'utf8')).split('\n')
          if (json === '') continue
          const link = JSON.parse(json) as { expires: number }
          await writeFile(join(links, name), `${head}\n${JSON.stringify({ ...link, expires: link.expires - seconds })}`)
        }
      }
    },
    addToLog: ({ domain }, log, text) => appendFile(siteFile(domain, logFiles[log]), text),
    sendMail: null,
    async scheduleDue({ domain }, hook) {
      const machine = { root, path: (path: string) => join(root, path) }
      const database = openDatabase(machine)
      const name = database.site(domain)?.['db_name'] ?? ''
      database.close()
      const state = readDatabase(machine, name)
      if (state === null) throw new Error('The site has no database.')
      state.events.push({ hook, next: Math.floor(Date.now() / 1000) - 60, recurrence: '' })
      writeDatabase(machine, name, state)
    },
    async packageFile(version) {
      const file = join(root, `tool-${version}.zip`)
      const content = Buffer.from(`<?php\n/*\nPlugin Name: tool\nVersion: ${version}\n*/\n`)
      await writeFile(file, makeZip([{ name: 'tool/tool.php', content }]))
      return file
    },
    async end() {
      await screenshots.stop()
      await end()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
