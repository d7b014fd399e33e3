import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientReader } from './client-address.ts'

const request = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

describe('client address of a request', () => {
  it('believes no header by default', () => {
    const read = clientReader([])
    expect(
      read(request('203.0.113.5', { host: 'Dash.Example', 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'evil' })),
    ).toEqual({ ip: '203.0.113.5', host: 'dash.example', loopback: false })
    expect(read(request('::ffff:127.0.0.1'))).toEqual({ ip: '127.0.0.1', host: '', loopback: true })
    expect(read(request('::1')).loopback).toBe(true)
  })

  it('does not treat clients behind an unknown proxy as this machine', () => {
    expect(clientReader([])(request('127.0.0.1', { 'x-forwarded-for': '1.2.3.4' })).loopback).toBe(false)
    expect(clientReader([])(request('127.0.0.1', { forwarded: 'for=1.2.3.4' })).loopback).toBe(false)
  })

  it('takes the last address no trusted proxy has', () => {
    const read = clientReader(['10.0.0.0/8', '::1/128'])
    expect(
      read(
        request('10.0.0.1', {
          host: 'inner',
          'x-forwarded-for': '9.9.9.9, 203.0.113.7, 10.2.2.2',
          'x-forwarded-host': 'dash.example',
        }),
      ),
    ).toEqual({ ip: '203.0.113.7', host: 'dash.example', loopback: false })
    expect(read(request('::1', { 'x-forwarded-for': '203.0.113.7' })).ip).toBe('203.0.113.7')
    expect(read(request('192.0.2.1', { 'x-forwarded-for': '203.0.113.7' })).ip).toBe('192.0.2.1')
    expect(read(request('10.0.0.1', { 'x-forwarded-for': 'nonsense' })).ip).toBe('10.0.0.1')
    expect(read(request('10.0.0.1', { host: 'inner' }))).toEqual({ ip: '10.0.0.1', host: 'inner', loopback: false })
  })
})
