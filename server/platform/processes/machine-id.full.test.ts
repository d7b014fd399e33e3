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

test('reports a damaged file instead of replacing it', async () => {
  await writeFile(join(folder, 'machine'), 'nonsense')
  await expect(machineId(folder)).rejects.toBeInstanceOf(StartupError)
})

test('reports a read-only folder in one sentence', async () => {
  await writeFile(join(folder, 'file'), '')
  await expect(machineId(join(folder, 'file'))).rejects.toBeInstanceOf(StartupError)
})
