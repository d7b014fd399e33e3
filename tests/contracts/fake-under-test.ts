import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capabilityNames, type CapabilityName } from '#server/engines/engine.ts'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { capabilityFacets } from '#server/engines/facets.ts'
import type { EngineUnderTest } from './engine.contract.ts'

/** A fake engine on a new folder. `lacks`: capabilities that it does not have, with the reason; nor facets for these alone. */
export async function startFake(
  lacks: Partial<Record<CapabilityName, string>> | null = null,
): Promise<EngineUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-engine-'))
  let at = Date.now()
  let mails = 0
  const engine = createFakeEngine({ folder, clock: () => at, ...(lacks === null ? {} : { lacks: () => lacks }) })
  const needed = new Set(capabilityNames.flatMap((name) => (lacks?.[name] === undefined ? capabilityFacets[name] : [])))
  for (const facet of Object.values(capabilityFacets).flat())
    if (!needed.has(facet)) Reflect.deleteProperty(engine, facet)
  return {
    engine,
    now: () => at,
    pass: (seconds) => {
      at += seconds * 1000
    },
    addToLog: async (site, log, text) => engine.addToLog(site.id, log, text),
    sendMail: async (site, { to, subject, message, headers }) => {
      mails += 1
      const id = `mail-${mails}`
      const lines = headers.split('\n').map((line) => line.split(': '))
      engine.addMail(site.id, {
        ...{ id, at, to, subject, bytes: message.length, body: message, isCut: false, attachments: [] },
        from: lines.find(([name]) => name === 'From')?.[1] ?? '',
        headers: lines.map(([name = '', value = '']) => ({ name, value })),
        isHtml: headers.includes('text/html'),
      })
      return id
    },
    scheduleDue: async (site, hook) => engine.addEvent(site.id, hook),
    packageFile: async (version) => {
      const file = join(folder, `tool-${version}.package`)
      await writeFile(file, `plugin tool ${version}`)
      return file
    },
    end: () => rm(folder, { recursive: true }),
  }
}
