import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { useCount, useDoc, useList, useMethod, type Loaded } from './frappe.tsx'

const api = apiServer()

test.each<[string, string, () => Pick<Loaded<unknown>, 'error'>]>([
  ['frappe.client.get_count', 'There was an error while getting the count.', () => useCount('Site')],
  ['frappe.client.get_list', 'There was an error while fetching the documents.', () => useList('Site')],
  ['resource/Site/a', 'There was an error while fetching the document.', () => useDoc('Site', 'a')],
  ['ping', 'There was an error.', () => useMethod('ping')],
])('a reading of %s that fails without a word is told as "%s"', async (name, words, useReading) => {
  api.on(name, () => ({ status: 404, body: {} }))
  const Reader = () => useReading().error?.message ?? 'none'
  render(<Reader />)
  expect(await screen.findByText(words)).toBeTruthy()
})
