import type { Server } from '#shared/doctypes/server.ts'

/** What kind of software a site runs. */
export type SiteKind = 'wp' | 'php' | 'html'

/** Names a stored secret; it isn't one, so it can be logged and kept in a job. Engines don't interpret it. */
export interface CredentialsHandle {
  readonly doctype: string
  readonly name: string
  readonly field: string
}

/** The SSH key of this installation, which servers accept unless they have one of their own. */
export const installationKey: CredentialsHandle = { doctype: 'Installation', name: '', field: 'ssh_private_key' }

/** Identifies the server of a call to its engine. Plain values without secrets. */
export interface ServerRef {
  /** The Server document's name. */
  readonly id: string
  /** IP address the engine connects to; null if it has none. */
  readonly address: string | null
  /** TCP port of its SSH server. */
  readonly port: number
  /** Account to sign in to. */
  readonly user: string
  /** Its public key, as a line of OpenSSH; null if nobody connected to it yet. */
  readonly hostKey: string | null
  /** SSH key to sign in with; null if none is needed. */
  readonly credentials: CredentialsHandle | null
  /** What `HostInfo.facts` said when it was last measured. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** A server as its engine needs it; one that was deleted has only its name. */
export function serverRef(server: Pick<Server, 'name'> & Partial<Server>): ServerRef {
  const address = server.floating_ip ?? server.public_ipv4 ?? server.public_ipv6 ?? null
  const ownKey = { doctype: 'Server', name: server.name, field: 'ssh_private_key' }
  return {
    id: server.name,
    address,
    port: server.ssh_port ?? 22,
    user: server.ssh_user ?? 'root',
    hostKey: server.ssh_host_key ?? null,
    credentials: address === null ? null : server.ssh_private_key ? ownKey : installationKey,
    facts: server.facts ?? {},
  }
}

/** The machine this program runs on. Engines that run sites on it need none of these values. */
export const thisMachine: ServerRef = serverRef({ name: '' })

/** Identifies a site to its engine. */
export interface SiteRef {
  /** The Site document's name: 10 lowercase letters and digits. Folder and process names derive from it. */
  id: string
  /** Local sites: the slug (first label of a host name directly below the sites' domain), or a full domain. Other engines: a full domain. */
  domain: string
  siteType: SiteKind
  phpVersion: string
  /** It was on its server before that was added, so nothing there says that it is ours. */
  isFound?: boolean
  /** Visitors reach it over HTTPS. Engines that know better ignore it. */
  isSecure?: boolean
  server: ServerRef
}
