import { expect, test } from 'vitest'
import { forTerminal, StartupError, startupErrorText } from './startup-error.ts'

test('names of files do not steer the terminal', () => {
  const error = new StartupError(
    'The file /www/\u001B]0;x\u0007\u001B[2Ja\r\u009B1m\u202Eb is strange.',
    'Remove\u0008 it.',
  )
  const text = startupErrorText(error)
  expect(text).toMatch(/^The file \/www\/.*a.*b is strange\.\n→ Remove\ufffd it\.\n$/)
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/)
  expect(forTerminal('Zwei\nZeilen: ü 日本 🦊')).toBe('Zwei\nZeilen: ü 日本 🦊')
})
