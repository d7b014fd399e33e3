import type { IncomingMessage } from 'node:http'

/** Values of the cookies of a name, and removes them from the request: the site must not see them. */
export function takeCookies(request: IncomingMessage, name: string): readonly string[] {
  const { cookie } = request.headers
  if (cookie === undefined || !cookie.includes(name)) return []
  const parts = cookie.split(';').map((part) => part.trim())
  const taken = parts.filter((part) => part.startsWith(`${name}=`))
  const rest = parts.filter((part) => !taken.includes(part)).join('; ')
  if (rest === '') delete request.headers.cookie
  else request.headers.cookie = rest
  return taken.map((part) => part.slice(name.length + 1))
}
