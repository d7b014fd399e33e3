/** A request as rules of nginx see it. */
export interface NginxRequest {
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** Path and query as they came. */
  readonly uri: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** What nginx answers by itself. */
export interface NginxAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Follows `set`, `if` and `return` of a server's configuration in their order, and answers with a redirect, or the location that `error_page` names;
 * null if they let a request pass. Each is on a line of its own.
 */
export function answerByRules(config: string, request: NginxRequest): NginxAnswer | null {
  const variables = new Map<string, string>()
  const valueOf = (name: string): string => {
    if (name === 'uri') return request.path
    if (name === 'args') return request.query
    if (name === 'request_uri') return request.uri
    if (name === 'host') return (request.headers['host']?.toString() ?? '').toLowerCase().replace(/:\d+$/, '')
    if (name.startsWith('http_')) return String(request.headers[name.slice('http_'.length).replaceAll('_', '-')] ?? '')
    return variables.get(name) ?? ''
  }
  for (const line of config.split('\n')) {
    const [, condition, inner] = /^if \((.*)\) \{ (.*) \}$/.exec(line) ?? []
    if (condition !== undefined && !holds(condition, valueOf)) continue
    const action = inner ?? line
    const [, name, value] = /^set \$(\w+) (\w+);$/.exec(action) ?? []
    if (name !== undefined) variables.set(name, value ?? '')
    const [, moved, target = ''] = /^return (30\d) (\S+);$/.exec(action) ?? []
    if (moved !== undefined) {
      const location = target.replaceAll(/\$(\w+)/g, (_all, variable: string) => valueOf(variable))
      return { status: Number(moved), headers: { location }, body: '' }
    }
    const [, status] = /^return (\d{3});$/.exec(action) ?? []
    if (status !== undefined) return namedLocation(config, Number(status))
  }
  return null
}

function holds(condition: string, valueOf: (name: string) => string): boolean {
  const [, name = '', operator, text = ''] = /^\$(\w+)(?: (=|~\*?) "(.*)")?$/.exec(condition) ?? []
  const value = valueOf(name)
  if (operator === undefined) return value !== '' && value !== '0'
  if (operator === '=') return value === text
  return new RegExp(text, operator === '~*' ? 'i' : '').test(value)
}

function namedLocation(config: string, status: number): NginxAnswer {
  const [, name = ''] = new RegExp(`^error_page ${status} (@\\w+);$`, 'm').exec(config) ?? []
  const start = config.indexOf(`\nlocation ${name} {\n`)
  const lines = start < 0 ? [] : config.slice(start, config.indexOf('\n}', start)).split('\n')
  const headers = lines.flatMap((line) => {
    const [, key, value] = /^add_header (\S+) (\S+) always;$/.exec(line) ?? []
    return key === undefined ? [] : [[key.toLowerCase(), value ?? ''] as const]
  })
  const type = lines.map((line) => /^default_type (\S+);$/.exec(line)?.[1]).find((one) => one !== undefined)
  const body = lines.map((line) => /^return \d{3} '(.*)';$/.exec(line)?.[1]).find((one) => one !== undefined)
  return {
    status,
    headers: { ...Object.fromEntries(headers), 'content-type': `${type ?? 'text/plain'}; charset=utf-8` },
    body: body ?? '',
  }
}
