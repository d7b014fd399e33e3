import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender, eventually } from '../browser/test-render.ts'
import { useCount, useDoc, useList, useMethod, type Loaded } from './frappe.tsx'

const page = testRender()

test.each<[string, () => Pick<Loaded<unknown>, 'error'>]>([
  ['There was an error while getting the count.', () => useCount('Site')],
  ['There was an error while fetching the documents.', () => useList('Site')],
  ['There was an error while fetching the document.', () => useDoc('Site', 'a')],
  ['There was an error.', () => useMethod('ping')],
])('a reading that fails without a word is told as "%s"', async (words, useReading) => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 404 }))
  const Reader = () => useReading().error?.message ?? 'none'
  await act(async () => page.root.render(<Reader />))
  await eventually(() => expect(page.place.textContent).toBe(words))
})
