/** The SSH server of a machine. */
export interface SshTarget {
  /** Name of the Server document. */
  readonly id: string
  readonly address: string
  readonly port: number
  /** Other users than root run commands by `sudo`, without a password. */
  readonly user: string
  /** The only host key that is accepted, `ssh-ed25519 AAAA…`. */
  readonly hostKey: string
}
