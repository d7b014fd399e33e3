import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { startEeServer } from '#tests/support/ee-server.ts'
import type { EngineUnderTest } from './engine.contract.ts'

const logFiles = { php: 'logs/php/error.log', debug: 'app/htdocs/wp-content/debug.log' } as const

/** The engine of EasyEngine on a simulated server. */
export async function startEe(): Promise<EngineUnderTest> {
  const { engine, server, root, end, ee } = await startEeServer()
  await ee('config', 'set', 'le-mail', 'ops@example.com')
  const siteFile = (domain: string, path: string) => join(root, 'opt/easyengine/sites', domain, path)
  return {
    engine: engine as EngineUnderTest['engine'],
    server,
    now: () => Date.now(),
    // The clock of the server is that of this machine, so links age instead.
    async pass(seconds) {
      const sites = join(root, 'opt/easyengine/sites')
      for (const domain of await readdir(sites)) {
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
    sendMail: () => Promise.reject(new Error('Emails are not kept.')),
    scheduleDue: () => Promise.reject(new Error('Not possible from outside.')),
    async packageFile(version) {
      const file = join(root, `tool-${version}.zip`)
      const content = Buffer.from(`<?php\n/*\nPlugin Name: tool\nVersion: ${version}\n*/\n`)
      await writeFile(file, makeZip([{ name: 'tool/tool.php', content }]))
      return file
    },
    end,
  }
}
