import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createDestinations } from './destination.ts'

const destinationOf = createDestinations(
  { own: 2, count: 3, pathOf: String, token: 'secret' },
  'https://dash.example.com',
)

const sent = (url: string, changes: { method?: string; headers?: Record<string, string> } = {}): number =>
  destinationOf({
    method: 'GET',
    url,
    ...changes,
    headers: { host: 'dash.example.com', ...changes.headers },
  } as unknown as IncomingMessage)

test.each([
  '/api/resource/Site',
  '/api/v1/resource/Site/abc?fields=["name"]',
  '/api/method/frappe.auth.get_logged_user',
  '/api/method/frappe.client.get_count?doctype=Site',
  '/web/assets/app-1.js',
  '/socket.io/?EIO=4&transport=websocket',
  '/socket.io/?EIO=4&transport=polling&sid=2.abc',
])('%s is answered where it arrives', (url) => {
  expect(sent(url)).toBe(2)
  expect(sent(url, { headers: { host: '127.0.0.1:8080' } })).toBe(2)
})

test.each([
  '/web/site',
  '/api/method/login',
  '/api/method/get_logged_user',
  '/api/method/easydash.api.sessions.end',
  '/api/resource/Site/abc?run_method=logs',
  '/api/resource/Site/abc?run%5Fmethod=logs',
  '/api/resource/Site?cmd=login',
  '/api/resource/Site?%63md=login',
  '/api/resource/Site?a=%zz',
  '/private/files/a.pdf',
  '/metrics',
  '/socket.io/?streams=1&EIO=4&transport=websocket',
  '/socket.io/?sid=9.abc',
  '/socket.io/?sid=abc',
  'http://other.example/api/resource/Site',
  '*',
])('%s is answered by the main process', (url) => expect(sent(url)).toBe(0))

test('a socket stays in its process, and whatever may change something goes to the main one', () => {
  expect(sent('/socket.io/?sid=1.abc')).toBe(1)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    expect(sent('/api/resource/Site', { method })).toBe(0)
  expect(sent('/api/resource/Site', { headers: { 'content-length': '9' } })).toBe(0)
  for (const host of ['blog.localhost:8080', 'shop.example.com', ''])
    expect(sent('/api/resource/Site', { headers: { host } })).toBe(0)
})
