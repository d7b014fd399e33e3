import { expect, test } from 'vitest'
import { unreadableMessage } from './api-error.ts'
import { readable, telling } from './frappe.tsx'

const text = 'There was an error while fetching the documents.'

/** What the SDK throws: its own words where the body has no message. */
const thrown = (httpStatus: number, exception: string): Promise<never> =>
  Promise.reject(Object.assign(new Error('There was an error.'), { httpStatus, exception }))

test('an answer that says nothing is told in the words for what was read', async () => {
  await expect(telling(text, thrown(502, ''))).rejects.toMatchObject({ message: text, httpStatus: 502 })
})

test('what the server says stays, and so does what was read', async () => {
  const said = thrown(403, 'PermissionError: Not yours')
  await expect(telling(text, said)).rejects.toMatchObject({ message: 'Not yours', httpStatus: 403 })
  await expect(telling(text, Promise.resolve(7))).resolves.toBe(7)
})

test.each([
  ['a page', '<html>Log in to the hotel</html>'],
  ['half an answer', '{"message": [{"na'],
  ['nothing', undefined],
])('%s in place of an answer is a failure, not an empty list', (_what, answer) => {
  expect(() => readable(answer)).toThrow(unreadableMessage)
})

test('an answer without a message is an answer', () => {
  expect(readable({})).toEqual({})
})
