import { render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { apiServer } from '#tests/web/api.ts'
import { dataClient } from './data-client.ts'
import { useCount, useDoc, useList, useMethod, type Loaded } from './frappe.tsx'

const api = apiServer()

test.each<[string, string, () => Pick<Loaded<unknown>, 'error'>]>([
  ['frappe.client.get_count', 'There was an error while getting the count.', () => useCount('Site')],
  ['frappe.client.get_list', 'There was an error while fetching the documents.', () => useList('Site')],
  ['resource/Site/a', 'There was an error while fetching the document.', () => useDoc('Site', 'a')],
  ['ping', 'There was an error.', () => useMethod('ping', {}, { returns: z.string() })],
])('a failed request for %s without a message is reported as "%s"', async (name, text, useReading) => {
  api.on(name, () => ({ status: 404, body: {} }))
  const Reader = () => useReading().error?.message ?? 'none'
  render(<Reader />)
  expect(await screen.findByText(text)).toBeTruthy()
})

const Pinged = () => useMethod('ping', {}, { returns: z.string() }).error?.message ?? 'none'

test('clearing the cache clears its errors', async () => {
  api.on('ping', () => ({ status: 404, body: {} }))
  const before = render(<Pinged />)
  await before.findByText('There was an error.')
  before.unmount()
  dataClient.clear()
  let requests = false
  api.on('ping', async () => {
    requests = true
    return await new Promise<never>(() => undefined)
  })
  const after = render(<Pinged />)
  await waitFor(() => expect(requests).toBe(true))
  expect(after.container.textContent).toBe('none')
})
