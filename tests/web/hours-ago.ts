/** A stored time in the past, as the server sends it. */
export const hoursAgo = (hours: number): string =>
  new Date(Date.now() - hours * 3_600_000).toISOString().replace('T', ' ').slice(0, -1)
