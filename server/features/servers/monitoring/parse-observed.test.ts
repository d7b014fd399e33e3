import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { serverMonitoring } from '#shared/responses/server-monitoring.ts'
import { parseObserved } from './parse-observed.ts'
import { checksOf, containersOf, servicesOf } from './verdicts.ts'

const container = {
  ...{ name: '/shop-php-1', state: 'running', started: '2026-05-01T11:00:00.123456789Z' },
  ...{ finished: '0001-01-01T00:00:00Z', code: 0, restarts: 2, site: 'shop.example', project: 'shop', service: 'php' },
}
const now = Date.parse('2026-05-01T12:00:00Z')
const values = {
  ...{ disk_kb: '1000', disk_free_kb: '100', now: String(now / 1000), uptime: '100', load: '0.42', cpu: '2' },
  ...{ ram_kb: '4000', ram_available_kb: '3000', http: '503', docker: 'running', complete: 'yes' },
}
const unit = ['unit=ssh.service', 'LoadState=loaded', 'ActiveState=active', 'ActiveEnterTimestampMonotonic=40000000']
const output = (changes: Record<string, string | null> = {}, lines: readonly string[] = []) =>
  [
    ...lines,
    ...Object.entries({ ...values, ...changes }).flatMap(([name, value]) => (value === null ? [] : `${name}=${value}`)),
  ].join('\n')

test('an answer is read with the times of the machine’s own clock', () => {
  const certificates = ['9 late.example', '5 shop.example', '7 shop.example', '3 bad name', '-1 x.example']
  const listed = ['certificates=read', ...certificates.map((line) => `certificate=${line}`)]
  expect(parseObserved(output({}, [...unit, `container=${JSON.stringify(container)}`, ...listed]))).toEqual({
    ...{ diskPercent: 90, memoryPercent: 25, load: 0.42, cpu: 2, needsReboot: null, http: 503, docker: 'running' },
    certificates: [
      { domain: 'shop.example', expires: 5 },
      { domain: 'late.example', expires: 9 },
    ],
    units: [{ unit: 'ssh.service', load: 'loaded', active: 'active', age: 60, restarts: null }],
    containers: [
      {
        ...{ name: 'shop-php-1', state: 'running', age: 3600, exitCode: null, restarts: 2 },
        ...{ site: 'shop.example', project: 'shop', service: 'php' },
      },
    ],
  })
  for (const name of Object.keys(values).filter((key) => key !== 'http'))
    expect(parseObserved(output({ [name]: null })), name).toBeNull()
  expect(parseObserved(output({ load: '1e9' }))).toBeNull()
})

/** Whatever a machine says, in lines that look like those of the script. */
const anyLine = fc.oneof(
  fc.string(),
  fc
    .tuple(
      fc.constantFrom(
        ...Object.keys(values),
        'unit',
        'reboot',
        'certificates',
        'certificate',
        'LoadState',
        'ActiveState',
        'NRestarts',
        'container',
      ),
      fc.oneof(fc.string(), fc.integer().map(String), fc.constant('ssh.service'), fc.json()),
    )
    .map((pair) => pair.join('=')),
  fc
    .record(
      Object.fromEntries(
        Object.entries(container).map(([key, value]) => [
          key,
          fc.oneof(fc.constant(value), fc.jsonValue(), fc.date().map(String), fc.string({ minLength: 300 })),
        ]),
      ),
    )
    .map((found) => `container=${JSON.stringify(found)}`),
)

test('whatever a machine says, the answer is refused or has the described form', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 12 }), fc.boolean(), (lines, isWhole) => {
      const observed = parseObserved(isWhole ? output({}, lines) : lines.join('\n'))
      if (!observed) return
      const server = { metrics_agent: 1, security_updates: null } as unknown as Server
      serverMonitoring.parse({
        ...{ observed: null, cpu: observed.cpu, docker: observed.docker },
        checks: checksOf(server, { verdict: 'ok', advice: null }, observed, now),
        services: observed.units && servicesOf(server, observed.units, now),
        containers: containersOf(observed.containers, now),
      })
    }),
  )
})
