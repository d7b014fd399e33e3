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

/** The machine this program runs on. Engines that run sites on it need none of these values. */
export const thisMachine: ServerRef = {
  ...{ id: '', address: null, port: 22, user: 'root', hostKey: null },
  ...{ credentials: null, facts: {} },
}

/** Identifies a site to its engine. */
export interface SiteRef {
  /** The Site document's name: 10 lowercase letters and digits. Folder and process names derive from it. */
  id: string
  /** Local sites: the slug (first label of a host name directly below the sites' domain), or a full domain. Other engines: a full domain. */
  domain: string
  siteType: SiteKind
  phpVersion: string
  server: ServerRef
}
