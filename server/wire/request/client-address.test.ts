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

  const trusting = clientReader(['10.0.0.0/8', 'fd00::/8'])
  const proxied = (headers: Record<string, string>) => trusting(request('10.0.0.1', headers))

  it.each([
    ['203.0.113.7:49152', '203.0.113.7'],
    ['[2001:db8::7]:49152', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['"[2001:db8::7]:443"', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:1, 10.9.9.9:443, [fd00::2]:8443', '203.0.113.7'],
    ['1.1.1.1, 203.0.113.7,, 10.9.9.9', '203.0.113.7'],
    ['unknown', '10.0.0.1'],
    ['203.0.113.7, unknown', '10.0.0.1'],
    ['[203.0.113.7', '10.0.0.1'],
    ['203.0.113.7:80:80', '10.0.0.1'],
  ])('reads X-Forwarded-For: %s', (header, ip) => {
    expect(proxied({ 'x-forwarded-for': header }).ip).toBe(ip)
  })

  it.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="[2001:db8::7]:4711";proto=https', '2001:db8::7'],
    ['by=10.0.0.1; FOR=203.0.113.7:80 ;proto=http', '203.0.113.7'],
    ['for=1.1.1.1, for=203.0.113.7;by=10.0.0.9, for="[fd00::2]"', '203.0.113.7'],
    ['for="_a,for=9.9.9.9;b", for=10.0.0.2', '10.0.0.1'],
    ['for=203.0.113.7, proto=https', '10.0.0.1'],
    ['for=unknown', '10.0.0.1'],
    ['for="203.0.113.7', '10.0.0.1'],
    [';,=,"', '10.0.0.1'],
  ])('reads Forwarded: %s', (forwarded, ip) => {
    expect(proxied({ forwarded }).ip).toBe(ip)
  })

  it('takes the host of Forwarded, too, and X-Forwarded-For before it', () => {
    expect(proxied({ host: 'inner', forwarded: 'for=203.0.113.7;host="Dash.Example:8443"' }).host).toBe(
      'dash.example:8443',
    )
    expect(proxied({ forwarded: 'for=9.9.9.9', 'x-forwarded-for': '203.0.113.7' }).ip).toBe('203.0.113.7')
    expect(trusting(request('192.0.2.1', { forwarded: 'for=203.0.113.7' })).ip).toBe('192.0.2.1')
  })
})
