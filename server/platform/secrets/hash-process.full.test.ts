import { afterEach, expect, test, vi } from 'vitest'
import type { HashRequest } from './argon2.ts'
import { deriveInProcess } from './argon2.ts'
import { openHashProcess, type HashProcess } from './hash-process.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const warn = vi.fn()
let opened: HashProcess | null = null
const open = (idleMs?: number): HashProcess => (opened = openHashProcess({ warn }, idleMs))

afterEach(() => {
  const pid = opened?.pid() ?? null
  if (pid !== null) process.kill(pid, 'SIGKILL')
  warn.mockClear()
})

const request = (password: string): HashRequest => ({
  password,
  salt: Buffer.alloc(16, 7),
  memory: 19_456,
  passes: 2,
  parallelism: 1,
  tagLength: 32,
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const turn = { key: '198.51.100.1', known: false }

test('hashes of the child are those of this process', async () => {
  const { derive, pid } = open()
  expect(pid()).toBeNull()
  const stored = await hashPassword('Fünf Boote, still', turn, derive)
  expect(pid()).not.toBeNull()
  expect(await verifyPassword(stored, 'Fünf Boote, still')).toBe(true)
  expect(await verifyPassword(stored, 'Fünf Boote, laut', turn, derive)).toBe(false)
  expect(await verifyPassword(null, 'Fünf Boote, still', turn, derive)).toBe(false)
  const [one, other] = await Promise.all([derive(request('one')), derive(request('other'))])
  expect([one, other]).toEqual([await deriveInProcess(request('one')), await deriveInProcess(request('other'))])
})

test('a killed child loses no result, and the next hash starts a new one', async () => {
  const { derive, pid } = open()
  await derive(request('first'))
  const killed = pid() ?? 0
  const responses = [derive(request('second')), derive(request('third'))]
  process.kill(killed, 'SIGKILL')
  expect(await Promise.all(responses)).toEqual([
    await deriveInProcess(request('second')),
    await deriveInProcess(request('third')),
  ])
  expect(warn).toHaveBeenCalledOnce()
  expect(JSON.stringify(warn.mock.calls)).not.toContain('second')
  await derive(request('fourth'))
  expect(pid()).not.toBe(killed)
})

test('the child exits when idle and restarts with the next hash', async () => {
  const { derive, pid } = open(10)
  const tag = await derive(request('first'))
  const first = pid() ?? 0
  await expect.poll(() => isAlive(first)).toBe(false)
  expect(pid()).toBeNull()
  expect(await derive(request('first'))).toEqual(tag)
  expect(warn).not.toHaveBeenCalled()
})

test('impossible parameters are refused as they are here', async () => {
  const { derive } = open()
  await expect(derive({ ...request('any'), tagLength: 0 })).rejects.toThrow()
  expect(await derive(request('any'))).toHaveLength(32)
})
