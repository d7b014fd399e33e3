import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { decode, encode, type Answer, type StringAnswer } from 'dns-packet'

/** What the name server answers the nth time somebody asks for a name and a type (from 0); null: nothing, ever. */
export type Zone = (name: string, type: string, times: number) => StringAnswer[] | null

/** A name server on loopback whose answers an attacker chooses, with time to live 0. */
export interface NameServer {
  /** Asks this server, as Node asks any other: a name → all its addresses. */
  resolve(hostname: string): Promise<string[]>
  /** Questions it got, as `name type`. */
  questions: string[]
  /** Where it listens, as `Resolver.setServers` takes it. */
  address: string
  stop(): void
}

/** Starts one. */
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
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
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
