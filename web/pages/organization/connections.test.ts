import { createElement } from 'react'
import { describe, expect, it } from 'vitest'
import type { Connections } from '#shared/doctypes/connections.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import type { MessageDescriptor } from '#shared/localized-message.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import type { RelativeTime } from '#web/ui/time.tsx'
import { cloudConnections, connectionSummary, hasConnectionProblem, stateOf } from './connections.ts'

const check = (
  outcome: 'ok' | 'wrong_key' | 'unreachable',
  message = 'Tested.',
  message_i18n: MessageDescriptor = { id: message },
) => ({
  set_at: null,
  check: {
    outcome,
    message,
    message_i18n,
    advice: null,
    advice_i18n: null,
    status: 200,
    took_ms: 3,
    checked_at: '2026-01-01 00:00:00.000000',
    stored: true,
  },
})
const parts = { id: '{0} does not accept the key (401).', values: ['DigitalOcean'] }
const organization = (values: Partial<Organization>, connections: Connections = {}) =>
  ({ name: 'acme', ...values, connections }) as Organization
const texts = (one: Organization) =>
  connectionSummary(one, cloudConnections, 3).map(({ value, detail, tone }) => [value, detail, tone])

describe('state of a connection', () => {
  it('is the last test result, if credentials are stored', () => {
    expect(stateOf(organization({}), 'hetzner')).toBe('none')
    expect(stateOf(organization({ hcloud_token: '*****' }), 'hetzner')).toBe('untested')
    expect(stateOf(organization({ hcloud_token: '*****' }, { hetzner: check('ok') }), 'hetzner')).toBe('ok')
    // The test result of removed credentials is ignored.
    expect(stateOf(organization({}, { hetzner: check('ok') }), 'hetzner')).toBe('none')
    expect(stateOf(organization({ bucket_name: 'x' }), 'bucket')).toBe('none')
  })
})

describe('connectionSummary', () => {
  it('of a new organization', () => {
    expect(texts(organization({}))).toEqual([
      ['None yet', '3 servers run on them', undefined],
      ['Nothing to test', undefined, undefined],
      ['4 connections have no key', 'Hetzner, DigitalOcean, AWS, WP Cloud', undefined],
    ])
  })

  it('lists rejected connections before untested ones', () => {
    const one = organization(
      { hcloud_token: '*****', do_token: '*****', aws_secret_key: '*****', wpc_api_key: '*****' },
      {
        digitalocean: check('wrong_key', 'DigitalOcean does not accept the key (401).', parts),
        hetzner: check('unreachable'),
      },
    )
    expect(texts(one).slice(1)).toEqual([
      [
        'DigitalOcean rejects the key',
        createElement(LocalizedText, { text: 'DigitalOcean does not accept the key (401).', i18n: parts }),
        'bad',
      ],
      ['None', undefined, undefined],
    ])
    expect(hasConnectionProblem(one, ['digitalocean'])).toBe(true)
    expect(hasConnectionProblem(one, ['hetzner', 'aws'])).toBe(false)
  })

  it('reports that all connections were tested', () => {
    const one = organization(
      { hcloud_token: '*****', do_token: '*****' },
      { hetzner: check('ok'), digitalocean: check('ok') },
    )
    const [value, detail, tone] = texts(one)[1] ?? []
    expect([value, tone]).toEqual(['All 2 tests passed', 'ok'])
    const tested = detail as RelativeTime | undefined
    expect(tested?.value).toBe('2026-01-01 00:00:00.000000')
    expect(tested?.format('5 minutes ago')).toBe('Last tested 5 minutes ago')
    expect(texts(organization({ hcloud_token: '*****', do_token: '*****' }, { hetzner: check('ok') }))[1]?.[0]).toBe(
      'DigitalOcean not tested yet',
    )
  })
})
