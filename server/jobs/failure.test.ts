import { rename, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'
import { msg } from '#shared/localized-message.ts'
import { AppError } from '#shared/errors.ts'
import { failureFields, failureOf, stepOf, storedFailure, unforeseen } from './failure.ts'

test('a failure of the system names no file of this machine', async () => {
  for (const act of [() => stat('/secret/place/file'), () => rename('/secret/place/a', '/secret/place/b')]) {
    const error = await act().catch((thrown: unknown) => thrown)
    const failure = failureOf(error, msg`Pack the files`)
    expect(failure.message.text).toMatch(/^Pack the files: ENOENT: no such file or directory/)
    expect(JSON.stringify(failure.message)).not.toContain('secret')
    expect(failure.code).toBe('unavailable')
  }
})

test('what nobody foresaw belongs into the log of this machine, also where it became an error of ours', () => {
  const system = new Error("ENOENT: no such file or directory, open '/secret/place'")
  for (const error of [system, new AppError('unavailable', msg`It ended.`, { cause: system })])
    expect(unforeseen(error)).toBe(system)
  const known = new EngineError('conflict', msg`It is taken.`, { nextAction: msg`Wait.` })
  for (const error of [known, new AppError('conflict', msg`It is taken.`, { cause: known })])
    expect(unforeseen(error)).toBeNull()
})

test('a failure consists of step, cause and next action, without secrets and paths', () => {
  const error = new EngineError('unavailable', msg`The site answered ${'password=hunter2hunter2'} in ${3} s.`, {
    nextAction: msg`Try again.`,
  })
  const failure = failureOf(error, stepOf({ reference_title: 'blog' }, 'Pack blog'))
  const fields = failureFields(failure)
  expect(fields).toMatchObject({
    error_code: 'unavailable',
    next_action: 'Try again.',
    next_action_i18n: { id: 'Try again.' },
    error_message_i18n: {
      id: '{0}: {1}',
      values: [{ id: 'Pack {0}', values: ['blog'] }, { id: 'The site answered {0} in {1} s.' }],
    },
  })
  expect(JSON.stringify(fields)).not.toContain('hunter2')
  // Reading it back after a crash between failure and end gives the same.
  expect(failureFields(storedFailure({ ...fields } as never))).toEqual(fields)
})

test('technical errors are passed on as third-party text, with a next action of ours', () => {
  expect(failureFields(failureOf(new Error('EPIPE'), null))).toEqual({
    error_code: 'unavailable',
    error_message: 'EPIPE',
    error_message_i18n: { id: '{0}', values: ['EPIPE'] },
    next_action: 'Look at the log, then retry.',
    next_action_i18n: { id: 'Look at the log, then retry.' },
  })
  expect(failureFields(null)).toMatchObject({ error_message: null, error_message_i18n: null })
})

test('a stored failure is read back unchanged, for any step', () => {
  for (const label of ['Copy files', 'Pack blog', 'Switch to PHP 8.5']) {
    const error = new EngineError('unavailable', msg`The page did not load.`, { nextAction: msg`Try again.` })
    const fields = failureFields(failureOf(error, stepOf({ reference_title: 'blog' }, label)))
    const again = JSON.parse(JSON.stringify(fields)) as typeof fields
    expect(failureFields(storedFailure(again as never))).toEqual(again)
  }
})

test.each([
  ['early', (secret: string) => msg`It said ${secret}.`],
  ['late', (secret: string) => msg`${'y'.repeat(520)} ${secret}`],
  ['across its places', (secret: string) => msg`${'y'.repeat(520)} password=${secret.replace('password=', '')}`],
])('a secret in a sentence is stored nowhere: %s', (_where, localized) => {
  const error = new EngineError('unavailable', localized('password=hunter2hunter2'), { nextAction: msg`Try again.` })
  expect(JSON.stringify(failureFields(failureOf(error, null)))).not.toContain('hunter2')
})

test('failures that cannot be stored, or are too long, are still reported', () => {
  const cut = failureFields(failureOf(new Error(`${'x'.repeat(499)}😀`), null))
  expect(cut.error_message?.isWellFormed()).toBe(true)
  const long = new EngineError('unavailable', msg`The site answered: ${'z '.repeat(500_000)}\0`, {
    nextAction: msg`Wait.`,
  })
  const fields = failureFields(failureOf(long, stepOf({ reference_title: null }, 'Copy files')))
  expect(JSON.stringify(fields).length).toBeLessThan(5000)
  expect(fields.error_message).toMatch(/^Copy files: The site answered: [z ]+$/)
  // Looks like a sentence but isn't one.
  expect(failureFields(failureOf(Object.assign(new Error('x'), { localized: { foo: 1 } }), null)).error_message).toBe(
    'x',
  )
})
