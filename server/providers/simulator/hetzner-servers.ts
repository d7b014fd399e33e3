import { ubuntu, type HetznerLocation, type HetznerServerType } from './hetzner-catalog.ts'

/** A server; what happens to it follows from the time alone. */
export interface HetznerServer {
  readonly id: number
  readonly name: string
  readonly type: HetznerServerType
  readonly location: HetznerLocation
  readonly labels: Record<string, string>
  readonly createdAt: number
  readonly failsToStart: boolean
  /** Null: one that leads nowhere. */
  readonly ipv4: string | null
  deletedAt: number | null
}

/** How long a server takes to be created, then to start, and to be deleted, in milliseconds. */
const createMs = 4000
const startMs = 3000
const deleteMs = 1000

/** The actions of a server so far, oldest first; those of its start are known from the beginning. */
export function actionsOf(now: number, server: HetznerServer) {
  const action = (at: number, command: string, from: number, ms: number, failed = false) => {
    const isOver = now >= from + ms
    const status = !isOver ? 'running' : failed ? 'error' : 'success'
    return {
      id: server.id * 10 + at,
      command,
      status,
      progress: isOver ? 100 : 0,
      started: iso(from),
      finished: isOver ? iso(from + ms) : null,
      resources: [{ id: server.id, type: 'server' }],
      error: status === 'error' ? { code: 'action_failed', message: 'Action failed' } : null,
    }
  }
  const { createdAt, deletedAt, failsToStart } = server
  return [
    action(1, 'create_server', createdAt, createMs),
    action(2, 'start_server', createdAt + createMs, startMs, failsToStart),
    ...(deletedAt === null ? [] : [action(3, 'delete_server', deletedAt, deleteMs)]),
  ]
}

/** Whether an action is running, during which the vendor allows no other. */
export const isLocked = (now: number, server: HetznerServer) =>
  actionsOf(now, server).some(({ status }) => status === 'running')

function statusOf(now: number, { createdAt, deletedAt, failsToStart }: HetznerServer): string {
  if (deletedAt !== null) return 'deleting'
  const age = now - createdAt
  if (age < createMs) return 'initializing'
  if (age < createMs + startMs) return 'starting'
  return failsToStart ? 'off' : 'running'
}

/** Whether a deleted server has disappeared. */
export const isGone = (now: number, { deletedAt }: HetznerServer) => deletedAt !== null && now - deletedAt >= deleteMs

/** A server in the API's form. */
export const serverBody = (now: number) => (server: HetznerServer) => ({
  id: server.id,
  name: server.name,
  status: statusOf(now, server),
  created: iso(server.createdAt),
  public_net: {
    // 198.18.0.0/15 is for tests of network devices (RFC 2544), 2001:db8::/32 for documentation (RFC 3849).
    ipv4: {
      id: server.id * 10 + 4,
      ip: server.ipv4 ?? `198.19.${server.id >> 8}.${server.id & 255}`,
      blocked: false,
      dns_ptr: '',
    },
    ipv6: { id: server.id * 10 + 6, ip: `2001:db8:0:${server.id.toString(16)}::/64`, blocked: false, dns_ptr: [] },
    floating_ips: [],
    firewalls: [],
  },
  private_net: [],
  server_type: server.type,
  location: server.location,
  image: ubuntu(server.type.architecture),
  iso: null,
  rescue_enabled: false,
  locked: isLocked(now, server),
  backup_window: null,
  outgoing_traffic: null,
  ingoing_traffic: null,
  included_traffic: 20 * 2 ** 40,
  protection: { delete: false, rebuild: false },
  labels: server.labels,
  volumes: [],
  load_balancers: [],
  primary_disk_size: server.type.disk,
})

export const iso = (ms: number) => new Date(ms).toISOString()
