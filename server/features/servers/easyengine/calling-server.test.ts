import { expect, test } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { callingServer } from './calling-server.ts'

/** `name hostname machine_hostname address`; `-`: not known. */
const servers = (rows: readonly string[]) =>
  rows.map((row) => {
    const [name, hostname, own, address] = row.split(' ').map((word) => (word === '-' ? null : word))
    return { name, hostname, machine_hostname: own, public_ipv4: address, public_ipv6: `2001:db8::${name}` } as Server
  })
const found = (rows: readonly string[], hostname: string, ip: string) =>
  callingServer(servers(rows), hostname, ip)?.name ?? null

const [one, two, elsewhere] = ['192.0.2.1', '192.0.2.2', '198.51.100.9']
const renamed = [`a shop Web-1.example ${one}`, `b blog web-2.example ${two}`]
const alike = [`a ubuntu ubuntu ${one}`, `b ubuntu-2 ubuntu ${two}`]
const measuredLater = [`a ubuntu ubuntu ${one}`, `b blog - ${two}`]

test.each<[string, readonly string[], string, string, string | null]>([
  ['one that was renamed here', renamed, 'web-1.EXAMPLE', one, 'a'],
  ['one that was renamed here, through a proxy', renamed, 'Web-1.example', elsewhere, 'a'],
  ['one of two with the same host name', alike, 'ubuntu', two, 'b'],
  ['one of them by IPv6', alike, 'ubuntu', '2001:db8::a', 'a'],
  ['one of them by a mapped address', alike, 'ubuntu', `::ffff:${two}`, 'b'],
  ['one of them from an address of none', alike, 'ubuntu', elsewhere, null],
  ['another machine behind the address of one', renamed, 'web-2.example', one, 'b'],
  ['a machine of an unknown name behind the address of one', renamed, 'web-3.example', one, null],
  ['a name of people, which is another machine’s', renamed, 'shop', elsewhere, null],
  ['one whose host name is not known yet', [`a shop - ${one}`], 'web-1.example', one, 'a'],
  ['one whose name here is its host name', [`a Web-1.example - ${one}`], 'web-1.example', elsewhere, 'a'],
  ['one that may be one whose host name is not known yet', measuredLater, 'ubuntu', elsewhere, null],
  ['one at its address, beside such a server', measuredLater, 'ubuntu', one, 'a'],
  ['one whose host name is not known yet, beside another of that name', measuredLater, 'ubuntu', two, null],
  ['one of several whose host names are not known yet', [`a x - ${one}`, `b y - ${two}`], 'z', two, 'b'],
  ['none', [], 'web-1.example', one, null],
])('a machine that calls is %s', (_name, rows, hostname, ip, expected) => {
  expect(found(rows, hostname, ip)).toBe(expected)
})
