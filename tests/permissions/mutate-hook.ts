/** Loaded before everything else (`node --import`): applies a mutant's change to a source file when it is imported. */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { CodeMutant } from './mutant-types.ts'

const mutant = JSON.parse(process.env['EASYDASH_MUTANT'] ?? '{}') as Partial<CodeMutant>
const root = fileURLToPath(new URL('../../', import.meta.url))

const changes = [mutant, mutant.also].filter((one) => one?.file !== undefined)
const byUrl = new Map(changes.map((one) => [new URL(one?.file ?? '', `file://${root}`).href, one]))

if (byUrl.size > 0) {
  registerHooks({
    load(asked, context, next) {
      const loaded = next(asked, context)
      const change = byUrl.get(asked)
      if (!change) return loaded
      const source = Buffer.from(loaded.source as Uint8Array).toString('utf8')
      return { ...loaded, source: source.replace(change.find ?? '', () => change.replace ?? '') }
    },
  })
}
