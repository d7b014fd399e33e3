import { appendFile, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { createLocalEngine } from '#server/engines/local/local-engine.ts'
import { browserStarts } from '#server/platform/browser/browser-fixture.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { portOf } from '#server/platform/network/port-of.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { EngineUnderTest } from './engine.contract.ts'

const cacheDir =
  process.env['EASYDASH_CACHE_DIR'] ?? fileURLToPath(new URL('../../node_modules/.cache/easydash', import.meta.url))

function pluginZip(name: string, version: string): Buffer {
  const content = Buffer.from(`<?php\n/* Plugin Name: ${name}\nVersion: ${version} */`)
  return makeZip([{ name: `${name}/${name}.php`, content }])
}

/**
 * A wordpress.org on this machine that has one plugin, and knows that it has no other. It ends the connection of every other request:
 * for versions of WordPress and translations, it is as good as not there.
 */
async function startOrg(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://org')
    if (pathname === '/plugin/offered.2.0.zip') response.end(pluginZip('offered', '2.0'))
    else if (pathname !== '/plugins/info/1.2/') response.destroy()
    else if (searchParams.get('request[slug]') === 'offered') response.end(JSON.stringify({ version: '2.0' }))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** A local engine on a new folder, which can run sites on MySQL where a server is installed. */
export async function startLocal(): Promise<EngineUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'local-engine-'))
  let ahead = 0
  let mails = 0
  /** As if the site had made the file. */
  const asSite = async (file: string, folder: string): Promise<void> => {
    const { uid, gid } = await stat(folder)
    if (process.getuid?.() === 0) await chown(file, uid, gid)
  }
  const org = await startOrg()
  const engine = await createLocalEngine({
    dataDir,
    cacheDir,
    port: 8080,
    sitesDomain: 'localhost',
    sitesUrlPattern: null,
    idleMinutes: 10,
    awakeMax: 3,
    log: silentLog,
    // Tests must never reach wordpress.org, whatever network this machine has.
    wordpressOrgUrl: org.url,
    keepSpare: false,
    mysql: { url: null },
    thumbnails: { enabled: await browserStarts(), browser: null },
    clock: () => Date.now() + ahead,
  })
  return {
    engine: engine as typeof engine & EngineUnderTest['engine'],
    now: () => Date.now() + ahead,
    pass: (seconds) => {
      ahead += seconds * 1000
    },
    addToLog: async (site, log, text) => {
      const folder = join(dataDir, 'local', 'sites', site.id, log === 'php' ? 'logs' : 'www/wp-content')
      const file = join(folder, log === 'php' ? 'php-errors.log' : 'debug.log')
      await appendFile(file, text)
      await asSite(file, folder)
    },
    sendMail: async (site, mail) => {
      mails += 1
      const id = `20261124T20000${mails % 10}-${String(mails).padStart(12, '0')}`
      const folder = join(dataDir, 'local', 'sites', site.id, 'outbox')
      await writeFile(join(folder, `${id}.json`), JSON.stringify(mail))
      await asSite(join(folder, `${id}.json`), folder)
      return id
    },
    packageFile: async (version) => {
      const file = join(dataDir, `tool-${version}.zip`)
      await writeFile(file, pluginZip('tool', version))
      return file
    },
    scheduleDue: async (site, hook) => {
      const code = `wp_schedule_single_event(time() - 60, '${hook}');`
      const { error } = await engine.console.runPhp(site, code, { safe: true })
      if (error !== null) throw new Error(error.message)
    },
    end: async () => {
      await engine.stop()
      await org.close()
      await removeOutsideFolders(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
