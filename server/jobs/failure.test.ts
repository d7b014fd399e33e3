import { rename, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { failureOf } from './failure.ts'

test('a failure of the system names no file of this machine', async () => {
  for (const act of [() => stat('/secret/place/file'), () => rename('/secret/place/a', '/secret/place/b')]) {
    const error = await act().catch((thrown: unknown) => thrown)
    const failure = failureOf(error, 'Pack the files')
    expect(failure.message).toMatch(/^Pack the files: ENOENT: no such file or directory/)
    expect(failure.message).not.toContain('secret')
    expect(failure.code).toBe('unavailable')
  }
})
