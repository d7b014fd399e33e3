import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { sentSample } from '#shared/responses/server-metrics.ts'
import { isReachable, metricsAgentFiles } from './agent-files.ts'

const run = promisify(execFile)
let folder: string
/** What the dashboard answers. */
const answer = (status: number) => writeFile(join(folder, 'status'), String(status))

const procFiles: Readonly<Record<string, string>> = {
  loadavg: '0.52 0.58 0.59 2/345 6789',
  uptime: '5443200.25 21000000.00',
  meminfo: [
    'MemTotal:        8000000 kB',
    'MemFree:         1000000 kB',
    'MemAvailable:    5000000 kB',
    'Cached:          3000000 kB',
    'SwapTotal:       2000000 kB',
    'SwapFree:        1500000 kB',
  ].join('\n'),
  'net/route': 'Iface\tDestination\tGateway\ndocker0\t000011AC\t00000000\neth0\t00000000\t0102A8C0',
  'net/dev': [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0',
    '  eth0:9007199254740 2000 3 4    0     0          0         0  8007199254740 5000 6 7    0     0       0          0',
  ].join('\n'),
}

/** Processor times: user, nice, system, idle, iowait, irq, softirq, steal. */
const stat = (...times: number[]) => writeFile(join(folder, 'proc/stat'), `cpu  ${times.join(' ')} 0 0\ncpu0 1 2 3\n`)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'easydash-agent-'))
  for (const name of ['proc/net', 'state', 'config', 'bin']) await mkdir(join(folder, name), { recursive: true })
  for (const [name, content] of Object.entries(procFiles)) await writeFile(join(folder, 'proc', name), `${content}\n`)
  // Stands for the dashboard: keeps what it is sent.
  const curl = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --config) cp "$2" "${folder}/used" ;;
    --data-binary) cp "\${2#@}" "${folder}/sent" ;;
  esac
  shift
done
cat "${folder}/status"
`
  await writeFile(join(folder, 'bin/curl'), curl, { mode: 0o755 })
  for (const { path, mode, content } of await metricsAgentFiles({ url: 'https://dash.example', token: 'a.b' }))
    await writeFile(join(folder, 'config', path.slice(path.lastIndexOf('/') + 1)), content, { mode })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const sample = () =>
  run('/bin/sh', [join(folder, 'config/easydash-metrics.sh')], {
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      EASYDASH_ROOT: folder,
      STATE_DIRECTORY: join(folder, 'state'),
      CREDENTIALS_DIRECTORY: join(folder, 'config'),
    },
  })
const sent = async () => z.array(sentSample).parse(JSON.parse(await readFile(join(folder, 'sent'), 'utf8')))

test('the agent sends what it reads from /proc, and again what was not taken', async () => {
  await answer(503)
  await stat(100, 0, 100, 800, 0, 0, 0, 0)
  await expect(sample()).rejects.toThrow('sent again with the next one')
  await answer(200)
  await stat(400, 100, 150, 1300, 20, 10, 10, 10)
  await sample()
  const [first, second, ...more] = await sent()
  expect(more).toEqual([])
  expect(first?.cpu).toEqual({ user: 10, system: 10, idle: 80, total: 20 })
  const kilobyte = 1024
  expect(second).toMatchObject({
    primary_interface: 'eth0',
    uptime: 5_443_200,
    load: { m1: 0.52, m5: 0.58, m15: 0.59 },
    cpu: { user: 40, system: 8, idle: 52, total: 48 },
    memory: { total: 8e6 * kilobyte, used: 3e6 * kilobyte, free: 1e6 * kilobyte, percent: 37.5 },
    swap: { total: 2e6 * kilobyte, used: 5e5 * kilobyte, free: 1.5e6 * kilobyte, percent: 25 },
    network: {
      ...{ rx_bytes: 9_007_199_254_740, rx_packets: 2000, rx_errors: 3, rx_dropped: 4 },
      ...{ tx_bytes: 8_007_199_254_740, tx_packets: 5000, tx_errors: 6, tx_dropped: 7 },
    },
  })
  expect(second?.disk.total).toBeGreaterThan(0)

  // The counters begin again with the machine, and what was taken is not sent twice.
  await stat(50, 0, 50, 100, 0, 0, 0, 0)
  await sample()
  expect((await sent()).map(({ cpu }) => cpu)).toEqual([{ user: 25, system: 25, idle: 50, total: 50 }])
})

test('samples that the dashboard refuses are not sent for ever', async () => {
  await stat(100, 0, 100, 200, 0, 0, 0, 0)
  await answer(417)
  await expect(sample()).rejects.toThrow('refused the samples')
  await answer(200)
  await sample()
  expect(await sent()).toHaveLength(1)
})

test('address and token are in the one file that only root may read', async () => {
  const files = await metricsAgentFiles({ url: 'https://dash.example', token: 'a.b' })
  expect(files.filter(({ content }) => content.includes('a.b') || content.includes('dash.example'))).toEqual([
    expect.objectContaining({ path: '/etc/easydash-metrics.conf', mode: 0o600 }),
  ])
  const used = await readFile(join(folder, 'used'), 'utf8')
  expect(used).toContain('url = "https://dash.example/hooks/metrics"\nheader = "Authorization: Bearer a.b"\n')
})

test('servers reach public addresses only', () => {
  const reachable = ['https://dash.example.com', 'http://8.8.8.8:8080', 'https://[2606:4700::1111]']
  const inside = [
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://10.0.0.5',
    'http://[::1]:8080',
    'http://dash.local',
  ]
  expect(reachable.filter(isReachable)).toEqual(reachable)
  expect([...inside, 'http://dash', 'http://my.localhost', 'http://[fd00::1]'].filter(isReachable)).toEqual([])
})
