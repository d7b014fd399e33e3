/** How the web processes of an installation, which share one port, reach each other. */
export interface WebLinks {
  /** Number of this process. 0 is the main one: it runs jobs and local sites, and answers what the others pass on. */
  readonly own: number
  /** Number of processes, the main one included. */
  readonly count: number
  /** Path of the unix socket on which a process takes what others pass on. */
  pathOf(process: number): string
  /** Proves that a request comes from another of these processes. */
  readonly token: string
}

/** The session id of a socket that belongs to a process. */
export const socketIdOf = (process: number, id: string): string => `${process}.${id}`

/** The process that a session id of a socket names; the main one for any other text. */
export const processOfSocketId = (id: string): number => Number(/^(\d{1,2})\./.exec(id)?.[1] ?? 0)
