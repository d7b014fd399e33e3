import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { decode, encode, type Answer, type StringAnswer } from 'dns-packet'

/** Answers of the name server to the nth query for a name and type (from 0); null: no answer at all. */
export type Zone = (name: string, type: string, times: number) => StringAnswer[] | null

/** A DNS server on loopback whose answers the attacker in a test controls, with a TTL of 0. */
export interface NameServer {
  /** Resolves a name to all its addresses with this server, like Node does with any other. */
  resolve(hostname: string): Promise<string[]>
  /** Received queries, as `name type`. */
  questions: string[]
  /** Listening address in the format of `Resolver.setServers`. */
  address: string
  stop(): void
}

/** Starts the name server. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (message, from) => {
    const query = decode(message)
    const answers: Answer[] = []
    for (const { name, type } of query.questions ?? []) {
      const key = `${name} ${type}`
      const times = questions.filter((known) => known === key).length
      questions.push(key)
      const found = zone(name, type, times)
      if (found === null) return
      answers.push(...found.map((answer) => ({ ttl: 0, ...answer })))
    }
    socket.send(
      encode({ type: 'response', id: query.id ?? 0, flags: 0x0180, questions: query.questions ?? [], answers }),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 60_000, tries: 1 })
  const address = `127.0.0.1:${socket.address().port}`
  resolver.setServers([address])
  const all = async (ask: Promise<string[]>): Promise<string[]> =>
    ask.catch((error: unknown) => {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENODATA') return []
      throw error
    })
  return {
    questions,
    address,
    resolve: async (hostname) => {
      const found = await Promise.all([all(resolver.resolve4(hostname)), all(resolver.resolve6(hostname))])
      return found.flat()
    },
    stop: () => {
      resolver.cancel()
      socket.close()
    },
  }
}
