import { createElement } from 'react'
import { describe, expect, it } from 'vitest'
import type { MessageDescriptor } from '#shared/localized-message.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import type { RelativeTime } from '#web/ui/time.tsx'
import { cloudConnections, connectionSummary, hasConnectionProblem, type ListedConnection } from './connections.ts'

const connection = (
  kind: ListedConnection['kind'],
  outcome: ListedConnection['outcome'] = null,
  values: Partial<ListedConnection> = {},
): ListedConnection => ({
  name: kind,
  kind,
  label: kind,
  is_default: 1,
  outcome,
  message: outcome && 'Tested.',
  message_i18n: outcome && { id: 'Tested.' },
  advice: null,
  advice_i18n: null,
  checked_at: outcome && '2026-01-01 00:00:00.000000',
  orphans: null,
  ...values,
})
const message = 'DigitalOcean does not accept the key (401).'
const message_i18n: MessageDescriptor = { id: '{0} does not accept the key (401).', values: ['DigitalOcean'] }
const texts = (...connections: ListedConnection[]) =>
  connectionSummary(connections, cloudConnections, 3).map(({ value, detail, tone }) => [value, detail, tone])

describe('connectionSummary', () => {
  it('of a new organization', () => {
    expect(texts()).toEqual([
      ['None yet', '3 servers run on them', undefined],
      ['Nothing to test', undefined, undefined],
      ['4 connections have no key', 'Hetzner, DigitalOcean, AWS, WP Cloud', undefined],
    ])
  })

  it('names a rejected connection before one that is not reached, and those before untested ones', () => {
    const all = [
      connection('Hetzner', 'unreachable'),
      connection('DigitalOcean', 'wrong_key', { label: 'Client A', message, message_i18n }),
      connection('AWS'),
      connection('WP Cloud'),
      // Not of a cloud.
      connection('Slack', 'wrong_key'),
    ]
    expect(texts(...all).slice(1)).toEqual([
      ['Client A rejects the key', createElement(LocalizedText, { text: message, i18n: message_i18n }), 'bad'],
      ['None', undefined, undefined],
    ])
    expect(hasConnectionProblem(all, ['digitalocean'])).toBe(true)
    expect(hasConnectionProblem(all, ['hetzner', 'aws'])).toBe(false)
  })

  it('reports that all connections were tested, each of a kind', () => {
    const second = connection('Hetzner', null, { name: 'h2', label: 'Client B' })
    const tested = [connection('Hetzner', 'ok'), connection('DigitalOcean', 'ok')]
    const [value, detail, tone] = texts(...tested)[1] ?? []
    expect([value, tone]).toEqual(['All 2 tests passed', 'ok'])
    const last = detail as RelativeTime | undefined
    expect(last?.value).toBe('2026-01-01 00:00:00.000000')
    expect(last?.format('5 minutes ago')).toBe('Last tested 5 minutes ago')
    expect(texts(...tested, second)[1]?.[0]).toBe('Client B not tested yet')
  })
})
