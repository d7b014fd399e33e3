/** The addresses under which a site's process shows the site. */
export interface Homes {
  /** The address for a request's host: that of an alias only if it was declared, in all other cases the primary one. */
  of(host: string | undefined): URL
  /** Whether a host and port lead to the site itself. */
  isOwn(host: string, port: number): boolean
  /** Changes the further hosts. */
  setServed(served: readonly string[]): void
}

/** Addresses of a site with this primary URL. The further ones differ from it in their host only. */
export function createHomes(url: string, served: readonly string[]): Homes {
  const primary = new URL(url)
  const port = Number(primary.port) || (primary.protocol === 'https:' ? 443 : 80)
  let others = new Map<string, URL>()
  const setServed: Homes['setServed'] = (hosts) => {
    others = new Map(
      hosts.map((host) => {
        const home = new URL(url)
        home.hostname = host
        return [host, home]
      }),
    )
  }
  setServed(served)
  return {
    of: (host = '') => others.get(host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')) ?? primary,
    isOwn: (host, onPort) => onPort === port && (host === primary.hostname || others.has(host)),
    setServed,
  }
}
