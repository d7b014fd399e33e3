/** Of a server and the secret of its machine token: a token that itself names the server. */
export const joinToken = (server: string, secret: string): string => `${server}.${secret}`

/** The parts of a token; empty ones if it is none. */
export function splitToken(token: string): { server: string; secret: string } {
  const [, server = '', secret = ''] = /^([a-z0-9]{1,32})\.([\w-]{43})$/.exec(token) ?? []
  return { server, secret }
}
