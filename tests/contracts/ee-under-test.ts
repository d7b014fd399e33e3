import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { openLocalThumbnails } from '#server/engines/local/thumbnails/local-thumbnails.ts'
import { browserStarts } from '#server/platform/browser/browser-fixture.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { readDatabase, writeDatabase } from '#server/providers/simulator/easyengine/wordpress/state.ts'
import { connectEeHost, type EeHost } from '#tests/support/ee-host.ts'
import { startEeServer } from '#tests/support/ee-server.ts'
import type { EngineUnderTest } from './engine.contract.ts'

const logFiles = { php: 'logs/php/error.log', debug: 'app/htdocs/wp-content/debug.log' } as const

/** The engine of EasyEngine on a simulated server, or on the real one that `EASYDASH_TEST_EE_HOST` names. */
export async function startEe(): Promise<EngineUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ee-screenshots-'))
  const cacheDir = process.env['EASYDASH_CACHE_DIR'] ?? join(dataDir, 'cache')
  const options = { enabled: await browserStarts(), browser: null, cacheDir, dataDir, log: silentLog }
  const screenshots = await openLocalThumbnails(options)
  if (process.env['EASYDASH_TEST_EE_HOST']) {
    const host = await connectEeHost(screenshots, cacheDir)
    // Of a run that was killed.
    await host.deleteOwn()
    const end = async () => {
      await screenshots.stop()
      await host.end()
      await rm(dataDir, { recursive: true, force: true })
    }
    return { ...(await onHost(host, dataDir)), end }
  }
  const { engine, server, root, end, ee, violations } = await startEeServer(screenshots)
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
    packageFile: (version) => makePackage(root, version),
    async end() {
      const found = await violations()
      await screenshots.stop()
      await end()
      await rm(dataDir, { recursive: true, force: true })
      if (found.length > 0) throw new Error(`EasyEngine has no such calls, or not at that time:\n${found.join('\n')}`)
    },
  }
}

async function makePackage(folder: string, version: string): Promise<string> {
  const file = join(folder, `tool-${version}.zip`)
  const content = Buffer.from(`<?php\n/*\nPlugin Name: tool\nVersion: ${version}\n*/\n`)
  await writeFile(file, makeZip([{ name: 'tool/tool.php', content }]))
  return file
}

/** Standard input takes 64 KiB of text. */
const pieceBytes = 45_000

const sites = '"${EASYDASH_ROOT-}/opt/easyengine/sites"'

/** Links and debug modes of our own sites age, because nobody may change the clock of a server. */
const ageScript = `cd ${sites} || exit
for file in *."$1"/app/wp-config.php; do
  [ ! -f "$file" ] || perl -pi -e 's/(?<=time\\(\\) \\* 1000 < )(\\d+)/$1 - 1000 * '"$2"'/e' "$file"
done
for file in *."$1"/app/htdocs/wp-content/easydash-login/*.php; do
  [ ! -f "$file" ] || perl -pi -e 's/(?<="expires":)(\\d+)/$1 - '"$2"'/e' "$file"
done`

const dueScript = `box=$(docker ps --filter "label=io.easyengine.site=$1" --filter label=com.docker.compose.service=php --format '{{.ID}}' | head -n 1)
docker exec -u www-data "$box" wp cron event schedule "$2" now`

/** What the contract needs of a real server, by SSH. What only a simulated one has is left out, with the reason. */
async function onHost(
  { engine, server, domain, shell }: EeHost,
  folder: string,
): Promise<Omit<EngineUnderTest, 'end'>> {
  const mail = await shell('ee config get le-mail', []).catch(() => '')
  return {
    ...{ engine: engine as EngineUnderTest['engine'], server, domain, sendMail: null },
    without: {
      test_directory: 'wordpress.org itself has no plugin for tests.',
      ...(mail.includes('@')
        ? {}
        : { lets_encrypt: 'The server has no address for Let’s Encrypt (ee config set le-mail).' }),
    },
    now: () => Date.now(),
    async pass(seconds) {
      await shell(ageScript, [domain, String(seconds)])
    },
    async addToLog(site, log, text) {
      const content = Buffer.from(text)
      for (let at = 0; at < content.length; at += pieceBytes)
        await shell(
          `base64 -d >> ${sites}/"$1"`,
          [`${site.domain}/${logFiles[log]}`],
          content.subarray(at, at + pieceBytes).toString('base64'),
        )
    },
    async scheduleDue(site, hook) {
      await shell(dueScript, [site.domain, hook])
    },
    packageFile: (version) => makePackage(folder, version),
  }
}
