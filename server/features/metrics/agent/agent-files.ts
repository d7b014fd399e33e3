import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isIP } from 'node:net'
import { isLocalName, isPublicUnicast } from '#server/platform/network/addresses.ts'

/** A file of the agent on a server. */
export interface AgentFile {
  readonly path: string
  readonly mode: number
  readonly content: string
}

const script = 'easydash-metrics.sh'

const textOf = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8')

/** The agent's script. With the argument `print` it prints one sample instead of sending it. */
export const agentScript = (): Promise<string> => textOf(script)

/** Whether servers elsewhere can send anything to a dashboard at this address. */
export function isReachable(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? host.includes('.') && !isLocalName(host) : isPublicUnicast(host)
}

/**
 * The files of the agent that sends samples of a server: a shell script, its timer, and what it sends them with. `easydash-metrics.timer`
 * is to be enabled.
 * @param url address of this dashboard, as servers reach it
 * @param token of the server, from `make_metrics_token`
 */
export async function metricsAgentFiles({ url, token }: { url: string; token: string }): Promise<AgentFile[]> {
  const file = async (folder: string, name: string, mode = 0o644): Promise<AgentFile> => ({
    path: `${folder}/${name}`,
    mode,
    content: await textOf(name),
  })
  return [
    await file('/usr/local/lib/easydash', script, 0o755),
    await file('/etc/systemd/system', 'easydash-metrics.service'),
    await file('/etc/systemd/system', 'easydash-metrics.timer'),
    {
      path: '/etc/easydash-metrics.conf',
      mode: 0o600,
      content: [
        `url = "${new URL('/hooks/metrics', url).href}"`,
        `header = "Authorization: Bearer ${token}"`,
        'header = "Content-Type: application/json"',
        '',
      ].join('\n'),
    },
  ]
}
