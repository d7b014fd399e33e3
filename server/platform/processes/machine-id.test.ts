import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { machineId } from './machine-id.ts'
import { StartupError } from './startup-error.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'easydash-machine-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a folder keeps its id, two folders have two', async () => {
  const other = await mkdtemp(join(tmpdir(), 'easydash-machine-'))
  try {
    const id = await machineId(folder)
    expect(id).toMatch(/^[0-9a-f]{8}$/)
    expect(await machineId(folder)).toBe(id)
    expect(await machineId(other)).not.toBe(id)
  } finally {
    await rm(other, { recursive: true })
  }
})

test('a damaged file is reported, not replaced', async () => {
  await writeFile(join(folder, 'machine'), 'nonsense')
  await expect(machineId(folder)).rejects.toBeInstanceOf(StartupError)
})

test('an unwritable folder is explained in one sentence', async () => {
  await writeFile(join(folder, 'file'), '')
  await expect(machineId(join(folder, 'file'))).rejects.toBeInstanceOf(StartupError)
})
