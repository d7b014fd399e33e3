import { act } from 'react'
import { FrappeContext, type FrappeConfig } from 'frappe-react-sdk'
import { expect, test } from 'vitest'
import { drawing } from './drawing.ts'
import { useCount, useDoc, useList, useMethod, type Loaded } from './frappe.tsx'

const page = drawing()

/** What the SDK throws where the answer says nothing; for a document it has words of its own. */
const fail = (message: string) => () =>
  Promise.reject(Object.assign(new Error(message), { httpStatus: 404, exception: '' }))
const client = {
  call: { get: fail('There was an error.') },
  db: { getDoc: fail('There was an error while fetching the document.') },
} as unknown as FrappeConfig

test.each<[string, () => Pick<Loaded<unknown>, 'error'>]>([
  ['There was an error while getting the count.', () => useCount('Site')],
  ['There was an error while fetching the documents.', () => useList('Site')],
  ['There was an error while fetching the document.', () => useDoc('Site', 'a')],
  ['There was an error.', () => useMethod('ping')],
])('a reading that fails without a word is told as "%s"', async (words, useReading) => {
  const Reader = () => useReading().error?.message ?? 'none'
  await act(async () =>
    page.root.render(
      <FrappeContext value={client}>
        <Reader />
      </FrappeContext>,
    ),
  )
  expect(page.place.textContent).toBe(words)
})
