import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { describeEngine } from './engine.contract.ts'

describeEngine('fake', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fake-engine-'))
  let at = Date.now()
  return {
    engine: createFakeEngine({ folder, clock: () => at }),
    pass: (seconds) => {
      at += seconds * 1000
    },
    end: () => rm(folder, { recursive: true }),
  }
})
