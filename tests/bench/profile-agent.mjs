/**
 * Loaded into the product's process by `call-profile`: each SIGUSR2 starts a profile of its main thread, or stops it and writes
 * it to the folder that `EASYDASH_PROFILES` names.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

if (process.argv[1]?.endsWith('/scripts/start.mjs')) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  let at = 0
  const toggle = async () => {
    const folder = process.env['EASYDASH_PROFILES'] ?? ''
    at += 1
    const path = join(folder, `${process.pid}-${at}`)
    if (at % 2 === 1) {
      await session.post('Profiler.start')
      writeFileSync(path, '')
    } else {
      const { profile } = await session.post('Profiler.stop')
      writeFileSync(path, JSON.stringify(profile))
    }
  }
  process.on('SIGUSR2', () => void toggle())
}
