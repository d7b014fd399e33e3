import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of the agent on a server. */
export interface AgentFile {
  readonly path: string
  readonly mode: number
  readonly content: string
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
    content: await readFile(join(import.meta.dirname, name), 'utf8'),
  })
  return [
    await file('/usr/local/lib/easydash', 'easydash-metrics.sh', 0o755),
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
